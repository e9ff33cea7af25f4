#include "codec/json.h"
#include "model/nest.h"
#include "query/query_parts.h"
#include "state/batches.h"

/* public names start with: service_ */

/* Operator commands for a batch job. They are stored with the request of the job, where the
 * cluster's reconciler reads them. */

/* ---- search ---- */

/* Return the request of this job; NULL: the job has none. */
static const struct cache_object *request_find(const struct service *service, struct arena *arena,
                                               struct text tenant, struct text cluster_id,
                                               uint64_t number)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/" BATCHES_KIND "/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        const struct cache_bytes *base = &object->parts[CACHE_BASE];
        struct service_batches_row row = service_batches_find(
            service, arena, tenant, cluster_id,
            text_slice(blob_text(object->key), prefix.length, SIZE_MAX), base->revision);

        if (base->bytes != NULL && row.number == number && !row.is_over) {
            return object;
        }
    }
    return NULL;
}

/* Reports why the job has no request. */
static void bootstrap_say_unfound_report(const struct service *service, struct arena *arena,
                                         struct text tenant, struct text cluster_id,
                                         struct text said, struct err *err)
{
    int64_t found = 0;
    uint64_t number = text_parse_int64(said, &found) && found > 0 ? (uint64_t)found : 0;
    const struct cache_object *row = cache_find(
        service->cache, tenant, TEXT("Job"),
        arena_printf(arena, "%.*s/%020llu", TEXT_ARG(cluster_id), (unsigned long long)number));

    if (row == NULL) {
        err_set(err, CODE_R0403, "there is no job '%.*s'", TEXT_ARG(said));
        err_hint(err, "reeve get jobs lists the jobs");
    } else if (objects_is_change(row)) {
        err_set(err, CODE_R0816, "job/%llu executes a change and has no batches",
                (unsigned long long)number);
        err_hint(err, "the commands of its cluster apply to it: pause, resume, retry");
    } else {
        err_set(err, CODE_R0403, "job/%llu has already ended", (unsigned long long)number);
        err_hint(err, "reeve get jobs lists the jobs that run");
    }
}

/* ---- write ---- */

static const struct job_command {
    const char *member;
    const char *event;
    const char *twice;
    bool is_withdrawal;
} job_commands[] = {
    [SERVICE_JOB_CANCEL] = { "cancelled", "job.cancelled", "cancelled already", false },
    [SERVICE_JOB_PAUSE] = { "paused", "job.paused", "paused already", false },
    [SERVICE_JOB_RESUME] = { "paused", "job.resumed", "not paused", true },
};

static struct doc bootstrap_say_mark_make(const struct service *service, struct arena *arena,
                                          const struct service_actor *actor, struct text why)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at",
                    doc_int(arena, service->ports.wall_ms(service->ports.arg), NULL));
    doc_builder_put(&builder, "by", doc_text(actor->user, NULL));
    if (why.length > 0) {
        doc_builder_put(&builder, "why", doc_text(why, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static struct doc bootstrap_say_said_read(struct arena *arena, const struct cache_object *request)
{
    const struct cache_bytes *spec = &request->parts[CACHE_SPEC];
    struct doc said;
    struct err err;

    return spec->bytes != NULL &&
                   json_parse(arena, arena_text(arena, blob_text(spec->bytes)), NULL, &said,
                              &err) &&
                   doc_is_map(&said)
               ? said
               : doc_map(NULL, 0, NULL);
}

static struct text bootstrap_say_bytes_of(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    if (doc->entry_count == 0) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

/* Writes a command. The commands of a job are deleted when it ends. So the transaction compares the
 * request too, and fails if the job has ended. */
static void bootstrap_say_word_write(struct service_saying *saying,
                                     const struct service_actor *actor,
                                     const struct service_job_say *say, struct text cluster,
                                     struct text cluster_id, const struct cache_object *request)
{
    struct service *service = saying->service;
    struct arena *arena = saying->arena;
    const struct job_command *word = &job_commands[say->word];
    struct text id = arena_text(arena, cache_id(request));
    struct doc said = bootstrap_say_said_read(arena, request);
    struct doc mark = word->is_withdrawal
                          ? (struct doc){ 0 }
                          : bootstrap_say_mark_make(service, arena, actor, say->why);
    const struct cache_bytes *spec = &request->parts[CACHE_SPEC];
    struct store_compare compares[] = {
        { .key = objects_key(arena, actor->tenant, TEXT(BATCHES_KIND), id, CACHE_SPEC),
          .revision = spec->bytes == NULL ? 0 : spec->revision },
        { .key = objects_key(arena, actor->tenant, TEXT(BATCHES_KIND), id, CACHE_BASE),
          .revision = request->parts[CACHE_BASE].revision },
    };
    struct store_op op = { .key = compares[0].key };
    struct store_event event = service_event(
        service, arena, actor,
        &(struct service_event){ .type = word->event,
                                 .cluster = cluster,
                                 .cluster_id = cluster_id,
                                 .fact = arena_printf(arena, "job/%.*s", TEXT_ARG(say->number)),
                                 .why = say->why });

    said = nest_put(arena, &said, word->member, mark);
    op.value = bootstrap_say_bytes_of(arena, &said);
    op.is_delete = op.value.length == 0;
    service_txn(service, arena, actor,
                &(struct store_txn){ compares, ARRAY_COUNT(compares), &op, 1, &event, 1 },
                service_said, saying);
}

/* True if the job is a rollout. The commands of its group control a rollout, not commands for the
 * job. */
static bool is_bootstrap_say_rollout(struct arena *arena, const struct cache_object *request,
                                     struct text *out_group)
{
    struct batches batches;
    struct err err;

    if (!batches_parse(arena, arena_text(arena, blob_text(request->parts[CACHE_BASE].bytes)),
                       &batches, &err) ||
        !batches_is_rollout(&batches)) {
        return false;
    }
    *out_group = batches.group;
    return true;
}

void service_job_say(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text cluster,
                     const struct service_job_say *say, service_done *done, void *arg)
{
    const struct cache_object *subject =
        objects_find(service->cache, actor->tenant, objects_kind("Cluster"), cluster);
    struct service_saying *saying = arena_one(arena, struct service_saying);
    const struct job_command *word = &job_commands[say->word];
    const struct cache_object *request = NULL;
    int64_t number = 0;
    struct text group;
    struct text id;
    struct doc said;
    struct err err;

    *saying = (struct service_saying){ service, arena, done, arg, { 0 } };
    if (subject == NULL) {
        (void)!service_unfound(objects_kind("Cluster"), cluster, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    id = arena_text(arena, cache_id(subject));
    if (text_parse_int64(say->number, &number) && number > 0) {
        request = request_find(service, arena, actor->tenant, id, (uint64_t)number);
    }
    if (request == NULL) {
        bootstrap_say_unfound_report(service, arena, actor->tenant, id, say->number, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (is_bootstrap_say_rollout(arena, request, &group)) {
        err_set(&err, CODE_R0816, "job/%lld is the rollout of %.*s/%.*s", (long long)number,
                TEXT_ARG(cluster), TEXT_ARG(group));
        err_hint(&err, "control it by reeve rollout pause, resume, abort or undo %.*s/%.*s",
                 TEXT_ARG(cluster), TEXT_ARG(group));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    said = bootstrap_say_said_read(arena, request);
    if (doc_is_present(doc_child(&said, word->member)) != word->is_withdrawal) {
        err_set(&err, CODE_R0433, "job/%lld is %s", (long long)number, word->twice);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    bootstrap_say_word_write(saying, actor, say, cluster, id, request);
}

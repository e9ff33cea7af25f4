#include "codec/json.h"
#include "discovery/shrink.h"
#include "model/nest.h"
#include "state/batches.h"

#include <string.h>

/* public names start with: leaves_ service_ */

/* Takes machines out of their groups for the batch jobs of `decommission` (decision 0166).
 *
 * Normal case: the job has marked a batch as begun. One change for each group reduces its size by
 * the machines of the batch, and selects these for removal. After that they leave in the same way
 * as any decommissioned machine. A machine of a later batch stays a member until its batch begins.
 *
 * Each change is validated like a request of a user: rules of roles and protection apply when the
 * batch begins. If a change about several machines is rejected, they are tried one by one. A
 * machine that may not leave is recorded next to the request, and the job skips it.
 *
 * Failures: after a temporary error, or if the group is already shrinking, the change is made
 * later. */

enum {
    LEAVES_MAX = 500, /* maximum number of machines in one change */
    LEAVES_AGAIN_MS = 1000,
};

enum leaves_step {
    LEAVES_IDLE,
    LEAVES_WAIT, /* a call is pending */
    LEAVES_REFUSED,
    LEAVES_OVER,
};

struct leaves {
    struct service *service;
    struct cache_watch *watch;
    bool is_due;
    bool is_single;   /* a change about several machines was rejected */
    int64_t again_ms; /* next check without a change, by the wall clock; 0: none */
    enum leaves_step step;
    struct service_actor actor;
    struct text request; /* id of the job's request: CLUSTER/NAME */
    struct shrink_group group;
    struct text why;
    struct text tokens[LEAVES_MAX];
    struct text names[LEAVES_MAX];
    size_t count;
    struct text refusal;
};

static void leaves_seen(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    static const char word[] = "\"" BATCHES_VERB "\":\"" BATCHES_DECOMMISSION "\"";
    struct leaves *leaves = arg;

    if (state == CACHE_WATCH_RESET) {
        leaves->watch = NULL;
    } else if (change->part == CACHE_STATUS && change->bytes != NULL) {
        struct text bytes = blob_text(change->bytes);

        leaves->is_due =
            leaves->is_due || memmem(bytes.data, bytes.length, word, sizeof(word) - 1) != NULL;
    }
}

/* ---- which machines ---- */

static struct doc leaves_commands_read(struct arena *arena, const struct cache_object *request)
{
    const struct cache_bytes *spec = &request->parts[CACHE_SPEC];
    struct doc doc;
    struct err err;

    return spec->bytes != NULL &&
                   json_parse(arena, arena_text(arena, blob_text(spec->bytes)), NULL, &doc, &err) &&
                   doc_is_map(&doc)
               ? doc
               : doc_map(NULL, 0, NULL);
}

/* Returns the markers of the job's machines. Empty: the job has not begun, or has ended. */
static struct text leaves_marks_find(const struct leaves *leaves, struct arena *arena,
                                     struct text tenant, struct text cluster, struct text name)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/Job/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster));
    const struct cache_object *row = objects_job_of(leaves->service->cache, arena, prefix, name);
    struct batches_progress progress;
    struct doc doc;
    struct err err;

    return row != NULL && objects_job_ended(row) == 0 &&
                   json_parse(arena, arena_text(arena, blob_text(row->parts[CACHE_STATUS].bytes)),
                              NULL, &doc, &err) &&
                   batches_progress_read(&doc, &progress)
               ? progress.marks
               : TEXT("");
}

/* Add a machine to the change, if the job has begun with it, it is still a member, and it belongs
 * to the same group. */
static void leaves_add(struct leaves *leaves, struct arena *arena, struct text token)
{
    const struct cache_object *object = cache_find(
        leaves->service->cache, leaves->group.tenant, TEXT("Resource"),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(leaves->group.cluster), TEXT_ARG(token)));
    struct record record;
    struct err err;

    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL ||
        !record_parse(arena, token, arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes)),
                      &record, &err) ||
        record.plan.state != PLAN_RECORD_ACTIVE) {
        return;
    }
    if (leaves->count > 0 && (!text_is_equal(record.plan.group, leaves->group.path) ||
                              leaves->is_single || leaves->count == LEAVES_MAX)) {
        leaves->is_due = true; /* the next change handles this machine of another group */
        return;
    }
    leaves->group.path = record.plan.group;
    leaves->tokens[leaves->count] = token;
    leaves->names[leaves->count++] = record.name;
}

/* Collect the machines of one group whose batch a job has begun. */
static void leaves_request_look(struct leaves *leaves, struct arena *arena,
                                const struct cache_object *object)
{
    struct text id = arena_text(arena, cache_id(object));
    size_t slash = text_find_byte(id, '/');
    struct batches request;
    struct doc commands;
    struct text marks;
    struct err err;

    if (object->parts[CACHE_BASE].bytes == NULL || slash == SIZE_MAX ||
        !batches_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)),
                       &request, &err) ||
        request.verb != BATCHES_VERB_DECOMMISSION) {
        return;
    }
    leaves->group = (struct shrink_group){ .tenant = arena_text(arena, cache_tenant(object)),
                                           .cluster = text_slice(id, 0, slash) };
    marks = leaves_marks_find(leaves, arena, leaves->group.tenant, leaves->group.cluster,
                              text_slice(id, slash + 1, SIZE_MAX));
    commands = leaves_commands_read(arena, object);
    for (size_t i = 0; marks.length == request.count && i < request.count; i++) {
        if (marks.data[i] == BOOTSTRAP_MARK_BEGUN &&
            batches_refusal(&commands, request.tokens[i]).length == 0) {
            leaves_add(leaves, arena, request.tokens[i]);
        }
    }
    leaves->request = id;
    leaves->why = request.why;
    leaves->actor = (struct service_actor){ .tenant = leaves->group.tenant, .user = request.by };
}

/* ---- the change ---- */

static void leaves_end(struct leaves *leaves)
{
    arena_free(leaves->service->leaves_arena);
    leaves->service->leaves_arena = NULL;
    leaves->count = 0;
    leaves->step = LEAVES_IDLE;
}

static void leaves_later(struct leaves *leaves)
{
    const struct service_ports *ports = &leaves->service->ports;

    leaves->again_ms = ports->wall_ms(ports->arg) + LEAVES_AGAIN_MS;
}

/* Callback of service_patch, possibly called before it returns. */
static void leaves_changed(void *arg, const struct service_answer *answer)
{
    struct leaves *leaves = arg;
    const struct err *err = shrink_error_of(answer);

    leaves->step = LEAVES_OVER;
    leaves_later(leaves);
    if (err == NULL || shrink_is_passing(err)) {
        return;
    }
    if (leaves->count > 1) {
        leaves->is_single = true;
        return;
    }
    leaves->refusal = arena_text(leaves->service->leaves_arena, text_from(err->text));
    leaves->step = LEAVES_REFUSED;
}

static void leaves_noted(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct leaves *leaves = arg;

    (void)outcome;
    (void)answer;
    leaves_later(leaves);
    leaves->step = LEAVES_OVER;
}

/* Store next to the request that the machine may not leave. */
static void leaves_refusal_note(struct leaves *leaves)
{
    struct service *service = leaves->service;
    struct arena *arena = service->leaves_arena;
    const struct cache_object *object =
        cache_find(service->cache, leaves->group.tenant, TEXT(BATCHES_KIND), leaves->request);
    struct store_compare compares[2];
    struct store_event event;
    struct doc commands;
    struct store_op op;
    struct doc refused;
    struct buf buf;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL) {
        leaves->step = LEAVES_OVER;
        return;
    }
    commands = leaves_commands_read(arena, object);
    refused = doc_is_map(doc_child(&commands, "refused")) ? *doc_child(&commands, "refused")
                                                          : doc_map(NULL, 0, NULL);
    refused = nest_put(arena, &refused, arena_string(arena, leaves->tokens[0]),
                       doc_text(leaves->refusal, NULL));
    commands = nest_put(arena, &commands, "refused", refused);
    buf_init(&buf, arena);
    json_format(&buf, &commands);
    compares[0] = (struct store_compare){
        objects_key(arena, leaves->group.tenant, TEXT(BATCHES_KIND), leaves->request, CACHE_SPEC),
        object->parts[CACHE_SPEC].bytes == NULL ? 0 : object->parts[CACHE_SPEC].revision
    };
    compares[1] =
        (struct store_compare){ objects_key(arena, leaves->group.tenant, TEXT(BATCHES_KIND),
                                            leaves->request, CACHE_BASE),
                                object->parts[CACHE_BASE].revision };
    op = (struct store_op){ .key = compares[0].key, .value = buf_text(&buf) };
    event =
        service_event(service, arena, &leaves->actor,
                      &(struct service_event){
                          .type = "node.decommission_refused",
                          .cluster = objects_cluster_name(
                              service->cache, arena, leaves->group.tenant, leaves->group.cluster),
                          .cluster_id = leaves->group.cluster,
                          .group = leaves->group.path,
                          .fact = arena_printf(arena, "%.*s stays", TEXT_ARG(leaves->names[0])),
                          .why = leaves->refusal,
                      });
    leaves->step = LEAVES_WAIT;
    store_txn(service->store, &(struct store_txn){ compares, 2, &op, 1, &event, 1 }, leaves_noted,
              leaves);
}

static void leaves_change(struct leaves *leaves)
{
    struct service *service = leaves->service;
    struct arena *arena = service->leaves_arena;
    struct service_patch *patch;
    uint64_t revision;
    uint64_t size;
    struct buf names;

    if (!shrink_size_find(service, arena, &leaves->group, &size, &revision) ||
        size < leaves->count || shrink_alive(service, arena, &leaves->group) > size) {
        leaves_end(leaves); /* the group no longer exists, or is already shrinking */
        leaves_later(leaves);
        return;
    }
    buf_init(&names, arena);
    for (size_t i = 0; i < leaves->count; i++) {
        buf_printf(&names, "%s%.*s", i == 0 ? "" : ",", TEXT_ARG(leaves->names[i]));
    }
    patch = shrink_patch_make(service, arena, &leaves->group, size - leaves->count, revision);
    patch->change.victims = buf_text(&names);
    patch->change.allow.destroy = leaves->count;
    patch->change.why = leaves->why;
    leaves->step = LEAVES_WAIT;
    service_patch(service, arena, &leaves->actor, patch, leaves_changed, leaves);
}

static void leaves_look(struct leaves *leaves)
{
    const struct cache *cache = leaves->service->cache;

    leaves->is_due = false;
    leaves->again_ms = 0;
    leaves->service->leaves_arena = arena_new(SIZE_MAX);
    for (const struct cache_object *object = cache_first(cache, TEXT("/"));
         object != NULL && leaves->count == 0; object = cache_next(cache, TEXT("/"), object)) {
        if (text_is(cache_kind(object), BATCHES_KIND)) {
            leaves_request_look(leaves, leaves->service->leaves_arena, object);
        }
    }
    if (leaves->count == 0) {
        leaves->is_single = false;
        leaves_end(leaves);
    } else {
        leaves_change(leaves);
    }
}

void service_leaves(struct service *service)
{
    const struct service_ports *ports = &service->ports;
    struct cache *cache = service->cache;
    const struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Job") };
    struct leaves *leaves = service->leaves;

    /* only in the process that reconciles the clusters, so that it is done once */
    if (!service_is_ready(service) || service->reconciler.pass == NULL) {
        return;
    }
    if (leaves == NULL) {
        leaves = service->leaves = arena_one(service->memory, struct leaves);
        *leaves = (struct leaves){ .service = service };
    }
    if (leaves->watch == NULL) {
        leaves->watch = cache_watch(cache, &scope, cache_revision(cache) + 1, leaves_seen, leaves);
        leaves->is_due = true;
    }
    if (leaves->step == LEAVES_REFUSED) {
        leaves_refusal_note(leaves);
    }
    if (leaves->step == LEAVES_OVER) {
        leaves_end(leaves);
    }
    if (leaves->step == LEAVES_IDLE &&
        (leaves->is_due ||
         (leaves->again_ms > 0 && ports->wall_ms(ports->arg) >= leaves->again_ms))) {
        leaves_look(leaves);
    }
}

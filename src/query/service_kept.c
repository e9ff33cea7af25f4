#include "base/limits.h"
#include "base/time.h"
#include "change/show.h"
#include "codec/json.h"
#include "model/nest.h"
#include "plan/compute.h"
#include "query/problem.h"
#include "query/query_parts.h"
#include "records/commands.h"
#include "records/displayed.h"
#include "records/record.h"
#include "selector/ranges.h"
#include "state/batches.h"
#include "volumes/volume.h"

/* The records of the controller: machines, holds, jobs, volumes. The stored bytes are returned
 * unchanged, but the displayed state of a machine is inserted before them (displayed.h). */

struct archiving {
    struct service *service;
    struct arena *arena;
    struct text tenant;
    /* for lists of holds: only holds of this group and of groups below it; empty: all */
    struct text group;
    const struct kept_kind *kind;
    struct buf items;
    size_t count;
    struct text last_id; /* id of the cluster to which the current rows belong */
    struct text last_name;
    struct service_policies policies; /* repair policies of that cluster */
};

struct text service_cluster_name(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text id)
{
    return objects_cluster_name(service->cache, arena, tenant, id);
}

/* Return the name of a cluster, or its id if the cluster is deleted. */
static struct text cluster_name(const struct archiving *archiving, struct text id)
{
    struct text name =
        service_cluster_name(archiving->service, archiving->arena, archiving->tenant, id);

    return name.length > 0 ? name : id;
}

static struct text field_of(struct arena *arena, struct text bytes, const char *name)
{
    const struct doc *field;
    struct doc doc;
    struct err err;

    if (!json_parse(arena, bytes, NULL, &doc, &err)) {
        return TEXT("");
    }
    field = doc_child(&doc, name);
    return doc_is_scalar(field) ? field->text : TEXT("");
}

/* Finds the pause of a subject that is in effect, with its author and end. False: it is not
 * paused. */
static bool kept_pause_of(struct archiving *archiving, struct text id, struct text subject,
                          struct doc *out)
{
    const struct service *service = archiving->service;
    struct doc commands = commands_read(
        archiving->arena, cache_find(service->cache, archiving->tenant, TEXT("Control"), id));
    const struct doc *until = doc_child(doc_child(&commands, "paused"), "until");
    char *time = arena_alloc(archiving->arena, TIME_TEXT_BYTES);
    int64_t until_ms = 0;

    if (!commands_is_paused(&commands, (uint64_t)service->ports.wall_ms(service->ports.arg))) {
        return false;
    }
    *out =
        nest_put(archiving->arena, doc_child(&commands, "paused"), "of", doc_text(subject, NULL));
    if (doc_is_scalar(until) && text_parse_int64(until->text, &until_ms)) {
        time_format(until_ms, time);
        *out = nest_put(archiving->arena, out, "until", doc_text(text_from(time), NULL));
    }
    return true;
}

/* Return the pauses of the group, of its cluster, or of both. */
static struct doc pauses_of(struct archiving *archiving, const struct service_kept_row *row)
{
    struct text cluster = text_slice(row->id, 0, text_find_byte(row->id, '/'));
    struct text group = field_of(archiving->arena, row->status, "group");
    struct doc *items = arena_array(archiving->arena, struct doc, 2);
    size_t count = 0;

    if (group.length > 0) {
        count += kept_pause_of(
            archiving,
            arena_printf(archiving->arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group)),
            arena_printf(archiving->arena, "%.*s/%.*s", TEXT_ARG(archiving->last_name),
                         TEXT_ARG(group)),
            &items[count]);
    }
    count += kept_pause_of(archiving, cluster, archiving->last_name, &items[count]);
    return doc_list(items, count, NULL);
}

/* Format the status of a hold. The author of a pause is added from the commands
 * (pass_commands.c). */
static struct text hold_status(struct archiving *archiving, const struct service_kept_row *row)
{
    struct arena *arena = archiving->arena;
    struct doc doc;
    struct err err;
    struct buf buf;

    if (!json_parse(arena, row->status, NULL, &doc, &err)) {
        return row->status;
    }
    if (text_is(field_of(arena, row->status, "rule"), plan_rule_name(PLAN_RULE_paused))) {
        struct doc pauses = pauses_of(archiving, row);

        if (pauses.item_count > 0) {
            doc = nest_put(arena, &doc, "pauses", pauses);
        }
    }
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Return the part of an id after CLUSTER/. */
static struct text rest_of(struct text id)
{
    return text_slice(id, text_find_byte(id, '/') + 1, SIZE_MAX);
}

/* Add the name of the manager that runs on the machine's host, from `at` of the record. */
static void resource_host_write(struct archiving *archiving, struct buf *out, struct text at)
{
    const struct cache_object *manager =
        at.length == 0 ? NULL
                       : cache_find(archiving->service->cache, TEXT(OBJECTS_SYSTEM_TENANT),
                                    TEXT("Manager"), at);
    struct text name =
        manager == NULL || manager->parts[CACHE_STATUS].bytes == NULL
            ? at
            : field_of(archiving->arena, blob_text(manager->parts[CACHE_STATUS].bytes), "name");
    struct doc shown = doc_text(name.length == 0 ? at : name, NULL);

    if (at.length > 0) {
        buf_add_string(out, ",\"host\":");
        json_format(out, &shown);
    }
}

/* Format a machine's record for clients. It has the displayed state, so that clients need not
 * compute it. */
static struct text resource_status(struct archiving *archiving, const struct service_kept_row *row)
{
    struct record record;
    struct doc problem;
    struct buf buf;
    struct err err;

    if (!record_parse(archiving->arena, rest_of(row->id), row->status, &record, &err)) {
        return row->status;
    }
    problem = service_problem_show(&archiving->policies, archiving->arena, &record);
    buf_init(&buf, archiving->arena);
    buf_printf(&buf, "{\"displayed\":\"%s\"", displayed_name(displayed_of(&record.plan)));
    resource_host_write(archiving, &buf, record.at);
    if (doc_is_map(&problem)) {
        buf_add_string(&buf, ",\"problem\":");
        json_format(&buf, &problem);
    }
    buf_add_string(&buf, row->status.length > 2 ? "," : "");
    buf_add(&buf, text_slice(row->status, 1, SIZE_MAX));
    return buf_text(&buf);
}

/* Append the stored status, a map, with the member `node` added. */
static void kept_status_write(struct buf *out, struct text status, const struct doc *node)
{
    bool is_joined = doc_is_map(node) && status.length > 1;

    buf_add(out, is_joined ? text_slice(status, 0, status.length - 1) : status);
    if (is_joined) {
        buf_add_string(out, status.length > 2 ? ",\"node\":" : "\"node\":");
        json_format(out, node);
        buf_add_string(out, "}");
    }
}

static void item_write(struct buf *out, const char *kind, const struct doc *metadata,
                       const struct doc *node, const struct service_kept_row *row)
{
    buf_printf(out, "{\"kind\":\"%s\",\"metadata\":", kind);
    json_format(out, metadata);
    if (row->spec.length > 0) {
        buf_add_string(out, ",\"spec\":");
        buf_add(out, row->spec);
    }
    buf_add_string(out, ",\"status\":");
    kept_status_write(out, row->status, node);
    buf_add_string(out, "}");
}

static struct doc metadata_make(struct archiving *archiving, struct text cluster, struct text group,
                                struct text id, struct text name, uint64_t revision)
{
    struct doc_builder builder;

    doc_builder_init(&builder, archiving->arena);
    doc_builder_put(&builder, "cluster", doc_text(cluster, NULL));
    if (group.length > 0) {
        doc_builder_put(&builder, "group", doc_text(group, NULL));
    }
    doc_builder_put(&builder, "id", doc_text(id, NULL));
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    doc_builder_put(&builder, "revision", doc_int(archiving->arena, (int64_t)revision, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct doc resource_metadata(struct archiving *archiving, struct text cluster,
                                    const struct service_kept_row *row)
{
    struct text token = rest_of(row->id);
    struct text name = field_of(archiving->arena, row->status, "name");

    return metadata_make(archiving, cluster, field_of(archiving->arena, row->status, "group"),
                         token, name.length == 0 ? token : name, row->revision);
}

/* Make the metadata of a hold. Its id is CLUSTER/RULE[/GROUP] in the store; its name for display is
 * [GROUP:]RULE. */
static struct doc hold_metadata(struct archiving *archiving, struct text cluster,
                                const struct service_kept_row *row)
{
    struct text rest = rest_of(row->id);
    size_t slash = text_find_byte(rest, '/');
    struct text rule = text_slice(rest, 0, slash);
    struct text group = slash == SIZE_MAX ? TEXT("") : text_slice(rest, slash + 1, SIZE_MAX);
    struct text name = arena_printf(archiving->arena, "%.*s%s%.*s", TEXT_ARG(group),
                                    group.length == 0 ? "" : ":", TEXT_ARG(rule));

    return metadata_make(archiving, cluster, group, name, name, row->revision);
}

/* Make the metadata of a job. Its name is a revision, without the leading zeros that it has in the
 * store. A job of a deleted cluster contains the cluster's name. */
static struct doc job_metadata(struct archiving *archiving, struct text cluster,
                               const struct service_kept_row *row)
{
    struct text number = rest_of(row->id);
    struct text name = field_of(archiving->arena, row->status, "cluster");

    while (number.length > 1 && number.data[0] == '0') {
        number = text_slice(number, 1, number.length);
    }
    return metadata_make(archiving, name.length > 0 ? name : cluster, TEXT(""), number, number,
                         row->revision);
}

/* Make the metadata of a volume. Its id is the key of its record. */
static struct doc volume_metadata(struct archiving *archiving, struct text cluster,
                                  const struct service_kept_row *row)
{
    struct volume volume;
    struct err err;

    if (!volume_parse(archiving->arena, rest_of(row->id), row->status, &volume, &err)) {
        return metadata_make(archiving, cluster, TEXT(""), rest_of(row->id), rest_of(row->id),
                             row->revision);
    }
    return metadata_make(archiving, volume.cluster.length > 0 ? volume.cluster : cluster,
                         volume.group, volume.key, volume_name(archiving->arena, &volume),
                         row->revision);
}

static const struct kept_kind {
    const char *name;
    struct doc (*metadata_make)(struct archiving *archiving, struct text cluster,
                                const struct service_kept_row *row);
} kept_kinds[] = {
    { "Resource", resource_metadata },
    { "Hold", hold_metadata },
    { "Job", job_metadata },
    { VOLUME_KIND, volume_metadata },
};

static const struct kept_kind *kept_kind_find(const struct schema_kind *kind)
{
    for (size_t i = 0; i < ARRAY_COUNT(kept_kinds); i++) {
        if (text_is(text_from(kind->name), kept_kinds[i].name)) {
            return &kept_kinds[i];
        }
    }
    return NULL;
}

bool service_is_kept(const struct schema_kind *kind)
{
    return kept_kind_find(kind) != NULL;
}

/* Members of records that are wall clock times. */
static const struct text moments[] = { TEXT("begun"),   TEXT("ended"), TEXT("made"),
                                       TEXT("since"),   TEXT("until"), TEXT("silent"),
                                       TEXT("retryAt"), TEXT("nextAt") };

static void kept_row_write(struct archiving *archiving, struct buf *out,
                           const struct service_kept_row *row)
{
    struct text id = text_slice(row->id, 0, text_find_byte(row->id, '/'));
    struct service_kept_row shown = *row;
    struct doc node = { 0 };
    struct doc metadata;
    struct buf item;

    if (!text_is_equal(id, archiving->last_id)) {
        archiving->last_id = arena_text(archiving->arena, id);
        archiving->last_name = cluster_name(archiving, id);
        archiving->policies = (struct service_policies){ .service = archiving->service,
                                                         .arena = archiving->arena,
                                                         .tenant = archiving->tenant,
                                                         .id = archiving->last_id };
    }
    metadata = archiving->kind->metadata_make(archiving, archiving->last_name, row);
    if (archiving->kind->metadata_make == resource_metadata) {
        node = service_node_show(archiving->service, archiving->arena, archiving->tenant, row->id);
        shown.status = resource_status(archiving, row);
    }
    if (archiving->kind->metadata_make == hold_metadata) {
        shown.status = hold_status(archiving, row);
    }
    buf_init(&item, archiving->arena);
    item_write(&item, archiving->kind->name, &metadata, &node, &shown);
    buf_add(out, show_times(archiving->arena, buf_text(&item), moments, ARRAY_COUNT(moments)));
}

void service_kept_show(struct service *service, struct arena *arena, struct text tenant,
                       const struct schema_kind *kind, const struct service_kept_row *row,
                       struct buf *out)
{
    struct archiving archiving = {
        .service = service, .arena = arena, .tenant = tenant, .kind = kept_kind_find(kind)
    };

    kept_row_write(&archiving, out, row);
}

static struct text kept_text_of(const struct blob *blob)
{
    return blob == NULL ? TEXT("") : blob_text(blob);
}

/* True if the hold is about the requested group or a group below it, and not about the whole
 * cluster. */
static bool is_hold_of(struct text id, struct text group)
{
    struct text rest = rest_of(id);
    size_t slash = text_find_byte(rest, '/');

    return group.length == 0 ||
           (slash != SIZE_MAX &&
            objects_group_is_below(text_slice(rest, slash + 1, SIZE_MAX), group));
}

static void kept_row_take(void *arg, const struct cache_object *object)
{
    struct archiving *archiving = arg;
    const struct service_kept_row row = {
        .id = cache_id(object),
        .spec = kept_text_of(object->parts[CACHE_SPEC].bytes),
        .status = kept_text_of(object->parts[CACHE_STATUS].bytes),
        .revision = object->parts[CACHE_STATUS].revision,
    };

    if (row.status.length > 0 && is_hold_of(row.id, archiving->group)) {
        if (archiving->count++ > 0) {
            buf_add_string(&archiving->items, ",");
        }
        kept_row_write(archiving, &archiving->items, &row);
    }
}

/* Add those records below a prefix that may have one of these names. */
static void kept_named_take(struct archiving *archiving, struct text prefix, struct text names)
{
    const struct cache *cache = archiving->service->cache;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL &&
            ranges_may_have(names, rest_of(cache_id(object)),
                            blob_text(object->parts[CACHE_STATUS].bytes))) {
            kept_row_take(archiving, object);
        }
    }
}

/* Answer all records of a kind, in a cluster or in the tenant. Their ids begin with the id of their
 * cluster. */
void service_kept(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_kept *kept, service_done *done, void *arg)
{
    struct archiving archiving = { .service = service,
                                   .arena = arena,
                                   .tenant = actor->tenant,
                                   .group = kept->group,
                                   .kind = kept_kind_find(kept->kind) };
    struct text cluster = kept->cluster;
    struct cache_scope scope = {
        .prefix = arena_printf(arena, "/%.*s/%s/", TEXT_ARG(actor->tenant), kept->kind->name),
        .kind = text_from(kept->kind->name),
    };
    struct cache_page page = { .token = kept->next };
    struct err err;

    if (cluster.length > 0) {
        const struct cache_object *owner =
            objects_find(service->cache, actor->tenant, objects_kind("Cluster"), cluster);

        if (owner == NULL) {
            (void)!service_unfound(objects_kind("Cluster"), cluster, &err);
            service_refuse(service, arena, &err, done, arg);
            return;
        }
        scope.prefix =
            arena_printf(arena, "%.*s%.*s/", TEXT_ARG(scope.prefix), TEXT_ARG(cache_id(owner)));
    }
    buf_init(&archiving.items, arena);
    if (kept->names.length > 0) {
        kept_named_take(&archiving, scope.prefix, kept->names);
        service_report_items(service, arena, &archiving.items, &page, done, arg);
        return;
    }
    if (!cache_list(service->cache, arena, &scope, &page,
                    kept->limit == 0 || kept->limit > LIMIT_PAGE ? LIMIT_PAGE : kept->limit,
                    kept_row_take, &archiving, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_report_items(service, arena, &archiving.items, &page, done, arg);
}

/* ---- jobs by their number ---- */

static bool is_noughts(struct text text)
{
    while (text.length > 0 && text.data[0] == '0') {
        text = text_slice(text, 1, text.length);
    }
    return text.length == 0;
}

static bool is_job(struct text id, struct text number)
{
    struct text rest = rest_of(id);

    return rest.length >= number.length &&
           text_is_equal(text_slice(rest, rest.length - number.length, rest.length), number) &&
           is_noughts(text_slice(rest, 0, rest.length - number.length));
}

/* True if the job was requested as a batch job but has no row yet. The cluster's reconciler will
 * write the row. */
static bool is_kept_requested(const struct service *service, struct text tenant, uint64_t revision)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text prefix = arena_printf(arena, "/%.*s/" BATCHES_KIND "/", TEXT_ARG(tenant));
    const struct cache_object *object = cache_first(service->cache, prefix);

    while (object != NULL && object->parts[CACHE_BASE].revision != revision) {
        object = cache_next(service->cache, prefix, object);
    }
    return object != NULL;
}

/* True if a pending pass will write the job. */
static bool is_kept_to_begin(const struct service *service, struct text tenant, struct text number)
{
    const struct service_controller *reconciler = &service->reconciler;
    int64_t revision;

    return reconciler->is_behind != NULL && text_parse_int64(number, &revision) && revision > 0 &&
           (reconciler->is_behind(reconciler->arg, tenant, (uint64_t)revision) ||
            is_kept_requested(service, tenant, (uint64_t)revision));
}

/* a change of several clusters has one job in each cluster */
void service_job(struct service *service, struct arena *arena, const struct service_actor *actor,
                 struct text number, service_done *done, void *arg)
{
    struct archiving archiving = { .service = service,
                                   .arena = arena,
                                   .tenant = actor->tenant,
                                   .kind = kept_kind_find(schema_kind_find(TEXT("Job"))) };
    struct text prefix = arena_printf(arena, "/%.*s/Job/", TEXT_ARG(actor->tenant));
    struct cache_page page = { 0 };
    struct err err;

    buf_init(&archiving.items, arena);
    for (const struct cache_object *row = cache_first(service->cache, prefix); row != NULL;
         row = cache_next(service->cache, prefix, row)) {
        if (is_job(cache_id(row), number)) {
            kept_row_take(&archiving, row);
        }
    }
    if (archiving.count == 0 && is_kept_to_begin(service, actor->tenant, number)) {
        err_set(&err, CODE_R0803, "job '%.*s' has not started yet", TEXT_ARG(number));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (archiving.count == 0) {
        err_set(&err, CODE_R0403, "there is no job '%.*s'", TEXT_ARG(number));
        err_hint(
            &err,
            "a change that does not affect machines has no job; reeve get jobs lists the jobs");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_report_items(service, arena, &archiving.items, &page, done, arg);
}

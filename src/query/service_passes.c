#include "base/hex.h"
#include "base/limits.h"
#include "base/time.h"
#include "codec/json.h"
#include "plan/fields.h"
#include "query/query_parts.h"
#include "records/pass_index.h"

#include <assert.h>

/* public names start with: service_ */

/* Archived passes: the list of passes, and the inputs and decisions of one pass. */

struct text service_kept_cluster(struct service *service, struct arena *arena, struct text tenant,
                                 struct text cluster, struct err *err)
{
    const struct cache_object *object =
        objects_find(service->cache, tenant, objects_kind("Cluster"), cluster);

    if (object != NULL) {
        return arena_text(arena, cache_id(object));
    }
    if (cluster.length > 0 && text_find_byte(cluster, '/') == SIZE_MAX &&
        cache_find(service->cache, tenant, TEXT("Pass"), cluster) != NULL) {
        return cluster;
    }
    (void)!service_unfound(objects_kind("Cluster"), cluster, err);
    return TEXT("");
}

/* ---- loading a pass ---- */

struct loading {
    struct arena *arena;
    struct text tenant;
    struct text cluster;
    struct pass_chain chain;
    uint64_t number;
    service_pass_read *done;
    void *arg;
};

static void unkept_report(const struct loading *loading)
{
    struct err err;

    err_set(&err, CODE_R0435, "pass %llu is not archived", (unsigned long long)loading->number);
    (void)!err_hint(&err, "GET /v1/passes?cluster=NAME lists the archived passes");
    loading->done(loading->arg, NULL, &err);
}

/* Collect the values of the pass. The first pass of a chain is one value, joined from its parts;
 * each later pass is one value. False: a part is missing. */
static bool values_take(const struct loading *loading, const struct store_answer *answer,
                        struct text *values)
{
    struct arena *arena = loading->arena;
    struct buf first;
    size_t at = 0;

    buf_init(&first, arena);
    for (uint64_t part = 0; part < loading->chain.parts; part++, at++) {
        if (at >= answer->count ||
            !text_is_equal(answer->items[at].key, pass_key(arena, loading->tenant, loading->cluster,
                                                           loading->chain.first, part))) {
            return false;
        }
        buf_add(&first, answer->items[at].value);
    }
    values[0] = buf_text(&first);
    for (uint64_t i = 1; i <= loading->number - loading->chain.first; i++, at++) {
        if (at >= answer->count ||
            !text_is_equal(answer->items[at].key, pass_key(arena, loading->tenant, loading->cluster,
                                                           loading->chain.first + i, 0))) {
            return false;
        }
        values[i] = arena_text(arena, answer->items[at].value);
    }
    return true;
}

static void chain_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct loading *loading = arg;
    size_t count = (size_t)(loading->number - loading->chain.first) + 1;
    struct text *values = arena_array(loading->arena, struct text, count);
    struct ledger_pass pass;
    struct err err;

    if (outcome != OUTCOME_OK) {
        loading->done(loading->arg, NULL, &answer->err);
    } else if (!values_take(loading, answer, values)) {
        unkept_report(loading); /* the pass was removed after the index was read */
    } else if (!ledger_read(loading->arena, values, count, &pass, &err)) {
        loading->done(loading->arg, NULL, &err);
    } else {
        loading->done(loading->arg, &pass, NULL);
    }
}

void service_pass_load(struct service *service, struct arena *arena, struct text tenant,
                       struct text cluster_id, uint64_t number, service_pass_read *done, void *arg)
{
    struct loading *loading = arena_one(arena, struct loading);
    const struct pass_chain *chain;
    struct pass_index index;

    *loading = (struct loading){ .arena = arena,
                                 .tenant = tenant,
                                 .cluster = cluster_id,
                                 .number = number,
                                 .done = done,
                                 .arg = arg };
    pass_index_read(arena, service->cache, tenant, cluster_id, &index);
    chain = pass_index_find(&index, number);
    if (chain == NULL) {
        unkept_report(loading);
        return;
    }
    loading->chain = *chain;
    store_list(service->store,
               &(struct store_range){
                   .prefix = arena_printf(arena, "/%.*s/Pass/%.*s/", TEXT_ARG(tenant),
                                          TEXT_ARG(cluster_id)),
                   /* continue after the last part of the previous pass */
                   .after = arena_printf(
                       arena, "%.*s/~",
                       TEXT_ARG(pass_key(arena, tenant, cluster_id, chain->first - 1, 0))),
                   .limit = (size_t)(chain->parts + number - chain->first),
               },
               chain_reported, loading);
}

/* ---- formatting a pass ---- */

struct showing {
    struct service *service;
    struct arena *arena;
    struct text cluster;
    bool is_record;
    service_done *done;
    void *arg;
};

/* Builds a self-contained record of a pass, which does not refer to earlier passes. */
static struct text passes_record_make(struct arena *arena, const struct ledger_pass *pass)
{
    struct ledger_entry entry = { .head = pass->head,
                                  .limits = &pass->limits,
                                  .world = &pass->world,
                                  .decision = pass->decision };
    uint64_t *hashes = arena_array(arena, uint64_t, pass->head.page_count);
    struct ledger_order order;

    entry.head.base = entry.head.number;
    entry.order = &order;
    ledger_order_make(arena, &pass->world, pass->head.page_count, &order);
    return hex_format(arena, ledger_write(arena, &entry, false, hashes));
}

static void items_put(struct arena *arena, struct doc_builder *builder, const char *name,
                      enum plan_sort sort, const void *items, size_t count, uint64_t now_ms)
{
    struct doc *docs = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        docs[i] =
            plan_show(arena, sort, (const char *)items + i * plan_fields(sort)->bytes, now_ms);
    }
    doc_builder_put(builder, name, doc_list(docs, count, NULL));
}

static struct doc world_show(struct arena *arena, const struct plan_world *world)
{
    uint64_t now = world->now_ms;
    struct doc_builder builder;
    struct doc once = plan_show(arena, PLAN_SORT_WORLD, world, now);

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < once.entry_count; i++) {
        doc_builder_add(&builder, &once.entries[i]);
    }
    items_put(arena, &builder, "sources", PLAN_SORT_SOURCE, world->sources, world->source_count,
              now);
    items_put(arena, &builder, "groups", PLAN_SORT_GROUP, world->groups, world->group_count, now);
    items_put(arena, &builder, "records", PLAN_SORT_RECORD, world->records, world->record_count,
              now);
    items_put(arena, &builder, "rows", PLAN_SORT_ROW, world->rows, world->row_count, now);
    items_put(arena, &builder, "quarantines", PLAN_SORT_QUARANTINE, world->quarantines,
              world->quarantine_count, now);
    return doc_builder_map(&builder, NULL);
}

static struct doc lines_show(struct arena *arena, struct text lines)
{
    struct doc *items = arena_array(arena, struct doc, lines.length + 1);
    size_t count = 0;

    while (lines.length > 0) {
        struct text line = text_slice(lines, 0, text_find_byte(lines, '\n'));

        items[count++] = doc_text(line, NULL);
        lines = text_slice(lines, line.length + 1, lines.length);
    }
    return doc_list(items, count, NULL);
}

static void passes_number_put(struct showing *showing, struct doc_builder *builder,
                              const char *name, uint64_t number)
{
    doc_builder_put(builder, name, doc_int(showing->arena, (int64_t)number, NULL));
}

static void passes_head_show(struct showing *showing, const struct ledger_head *head,
                             struct doc_builder *builder)
{
    char *time = arena_alloc(showing->arena, TIME_TEXT_BYTES);

    time_format((int64_t)head->wall_ms, time);
    doc_builder_put(builder, "cluster", doc_text(showing->cluster, NULL));
    passes_number_put(showing, builder, "actions", head->actions);
    passes_number_put(showing, builder, "base", head->base);
    passes_number_put(showing, builder, "epoch", head->epoch);
    passes_number_put(showing, builder, "holds", head->holds);
    doc_builder_put(builder, "kept", doc_bool(!head->is_bare, NULL));
    passes_number_put(showing, builder, "pass", head->number);
    passes_number_put(showing, builder, "planner", head->version);
    passes_number_put(showing, builder, "revision", head->revision);
    doc_builder_put(builder, "time", doc_text(text_from(time), NULL));
}

static void passes_on_pass(void *arg, const struct ledger_pass *pass, const struct err *fault)
{
    struct showing *showing = arg;
    struct arena *arena = showing->arena;
    struct doc_builder builder;
    struct plan plan;
    struct doc body;
    struct err err;

    if (fault != NULL) {
        service_refuse(showing->service, arena, fault, showing->done, showing->arg);
        return;
    }
    doc_builder_init(&builder, arena);
    passes_head_show(showing, &pass->head, &builder);
    if (!pass->head.is_bare) {
        doc_builder_put(&builder, "record", doc_text(passes_record_make(arena, pass), NULL));
    }
    if (!pass->head.is_bare && !showing->is_record) {
        if (!ledger_plan_read(arena, pass, pass->decision, &plan, &err)) {
            service_refuse(showing->service, arena, &err, showing->done, showing->arg);
            return;
        }
        doc_builder_put(&builder, "limits", plan_show(arena, PLAN_SORT_LIMITS, &pass->limits, 0));
        doc_builder_put(&builder, "plan",
                        lines_show(arena, plan_lines(arena, &pass->world, &plan)));
        doc_builder_put(&builder, "world", world_show(arena, &pass->world));
    }
    body = doc_builder_map(&builder, NULL);
    service_report(showing->service, arena, &body, showing->done, showing->arg);
}

void service_pass_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_pass *pass,
                      service_done *done, void *arg)
{
    struct showing *showing = arena_one(arena, struct showing);
    struct err err;
    struct text id = service_kept_cluster(service, arena, actor->tenant, pass->cluster, &err);

    if (id.length == 0) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    *showing = (struct showing){ service, arena, pass->cluster, pass->is_record, done, arg };
    service_pass_load(service, arena, actor->tenant, id, pass->number, passes_on_pass, showing);
}

/* ---- the list ---- */

void service_passes(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text cluster, service_done *done, void *arg)
{
    struct err err;
    struct text id = service_kept_cluster(service, arena, actor->tenant, cluster, &err);
    struct cache_page page = { .revision = cache_revision(service->cache) };
    struct pass_index index;
    struct buf items;

    if (id.length == 0) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    pass_index_read(arena, service->cache, actor->tenant, id, &index);
    buf_init(&items, arena);
    for (size_t i = 0; i < index.count; i++) {
        const struct pass_chain *chain = &index.chains[i];

        for (uint64_t at = 0; at < chain->count; at++) {
            buf_printf(&items, "%s{\"base\":%llu,\"pass\":%llu}", items.length == 0 ? "" : ",",
                       (unsigned long long)chain->first, (unsigned long long)(chain->first + at));
        }
    }
    service_report_items(service, arena, &items, &page, done, arg);
}

/* ---- expiry ---- */

/* True if the cluster is deleted and its passes have expired. For an existing cluster, old passes
 * are removed when a new one is archived (pass_archive.c). */
static bool is_passes_over(struct service *service, const struct cache_object *object,
                           const struct pass_index *index, int64_t now_ms)
{
    const struct cache_object *cluster =
        cache_find(service->cache, cache_tenant(object), TEXT("Cluster"), cache_id(object));
    uint64_t kept_ms = (uint64_t)LIMIT_PASSES_DAYS * 24 * 3600 * 1000;

    return (cluster == NULL || cluster->parts[CACHE_SPEC].bytes == NULL) &&
           (index->count == 0 ||
            index->chains[index->count - 1].wall_ms + kept_ms < (uint64_t)now_ms);
}

size_t service_passes_expire(struct service *service, struct arena *arena,
                             const struct cache_object *object, int64_t now_ms,
                             struct store_op *ops, size_t room)
{
    struct text key =
        objects_key(arena, cache_tenant(object), TEXT("Pass"), cache_id(object), CACHE_STATUS);
    struct pass_index index;
    size_t count = 0;

    pass_index_read(arena, service->cache, cache_tenant(object), cache_id(object), &index);
    if (!is_passes_over(service, object, &index, now_ms)) {
        return 0;
    }
    while (index.count > 0) {
        struct pass_chain *chain = &index.chains[index.count - 1];
        uint64_t parts = chain->count == 1 ? chain->parts : 1;

        if (count + parts + 1 > room) { /* one operation more is needed to remove the index */
            break;
        }
        chain->count--;
        for (uint64_t part = 0; part < parts; part++) {
            ops[count++] =
                (struct store_op){ .key = pass_key(arena, cache_tenant(object), cache_id(object),
                                                   chain->first + chain->count, part),
                                   .is_delete = true };
        }
        index.count -= chain->count == 0;
    }
    if (count == 0 && index.count > 0) {
        return 0;
    }
    assert(count < room);
    ops[count++] =
        (struct store_op){ .key = key,
                           .value = index.count == 0 ? TEXT("") : pass_index_format(arena, &index),
                           .is_delete = index.count == 0 };
    return count;
}

#include "base/limits.h"
#include "query/query_parts.h"

/* public names start with: service_ */

/* The providers' messages for refused machines of a group. A hold itself contains only the kind of
 * refusal, because its text must be the same at each decision. */

struct refusals {
    struct arena *arena;
    struct text causes[LIMIT_WHY_WORDS];
    struct text nodes[LIMIT_WHY_WORDS]; /* the first machine that was refused with this text */
    int64_t counts[LIMIT_WHY_WORDS];
    size_t count;
};

static bool is_refused_refused(const struct plan_record *record, struct text group)
{
    return record->state == PLAN_RECORD_CREATE && record->is_answered && record->id.length == 0 &&
           text_is_equal(record->group, group);
}

static void refusal_add(struct refusals *refusals, const struct record *record)
{
    size_t i = 0;

    while (i < refusals->count && !text_is_equal(refusals->causes[i], record->cause)) {
        i++;
    }
    if (i == LIMIT_WHY_WORDS) {
        return;
    }
    if (i == refusals->count) {
        refusals->causes[i] = arena_text(refusals->arena, record->cause);
        refusals->nodes[i] = arena_text(refusals->arena, record->name);
        refusals->count++;
    }
    refusals->counts[i]++;
}

static struct doc refusals_doc(const struct refusals *refusals)
{
    struct doc *items = arena_array(refusals->arena, struct doc, refusals->count);

    for (size_t i = 0; i < refusals->count; i++) {
        struct doc_builder builder;

        doc_builder_init(&builder, refusals->arena);
        doc_builder_put(&builder, "count", doc_int(refusals->arena, refusals->counts[i], NULL));
        doc_builder_put(&builder, "node", doc_text(refusals->nodes[i], NULL));
        doc_builder_put(&builder, "text", doc_text(refusals->causes[i], NULL));
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, refusals->count, NULL);
}

struct doc service_refusals(const struct service *service, struct arena *arena, struct text tenant,
                            struct text cluster_id, struct text group)
{
    struct refusals refusals = { .arena = arena };
    struct text prefix =
        arena_printf(arena, "/%.*s/Resource/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));
    AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct text id = cache_id(object);
        struct text token = text_slice(id, text_find_byte(id, '/') + 1, id.length);
        struct record record;
        struct err err;

        arena_clear(scratch);
        if (object->parts[CACHE_STATUS].bytes != NULL &&
            record_parse(scratch, token, blob_text(object->parts[CACHE_STATUS].bytes), &record,
                         &err) &&
            record.cause.length > 0 && is_refused_refused(&record.plan, group)) {
            refusal_add(&refusals, &record);
        }
    }
    return refusals_doc(&refusals);
}

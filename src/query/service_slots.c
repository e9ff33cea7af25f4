#include "base/time.h"
#include "codec/json.h"
#include "query/query_parts.h"
#include "state/batches.h"

/* public names start with: service_slot_ */

/* Shows why a member waits in a rollout in place or in a commission in batches, since when, and
 * what the next step is (G15). */

struct slot {
    const struct service *service;
    struct arena *arena;
    struct text tenant;
    struct text cluster_id;
    struct text cluster;
    struct batches batches;
    struct text marks;
    struct doc row; /* row of its job */
    size_t at;      /* index of the member in the job */
};

static struct text slots_word_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static struct text slots_name_of(const struct slot *slot, size_t at)
{
    struct record record;

    return service_machine_find(slot->service, slot->arena, slot->tenant, slot->cluster_id,
                                slot->batches.tokens[at], &record)
               ? record.name
               : slot->batches.tokens[at];
}

static bool slot_is_commission(const struct slot *slot)
{
    return slot->batches.verb == BATCHES_VERB_COMMISSION;
}

/* Read the job of a rollout or commission. False: the token does not belong to it, or it is not
 * running. */
static bool slot_read(struct slot *slot, const struct cache_object *object, struct text token)
{
    const struct cache_bytes *base = &object->parts[CACHE_BASE];
    struct text prefix = arena_printf(slot->arena, "/%.*s/Job/%.*s/", TEXT_ARG(slot->tenant),
                                      TEXT_ARG(slot->cluster_id));
    struct text name = text_slice(cache_id(object), slot->cluster_id.length + 1, SIZE_MAX);
    struct batches_progress progress;
    const struct cache_object *row;
    struct err err;

    if (base->bytes == NULL ||
        !batches_parse(slot->arena, arena_text(slot->arena, blob_text(base->bytes)), &slot->batches,
                       &err) ||
        (!batches_is_rollout(&slot->batches) && !slot_is_commission(slot))) {
        return false;
    }
    for (slot->at = 0;
         slot->at < slot->batches.count && !text_is_equal(slot->batches.tokens[slot->at], token);) {
        slot->at++;
    }
    row = objects_job_of(slot->service->cache, slot->arena, prefix, name);
    if (slot->at == slot->batches.count || row == NULL || objects_job_ended(row) > 0 ||
        !json_parse(slot->arena, arena_text(slot->arena, blob_text(row->parts[CACHE_STATUS].bytes)),
                    NULL, &slot->row, &err) ||
        !batches_progress_read(&slot->row, &progress)) {
        return false;
    }
    slot->marks = progress.marks;
    return slot->marks.length == slot->batches.count;
}

/* Lists the members that run their stages: "web-1 is in its stages", "web-[1-2] are in their
 * stages". Names the first members, and the number of the others. */
static struct text begun_words(const struct slot *slot)
{
    size_t first = 0;
    size_t count =
        bootstrap_batches_count(slot->marks.data, slot->marks.length, BOOTSTRAP_MARK_BEGUN);

    while (first < slot->marks.length && slot->marks.data[first] != BOOTSTRAP_MARK_BEGUN) {
        first++;
    }
    return count == 0   ? TEXT("the members that come first")
           : count == 1 ? arena_printf(slot->arena, "%.*s, which runs its stages",
                                       TEXT_ARG(slots_name_of(slot, first)))
                        : arena_printf(slot->arena, "%.*s and %zu more, which run their stages",
                                       TEXT_ARG(slots_name_of(slot, first)), count - 1);
}

static struct text waits_words(const struct slot *slot)
{
    const struct doc *waits = doc_child(&slot->row, "waits");
    struct text state = slots_word_of(&slot->row, "state");
    int64_t until_ms = 0;
    char time[TIME_TEXT_BYTES];

    if (text_is(state, "resting") &&
        text_parse_int64(slots_word_of(&slot->row, "until"), &until_ms)) {
        time_format(until_ms, time);
        return arena_printf(slot->arena, "the canary, which bakes until %s", time);
    }
    if (doc_is_list(waits) && waits->item_count > 0) {
        return waits->items[0].text;
    }
    return begun_words(slot);
}

static struct text next_words(const struct slot *slot)
{
    struct text state = slots_word_of(&slot->row, "state");
    struct text path = arena_printf(slot->arena, "%.*s/%.*s", TEXT_ARG(slot->cluster),
                                    TEXT_ARG(slot->batches.group));
    size_t batch = 0;

    if (text_is(state, "held")) {
        return arena_printf(slot->arena,
                            "an operator decides: reeve rollout resume, promote or undo %.*s",
                            TEXT_ARG(path));
    }
    if (text_is(state, "paused") && slot_is_commission(slot)) {
        return arena_printf(slot->arena, "it continues after reeve job resume %.*s",
                            TEXT_ARG(slots_word_of(&slot->row, "revision")));
    }
    if (text_is(state, "paused")) {
        return arena_printf(slot->arena, "the rollout continues after reeve rollout resume %.*s",
                            TEXT_ARG(path));
    }
    while (slot->batches.ends[batch] <= slot->at) {
        batch++;
    }
    return arena_printf(slot->arena, "the member starts in batch %zu of %zu", batch + 1,
                        slot->batches.batch_count);
}

static struct doc slot_doc(const struct slot *slot)
{
    struct doc_builder builder;
    char *time = arena_alloc(slot->arena, TIME_TEXT_BYTES);
    int64_t begun_ms = 0;

    doc_builder_init(&builder, slot->arena);
    doc_builder_put(&builder, "job", doc_text(slots_word_of(&slot->row, "revision"), NULL));
    doc_builder_put(&builder, "next", doc_text(next_words(slot), NULL));
    if (text_parse_int64(slots_word_of(&slot->row, "begun"), &begun_ms)) {
        time_format(begun_ms, time);
        doc_builder_put(&builder, "since", doc_text(text_from(time), NULL));
    }
    if (slot_is_commission(slot)) {
        doc_builder_put(&builder, "verb", doc_text(TEXT(BATCHES_COMMISSION), NULL));
    }
    doc_builder_put(&builder, "waitsFor", doc_text(waits_words(slot), NULL));
    return doc_builder_map(&builder, NULL);
}

struct doc service_slot_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text cluster_id, struct text cluster, struct text node)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/" BATCHES_KIND "/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));
    struct slot slot = { .service = service,
                         .arena = arena,
                         .tenant = tenant,
                         .cluster_id = cluster_id,
                         .cluster = cluster };
    const struct cache_object *object = cache_first(service->cache, prefix);
    struct record record;

    if (node.length == 0 || object == NULL ||
        !service_machine_find(service, arena, tenant, cluster_id, node, &record)) {
        return (struct doc){ 0 };
    }
    for (; object != NULL; object = cache_next(service->cache, prefix, object)) {
        if (slot_read(&slot, object, record.plan.token) &&
            slot.marks.data[slot.at] == BOOTSTRAP_MARK_WAITING) {
            return slot_doc(&slot);
        }
    }
    return (struct doc){ 0 };
}

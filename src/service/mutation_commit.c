#include "base/limits.h"
#include "codec/json.h"
#include "service/service_parts.h"

#include <assert.h>

/* The transactions of a change: keys, compares, events, and the marker of a repeatable request. */

static struct doc doc_of(struct text text)
{
    return doc_text(text, NULL);
}

/* List the first changed groups of an object, from the plan. There are only a few, because an event
 * is one line. */
static struct doc event_groups(struct mutation *mutation, const struct change_object *object)
{
    const struct doc *plan = &mutation->change.plan;
    struct doc *items = arena_array(mutation->work, struct doc, LIMIT_EVENT_GROUPS);
    size_t count = 0;

    for (size_t i = 0; i < plan->item_count; i++) {
        const struct doc *name = doc_child(&plan->items[i], "name");
        const struct doc *kind = doc_child(&plan->items[i], "kind");
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        if (!text_is_equal(name->text, object->name) || !text_is(kind->text, object->kind->name)) {
            continue;
        }
        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            const struct doc *change = doc_child(&groups->items[j], "change");

            if (count < LIMIT_EVENT_GROUPS && change != NULL && !text_is(change->text, "none")) {
                items[count++] = *doc_child(&groups->items[j], "path");
            }
        }
    }
    return doc_list(items, count, NULL);
}

static struct text mutation_commit_event_body(struct mutation *mutation,
                                              const struct change_object *object)
{
    struct arena *arena = mutation->work;
    struct doc_builder builder;
    struct buf buf;
    struct doc doc;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", doc_of(mutation->actor.user));
    if (mutation->request.victims.length > 0) {
        doc_builder_put(&builder, "fact",
                        doc_of(arena_printf(arena, "machines selected for removal: %.*s",
                                            TEXT_ARG(mutation->request.victims))));
    }
    if (mutation->request.replaces.length > 0) {
        doc_builder_put(&builder, "fact",
                        doc_of(arena_printf(arena, "to be replaced: %.*s",
                                            TEXT_ARG(mutation->request.replaces))));
    }
    if (mutation->request.reboots.length > 0) {
        doc_builder_put(&builder, "fact",
                        text_is(mutation->request.reboots, "-")
                            ? doc_of(TEXT("reboots that have not started are dropped"))
                            : doc_of(arena_printf(arena, "to be rebooted: %.*s",
                                                  TEXT_ARG(mutation->request.reboots))));
    }
    if (mutation->request.commissions.length > 0) {
        doc_builder_put(
            &builder, "fact",
            doc_of(arena_printf(arena, "to be %s: %.*s",
                                mutation->request.is_adoption ? "adopted" : "commissioned",
                                TEXT_ARG(mutation->request.commissions))));
    }
    doc_builder_put(&builder, "groups", event_groups(mutation, object));
    doc_builder_put(&builder, "kind", doc_of(text_from(object->kind->name)));
    doc_builder_put(&builder, "name", doc_of(object->name));
    doc_builder_put(&builder, "object", doc_of(object->id));
    doc_builder_put(&builder, "sums", mutation_sums(arena, &mutation->change));
    doc_builder_put(
        &builder, "type",
        doc_of(arena_printf(arena, "%s.%sd", object->kind->singular, mutation_word(object))));
    if (mutation->request.why.length > 0) {
        doc_builder_put(&builder, "why", doc_of(mutation->request.why));
    }
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Return the cluster whose event log has the events of an object. */
static struct text event_cluster(struct mutation *mutation, const struct change_object *object)
{
    return object->kind->owner == OWNER_CLUSTER
               ? arena_printf(mutation->work, "%.*s/%.*s", TEXT_ARG(mutation->actor.tenant),
                              TEXT_ARG(object->id))
               : arena_printf(mutation->work, "%.*s/", TEXT_ARG(mutation->actor.tenant));
}

static void events_make(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct store_event *events =
        arena_array(mutation->work, struct store_event, change->object_count);
    const struct service_ports *ports = &mutation->service->ports;
    size_t count = 0;

    for (size_t i = mutation->batch; i < mutation->batch_end; i++) {
        if (change->objects[i].is_changed) {
            events[count++] = (struct store_event){
                .cluster = event_cluster(mutation, &change->objects[i]),
                .body = mutation_commit_event_body(mutation, &change->objects[i]),
                .time_ms = (uint64_t)ports->wall_ms(ports->arg),
            };
        }
    }
    mutation->commit.events = events;
    mutation->commit.event_count = count;
}

static struct text request_key(struct mutation *mutation)
{
    return arena_printf(mutation->work, "/%.*s/Request/%.*s/base", TEXT_ARG(mutation->actor.tenant),
                        TEXT_ARG(mutation->request.idempotency_key));
}

/* True if the key belongs to the first transaction, which commits the change, regardless of its
 * size. These keys are the specifications of the objects, so that concurrent changes conflict, and
 * the marker of the request. */
static bool is_mutation_commit_first(struct mutation *mutation, const struct change_op *op)
{
    const struct change *change = &mutation->change;
    struct text names =
        arena_printf(mutation->work, "/%.*s/Name/", TEXT_ARG(mutation->actor.tenant));

    if (text_has_prefix(op->key, names)) {
        return true;
    }
    for (size_t i = 0; i < change->object_count; i++) {
        const struct change_object *object = &change->objects[i];
        size_t tail = object->id.length + sizeof("/spec") - 1;

        if (text_has_suffix(op->key, TEXT("/spec")) && op->key.length > tail + 1 &&
            op->key.data[op->key.length - tail - 1] == '/' &&
            text_is_equal(text_slice(op->key, op->key.length - tail, object->id.length),
                          object->id)) {
            return true;
        }
    }
    return false;
}

/* Select the next objects whose compares, events and records fit into one transaction. A request
 * may need several batches, one after the other; each batch is consistent. */
static void batch_cut(struct mutation *mutation)
{
    size_t left = mutation->change.object_count - mutation->batch;

    assert(left > 0);
    mutation->batch_end =
        mutation->batch + (left < LIMIT_CHANGE_OBJECTS ? left : LIMIT_CHANGE_OBJECTS);
}

static void ops_make(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    size_t first_op = mutation->batch == 0 ? 0 : change->objects[mutation->batch - 1].op_end;
    size_t count = change->objects[mutation->batch_end - 1].op_end - first_op;
    struct store_op *first = arena_array(mutation->work, struct store_op, count + 2);
    struct store_op *rest = arena_array(mutation->work, struct store_op, count);
    struct commit *commit = &mutation->commit;
    bool is_small = count <= LIMIT_CHANGE_OPS;

    *commit = (struct commit){ .first_ops = first, .ops = rest };
    for (size_t i = 0; i < count; i++) {
        const struct change_op *op = &change->ops[first_op + i];
        struct store_op store_op = { op->key, op->value, op->is_delete };

        if (is_small || is_mutation_commit_first(mutation, op)) {
            first[commit->first_op_count++] = store_op;
        } else {
            rest[commit->op_count++] = store_op;
        }
    }
    mutation->is_large = !is_small;
}

/* List the clusters of the batch. While they are partly written, no pass decides about them. */
static struct text subjects_make(struct mutation *mutation)
{
    struct buf buf;

    buf_init(&buf, mutation->work);
    for (size_t i = mutation->batch; i < mutation->batch_end; i++) {
        const struct change_object *object = &mutation->change.objects[i];

        if (object->kind->owner == OWNER_CLUSTER) {
            buf_printf(&buf, "%.*s/%.*s\n", TEXT_ARG(mutation->actor.tenant), TEXT_ARG(object->id));
        }
    }
    return buf_text(&buf);
}

/* True if the key is a command about a group that is deleted or replaced. */
static bool is_word_of_group(const struct mutation *mutation, struct text key)
{
    struct text words =
        arena_printf(mutation->work, "/%.*s/Control/", TEXT_ARG(mutation->actor.tenant));
    struct text rest = text_slice(key, words.length, SIZE_MAX);
    size_t slash = text_find_byte(rest, '/');

    return text_has_prefix(key, words) && slash != SIZE_MAX &&
           text_find_byte(text_slice(rest, slash + 1, SIZE_MAX), '/') != SIZE_MAX;
}

/* Return how many operator commands of groups are compared: as many as fit beside the required
 * compares, the head and the marker. */
static size_t words_room(const struct mutation *mutation, size_t start, size_t end)
{
    const struct commit *commit = &mutation->commit;
    size_t taken = commit->first_op_count + commit->event_count + commit->compare_count + 7;

    for (size_t i = start; i < end; i++) {
        taken += !is_word_of_group(mutation, mutation->change.pins[i].key);
    }
    return taken < LIMIT_STORE_TXN_OPERATIONS ? LIMIT_STORE_TXN_OPERATIONS - taken : 0;
}

/* Add the compares of the objects and, in the first batch, those of their sources. Only as many
 * sources are compared as fit. The others may change at the same time; this change then uses their
 * previous state. */
static void compares_make(struct mutation *mutation, struct store_compare *compares)
{
    const struct change *change = &mutation->change;
    struct commit *commit = &mutation->commit;
    bool is_first_batch = mutation->batch == 0;
    size_t start =
        is_first_batch ? change->reference_count : change->objects[mutation->batch - 1].pin_end;
    size_t references = is_first_batch ? change->reference_count : 0;
    size_t end = change->objects[mutation->batch_end - 1].pin_end;
    size_t words;

    for (size_t i = 0; i < references && i < LIMIT_CHANGE_REFERENCES; i++) {
        compares[commit->compare_count++] = change->pins[i];
    }
    words = words_room(mutation, start, end);
    for (size_t i = start; i < end; i++) {
        bool is_word = is_word_of_group(mutation, change->pins[i].key);

        if (!is_word || words > 0) {
            compares[commit->compare_count++] = change->pins[i];
        }
        words -= is_word && words > 0;
    }
    commit->compares = compares;
}

uint64_t mutation_hash(const struct mutation *mutation)
{
    const struct service_patch *patch = mutation->patch;
    struct buf buf;

    buf_init(&buf, mutation->arena);
    buf_printf(&buf, "%d %.*s\n", (int)mutation->request.mode, TEXT_ARG(mutation->meaning));
    if (mutation->meaning.length > 0) {
        return text_hash(buf_text(&buf), 0);
    }
    if (patch != NULL) {
        buf_printf(&buf, "%s %.*s\n", patch->kind->name, TEXT_ARG(patch->name));
        json_format(&buf, patch->patch);
        buf_printf(&buf, " %.*s", TEXT_ARG(mutation->request.victims));
        buf_printf(&buf, " %.*s", TEXT_ARG(mutation->request.replaces));
        buf_printf(&buf, " %.*s", TEXT_ARG(mutation->request.reboots));
        buf_printf(&buf, " %.*s", TEXT_ARG(mutation->request.commissions));
        buf_printf(&buf, " %d %d %d %d", mutation->request.is_release, mutation->request.is_absent,
                   mutation->request.is_adoption, mutation->request.is_move);
        mutation_commission_batching_add(mutation, &buf);
    }
    for (size_t i = 0; patch == NULL && i < mutation->request.document_count; i++) {
        json_format(&buf, &mutation->request.documents[i]);
    }
    return text_hash(buf_text(&buf), 0);
}

/* Add the marker of a repeatable request. It contains the answer. If the answer is too long, the
 * marker only shows that the request was answered. */
static void mutation_commit_mark_add(struct mutation *mutation, struct store_compare *compares)
{
    struct commit *commit = &mutation->commit;
    const struct service_ports *ports = &mutation->service->ports;
    struct doc body = mutation_answer(mutation);
    /* The array has space for one more operation. */
    struct store_op *ops = (struct store_op *)(uintptr_t)commit->first_ops;
    struct buf buf;

    buf_init(&buf, mutation->work);
    buf_add_string(&buf, "{\"answer\":");
    if (json_count_bytes(&body) < LIMIT_RECORD_BYTES) {
        json_format(&buf, &body);
    } else {
        buf_add_string(&buf, "{\"changed\":true}");
    }
    buf_printf(&buf, ",\"expires\":%lld,\"hash\":\"%016llx\"}",
               (long long)(ports->wall_ms(ports->arg) + (int64_t)LIMIT_REQUEST_TTL_S * 1000),
               (unsigned long long)mutation_hash(mutation));
    compares[commit->compare_count++] = (struct store_compare){ .key = request_key(mutation) };
    ops[commit->first_op_count++] =
        (struct store_op){ .key = request_key(mutation), .value = buf_text(&buf) };
}

/* Mark the saved plan as executed in the first transaction. */
static void use_add(struct mutation *mutation, struct store_compare *compares)
{
    struct commit *commit = &mutation->commit;
    /* The array has space for one more operation. */
    struct store_op *ops = (struct store_op *)(uintptr_t)commit->first_ops;

    service_plan_use(mutation, &compares[commit->compare_count++], &ops[commit->first_op_count++]);
}

void mutation_commit_make(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct service *service = mutation->service;
    struct store_compare *compares =
        arena_array(mutation->work, struct store_compare, change->pin_count + 2);
    char id[37];

    batch_cut(mutation);
    ops_make(mutation);
    events_make(mutation);
    compares_make(mutation, compares);
    if (mutation->used_id.length > 0 && mutation->batch == 0) {
        use_add(mutation, compares);
    }
    if (mutation->request.idempotency_key.length > 0 &&
        mutation->batch_end == change->object_count) {
        mutation_commit_mark_add(mutation, compares);
    }
    service->ports.id_make(service->ports.arg, id);
    mutation->commit.id = arena_text(mutation->work, text_from(id));
    mutation->commit.subjects = subjects_make(mutation);
}

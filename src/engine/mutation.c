#include "base/limits.h"
#include "codec/json.h"
#include "engine/flat.h"
#include "engine/service_parts.h"
#include "model/nest.h"
#include "model/patch.h"

#include <assert.h>

/* A change, from the request to the answer:
 *
 *     compute -> refused by what is wrong | nothing to do | told (dry run) | saved as a plan
 *             -> written -> the cache has it -> answered
 *                       -> somebody was faster: the cache has that -> compute again
 */

static void row_add(struct mutation_row *row, struct mutation *mutation)
{
    mutation->next = NULL;
    if (row->first == NULL) {
        row->last = &row->first;
    }
    *row->last = mutation;
    row->last = &mutation->next;
}

static void wait_for(struct mutation *mutation, uint64_t revision)
{
    mutation->wanted = revision;
    row_add(&mutation->service->waiting, mutation);
}

/* ---- answers ---- */

static void answer_give(struct mutation *mutation, const struct doc *body)
{
    const struct change *change = &mutation->change;
    struct service_answer answer = {
        .errors = &mutation->errors,
        .revision = cache_revision(mutation->service->cache),
        .location = mutation->request.single,
    };
    struct buf buf;

    if (body != NULL) {
        buf_init(&buf, mutation->arena);
        json_format(&buf, body);
        answer.body = buf_text(&buf);
    }
    for (size_t i = 0; mutation->is_written && i < change->object_count; i++) {
        answer.is_made = answer.is_made || change->objects[i].revision == 0;
    }
    mutation->done(mutation->arg, &answer);
}

static void answer_error(struct mutation *mutation, const struct err *err, const struct doc *body)
{
    err_list_add(&mutation->errors, err);
    answer_give(mutation, body);
}

static const char *change_word(const struct change_object *object)
{
    if (object->is_deleted) {
        return "delete";
    }
    if (object->revision == 0) {
        return "create";
    }
    return object->is_changed ? "change" : "none";
}

static struct doc text_doc(struct text text)
{
    return doc_text(text, NULL);
}

static struct doc number_doc(struct arena *arena, uint64_t number)
{
    return doc_int(arena, (int64_t)number, NULL);
}

static struct doc object_doc(struct arena *arena, const struct change_object *object)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "change", text_doc(text_from(change_word(object))));
    doc_builder_put(&builder, "id", text_doc(object->id));
    doc_builder_put(&builder, "kind", text_doc(text_from(object->kind->name)));
    doc_builder_put(&builder, "name", text_doc(object->name));
    return doc_builder_map(&builder, NULL);
}

/* Who changed a kept value, and when, by the mark that lies nearest above its path. */
static const struct doc *mark_find(const struct stored_object *stored, struct text path)
{
    const struct doc *mark = doc_find(&stored->part.live, path);

    for (size_t i = 0; mark == NULL && i < stored->group_count; i++) {
        const struct stored_group *group = &stored->groups[i];
        struct text prefix = TEXT("groups.");
        struct text rest = text_slice(path, prefix.length, path.length);

        if (text_has_prefix(path, prefix) && text_has_prefix(rest, group->path) &&
            rest.length > group->path.length && rest.data[group->path.length] == '.') {
            mark =
                doc_find(&group->part.live, text_slice(rest, group->path.length + 1, rest.length));
        }
    }
    return mark;
}

static struct doc kept_doc(struct arena *arena, const struct change_object *object,
                           const struct apply_kept *kept)
{
    const struct doc *mark = mark_find(&object->old_stored, kept->path);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (mark != NULL && doc_child(mark, "at") != NULL && doc_child(mark, "by") != NULL) {
        doc_builder_put(&builder, "at", *doc_child(mark, "at"));
        doc_builder_put(&builder, "by", *doc_child(mark, "by"));
    }
    doc_builder_put(&builder, "file", *kept->file);
    doc_builder_put(&builder, "kind", text_doc(text_from(object->kind->name)));
    if (kept->live != NULL) {
        doc_builder_put(&builder, "live", *kept->live);
    }
    doc_builder_put(&builder, "name", text_doc(object->name));
    doc_builder_put(&builder, "path", text_doc(kept->path));
    return doc_builder_map(&builder, NULL);
}

static struct doc kept_list(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct doc *items;
    size_t count = 0;

    for (size_t i = 0; i < change->object_count; i++) {
        count += change->objects[i].apply.kept_count;
    }
    items = arena_array(mutation->arena, struct doc, count);
    count = 0;
    for (size_t i = 0; i < change->object_count; i++) {
        for (size_t j = 0; j < change->objects[i].apply.kept_count; j++) {
            items[count++] =
                kept_doc(mutation->arena, &change->objects[i], &change->objects[i].apply.kept[j]);
        }
    }
    return doc_list(items, count, NULL);
}

static struct doc sums_doc(struct arena *arena, const struct change *change)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "change", number_doc(arena, change->summary.changes));
    doc_builder_put(&builder, "create", number_doc(arena, change->summary.creates));
    doc_builder_put(&builder, "destroy", number_doc(arena, change->summary.destroys));
    doc_builder_put(&builder, "groups", number_doc(arena, change->summary.groups));
    doc_builder_put(&builder, "nodes", number_doc(arena, change->summary.nodes));
    return doc_builder_map(&builder, NULL);
}

static struct doc needs_doc(struct arena *arena, const struct change_needs *needs)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "destroy", number_doc(arena, needs->destroy));
    doc_builder_put(&builder, "reboot", number_doc(arena, 0));
    doc_builder_put(&builder, "rename", number_doc(arena, needs->rename));
    doc_builder_put(&builder, "replace", number_doc(arena, 0));
    return doc_builder_map(&builder, NULL);
}

struct doc mutation_answer(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct arena *arena = mutation->arena;
    struct doc *objects = arena_array(arena, struct doc, change->object_count);
    struct doc_builder builder;

    for (size_t i = 0; i < change->object_count; i++) {
        objects[i] = object_doc(arena, &change->objects[i]);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "changed", doc_bool(change->op_count > 0, NULL));
    if (mutation->plan_id.length > 0) {
        doc_builder_put(&builder, "id", text_doc(mutation->plan_id));
    }
    doc_builder_put(&builder, "kept", kept_list(mutation));
    doc_builder_put(&builder, "needs", needs_doc(arena, &change->needs));
    doc_builder_put(&builder, "objects", doc_list(objects, change->object_count, NULL));
    if (doc_is_present(&change->plan)) {
        doc_builder_put(&builder, "plan", change->plan);
    }
    doc_builder_put(&builder, "revision",
                    number_doc(arena, cache_revision(mutation->service->cache)));
    doc_builder_put(&builder, "sums", sums_doc(arena, change));
    return doc_builder_map(&builder, NULL);
}

static void answer_tell(struct mutation *mutation)
{
    struct doc body = mutation_answer(mutation);

    answer_give(mutation, &body);
}

/* ---- consent ---- */

MUST_CHECK static bool is_within(uint64_t needed, uint64_t allowed, const char *what,
                                 struct err *err)
{
    if (needed <= allowed) {
        return true;
    }
    err_set(err, CODE_R0405, "this would %s %llu, and %llu are allowed", what,
            (unsigned long long)needed, (unsigned long long)allowed);
    return err_hint(err, "look at the plan, then allow it: --allow %s=%llu", what,
                    (unsigned long long)needed);
}

bool mutation_is_allowed(struct mutation *mutation, struct err *err)
{
    const struct change_needs *needs = &mutation->change.needs;
    const struct service_allow *allow = &mutation->request.allow;

    return is_within(needs->destroy, allow->destroy, "destroy", err) &&
           is_within(needs->rename, allow->rename, "rename", err);
}

/* ---- what is written ---- */

static struct text event_body(struct mutation *mutation, const struct change_object *object)
{
    struct arena *arena = mutation->arena;
    struct doc_builder builder;
    struct buf buf;
    struct doc doc;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", text_doc(mutation->actor.user));
    doc_builder_put(&builder, "kind", text_doc(text_from(object->kind->name)));
    doc_builder_put(&builder, "name", text_doc(object->name));
    doc_builder_put(&builder, "object", text_doc(object->id));
    doc_builder_put(&builder, "sums", sums_doc(arena, &mutation->change));
    doc_builder_put(
        &builder, "type",
        text_doc(arena_printf(arena, "%s.%sd", object->kind->singular, change_word(object))));
    if (mutation->request.why.length > 0) {
        doc_builder_put(&builder, "why", text_doc(mutation->request.why));
    }
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* The row of events an object's belong to. */
static struct text event_cluster(struct mutation *mutation, const struct change_object *object)
{
    return object->kind->owner == OWNER_CLUSTER
               ? arena_printf(mutation->arena, "%.*s/%.*s", TEXT_ARG(mutation->actor.tenant),
                              TEXT_ARG(object->id))
               : arena_printf(mutation->arena, "%.*s/", TEXT_ARG(mutation->actor.tenant));
}

static void events_make(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct store_event *events =
        arena_array(mutation->arena, struct store_event, change->object_count);
    const struct service_ports *ports = &mutation->service->ports;
    size_t count = 0;

    for (size_t i = mutation->batch; i < mutation->batch_end; i++) {
        if (change->objects[i].is_changed) {
            events[count++] = (struct store_event){
                .cluster = event_cluster(mutation, &change->objects[i]),
                .body = event_body(mutation, &change->objects[i]),
                .time_ms = (uint64_t)ports->wall_ms(ports->arg),
            };
        }
    }
    mutation->commit.events = events;
    mutation->commit.event_count = count;
}

static struct text request_key(struct mutation *mutation)
{
    return arena_printf(mutation->arena, "/%.*s/Request/%.*s/base",
                        TEXT_ARG(mutation->actor.tenant),
                        TEXT_ARG(mutation->request.idempotency_key));
}

/* What is in the transaction that makes the change, whatever its size: the specs of the objects
 * themselves, so that nobody else's change of them can hold too, and the mark of the request. */
static bool is_first(struct mutation *mutation, const struct change_op *op)
{
    const struct change *change = &mutation->change;
    struct text names =
        arena_printf(mutation->arena, "/%.*s/Name/", TEXT_ARG(mutation->actor.tenant));

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

/* Objects whose compares, events and own records fit into one transaction together. Several batches of
 * one request are made one after the other; each of them is whole. */
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
    struct store_op *first = arena_array(mutation->arena, struct store_op, count + 1);
    struct store_op *rest = arena_array(mutation->arena, struct store_op, count);
    struct commit *commit = &mutation->commit;
    bool is_small = count <= LIMIT_CHANGE_OPS;

    *commit = (struct commit){ .first_ops = first, .ops = rest };
    for (size_t i = 0; i < count; i++) {
        const struct change_op *op = &change->ops[first_op + i];
        struct store_op store_op = { op->key, op->value, op->is_delete };

        if (is_small || is_first(mutation, op)) {
            first[commit->first_op_count++] = store_op;
        } else {
            rest[commit->op_count++] = store_op;
        }
    }
    mutation->is_large = !is_small;
}

/* Those of the objects, and with the first batch those of what they are made from: as many as fit, for a
 * template that changes at this very moment was as good a source a moment ago. */
static void compares_make(struct mutation *mutation, struct store_compare *compares)
{
    const struct change *change = &mutation->change;
    struct commit *commit = &mutation->commit;
    bool is_first_batch = mutation->batch == 0;
    size_t start =
        is_first_batch ? change->reference_count : change->objects[mutation->batch - 1].pin_end;
    size_t references = is_first_batch ? change->reference_count : 0;

    for (size_t i = 0; i < references && i < LIMIT_CHANGE_REFERENCES; i++) {
        compares[commit->compare_count++] = change->pins[i];
    }
    for (size_t i = start; i < change->objects[mutation->batch_end - 1].pin_end; i++) {
        compares[commit->compare_count++] = change->pins[i];
    }
    commit->compares = compares;
}

/* The mark of a request that may be repeated: its answer, or where that is long that there was one. */
static void mark_add(struct mutation *mutation, struct store_compare *compares)
{
    struct commit *commit = &mutation->commit;
    struct doc body = mutation_answer(mutation);
    struct store_op *ops = (struct store_op *)(uintptr_t)commit->first_ops; /* has room for it */
    struct buf buf;

    buf_init(&buf, mutation->arena);
    json_format(&buf, &body);
    if (buf.length > LIMIT_RECORD_BYTES) {
        buf.length = 0;
        buf_add_string(&buf, "{\"changed\":true}");
    }
    compares[commit->compare_count++] = (struct store_compare){ .key = request_key(mutation) };
    ops[commit->first_op_count++] =
        (struct store_op){ .key = request_key(mutation), .value = buf_text(&buf) };
}

static void commit_make(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct service *service = mutation->service;
    struct store_compare *compares =
        arena_array(mutation->arena, struct store_compare, change->pin_count + 1);
    char id[37];

    batch_cut(mutation);
    ops_make(mutation);
    events_make(mutation);
    compares_make(mutation, compares);
    if (mutation->request.idempotency_key.length > 0 &&
        mutation->batch_end == change->object_count) {
        mark_add(mutation, compares);
    }
    service->ports.id_make(service->ports.arg, id);
    mutation->commit.id = arena_text(mutation->arena, text_from(id));
}

/* ---- after writing ---- */

static void fault_lost(struct mutation *mutation)
{
    struct err err;

    err_set(&err, CODE_R0401, "others change the same objects faster than this request can");
    err_hint(&err, "try again");
    answer_error(mutation, &err, NULL);
}

static void operation_end(struct mutation *mutation)
{
    struct service *service = mutation->service;

    if (mutation->is_large) {
        assert(service->operations > 0);
        service->operations--;
        mutation->is_large = false;
    }
}

static void mutation_write(struct mutation *mutation);

static void mutation_written(void *arg, const struct commit_answer *answer)
{
    struct mutation *mutation = arg;
    struct err err = answer->err;

    operation_end(mutation);
    if (answer->outcome == OUTCOME_OK && mutation->batch_end < mutation->change.object_count) {
        mutation->batch = mutation->batch_end;
        mutation_write(mutation);
        return;
    }
    if (answer->outcome == OUTCOME_OK) {
        mutation->is_written = true;
        wait_for(mutation, answer->revision);
        return;
    }
    if (answer->outcome == OUTCOME_UNKNOWN) {
        err_set(&err, CODE_R0542, "whether the change was made is not known");
        err_hint(&err, "read the object again; the same Idempotency-Key makes it at most once");
        answer_error(mutation, &err, NULL);
        return;
    }
    if (err.code != CODE_R0502) {
        answer_error(mutation, &err, NULL);
    } else if (++mutation->tries >= LIMIT_CHANGE_TRIES) {
        fault_lost(mutation);
    } else {
        wait_for(mutation, answer->revision);
    }
}

/* ---- computing ---- */

static bool is_repeated(struct mutation *mutation)
{
    const struct cache_object *entry;
    struct service_answer answer = { .errors = &mutation->errors };

    if (mutation->request.idempotency_key.length == 0) {
        return false;
    }
    entry = cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("Request"),
                       mutation->request.idempotency_key);
    if (entry == NULL || entry->parts[CACHE_BASE].bytes == NULL) {
        return false;
    }
    answer.body = arena_text(mutation->arena, blob_text(entry->parts[CACHE_BASE].bytes));
    answer.revision = cache_revision(mutation->service->cache);
    answer.location = mutation->request.single;
    mutation->done(mutation->arg, &answer);
    return true;
}

/* The one object of the request is still the one its sender has seen. */
static bool is_matching(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct err err;

    if (mutation->request.if_match == 0 || change->object_count != 1 ||
        change->objects[0].revision == mutation->request.if_match) {
        return true;
    }
    err_set(&err, CODE_R0401, "%s '%.*s' was changed meanwhile: it is at revision %llu, not %llu",
            change->objects[0].kind->singular, TEXT_ARG(change->objects[0].name),
            (unsigned long long)change->objects[0].revision,
            (unsigned long long)mutation->request.if_match);
    err_note(&err, "by %.*s, %.*s", TEXT_ARG(change->objects[0].old_stored.part.meta.by),
             TEXT_ARG(change->objects[0].old_stored.part.meta.updated));
    err_hint(&err, "read it again and make the change on what stands now");
    answer_error(mutation, &err, NULL);
    return false;
}

/* What a saved plan pinned still stands. */
static bool is_pinned(struct mutation *mutation)
{
    const struct mutation_pins *pins = mutation->pins;
    const struct change *change = &mutation->change;
    struct err err;

    for (size_t i = 0; pins != NULL && i < pins->count; i++) {
        bool is_found = false;

        for (size_t j = 0; j < change->pin_count && !is_found; j++) {
            is_found = text_is_equal(change->pins[j].key, pins->items[i].key) &&
                       change->pins[j].revision == pins->items[i].revision;
        }
        if (!is_found) {
            err_set(&err, CODE_R0408, "the plan was made for another state: %.*s has moved",
                    TEXT_ARG(pins->items[i].key));
            err_hint(&err, "make the plan anew");
            answer_error(mutation, &err, NULL);
            return false;
        }
    }
    return true;
}

/* The document of a patched object: what stands now, with the patch laid on. */
MUST_CHECK static bool patch_lay(struct mutation *mutation, struct err *err)
{
    const struct service_patch *patch = mutation->patch;
    const struct cache *cache = mutation->service->cache;
    struct arena *arena = mutation->arena;
    const struct cache_object *object;
    struct doc *wanted;
    struct doc flat;

    if (patch == NULL) {
        return true;
    }
    object = objects_find(cache, mutation->actor.tenant, patch->kind, patch->name);
    if (object == NULL) {
        err_set(err, CODE_R0403, "there is no %s '%.*s'", patch->kind->singular,
                TEXT_ARG(patch->name));
        return false;
    }
    if (!flat_read(arena, cache, patch->kind, object, &flat, err)) {
        return false;
    }
    if (patch->kind->owner == OWNER_CLUSTER) { /* so that a new name renames it */
        flat = nest_put(arena, &flat, "id", doc_text(arena_text(arena, object->id), NULL));
    }
    wanted = arena_one(arena, struct doc);
    if (patch->patch_kind == SERVICE_PATCH_MERGE) {
        *wanted = patch_merge(arena, &flat, patch->patch);
    } else if (!patch_json(arena, &flat, patch->patch, wanted, err)) {
        return false;
    }
    mutation->request.documents = wanted;
    mutation->request.document_count = 1;
    return true;
}

static void change_compute(struct mutation *mutation)
{
    struct service *service = mutation->service;
    struct change_request request = {
        .tenant = mutation->actor.tenant,
        .by = mutation->actor.user,
        .why = mutation->request.why,
        .now = service_now(service, mutation->arena),
        .mode = mutation->request.mode,
        .documents = mutation->request.documents,
        .document_count = mutation->request.document_count,
        .takes = mutation->request.takes,
        .take_count = mutation->request.take_count,
        .refreshes_from = mutation->request.refreshes_from,
        .id_make = service->ports.id_make,
        .id_arg = service->ports.arg,
    };

    err_list_init(&mutation->errors, mutation->arena);
    mutation->change = change_make(mutation->arena, service->cache, &request, &mutation->errors);
}

static void mutation_write(struct mutation *mutation)
{
    struct service *service = mutation->service;

    commit_make(mutation);
    service->operations += mutation->is_large;
    commit_start(mutation->arena, service->store, &mutation->commit, mutation_written, mutation);
}

static void plan_saved(void *arg, const struct commit_answer *answer)
{
    struct mutation *mutation = arg;

    if (answer->outcome != OUTCOME_OK) {
        answer_error(mutation, &answer->err, NULL);
        return;
    }
    mutation->is_written = true;
    wait_for(mutation, answer->revision);
}

struct mutation *mutation_new(struct service *service, struct arena *arena,
                              const struct service_actor *actor,
                              const struct service_change *change, service_done *done, void *arg)
{
    struct mutation *mutation = arena_one(arena, struct mutation);

    *mutation = (struct mutation){
        .service = service,
        .arena = arena,
        .actor = *actor,
        .request = *change,
        .done = done,
        .arg = arg,
    };
    return mutation;
}

void mutation_start(struct mutation *mutation)
{
    struct service *service = mutation->service;
    struct err err;

    if (service->operations > 0) {
        row_add(&service->held, mutation);
        return;
    }
    mutation->batch = 0;
    err_list_init(&mutation->errors, mutation->arena);
    if (is_repeated(mutation)) {
        return;
    }
    if (!patch_lay(mutation, &err)) {
        answer_error(mutation, &err, NULL);
        return;
    }
    change_compute(mutation);
    if (mutation->errors.errors > 0) {
        answer_give(mutation, NULL);
        return;
    }
    if (!is_matching(mutation) || !is_pinned(mutation)) {
        return;
    }
    if (mutation->request.is_saved) {
        service_plan_store(mutation, plan_saved);
        return;
    }
    if (mutation->request.is_dry_run || mutation->change.op_count == 0) {
        answer_tell(mutation);
        return;
    }
    if (!mutation_is_allowed(mutation, &err)) {
        struct doc body = mutation_answer(mutation);

        answer_error(mutation, &err, &body);
        return;
    }
    mutation_write(mutation);
}

/* ---- waiting ---- */

/* Take a row as it is; what is added meanwhile waits for the next turn. */
static struct mutation *row_take(struct mutation_row *row)
{
    struct mutation *first = row->first;

    *row = (struct mutation_row){ 0 };
    return first;
}

void mutation_run_waiting(struct service *service)
{
    uint64_t revision = cache_revision(service->cache);
    struct mutation *next;

    for (struct mutation *mutation = row_take(&service->waiting); mutation != NULL;
         mutation = next) {
        next = mutation->next;
        if (mutation->wanted > revision) {
            row_add(&service->waiting, mutation);
        } else if (mutation->is_written) {
            answer_tell(mutation);
        } else {
            mutation_start(mutation);
        }
    }
    if (service->operations > 0) {
        return;
    }
    for (struct mutation *mutation = row_take(&service->held); mutation != NULL; mutation = next) {
        next = mutation->next;
        mutation_start(mutation);
    }
}

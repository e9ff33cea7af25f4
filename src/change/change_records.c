#include "base/limits.h"
#include "change/change_work.h"
#include "codec/json.h"
#include "model/nest.h"
#include "records/commands.h"

#include <assert.h>

/* Compares the current and the new objects, and lists the keys that differ. */

struct recording {
    struct change_work *work;
    struct change *change;
    size_t room;
};

static void change_records_op_add(struct recording *recording, struct change_op op)
{
    struct change *change = recording->change;

    if (change->op_count == recording->room) {
        size_t room = recording->room * 2 + 16;

        change->ops =
            arena_grow(recording->work->arena, change->ops, recording->room * sizeof(*change->ops),
                       room * sizeof(*change->ops));
        recording->room = room;
    }
    change->ops[change->op_count++] = op;
}

static struct text change_records_bytes_of(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    if (!doc_is_present(doc)) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

static bool is_change_records_same(const struct doc *a, const struct doc *b)
{
    return doc_is_present(a) == doc_is_present(b) && (!doc_is_present(a) || doc_is_equal(a, b));
}

static struct text spec_bytes(struct arena *arena, const struct schema_kind *kind,
                              const struct stored_part *part)
{
    struct buf buf;

    buf_init(&buf, arena);
    stored_spec_format(&buf, kind, part);
    return buf_text(&buf);
}

/* The key of a record. */
struct spot {
    const struct schema_kind *kind;
    struct text id;
};

static struct text change_records_key_of(struct recording *recording, const struct spot *spot,
                                         enum cache_part part)
{
    return objects_key(recording->work->arena, recording->work->request->tenant,
                       text_from(spot->kind->name), spot->id, part);
}

static void record_drop(struct recording *recording, const struct spot *spot,
                        const struct stored_part *old)
{
    struct doc base = stored_base_make(recording->work->arena, old);

    change_records_op_add(
        recording, (struct change_op){ .key = change_records_key_of(recording, spot, CACHE_SPEC),
                                       .is_delete = true });
    change_records_op_add(
        recording, (struct change_op){ .key = change_records_key_of(recording, spot, CACHE_STATUS),
                                       .is_delete = true });
    if (doc_is_present(&base)) {
        change_records_op_add(recording, (struct change_op){ .key = change_records_key_of(
                                                                 recording, spot, CACHE_BASE),
                                                             .is_delete = true });
    }
}

/* A new record and the current record of the same key. Either may be absent. */
struct pair {
    const struct stored_part *part;
    const struct stored_part *old;
    struct doc base;
    struct doc old_base;
    bool has_same_base;
};

static struct pair change_records_pair_make(struct arena *arena, const struct stored_part *part,
                                            const struct stored_part *old)
{
    struct pair pair = { .part = part, .old = old, .base = stored_base_make(arena, part) };

    if (old != NULL) {
        pair.old_base = stored_base_make(arena, old);
    }
    pair.has_same_base = is_change_records_same(&pair.base, &pair.old_base);
    return pair;
}

/* True if the desired state of the new record equals that of the old record. */
static bool wants_the_same(const struct pair *pair)
{
    const struct stored_part *part = pair->part;
    const struct stored_part *old = pair->old;

    return old != NULL && doc_is_equal(&part->spec, &old->spec) &&
           text_is_equal(part->meta.name, old->meta.name) &&
           text_is_equal(part->meta.cluster, old->meta.cluster);
}

/* True if the content of the record differs from the old one. Its author and time are ignored. */
static bool is_change_records_changed(const struct pair *pair)
{
    return !pair->has_same_base || !wants_the_same(pair);
}

static void change_records_value_check(struct recording *recording, const struct spot *spot,
                                       struct text value)
{
    if (value.length > LIMIT_RECORD_BYTES) {
        err_list_set(recording->work->errors, (struct place){ 0 }, CODE_R0320,
                     "%s '%.*s' would be stored with %zu bytes, at most %d are allowed",
                     spot->kind->singular, TEXT_ARG(spot->id), value.length, LIMIT_RECORD_BYTES);
    }
}

/* Returns the revision since which the desired state is unchanged; 0: this write changes it. Only a
 * change of the desired state begins a job. A change of only the last applied file neither begins
 * nor replaces a job. */
static uint64_t change_records_since_of(struct recording *recording, const struct spot *spot,
                                        const struct pair *pair)
{
    const struct cache_object *there;

    if (!wants_the_same(pair) || (recording->work->request->is_rewriting_groups &&
                                  text_is(text_from(spot->kind->name), "NodeGroup"))) {
        return 0;
    }
    there = cache_find(recording->work->cache, recording->work->request->tenant,
                       text_from(spot->kind->name), spot->id);
    return pair->old->meta.wanted_since > 0 || there == NULL ? pair->old->meta.wanted_since
                                                             : there->parts[CACHE_SPEC].revision;
}

static void record_put(struct recording *recording, const struct spot *spot,
                       const struct pair *pair)
{
    struct arena *arena = recording->work->arena;
    struct stored_part part = *pair->part;
    struct text spec;

    part.meta.wanted_since = change_records_since_of(recording, spot, pair);
    spec = spec_bytes(arena, spot->kind, &part);
    change_records_value_check(recording, spot, spec);
    change_records_op_add(
        recording, (struct change_op){ .key = change_records_key_of(recording, spot, CACHE_SPEC),
                                       .value = spec });
    if (!pair->has_same_base) {
        struct text bytes = change_records_bytes_of(arena, &pair->base);

        change_records_value_check(recording, spot, bytes);
        change_records_op_add(recording, (struct change_op){ .key = change_records_key_of(
                                                                 recording, spot, CACHE_BASE),
                                                             .value = bytes,
                                                             .is_delete = bytes.length == 0 });
    }
}

/* ---- groups ---- */

static struct spot group_spot(struct recording *recording, const struct change_object *object,
                              struct text path)
{
    return (struct spot){ objects_kind("NodeGroup"),
                          objects_group_id(recording->work->arena, object->id, path) };
}

/* True if the group at this path differs from the group that had the path before. */
static bool is_moved(const struct stored_group *old, const struct stored_group *there)
{
    assert(old != NULL && there != NULL);
    return !text_is_equal(old->part.meta.id, there->part.meta.id) ||
           !text_is_equal(old->part.meta.name, there->part.meta.name);
}

/* Writes the operator commands of a group. They are moved with the group to its new path, and
 * deleted with the group. A new group begins without commands. */
static void change_records_words_put(struct recording *recording,
                                     const struct change_object *object, struct text path,
                                     struct text from, bool goes)
{
    struct change_work *work = recording->work;
    struct arena *arena = work->arena;
    struct text tenant = work->request->tenant;
    struct text to_id = objects_group_id(arena, object->id, path);
    const struct cache_object *said = from.length == 0
                                          ? NULL
                                          : cache_find(work->cache, tenant, TEXT("Control"),
                                                       objects_group_id(arena, object->id, from));
    const struct cache_object *there = cache_find(work->cache, tenant, TEXT("Control"), to_id);
    bool is_said = there != NULL && there->parts[CACHE_SPEC].bytes != NULL;
    struct doc commands = commands_read(arena, said);
    struct text key = objects_key(arena, tenant, TEXT("Control"), to_id, CACHE_SPEC);

    if (commands.entry_count == 0 && !is_said) {
        if (goes) { /* the pause of the group is kept with the other commands */
            change_pin(work, key, 0);
        }
        return;
    }
    change_pin(work, key, is_said ? there->parts[CACHE_SPEC].revision : 0);
    change_records_op_add(
        recording, (struct change_op){ .key = key,
                                       .value = commands.entry_count == 0
                                                    ? TEXT("")
                                                    : change_records_bytes_of(arena, &commands),
                                       .is_delete = commands.entry_count == 0 });
}

/* Record the groups. Both lists are in order of path. A moved group is a new record at one path and
 * a removed record at the other. */
static size_t groups_record(struct recording *recording, const struct change_object *object,
                            const struct stored_object *before)
{
    size_t first = recording->change->op_count;

    for (size_t i = 0; !object->is_deleted && i < object->new_stored.group_count; i++) {
        const struct stored_group *group = &object->new_stored.groups[i];
        const struct stored_group *old = stored_group_find(before, group->path);
        const struct stored_group *there = stored_group_find(&object->old_stored, group->path);
        struct pair pair = change_records_pair_make(recording->work->arena, &group->part,
                                                    there == NULL ? NULL : &there->part);

        if (old == NULL || is_change_records_changed(&pair) || is_moved(old, there) ||
            recording->work->request->is_rewriting_groups) {
            struct spot spot = group_spot(recording, object, group->path);

            record_put(recording, &spot, &pair);
        }
        if (object->revision > 0 &&
            (old == NULL || !text_is_equal(old->part.meta.name, group->path))) {
            change_records_words_put(recording, object, group->path,
                                     old == NULL ? TEXT("") : old->part.meta.name, false);
        }
    }
    for (size_t i = 0; i < object->old_stored.group_count; i++) {
        const struct stored_group *old = &object->old_stored.groups[i];

        if (object->is_deleted || stored_group_find(&object->new_stored, old->path) == NULL) {
            struct spot spot = group_spot(recording, object, old->path);

            record_drop(recording, &spot, &old->part);
            change_records_words_put(recording, object, old->path, TEXT(""), true);
        }
    }
    return recording->change->op_count - first;
}

/* ---- objects ---- */

static void change_records_name_put(struct recording *recording, struct text name, struct text id)
{
    struct arena *arena = recording->work->arena;
    struct text entry = arena_printf(arena, "Cluster/%.*s", TEXT_ARG(name));
    struct text key =
        objects_key(arena, recording->work->request->tenant, TEXT("Name"), entry, CACHE_BASE);

    change_records_op_add(
        recording, (struct change_op){ .key = key, .value = id, .is_delete = id.length == 0 });
    if (id.length > 0) {
        /* no other object may get this name before the change is written */
        change_pin(recording->work, key, 0);
    }
}

static void names_record(struct recording *recording, const struct change_object *object)
{
    bool is_new = object->revision == 0;
    bool is_moved = !is_new && !text_is_equal(object->name, object->old_name);

    if (object->kind->owner != OWNER_CLUSTER) {
        return;
    }
    if (object->is_deleted || is_moved) {
        change_records_name_put(recording, object->old_name, TEXT(""));
    }
    if (!object->is_deleted && (is_new || is_moved)) {
        change_records_name_put(recording, object->name, object->id);
    }
}

/* Writes or removes the deletion command of a cluster. It is written in the transaction that
 * removes the specification. Without this command, the controller treats the missing specification
 * as damage and destroys nothing. A new cluster with the same id begins without the command. */
static void deletion_say(struct recording *recording, const struct change_object *object)
{
    struct change_work *work = recording->work;
    struct text key =
        objects_key(work->arena, work->request->tenant, TEXT("Control"), object->id, CACHE_SPEC);
    const struct cache_object *control =
        cache_find(work->cache, work->request->tenant, TEXT("Control"), object->id);
    bool has_words = control != NULL && control->parts[CACHE_SPEC].bytes != NULL;
    struct doc_builder builder;
    struct doc commands;
    struct buf buf;

    if (!object->is_deleted && (object->revision > 0 || !has_words)) {
        return;
    }
    change_pin(work, key, has_words ? control->parts[CACHE_SPEC].revision : 0);
    if (!object->is_deleted) {
        change_records_op_add(recording, (struct change_op){ .key = key, .is_delete = true });
        return;
    }
    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "at", doc_text(work->request->now, NULL));
    doc_builder_put(&builder, "by", doc_text(work->request->by, NULL));
    /* Commands that cannot be parsed do not block a deletion. */
    commands = commands_read(work->arena, control);
    commands = nest_put(work->arena, &commands, "deleting", doc_builder_map(&builder, NULL));
    /* change_pauses.c has checked the removal of this pause */
    commands = nest_put(work->arena, &commands, "paused", (struct doc){ 0 });
    buf_init(&buf, work->arena);
    json_format(&buf, &commands);
    change_records_op_add(recording, (struct change_op){ .key = key, .value = buf_text(&buf) });
}

static void object_record(struct recording *recording, struct change_target *target)
{
    struct change_object *object = target->out;
    struct spot spot = { object->kind, object->id };
    size_t groups = groups_record(recording, object, &target->stored);
    struct pair pair;

    change_pin(recording->work, change_records_key_of(recording, &spot, CACHE_SPEC),
               object->revision);
    names_record(recording, object);
    if (object->kind->owner == OWNER_CLUSTER) {
        deletion_say(recording, object);
    }
    if (object->is_deleted) {
        record_drop(recording, &spot, &object->old_stored.part);
        object->is_changed = true;
        return;
    }
    pair = change_records_pair_make(recording->work->arena, &object->new_stored.part,
                                    object->revision == 0 ? NULL : &object->old_stored.part);
    object->is_changed = groups > 0 || is_change_records_changed(&pair);
    if (object->is_changed) {
        record_put(recording, &spot, &pair);
    }
}

void change_records_make(struct change_work *work, struct change *change)
{
    struct recording recording = { work, change };

    change->objects = arena_array(work->arena, struct change_object, work->count);
    change->object_count = work->count;
    change->reference_count = work->pin_count;
    for (size_t i = 0; i < work->count; i++) {
        object_record(&recording, work->order[i]);
        change->objects[i] = *work->order[i]->out;
        change->objects[i].op_end = change->op_count;
        change->objects[i].pin_end = work->pin_count;
    }
}

#include "change/change.h"

#include "base/sort.h"
#include "change/change_work.h"
#include "codec/json.h"
#include "model/merge.h"
#include "model/nest.h"

#include <assert.h>

/* Computes a change. Each phase is a function below: read the documents, find the current state,
 * add the sources of objects, merge the file with the current state, resolve, split into records,
 * plan, and list the keys to write. */

static bool is_group(const struct model_object *object)
{
    return object->kind->owner == OWNER_NODEGROUP;
}

static enum merge_rule change_rule_of(const struct schema_kind *kind)
{
    return kind->owner == OWNER_CLUSTER || kind->owner == OWNER_CLUSTER_TEMPLATE ? MERGE_CLUSTER
                                                                                 : MERGE_LEAF;
}

void change_pin(struct change_work *work, struct text key, uint64_t revision)
{
    if (work->pin_count == work->pin_room) {
        size_t room = work->pin_room * 2 + 8;

        work->pins = arena_grow(work->arena, work->pins, work->pin_room * sizeof(*work->pins),
                                room * sizeof(*work->pins));
        work->pin_room = room;
    }
    work->pins[work->pin_count++] = (struct store_compare){ key, revision };
}

/* ---- targets ---- */

static struct text target_key(struct change_work *work, const struct schema_kind *kind,
                              struct text name)
{
    return arena_printf(work->arena, "%s/%.*s", kind->name, TEXT_ARG(name));
}

static struct change_target *target_new(struct change_work *work, const struct schema_kind *kind,
                                        struct text name)
{
    struct change_target *target = arena_one(work->arena, struct change_target);

    target->out = arena_one(work->arena, struct change_object);
    target->out->kind = kind;
    target->out->name = name;
    if (work->count == work->room) {
        size_t room = work->room * 2 + 8;

        work->order = arena_grow(work->arena, work->order, work->room * sizeof(*work->order),
                                 room * sizeof(*work->order));
        work->room = room;
    }
    work->order[work->count++] = target;
    map_put(&work->targets, target_key(work, kind, name), target);
    return target;
}

/* Uses the object that was read before, together with the groups that the document omits. */
static bool known_take(struct change_work *work, struct change_target *target,
                       const struct cache_object *object)
{
    const struct change_known *known = work->request->known;

    if (known == NULL || known->object != object) {
        return false;
    }
    target->out->old_stored = known->stored;
    target->others = known->others;
    return true;
}

/* Reads the complete current state into a target. With `is_read`, the needed part of it was already
 * read. */
static bool target_load(struct change_work *work, struct change_target *target,
                        const struct cache_object *object, bool is_read)
{
    struct err err;

    if (!is_read && !objects_read(work->arena, work->cache, target->out->kind, object,
                                  &target->out->old_stored, &err)) {
        err_list_add(work->errors, &err);
        return false;
    }
    target->stored = target->out->old_stored;
    target->out->id = arena_text(work->arena, cache_id(object));
    target->out->old_name = target->stored.part.meta.name;
    target->out->revision = object->parts[CACHE_SPEC].revision;
    return true;
}

static void fault_changed(struct change_work *work, struct place place, const char *what,
                          struct text name, const struct cache_object *object,
                          const struct stored_object *stored)
{
    struct err *err =
        err_list_set(work->errors, place, CODE_R0401,
                     "%s '%.*s' was changed in the meantime: it is at revision %llu", what,
                     TEXT_ARG(name), (unsigned long long)object->parts[CACHE_SPEC].revision);

    err_note(err, "by %.*s, %.*s", TEXT_ARG(stored->part.meta.by),
             TEXT_ARG(stored->part.meta.updated));
    err_hint(err, "read it again and make the change on the current object");
}

/* Return the stored object that a document refers to. A known id takes precedence over the name
 * (K4). */
static const struct cache_object *change_current_find(struct change_work *work,
                                                      const struct model_object *object)
{
    const struct doc *id = doc_child(&object->own, "id");
    struct text tenant = work->request->tenant;
    const struct cache_object *by_name =
        objects_find(work->cache, tenant, object->kind, object->name);
    const struct cache_object *by_id = NULL;

    if (object->kind->owner != OWNER_CLUSTER || !doc_is_scalar(id) || doc_is_null(id)) {
        return by_name;
    }
    by_id = cache_find(work->cache, tenant, TEXT("Cluster"), id->text);
    if (by_id != NULL && by_id->parts[CACHE_SPEC].bytes == NULL) {
        by_id = NULL;
    }
    if (by_name != NULL && by_name != by_id) {
        struct err *err =
            err_list_set(work->errors, doc_place(id), CODE_R0407,
                         by_id == NULL ? "cluster '%.*s' exists with a different id: %.*s"
                                       : "the name '%.*s' belongs to another cluster, %.*s",
                         TEXT_ARG(object->name), TEXT_ARG(cache_id(by_name)));

        err_hint(err, "leave the id out to match by name");
    }
    return by_id;
}

/* Adds one document that is not the document of a group. */
static void engine_change_document_take(struct change_work *work, size_t index)
{
    struct model_object *object = &work->set.objects[index];
    const struct cache_object *current = change_current_find(work, object);
    struct change_target *target;

    if (map_find(&work->targets, target_key(work, object->kind, object->name)) != NULL) {
        return; /* a duplicate, which is reported when the set is resolved */
    }
    target = target_new(work, object->kind, object->name);
    target->index = index;
    target->is_request = work->request->mode == CHANGE_REPLACE;
    if (current == NULL) {
        if (work->request->mode == CHANGE_REPLACE || object->revision > 0) {
            err_list_set(work->errors, object->place, CODE_R0403, "there is no %s '%.*s'",
                         object->kind->singular, TEXT_ARG(object->name));
        }
        return;
    }
    if (!target_load(work, target, current,
                     known_take(work, target, current) ||
                         change_partial_file(work, target, current))) {
        return;
    }
    object = &work->set.objects[index];
    if (work->request->mode == CHANGE_CREATE) {
        err_hint(err_list_set(work->errors, object->place, CODE_R0402, "%s '%.*s' already exists",
                              object->kind->singular, TEXT_ARG(object->name)),
                 "choose another name, or change the existing one with: reeve apply");
    }
    if (object->revision > 0 && object->revision != target->out->revision) {
        fault_changed(work, object->place, object->kind->singular, object->name, current,
                      &target->stored);
    }
}

/* Returns the cluster of a group document. NULL: there is no such cluster, which is reported when
 * the set is indexed. */
static struct change_target *change_cluster_take(struct change_work *work, struct text name)
{
    const struct schema_kind *kind = objects_kind("Cluster");
    struct change_target *target = map_find(&work->targets, target_key(work, kind, name));
    const struct cache_object *current;

    if (target != NULL) {
        return target;
    }
    current = objects_find(work->cache, work->request->tenant, kind, name);
    if (current == NULL) {
        return NULL;
    }
    target = target_new(work, kind, name);
    target->is_group_only = true;
    target->is_request = work->request->mode != CHANGE_APPLY;
    target->index = SIZE_MAX;
    return target_load(work, target, current, change_partial_groups(work, target, current)) ? target
                                                                                            : NULL;
}

/* Adds one NodeGroup document. Reports an error if the group exists and the mode does not permit
 * that, or if it does not exist and the mode requires it. */
static void group_take(struct change_work *work, size_t index)
{
    const struct model_object object = work->named->objects[index];
    const struct doc *cluster = doc_child(&object.own, "cluster");
    const struct doc *path = doc_child(&object.own, "name");
    enum change_mode mode = work->request->mode;
    struct change_target *target;
    const struct cache_object *current;

    if (object.name.length == 0) {
        return; /* the error is already reported */
    }
    target = change_cluster_take(work, cluster->text);
    if (target == NULL) {
        return;
    }
    current = objects_find(work->cache, work->request->tenant, object.kind, object.name);
    if (current == NULL &&
        (mode == CHANGE_REPLACE || mode == CHANGE_DELETE || object.revision > 0)) {
        err_list_set(work->errors, doc_place(path), CODE_R0403, "there is no nodegroup '%.*s'",
                     TEXT_ARG(object.name));
    } else if (current != NULL && mode == CHANGE_CREATE) {
        err_hint(err_list_set(work->errors, doc_place(path), CODE_R0402,
                              "nodegroup '%.*s' already exists", TEXT_ARG(object.name)),
                 "choose another name, or change the existing one with: reeve apply");
    } else if (current != NULL && object.revision > 0 &&
               object.revision != current->parts[CACHE_SPEC].revision) {
        const struct stored_group *group = stored_group_find(&target->stored, path->text);
        struct stored_object stored = { .part = group->part };

        fault_changed(work, object.place, "nodegroup", object.name, current, &stored);
    }
}

/* ---- clusters of which the request contains only groups ---- */

static int change_path_sort(const void *a, const void *b, void *arg)
{
    (void)arg;
    return nest_compare(*(const struct text *)a, *(const struct text *)b);
}

struct text *change_paths_named(struct change_work *work, struct text cluster, size_t *count)
{
    struct text *paths = arena_array(work->arena, struct text, work->named->count);

    *count = 0;
    for (size_t i = 0; i < work->named->count; i++) {
        const struct model_object *object = &work->named->objects[i];

        if (is_group(object) && object->name.length > 0 &&
            text_is_equal(doc_child(&object->own, "cluster")->text, cluster)) {
            paths[(*count)++] = doc_child(&object->own, "name")->text;
        }
    }
    sort_stable(work->arena, paths, *count, sizeof(*paths), change_path_sort, NULL);
    return paths;
}

/* Adds the document of a cluster for a request that contains only groups of the cluster. The
 * document is the current state without these groups; they are added when the set is indexed. */
static void rest_add(struct change_work *work, struct change_target *target)
{
    struct doc whole = stored_join(work->arena, &target->stored,
                                   target->is_request ? STORED_SPEC : STORED_APPLIED);
    size_t count;
    struct text *paths = change_paths_named(work, target->out->name, &count);
    struct doc groups = nest_without(work->arena, doc_child(&whole, "groups"), paths, count);

    whole = nest_put(work->arena, &whole, "groups", groups);
    whole = nest_put(work->arena, &whole, "name", doc_text(target->out->name, NULL));
    target->index = work->set.count;
    model_set_add_stored(&work->set, target->out->kind, &whole, NULL, false);
}

/* ---- merging the file with the current state ---- */

/* Removes the previous `renamedFrom` of a group. An undo renames a group back, and the file that
 * renamed the group may then be applied again: its renamedFrom must take precedence over the one
 * that the undo wrote. */
static void rename_forget(struct change_work *work, struct stored_part *part)
{
    struct doc *sides[] = { &part->spec, &part->own, &part->applied, &part->live };

    for (size_t i = 0; i < ARRAY_COUNT(sides); i++) {
        if (doc_is_map(sides[i])) {
            *sides[i] = nest_put(work->arena, sides[i], "renamedFrom", (struct doc){ 0 });
        }
    }
}

/* Moves groups with `renamedFrom`, with their whole state, to their new paths. */
static void renames_follow(struct change_work *work, struct change_target *target,
                           const struct doc *groups, struct text outer)
{
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        const struct doc *group = &groups->entries[i].value;
        const struct doc *old = doc_child(group, "renamedFrom");
        struct text path = outer.length == 0
                               ? groups->entries[i].key
                               : arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(outer),
                                              TEXT_ARG(groups->entries[i].key));

        if (doc_is_scalar(old) && stored_group_find(&target->stored, path) == NULL) {
            struct stored_group *moved = stored_group_find(&target->stored, old->text);

            if (moved != NULL) {
                rename_forget(work, &moved->part);
                moved->path = path;
                sort_stable(work->arena, target->stored.groups, target->stored.group_count,
                            /* path is the first member of the struct, by which the comparison
                             * sorts */
                            sizeof(*moved), change_path_sort, NULL);
            }
        }
        renames_follow(work, target, doc_child(group, "groups"), path);
    }
}

/* Reports an error if the `from` of the file differs from the `from` of the stored object, unless
 * the request asks for the change. */
static void from_check(struct change_work *work, const struct doc *applied, const struct doc *file,
                       struct text what)
{
    const struct doc *old = doc_child(applied, "from");
    const struct doc *now = doc_child(file, "from");

    if (work->request->is_refreshing_from || !doc_is_map(now) || doc_is_null(now) ||
        !doc_is_present(applied) || (old != NULL && doc_is_equal(old, now))) {
        return;
    }
    err_hint(
        err_list_set(
            work->errors, doc_place(now), CODE_R0406,
            "'%.*s' was made from another source, and its field 'from' has an effect only at creation",
            TEXT_ARG(what)),
        "reeve apply --refresh-from takes the values of this source");
}

static void froms_check(struct change_work *work, const struct stored_object *base,
                        struct text name, const struct doc *file)
{
    from_check(work, &base->part.own, file, name);
    for (size_t i = 0; i < base->group_count; i++) {
        const struct stored_group *group = &base->groups[i];
        const struct doc *said = nest_find(doc_child(file, "groups"), group->path);

        if (doc_is_map(said)) {
            from_check(work, &group->part.spec, said, group->path);
        }
    }
}

/* Keeps the `from` of the object if the file has no `from`: such a file does not change the
 * sources. */
static struct doc from_keep(struct change_work *work, const struct doc *own, const struct doc *old)
{
    const struct doc *from = doc_child(old, "from");
    const struct doc *groups = doc_child(own, "groups");
    struct doc kept = *own;
    struct doc_builder builder;

    if (doc_is_map(from) && doc_child(own, "from") == NULL) {
        kept = nest_put(work->arena, own, "from", *from);
    }
    if (!doc_is_map(groups)) {
        return kept;
    }
    doc_builder_init(&builder, work->arena);
    for (size_t i = 0; i < groups->entry_count; i++) {
        struct doc_entry entry = groups->entries[i];
        const struct doc *before = doc_find(doc_child(old, "groups"), entry.key);

        if (doc_is_map(&entry.value) && doc_is_map(before)) {
            entry.value = from_keep(work, &entry.value, before);
        }
        doc_builder_add(&builder, &entry);
    }
    return nest_put(work->arena, &kept, "groups", doc_builder_map(&builder, groups));
}

/* Returns the base of the merge. Normally it is the current object. For a restore it is the earlier
 * object, or the current object in which one group has its earlier state. */
static const struct stored_object *change_base_find(struct change_work *work,
                                                    const struct change_target *target)
{
    const struct stored_object *restores = work->request->restores;
    struct stored_object *base;
    struct stored_group *group;

    if (restores == NULL) {
        return &target->stored;
    }
    if (restores->kind->owner != OWNER_NODEGROUP) {
        assert(restores->kind == target->out->kind);
        return restores;
    }
    base = arena_one(work->arena, struct stored_object);
    *base = target->stored;
    base->groups = arena_array(work->arena, struct stored_group, base->group_count);
    for (size_t i = 0; i < base->group_count; i++) {
        base->groups[i] = target->stored.groups[i];
    }
    group = stored_group_find(base, restores->part.meta.name);
    if (group != NULL) {
        group->part = restores->part;
    }
    return base;
}

/* Merge the object's own document, and find its sources. */
static void change_target_lay(struct change_work *work, struct change_target *target)
{
    const struct change_request *request = work->request;
    struct model_object *object = &work->set.objects[target->index];
    const struct stored_object *base;
    struct doc *file = arena_one(work->arena, struct doc);
    struct doc applied;
    struct doc own;

    *file = nest_put(work->arena, &object->own, "id", (struct doc){ 0 });
    target->file = file;
    apply_init(&target->out->apply, work->arena, request->takes, request->take_count);
    if (target->out->revision == 0) {
        return;
    }
    target->stored.groups =
        arena_array(work->arena, struct stored_group, target->stored.group_count);
    for (size_t i = 0; i < target->stored.group_count; i++) {
        target->stored.groups[i] = target->out->old_stored.groups[i];
    }
    renames_follow(work, target, doc_child(file, "groups"), TEXT(""));
    base = change_base_find(work, target);
    froms_check(work, base, target->out->name, file);
    own = stored_join(work->arena, base, STORED_OWN);
    if (target->is_request) {
        struct doc spec = stored_join(work->arena, base, STORED_SPEC);
        struct doc layers = stored_join(work->arena, base, STORED_LAYERS);

        object->own =
            apply_request(work->arena, change_rule_of(object->kind), &spec, &own, &layers, file);
    } else {
        applied = stored_join(work->arena, &target->stored, STORED_APPLIED);
        object->own =
            apply_file(&target->out->apply, change_rule_of(object->kind), &applied, &own, file);
        object->own = from_keep(work, &object->own, &own);
    }
    /* The merge decided about each value separately. A reference and its content must both come
     * from the same revision. */
    object->own = change_configurations_follow(work, &object->own);
    object->others = target->others;
    object->made = request->is_refreshing_from ? NULL : stored_made(work->arena, base);
}

/* ---- records ---- */

/* Returns the document that becomes the last applied file with this change. */
static const struct doc *applied_of(struct change_work *work, const struct change_target *target)
{
    struct doc *applied;

    if (target->out->revision == 0 || !target->is_request) {
        return target->file;
    }
    applied = arena_one(work->arena, struct doc);
    *applied = stored_join(work->arena, &target->stored, STORED_APPLIED);
    return applied;
}

static void meta_set(struct change_work *work, struct stored_part *part,
                     const struct stored_part *old)
{
    const struct change_request *request = work->request;

    part->meta.tenant = request->tenant;
    part->meta.created = old == NULL ? request->now : old->meta.created;
    part->meta.updated = request->now;
    part->meta.by = request->by;
    part->meta.why = request->why;
    stored_live_mark(work->arena, part, old, request->by, request->now);
}

static struct text change_id_make(struct change_work *work)
{
    char id[37];

    work->request->id_make(work->request->id_arg, id);
    return arena_text(work->arena, text_from(id));
}

static struct text wanted_id(struct change_work *work, const struct model_object *object)
{
    const struct doc *id = doc_child(&object->own, "id");

    if (object->kind->owner != OWNER_CLUSTER) {
        return object->name;
    }
    return doc_is_scalar(id) && !doc_is_null(id) ? id->text : change_id_make(work);
}

/* Returns the id of a new group. The id may be in the group's own document. */
static struct text group_id_make(struct change_work *work, struct text cluster, struct text path)
{
    struct text name = arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(path));
    const struct model_object *document = model_set_find(&work->set, "NodeGroup", name);
    const struct doc *id = document == NULL ? NULL : doc_child(&document->own, "id");

    return doc_is_scalar(id) && !doc_is_null(id) ? id->text : change_id_make(work);
}

static void target_split(struct change_work *work, struct change_target *target)
{
    struct model_object *object = &work->set.objects[target->index];
    bool is_new = target->out->revision == 0;
    struct stored_object *split = &target->out->new_stored;

    if (is_new) {
        target->out->id = wanted_id(work, object);
    }
    *split = stored_split(work->arena, object, applied_of(work, target));
    meta_set(work, &split->part, is_new ? NULL : &target->stored.part);
    split->part.meta.id = target->out->id;
    split->part.meta.name = object->name;
    split->part.meta.has_totals = object->kind->owner == OWNER_CLUSTER;
    split->part.meta.groups =
        object->leaf_count + (object->others == NULL ? 0 : object->others->groups);
    split->part.meta.nodes =
        object->node_count + (object->others == NULL ? 0 : object->others->nodes);
    split->part.meta.generation = is_new ? 1 : target->stored.part.meta.generation + 1;
    for (size_t i = 0; i < split->group_count; i++) {
        struct stored_group *group = &split->groups[i];
        const struct stored_group *old = stored_group_find(&target->stored, group->path);

        meta_set(work, &group->part, old == NULL ? NULL : &old->part);
        group->part.meta.id =
            old == NULL ? group_id_make(work, object->name, group->path) : old->part.meta.id;
        group->part.meta.name = group->path;
        group->part.meta.cluster = object->name;
    }
}

/* ---- the plan ---- */

void change_against_make(struct change_work *work, struct model_set *against,
                         struct err_list *unheard)
{
    err_list_init(unheard, work->arena);
    model_set_init(against, work->arena, unheard);
    for (size_t i = 0; i < work->count; i++) {
        const struct change_target *target = work->order[i];
        struct doc own;

        if (target->out->revision == 0) {
            continue;
        }
        own = stored_join(work->arena, &target->out->old_stored, STORED_OWN);
        own = nest_put(work->arena, &own, "name", doc_text(target->out->old_name, NULL));
        own = nest_put(work->arena, &own, "id", doc_text(target->out->id, NULL));
        model_set_add_stored(against, target->out->kind, &own,
                             stored_made(work->arena, &target->out->old_stored), false);
    }
    model_set_resolve_current(against);
}

static void needs_count(struct change_work *work, struct change *change)
{
    change->needs.destroy = change->summary.destroys;
    change->needs.replace = change->summary.replaces;
    change->needs.lift = work->lift_count;
    for (size_t i = 0; i < work->count; i++) {
        const struct change_object *object = work->order[i]->out;

        change->needs.rename += object->revision > 0 && !object->is_deleted &&
                                !text_is_equal(object->name, object->old_name);
    }
}

static struct change change_end(struct change_work *work)
{
    struct change change = { .revision = cache_revision(work->cache) };
    struct model_set against;
    struct err_list unheard;

    change_against_make(work, &against, &unheard);
    change.plan = file_plan_make(work->arena, &work->set, &against, (struct file_plan_options){ 0 },
                                 &change.summary);
    change_protect_check(work, &against, &change.plan);
    change_pauses_note(work);
    change.lifts = doc_list(work->lifts, work->lift_count, NULL);
    change.is_protected = work->is_protected;
    change.is_early = work->is_early;
    needs_count(work, &change);
    change_records_make(work, &change);
    change.pins = work->pins;
    change.pin_count = work->pin_count;
    change.questions = work->set.questions;
    change.question_count = work->set.question_count;
    return change;
}

/* ---- deleting ---- */

/* Delete an object as a whole: a cluster or a template. */
static void object_delete(struct change_work *work, const struct model_object *object)
{
    const struct cache_object *current =
        objects_find(work->cache, work->request->tenant, object->kind, object->name);
    struct change_target *target;

    if (current == NULL) {
        err_list_set(work->errors, object->place, CODE_R0403, "there is no %s '%.*s'",
                     object->kind->singular, TEXT_ARG(object->name));
        return;
    }
    target = target_new(work, object->kind, object->name);
    target->out->is_deleted = true;
    if (!target_load(work, target, current, false)) {
        return;
    }
    if (object->revision > 0 && object->revision != target->out->revision) {
        fault_changed(work, object->place, object->kind->singular, object->name, current,
                      &target->stored);
    }
}

/* Adds all deletions. Objects are deleted as a whole. If a request deletes only groups of a
 * cluster, the cluster keeps its other groups. */
static void deletions_take(struct change_work *work, struct model_set *doomed)
{
    model_set_init(doomed, work->arena, work->errors);
    for (size_t i = 0; i < work->request->document_count; i++) {
        model_set_add(doomed, &work->request->documents[i]);
    }
    work->named = doomed;
    for (size_t i = 0; i < doomed->count; i++) {
        if (!is_group(&doomed->objects[i])) {
            object_delete(work, &doomed->objects[i]);
        }
    }
    for (size_t i = 0; i < doomed->count; i++) {
        if (is_group(&doomed->objects[i])) {
            group_take(work, i);
        }
    }
}

/* ---- the whole change ---- */

static void work_start(struct change_work *work, struct model_set *doomed)
{
    struct doc *documents;

    map_init(&work->targets, work->arena);
    map_init(&work->known, work->arena);
    model_set_init(&work->set, work->arena, work->errors);
    work->set.plugins = work->request->plugins;
    work->set.current = work->request->known == NULL ? NULL : work->request->known->current;
    work->named = &work->set;
    if (work->request->mode == CHANGE_DELETE) {
        deletions_take(work, doomed);
        return;
    }
    documents = arena_array(work->arena, struct doc, work->request->document_count);
    for (size_t i = 0; i < work->request->document_count; i++) {
        documents[i] = change_configurations_resolve(work, &work->request->documents[i]);
        model_set_add(&work->set, &documents[i]);
    }
}

static void current_take(struct change_work *work)
{
    size_t count = work->set.count;

    for (size_t i = 0; i < count; i++) {
        if (!is_group(&work->set.objects[i]) && work->set.objects[i].name.length > 0) {
            engine_change_document_take(work, i);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_group(&work->set.objects[i])) {
            group_take(work, i);
        }
    }
}

static void targets_lay(struct change_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        if (work->order[i]->is_group_only && !work->order[i]->out->is_deleted) {
            rest_add(work, work->order[i]);
        }
    }
    change_references_add(work);
    model_set_index(&work->set);
    for (size_t i = 0; i < work->count; i++) {
        if (!work->order[i]->out->is_deleted) {
            change_target_lay(work, work->order[i]);
        }
    }
}

static void targets_split(struct change_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        struct change_target *target = work->order[i];

        if (!target->out->is_deleted) {
            struct model_object *object = &work->set.objects[target->index];

            target_split(work, target);
            object->own =
                nest_put(work->arena, &object->own, "id", doc_text(target->out->id, NULL));
            object->merged =
                nest_put(work->arena, &object->merged, "id", doc_text(target->out->id, NULL));
        }
    }
}

struct change change_make(struct arena *arena, const struct cache *cache,
                          const struct change_request *request, struct err_list *errors)
{
    struct change_work work = { arena, cache, request, errors };
    struct model_set doomed;

    assert(cache_state(cache) == CACHE_READY);
    work_start(&work, &doomed);
    current_take(&work);
    change_accounts_keep(&work);
    if (errors->errors > 0 && request->mode == CHANGE_DELETE) {
        return (struct change){ 0 };
    }
    targets_lay(&work);
    change_takes_check(&work);
    model_set_resolve(&work.set);
    change_fields_check(&work);
    change_plugins_check(&work);
    change_bundles_check(&work);
    /* this check is last because it reports positions in the documents */
    change_accounts_check(&work);
    change_stages_check(&work);
    if (errors->errors > 0) {
        return (struct change){ 0 };
    }
    targets_split(&work);
    return change_end(&work);
}

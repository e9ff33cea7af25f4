#include "base/sort.h"
#include "change/change_work.h"
#include "change/show.h"
#include "codec/json.h"
#include "model/nest.h"

#include <assert.h>

/* A cluster may have ten thousand groups of which a request changes one. The other groups are not
 * read, resolved or planned if the request cannot affect them. This is the case if the cluster's
 * own fields stay the same, and no group of the request derives from another group of the same
 * cluster. Names of members are still checked against all groups (names.h). */

bool change_has_sibling(const struct doc *groups, struct text cluster)
{
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        const struct doc *group = &groups->entries[i].value;
        const struct doc *reference = doc_child(doc_child(group, "from"), "nodegroup");

        if ((doc_is_scalar(reference) && text_has_prefix(reference->text, cluster)) ||
            change_has_sibling(doc_child(group, "groups"), cluster)) {
            return true;
        }
    }
    return false;
}

/* Read the groups at these paths, and record which groups are not read. */
static bool some_read(struct change_work *work, struct change_target *target,
                      const struct cache_object *current, const struct text *paths, size_t count)
{
    struct set *without = arena_one(work->arena, struct set);
    struct err err;

    if (!objects_read_some(work->arena, work->cache, current, paths, count,
                           &target->out->old_stored, &err)) {
        return false; /* the caller then reads all groups, with the same result */
    }
    set_init(without, work->arena);
    for (size_t i = 0; i < target->out->old_stored.group_count; i++) {
        set_add(without, target->out->old_stored.groups[i].path);
    }
    target->others = names_others(work->request->names, work->arena, current, without);
    return true;
}

static bool is_possible(const struct change_work *work)
{
    return work->request->names != NULL && !work->request->is_refreshing_from;
}

/* ---- requests with documents of groups ---- */

static bool is_change_partial_current(const struct change_work *work,
                                      const struct cache_object *cluster, struct text path)
{
    const struct cache_object *group =
        cache_find(work->cache, cache_tenant(cluster), TEXT("NodeGroup"),
                   objects_group_id(work->arena, cache_id(cluster), path));

    return group != NULL && group->parts[CACHE_SPEC].bytes != NULL;
}

/* True if there is a group below this one, or if a group above it has machines. */
static bool is_in_branch(const struct change_work *work, const struct cache_object *cluster,
                         struct text path)
{
    struct text prefix =
        objects_group_prefix(work->arena, cache_tenant(cluster), cache_id(cluster));

    prefix = arena_printf(work->arena, "%.*s%.*s/", TEXT_ARG(prefix), TEXT_ARG(path));
    if (cache_first(work->cache, prefix) != NULL) {
        return true;
    }
    for (size_t i = 1; i < path.length; i++) {
        if (path.data[i] == '/' &&
            is_change_partial_current(work, cluster, text_slice(path, 0, i))) {
            return true;
        }
    }
    return false;
}

bool change_partial_groups(struct change_work *work, struct change_target *target,
                           const struct cache_object *current)
{
    size_t named;
    struct text *paths = change_paths_named(work, target->out->name, &named);
    struct text *all = arena_array(work->arena, struct text, named * 2);
    /* A group whose old and new names are equal is read once. */
    struct set seen;
    size_t count = 0;

    if (!is_possible(work)) {
        return false;
    }
    set_init(&seen, work->arena);
    for (size_t i = 0; i < work->named->count; i++) {
        const struct model_object *object = &work->named->objects[i];
        const struct doc *reference = doc_child(doc_child(&object->own, "from"), "nodegroup");
        const struct doc *old = doc_child(&object->own, "renamedFrom");

        if (doc_is_scalar(reference) && text_has_prefix(reference->text, target->out->name)) {
            return false;
        }
        if (doc_is_scalar(old) && count < named && set_add(&seen, old->text)) {
            all[count++] = old->text;
        }
    }
    for (size_t i = 0; i < named; i++) {
        if (is_in_branch(work, current, paths[i])) {
            return false;
        }
        if (set_add(&seen, paths[i])) {
            all[count++] = paths[i];
        }
    }
    return some_read(work, target, current, all, count);
}

/* ---- requests with a whole file ---- */

/* The differences between a file and the current state. */
struct comparing {
    struct change_work *work;
    const struct cache_object *current;
    struct text *same; /* paths of groups that are unchanged */
    size_t same_count;
    struct text *other; /* current paths of groups that must be read */
    size_t other_count;
    size_t room;
    bool is_odd; /* the whole cluster must be read */
};

static void change_partial_path_add(struct comparing *comparing, struct text path, bool is_same)
{
    size_t used = comparing->same_count + comparing->other_count;

    if (used >= comparing->room) {
        size_t room = comparing->room * 2 + 64;
        struct arena *arena = comparing->work->arena;

        comparing->same =
            arena_grow(arena, comparing->same, comparing->room * sizeof(path), room * sizeof(path));
        comparing->other = arena_grow(arena, comparing->other, comparing->room * sizeof(path),
                                      room * sizeof(path));
        comparing->room = room;
    }
    if (is_same) {
        comparing->same[comparing->same_count++] = path;
    } else {
        comparing->other[comparing->other_count++] = path;
    }
}

static bool is_alone(const struct cache_object *object)
{
    return object->parts[CACHE_SPEC].bytes != NULL && object->parts[CACHE_BASE].bytes == NULL;
}

/* True if the document is equal to the stored one, byte for byte. */
static bool is_as_stored(struct comparing *comparing, const struct doc *doc,
                         const struct cache_object *object)
{
    struct arena_mark mark = arena_mark(comparing->work->arena);
    struct text entries = show_spec_entries(object);
    struct buf buf;
    bool is_same;

    buf_init(&buf, comparing->work->arena);
    json_format(&buf, doc);
    is_same = buf.length == entries.length + 2 &&
              text_is_equal(text_slice(buf_text(&buf), 1, entries.length), entries);
    arena_rewind(comparing->work->arena, mark);
    return is_same;
}

static void groups_compare(struct comparing *comparing, const struct doc *groups, struct text outer)
{
    struct arena *arena = comparing->work->arena;

    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        const struct doc *group = &groups->entries[i].value;
        struct text path = outer.length == 0 ? groups->entries[i].key
                                             : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(outer),
                                                            TEXT_ARG(groups->entries[i].key));
        const struct cache_object *current;

        if (!doc_is_map(group) || group->has_faults || doc_child(group, "renamedFrom") != NULL) {
            comparing->is_odd = true;
        } else if (doc_is_map(doc_child(group, "groups"))) {
            comparing->is_odd = comparing->is_odd || group->entry_count > 1;
            groups_compare(comparing, doc_child(group, "groups"), path);
        } else {
            struct text id = objects_group_id(arena, cache_id(comparing->current), path);

            current = cache_find(comparing->work->cache, cache_tenant(comparing->current),
                                 TEXT("NodeGroup"), id);
            change_partial_path_add(comparing, path,
                                    current != NULL && is_alone(current) &&
                                        is_as_stored(comparing, group, current));
        }
    }
}

static int change_partial_path_sort(const void *a, const void *b, void *arg)
{
    (void)arg;
    return nest_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Adds the groups that the file does not contain, or contains only as parents of other groups,
 * because they may be deleted. */
static void gone_add(struct comparing *comparing, const struct doc *groups)
{
    struct change_work *work = comparing->work;
    struct text prefix = objects_group_prefix(work->arena, cache_tenant(comparing->current),
                                              cache_id(comparing->current));
    const struct cache_object *group;

    for (group = cache_first(work->cache, prefix); group != NULL;
         group = cache_next(work->cache, prefix, group)) {
        struct text path = objects_group_path(group);
        const struct doc *said = nest_find(groups, path);

        if (said == NULL || doc_is_map(doc_child(said, "groups"))) {
            change_partial_path_add(comparing, arena_text(work->arena, path), false);
        }
    }
}

bool change_partial_file(struct change_work *work, struct change_target *target,
                         const struct cache_object *current)
{
    struct model_object *object = &work->set.objects[target->index];
    const struct doc *groups = doc_child(&object->own, "groups");
    struct comparing comparing = { .work = work, .current = current };
    struct doc rest;
    struct doc left;

    if (!is_possible(work) || object->kind->owner != OWNER_CLUSTER || object->own.has_faults ||
        !is_alone(current) || !doc_is_map(groups) ||
        objects_find(work->cache, work->request->tenant, object->kind, object->name) != current) {
        return false; /* a new name of the cluster changes the records of all groups */
    }
    rest = nest_put(work->arena, &object->own, "groups", (struct doc){ 0 });
    rest = nest_put(work->arena, &rest, "id", (struct doc){ 0 });
    rest = nest_put(work->arena, &rest, "name", (struct doc){ 0 });
    if (!is_as_stored(&comparing, &rest, current)) {
        return false;
    }
    groups_compare(&comparing, groups, TEXT(""));
    if (comparing.is_odd || comparing.same_count == 0) {
        return false;
    }
    gone_add(&comparing, groups);
    sort_stable(work->arena, comparing.same, comparing.same_count, sizeof(struct text),
                change_partial_path_sort, NULL);
    left = nest_without(work->arena, groups, comparing.same, comparing.same_count);
    if (change_has_sibling(&left, object->name) ||
        !some_read(work, target, current, comparing.other, comparing.other_count)) {
        return false;
    }
    object->own = nest_put(work->arena, &object->own, "groups", left);
    return true;
}

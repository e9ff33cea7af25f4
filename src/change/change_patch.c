#include "change/change_patch.h"

#include "base/macros.h"
#include "model/nest.h"
#include "model/patch.h"
#include "state/flat.h"

#include <assert.h>
#include <string.h>

/* Reads only what a patch needs. A patch changes only its own paths, so only the groups at or below
 * these paths are read, and the others are only counted. The whole cluster is read if the patch
 * changes fields of the cluster itself, or if one group derives from another group of the same
 * cluster. */

struct laying {
    struct arena *arena;
    const struct cache *cache;
    struct names *names;
    const struct change_patch *patch;
    const struct cache_object *object;
    struct text *paths; /* paths of the groups to be read */
    size_t count;
    size_t room;
    struct set *touched; /* these paths as a set */
};

/* ---- affected groups ---- */

static void change_patch_path_add(struct laying *laying, const struct cache_object *group)
{
    struct text path = arena_text(laying->arena, objects_group_path(group));

    if (!set_add(laying->touched, path)) {
        return;
    }
    if (laying->count == laying->room) {
        size_t room = laying->room * 2 + 8;

        laying->paths = arena_grow(laying->arena, laying->paths, laying->room * sizeof(path),
                                   room * sizeof(path));
        laying->room = room;
    }
    laying->paths[laying->count++] = path;
}

static const struct cache_object *change_patch_group_find(const struct laying *laying,
                                                          struct text path)
{
    const struct cache_object *group =
        cache_find(laying->cache, cache_tenant(laying->object), TEXT("NodeGroup"),
                   objects_group_id(laying->arena, cache_id(laying->object), path));

    return group != NULL && group->parts[CACHE_SPEC].bytes != NULL ? group : NULL;
}

/* Add a group, and all groups below it. */
static void branch_touch(struct laying *laying, struct text path)
{
    const struct cache_object *group = change_patch_group_find(laying, path);
    struct text prefix =
        objects_group_prefix(laying->arena, cache_tenant(laying->object), cache_id(laying->object));

    if (group != NULL) {
        change_patch_path_add(laying, group);
    }
    prefix = arena_printf(laying->arena, "%.*s%.*s/", TEXT_ARG(prefix), TEXT_ARG(path));
    for (group = cache_first(laying->cache, prefix); group != NULL;
         group = cache_next(laying->cache, prefix, group)) {
        change_patch_path_add(laying, group);
    }
}

/* Returns this part of a merge patch if it only changes groups below, and neither drops nor
 * replaces any group. */
static const struct doc *inner_find(const struct laying *laying, const struct doc *group,
                                    struct text path)
{
    const struct doc *groups = doc_child(group, "groups");

    if (!doc_is_map(groups) || group->entry_count != 1 || groups->entry_count == 0 ||
        change_patch_group_find(laying, path) != NULL) {
        return NULL;
    }
    for (size_t i = 0; i < groups->entry_count; i++) {
        if (!doc_is_map(&groups->entries[i].value)) {
            return NULL;
        }
    }
    return groups;
}

static void merge_touch(struct laying *laying, const struct doc *groups, struct text outer)
{
    for (size_t i = 0; i < groups->entry_count; i++) {
        const struct doc_entry *entry = &groups->entries[i];
        struct text path = outer.length == 0 ? entry->key
                                             : arena_printf(laying->arena, "%.*s/%.*s",
                                                            TEXT_ARG(outer), TEXT_ARG(entry->key));
        const struct doc *inner = inner_find(laying, &entry->value, path);

        if (inner != NULL) {
            merge_touch(laying, inner, path);
        } else {
            branch_touch(laying, path);
        }
    }
}

/* Adds one path of a JSON patch. Returns false if the path is not below a group. */
static bool pointer_touch(struct laying *laying, const struct doc *pointer)
{
    struct text prefix = TEXT("/groups/");
    struct text rest;

    if (!doc_is_scalar(pointer) || !text_has_prefix(pointer->text, prefix)) {
        return false;
    }
    rest = text_slice(pointer->text, prefix.length, pointer->text.length);
    rest = text_slice(rest, 0, text_find_byte(rest, '/'));
    if (rest.length == 0 || text_find_byte(rest, '~') != SIZE_MAX) {
        return false;
    }
    branch_touch(laying, rest);
    return true;
}

static bool json_touch(struct laying *laying, const struct doc *patch)
{
    for (size_t i = 0; doc_is_list(patch) && i < patch->item_count; i++) {
        const struct doc *operation = &patch->items[i];
        const struct doc *from = doc_child(operation, "from");

        if (!pointer_touch(laying, doc_child(operation, "path")) ||
            (from != NULL && !pointer_touch(laying, from))) {
            return false;
        }
    }
    return doc_is_list(patch) && patch->item_count > 0;
}

/* True if the patch changes only groups. Records which of them exist. */
static bool is_of_groups(struct laying *laying)
{
    const struct doc *patch = laying->patch->patch;
    const struct doc *groups = doc_child(patch, "groups");

    if (laying->patch->kind->owner != OWNER_CLUSTER) {
        return false;
    }
    if (laying->patch->patch_kind == CHANGE_PATCH_JSON) {
        return json_touch(laying, patch);
    }
    if (!doc_is_map(groups) || patch->entry_count != 1) {
        return false;
    }
    merge_touch(laying, groups, TEXT(""));
    return true;
}

/* ---- reading and applying ---- */

static bool is_same_value(const struct doc *a, const struct doc *b)
{
    return a == NULL || b == NULL ? a == b : doc_is_equal(a, b);
}

/* Checks that the patched document still identifies the object of the path. A document that
 * identifies another object, or hides fields in an envelope, is rejected. The name of a cluster may
 * change: the id identifies the cluster, and another name renames it. */
MUST_CHECK static bool change_patch_identity_check(const struct laying *laying,
                                                   const struct doc *flat,
                                                   const struct doc *document, struct err *err)
{
    static const char *const keys[] = { "kind", "id", "cluster", "name", "metadata", "spec" };

    if (!doc_is_map(document)) {
        return err_set(err, CODE_R0429, "the result of the patch is not a document of a %s",
                       laying->patch->kind->singular);
    }
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        const struct doc *value = doc_child(document, keys[i]);
        bool is_rename = laying->patch->kind->owner == OWNER_CLUSTER &&
                         strcmp(keys[i], "name") == 0 && doc_is_scalar(value);

        if (is_rename || is_same_value(doc_child(flat, keys[i]), value)) {
            continue;
        }
        err_set(err, CODE_R0429, "the path refers to %s '%.*s', but the patch changes its '%s'",
                laying->patch->kind->singular, TEXT_ARG(laying->patch->name), keys[i]);
        err_hint(err, "leave it out: the path of the request identifies the object");
        return err_at(err, text_from(keys[i]));
    }
    return true;
}

MUST_CHECK static bool document_make(struct laying *laying, const struct doc *flat, struct doc *out,
                                     struct err *err)
{
    if (laying->patch->patch_kind == CHANGE_PATCH_MERGE) {
        *out = patch_merge(laying->arena, flat, laying->patch->patch);
    } else if (!patch_json(laying->arena, flat, laying->patch->patch, out, err)) {
        return false;
    }
    return change_patch_identity_check(laying, flat, out, err);
}

/* Returns the object as a document. The document of a cluster contains its id, so that a new name
 * renames it. */
static struct doc flat_of(struct laying *laying, const struct stored_object *stored)
{
    struct doc flat = flat_make(laying->arena, stored);

    if (laying->patch->kind->owner == OWNER_CLUSTER) {
        flat = nest_put(laying->arena, &flat, "id",
                        doc_text(arena_text(laying->arena, cache_id(laying->object)), NULL));
    }
    return flat;
}

/* True if the cluster has groups that the patch does not change. */
static bool has_others(const struct laying *laying)
{
    struct text prefix =
        objects_group_prefix(laying->arena, cache_tenant(laying->object), cache_id(laying->object));
    const struct cache_object *group = cache_first(laying->cache, prefix);

    while (group != NULL && (group->parts[CACHE_SPEC].bytes == NULL ||
                             set_has(laying->touched, objects_group_path(group)))) {
        group = cache_next(laying->cache, prefix, group);
    }
    return group != NULL;
}

/* Applies the patch only to the groups that it contains. Returns false if the patch must be applied
 * to the whole cluster, which also reports its errors. */
static bool part_lay(struct laying *laying, struct change_patched *out)
{
    struct change_patched patched = { .known = { .object = laying->object } };
    struct stored_object *stored = &patched.known.stored;
    struct doc flat;
    struct err err;

    if (laying->names == NULL || !is_of_groups(laying) ||
        !objects_read_some(laying->arena, laying->cache, laying->object, laying->paths,
                           laying->count, stored, &err)) {
        return false;
    }
    flat = flat_of(laying, stored);
    if (has_others(laying)) {
        patched.known.others =
            names_others(laying->names, laying->arena, laying->object, laying->touched);
        if (patched.known.others == NULL) {
            return false;
        }
        if (!doc_is_map(doc_child(&flat, "groups"))) {
            flat = nest_put(laying->arena, &flat, "groups", doc_map(NULL, 0, NULL));
        }
    }
    if (!document_make(laying, &flat, &patched.document, &err) ||
        change_has_sibling(doc_child(&patched.document, "groups"), stored->part.meta.name)) {
        return false;
    }
    patched.known.current = arena_copy(laying->arena, &flat, sizeof(flat));
    *out = patched;
    return true;
}

/* Apply the patch to the whole object. For a cluster, the stored state is not returned to the
 * caller: the document has all groups, so unchanged groups are found by comparison. */
MUST_CHECK static bool whole_lay(struct laying *laying, struct change_patched *out, struct err *err)
{
    struct stored_object stored;
    struct doc flat;

    if (!objects_read(laying->arena, laying->cache, laying->patch->kind, laying->object, &stored,
                      err)) {
        return false;
    }
    flat = flat_of(laying, &stored);
    if (!document_make(laying, &flat, &out->document, err)) {
        return false;
    }
    out->known = (struct change_known){ .current = arena_copy(laying->arena, &flat, sizeof(flat)) };
    if (laying->patch->kind->owner != OWNER_CLUSTER) {
        out->known.object = laying->object;
        out->known.stored = stored;
    }
    return true;
}

bool change_patch_lay(struct arena *arena, const struct cache *cache, struct names *names,
                      const struct change_patch *patch, struct change_patched *out, struct err *err)
{
    struct laying laying = { .arena = arena, .cache = cache, .names = names, .patch = patch };

    assert(doc_is_present(patch->patch));
    /* the state of the other groups refers to this set */
    laying.touched = arena_one(arena, struct set);
    set_init(laying.touched, arena);
    laying.object = objects_find(cache, patch->tenant, patch->kind, patch->name);
    if (laying.object == NULL) {
        return err_set(err, CODE_R0403, "there is no %s '%.*s'", patch->kind->singular,
                       TEXT_ARG(patch->name));
    }
    return part_lay(&laying, out) || whole_lay(&laying, out, err);
}

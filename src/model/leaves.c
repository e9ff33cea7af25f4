#include "base/limits.h"
#include "model/merge.h"
#include "model/resolve.h"

#include <assert.h>

/* Flattens the merged tree of a cluster into leaves. It decides which group is a leaf and which is
 * an inner group, merges each leaf over the defaults, and inherits labels. */

struct walk {
    struct model_set *set;
    struct model_object *object;
    struct doc base; /* defaults, merged over the cluster's labels */
    size_t room;
    bool is_over_limit; /* the exceeded limit is already reported */
};

static bool has_leaves_leaf_field(const struct doc *group)
{
    for (size_t i = 0; i < group->entry_count; i++) {
        if (schema_makes_leaf(group->entries[i].key) && !doc_is_null(&group->entries[i].value)) {
            return true;
        }
    }
    return false;
}

/* Return the first sub-group that is not dropped; NULL if there is none. */
static const struct doc_entry *first_sub_group(const struct doc *group)
{
    const struct doc *groups = doc_child(group, "groups");

    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        if (!doc_is_null(&groups->entries[i].value)) {
            return &groups->entries[i];
        }
    }
    return NULL;
}

static struct err *group_fault(struct walk *walk, const struct doc_entry *at, enum code code,
                               struct text text)
{
    struct place place = model_place(at);
    struct err *err = err_list_set(walk->set->errors, place, code, "%.*s", TEXT_ARG(text));

    model_blame(err, &at->value);
    return err;
}

static void leaf_add(struct walk *walk, const struct doc_entry *entry, struct text path)
{
    struct model_set *set = walk->set;
    struct model_object *object = walk->object;
    const struct doc *labels = doc_child(&entry->value, "labels");
    const struct doc *parent = doc_child(&walk->base, "labels");
    struct model_leaf *leaf;
    struct doc merged;

    if (object->leaf_count == LIMIT_LEAF_GROUPS) {
        if (!walk->is_over_limit) {
            group_fault(
                walk, entry, CODE_R0320,
                arena_printf(set->arena, "a cluster has at most %d groups", LIMIT_LEAF_GROUPS));
        }
        walk->is_over_limit = true;
        return;
    }
    if (!resolve_has_room(set, model_place(entry))) {
        return;
    }
    if (object->leaf_count == walk->room) {
        size_t room = walk->room == 0 ? 2 : walk->room * 2;

        object->leaves = arena_grow(set->arena, object->leaves, walk->room * sizeof(*leaf),
                                    room * sizeof(*leaf));
        walk->room = room;
    }
    leaf = &object->leaves[object->leaf_count++];
    merged = merge_layers(set->arena, MERGE_LEAF, &walk->base, &entry->value);
    *leaf = (struct model_leaf){
        .path = path,
        .place = model_place(entry),
        .doc = merge_prune(set->arena, MERGE_LEAF, &merged),
    };
    if (doc_is_map(labels)) {
        leaf->given_labels = merge_prune(set->arena, MERGE_PLAIN, labels);
    }
    if (doc_is_map(parent)) {
        leaf->parent_labels = merge_prune(set->arena, MERGE_PLAIN, parent);
    }
    leaf->group = group_decode(set->arena, object->name, path, &leaf->doc);
    object->node_count += leaf->group.size;
}

/* Report fields of machines on a group without machines. */
static void inner_check(struct walk *walk, const struct doc_entry *entry, struct text path)
{
    for (size_t i = 0; i < entry->value.entry_count; i++) {
        const struct doc_entry *field = &entry->value.entries[i];

        if (!text_is(field->key, "groups") && !doc_is_null(&field->value)) {
            struct err *err =
                group_fault(walk, field, CODE_R0309,
                            arena_printf(walk->set->arena,
                                         "'%.*s' is set on '%.*s', which has sub-groups and "
                                         "no machines of its own",
                                         TEXT_ARG(field->key), TEXT_ARG(path)));

            err_hint(err, "put it into defaults, or on each sub-group");
        }
    }
}

/* Add the hint that an apparent sub-group may be a misspelled field. */
static void mix_hint(struct err *err, struct text key)
{
    struct suggest suggest = suggest_start(key);

    schema_suggest_fields(OWNER_GROUP, &suggest);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean the field '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "a group has machines or sub-groups: move the machines into a sub-group");
    }
}

static void groups_walk(struct walk *walk, const struct doc *groups, struct text outer,
                        unsigned depth);

static void group_walk(struct walk *walk, const struct doc_entry *entry, struct text path,
                       unsigned depth)
{
    const struct doc_entry *below = first_sub_group(&entry->value);

    if (below == NULL) {
        leaf_add(walk, entry, path);
        return;
    }
    if (has_leaves_leaf_field(&entry->value)) {
        struct err *err = group_fault(
            walk, below, CODE_R0308,
            arena_printf(walk->set->arena,
                         "'%.*s' is a sub-group of '%.*s', which has machines of its own",
                         TEXT_ARG(below->key), TEXT_ARG(path)));

        mix_hint(err, below->key);
        return;
    }
    if (depth == LIMIT_GROUP_NESTING) {
        group_fault(
            walk, below, CODE_R0320,
            arena_printf(walk->set->arena, "groups nest at most %d deep", LIMIT_GROUP_NESTING));
        return;
    }
    inner_check(walk, entry, path);
    groups_walk(walk, doc_child(&entry->value, "groups"), path, depth + 1);
}

static void groups_walk(struct walk *walk, const struct doc *groups, struct text outer,
                        unsigned depth)
{
    assert(depth <= LIMIT_GROUP_NESTING);
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        const struct doc_entry *entry = &groups->entries[i];
        struct text path = entry->key;

        if (!doc_is_map(&entry->value)) {
            continue; /* a null removes the group */
        }
        if (outer.length > 0) {
            path = arena_printf(walk->set->arena, "%.*s/%.*s", TEXT_ARG(outer), TEXT_ARG(path));
        }
        group_walk(walk, entry, path, depth);
    }
}

void leaves_make(struct model_set *set, struct model_object *object)
{
    struct walk walk = { .set = set, .object = object };
    const struct doc *labels = doc_child(&object->merged, "labels");
    const struct doc *defaults = doc_child(&object->merged, "defaults");

    assert(object->leaf_count == 0);
    if (doc_is_map(labels)) {
        struct doc_builder builder;
        struct doc base;

        doc_builder_init(&builder, set->arena);
        doc_builder_put(&builder, "labels", *labels);
        base = doc_builder_map(&builder, &object->merged);
        walk.base =
            merge_layers(set->arena, MERGE_LEAF, &base, doc_is_map(defaults) ? defaults : NULL);
    } else if (doc_is_map(defaults)) {
        walk.base = *defaults;
    }
    groups_walk(&walk, doc_child(&object->merged, "groups"), TEXT(""), 1);
    map_init(&object->leaf_by_path, set->arena);
    /* This step comes last, because leaves move while they are added. */
    for (size_t i = 0; i < object->leaf_count; i++) {
        map_put(&object->leaf_by_path, object->leaves[i].path, &object->leaves[i]);
    }
}

#include "plan/file_plan.h"

#include "base/map.h"
#include "base/sort.h"
#include "model/diff.h"
#include "model/merge.h"
#include "plan/slots.h"

#include <assert.h>

/* Phases: pair the objects of both sets by kind and name, pair the groups of each pair by path (or
 * by renamedFrom), then describe each pair. One side of a pair may be missing. */

struct planning {
    struct arena *arena;
    struct file_plan_options options;
    struct file_plan_summary *summary;
    bool is_compared;
};

struct object_pair {
    const struct model_object *old_object;
    const struct model_object *new_object;
};

static struct doc text_doc(struct text text)
{
    return doc_text(text, NULL);
}

static struct doc number_doc(struct planning *planning, uint64_t number)
{
    return doc_plain(arena_printf(planning->arena, "%llu", (unsigned long long)number), NULL);
}

static const char *change_word(const void *old_side, const void *new_side, bool differs)
{
    if (old_side == NULL) {
        return "create";
    }
    if (new_side == NULL) {
        return "destroy";
    }
    return differs ? "change" : "none";
}

/* ---- values with their origin ---- */

struct list {
    struct arena *arena;
    struct doc *items;
    size_t count;
    size_t room;
};

static void list_add(struct list *list, struct doc item)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 16 : list->room * 2;

        list->items =
            arena_grow(list->arena, list->items, list->room * sizeof(item), room * sizeof(item));
        list->room = room;
    }
    list->items[list->count++] = item;
}

static struct doc list_doc(const struct list *list)
{
    return doc_list(list->items, list->count, NULL);
}

static void value_add(struct planning *planning, struct list *values, struct text path,
                      const struct doc *value)
{
    struct place place = doc_place(value);
    struct doc_builder builder;

    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "path", text_doc(path));
    doc_builder_put(&builder, "value", *value);
    doc_builder_put(&builder, "origin",
                    text_doc(model_origin_format(planning->arena, value->origin)));
    doc_builder_put(&builder, "source", number_doc(planning, place.source));
    doc_builder_put(&builder, "line", number_doc(planning, place.line));
    doc_builder_put(&builder, "column", number_doc(planning, place.column));
    list_add(values, doc_builder_map(&builder, NULL));
}

/* Every leaf of the tree of values; lists and empty maps count as one value. */
static void values_add(struct planning *planning, struct list *values, struct text outer,
                       const struct doc *doc)
{
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];
        struct text path = outer.length == 0 ? entry->key
                                             : arena_printf(planning->arena, "%.*s.%.*s",
                                                            TEXT_ARG(outer), TEXT_ARG(entry->key));

        if (doc_is_map(&entry->value) && entry->value.entry_count > 0) {
            values_add(planning, values, path, &entry->value);
        } else {
            value_add(planning, values, path, &entry->value);
        }
    }
}

static void defaults_add(struct planning *planning, struct list *values, enum schema_owner owner,
                         const struct doc *doc)
{
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    for (size_t i = 0; i < count; i++) {
        struct text name = text_from(fields[i].name);
        struct doc value;

        if (!schema_has_owner(&fields[i], owner) || !schema_is_usable(fields[i].since) ||
            doc_find(doc, name) != NULL) {
            continue;
        }
        value = model_default_find(owner, name);
        if (doc_is_present(&value)) {
            value_add(planning, values, name, &value);
        }
    }
}

/* ---- differences ---- */

static struct doc changes_doc(struct planning *planning, const struct diff *diff,
                              bool (*is_left_out)(struct text path))
{
    struct list list = { .arena = planning->arena };

    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_change *change = &diff->changes[i];
        struct doc_builder builder;

        if (is_left_out != NULL && is_left_out(change->path)) {
            continue;
        }
        doc_builder_init(&builder, planning->arena);
        doc_builder_put(&builder, "path", text_doc(change->path));
        if (change->old_value != NULL) {
            doc_builder_put(&builder, "old", *change->old_value);
        }
        if (change->new_value != NULL) {
            doc_builder_put(&builder, "new", *change->new_value);
            doc_builder_put(
                &builder, "origin",
                text_doc(model_origin_format(planning->arena, change->new_value->origin)));
        }
        list_add(&list, doc_builder_map(&builder, NULL));
    }
    return list_doc(&list);
}

/* ---- labels (M22) ---- */

static struct doc labels_doc(struct planning *planning, const struct model_leaf *leaf)
{
    struct list added = { .arena = planning->arena };
    struct list skipped = { .arena = planning->arena };
    const struct doc *effective = doc_child(&leaf->doc, "labels");
    struct doc_builder overridden;
    struct doc_builder builder;

    doc_builder_init(&overridden, planning->arena);
    for (size_t i = 0; doc_is_map(&leaf->given_labels) && i < leaf->given_labels.entry_count; i++) {
        const struct doc_entry *given = &leaf->given_labels.entries[i];
        const struct doc_entry *parent = doc_entry_find(&leaf->parent_labels, given->key);

        if (parent == NULL) {
            list_add(&added, text_doc(given->key));
        } else if (!doc_is_equal(&parent->value, &given->value)) {
            doc_builder_add(&overridden, parent);
        }
    }
    for (size_t i = 0; doc_is_map(&leaf->parent_labels) && i < leaf->parent_labels.entry_count;
         i++) {
        if (doc_find(effective, leaf->parent_labels.entries[i].key) == NULL) {
            list_add(&skipped, text_doc(leaf->parent_labels.entries[i].key));
        }
    }
    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "added", list_doc(&added));
    doc_builder_put(&builder, "skipped", list_doc(&skipped));
    doc_builder_put(&builder, "overridden", doc_builder_map(&overridden, NULL));
    return doc_builder_map(&builder, NULL);
}

/* ---- groups ---- */

/* Name the slots of a group that the others lack. Returns how many. */
static uint64_t slots_put(struct planning *planning, struct doc_builder *builder, const char *key,
                          const struct group *group, struct slots others)
{
    struct slots_rest rest = slots_without(slots_of(group), others);
    struct text names = slots_rest_format(planning->arena, group, rest);

    if (names.length > 0) {
        doc_builder_put(builder, key, text_doc(names));
    }
    return slots_rest_count(rest);
}

/* Members that come and go, and their sums. Returns how many stay. */
static uint64_t size_put(struct planning *planning, struct doc_builder *builder,
                         const struct group *old_group, const struct group *new_group)
{
    uint64_t created = 0;
    uint64_t destroyed = 0;

    if (old_group != NULL && old_group->size != (new_group == NULL ? 0 : new_group->size)) {
        doc_builder_put(builder, "oldSize", number_doc(planning, old_group->size));
    }
    if (new_group != NULL) {
        created = slots_put(planning, builder, "create", new_group, slots_of(old_group));
    }
    if (old_group != NULL) {
        destroyed = slots_put(planning, builder, "destroy", old_group, slots_of(new_group));
    }
    planning->summary->creates += created;
    planning->summary->destroys += destroyed;
    assert(created <= slots_count(slots_of(new_group)));
    return slots_count(slots_of(new_group)) - created;
}

/* Fields that say how a group is kept. No machine is another one because of them. */
static bool is_policy(struct text path)
{
    static const char *const names[] = {
        "alternatives", "balance",      "firstNumber",  "heal",    "health",        "keepFailed",
        "maxSize",      "maxUnhealthy", "mergeLabels",  "minSize", "onUnreachable", "pick",
        "protected",    "renamedFrom",  "replaceAfter", "rollout",
    };
    struct text field = text_slice(path, 0, text_find_byte(path, '.'));

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (text_is(field, names[i])) {
            return true;
        }
    }
    return false;
}

static bool changes_machines(const struct diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        if (!text_is(diff->changes[i].path, "size") && !is_policy(diff->changes[i].path)) {
            return true;
        }
    }
    return false;
}

/* Size shows as members, a rename as such, and mergeLabels in the labels it leads to. */
static bool is_told_otherwise(struct text path)
{
    return text_is(path, "size") || text_is(path, "renamedFrom") || text_is(path, "mergeLabels");
}

/* What the comparison says of one pair of groups. */
static void comparison_put(struct planning *planning, struct doc_builder *builder,
                           const struct model_leaf *old_leaf, const struct model_leaf *new_leaf)
{
    bool is_renamed =
        old_leaf != NULL && new_leaf != NULL && !text_is_equal(old_leaf->path, new_leaf->path);
    struct diff diff = { 0 };
    uint64_t staying;
    const char *word;

    if (old_leaf != NULL && new_leaf != NULL) {
        diff = diff_find(planning->arena, OWNER_GROUP, &old_leaf->doc, &new_leaf->doc);
    }
    word = is_renamed ? "rename" : change_word(old_leaf, new_leaf, diff.count > 0);
    doc_builder_put(builder, "change", text_doc(text_from(word)));
    doc_builder_put(builder, "changes", changes_doc(planning, &diff, is_told_otherwise));
    if (is_renamed) {
        doc_builder_put(builder, "was", text_doc(old_leaf->path));
    }
    staying = size_put(planning, builder, old_leaf == NULL ? NULL : &old_leaf->group,
                       new_leaf == NULL ? NULL : &new_leaf->group);
    if (changes_machines(&diff)) {
        planning->summary->changes += staying;
    }
    if (!text_is(text_from(word), "none")) {
        planning->summary->has_differences = true;
    }
}

/* Are values asked for, and is there room? A value takes some 600 bytes in a plan, so a quarter of
 * the arena is kept for what a plan cannot be without. */
static bool has_room_for_values(struct planning *planning)
{
    bool has_room = arena_left(planning->arena) >= arena_used(planning->arena) / 3;

    if (planning->options.with_values && !has_room) {
        planning->summary->are_values_cut = true;
    }
    return planning->options.with_values && has_room;
}

static struct doc group_doc(struct planning *planning, const struct model_leaf *old_leaf,
                            const struct model_leaf *new_leaf)
{
    const struct model_leaf *leaf = new_leaf != NULL ? new_leaf : old_leaf;
    struct doc_builder builder;

    assert(leaf != NULL);
    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "path", text_doc(leaf->path));
    doc_builder_put(&builder, "plugin", text_doc(leaf->group.plugin));
    doc_builder_put(&builder, "size",
                    number_doc(planning, new_leaf == NULL ? 0 : new_leaf->group.size));
    if (new_leaf != NULL) {
        slots_put(planning, &builder, "members", &leaf->group, slots_of(NULL));
        doc_builder_put(&builder, "labels", labels_doc(planning, leaf));
        planning->summary->groups++;
        planning->summary->nodes += leaf->group.size;
    }
    if (new_leaf != NULL && has_room_for_values(planning)) {
        struct list values = { .arena = planning->arena };

        values_add(planning, &values, TEXT(""), &leaf->doc);
        if (planning->options.with_defaults) {
            defaults_add(planning, &values, OWNER_GROUP, &leaf->doc);
        }
        doc_builder_put(&builder, "values", list_doc(&values));
    }
    if (planning->is_compared) {
        comparison_put(planning, &builder, old_leaf, new_leaf);
    }
    return doc_builder_map(&builder, NULL);
}

/* Index of the leaves of an object by path. */
static struct map leaves_index(struct planning *planning, const struct model_object *object)
{
    struct map map;

    map_init(&map, planning->arena);
    for (size_t i = 0; object != NULL && i < object->leaf_count; i++) {
        map_put(&map, object->leaves[i].path, &object->leaves[i]);
    }
    return map;
}

/* The old leaf a new one continues, taken out of the index. */
static const struct model_leaf *old_leaf_take(struct map *old_leaves,
                                              const struct model_leaf *new_leaf)
{
    const struct doc *was = doc_child(&new_leaf->doc, "renamedFrom");
    const struct model_leaf *old_leaf = map_remove(old_leaves, new_leaf->path);

    if (old_leaf == NULL && doc_is_scalar(was)) {
        old_leaf = map_remove(old_leaves, was->text);
    }
    return old_leaf;
}

static struct doc groups_doc(struct planning *planning, const struct object_pair *pair)
{
    struct list groups = { .arena = planning->arena };
    struct map old_leaves;

    if (planning->is_compared) {
        old_leaves = leaves_index(planning, pair->old_object);
    } else {
        map_init(&old_leaves, planning->arena);
    }
    for (size_t i = 0; pair->new_object != NULL && i < pair->new_object->leaf_count; i++) {
        const struct model_leaf *leaf = &pair->new_object->leaves[i];

        list_add(&groups, group_doc(planning, old_leaf_take(&old_leaves, leaf), leaf));
    }
    for (const struct map_node *node = map_first(&old_leaves, TEXT("")); node != NULL;
         node = map_after(&old_leaves, node->key)) {
        list_add(&groups, group_doc(planning, node->value, NULL));
    }
    return list_doc(&groups);
}

/* ---- objects ---- */

/* The fields of an object itself: no groups, no defaults (they show in the groups), nulls gone. */
static struct doc fields_doc(struct planning *planning, const struct model_object *object)
{
    static const char *const left_out[] = { "defaults", "from", "groups" };
    struct doc_builder builder;
    struct doc doc;

    doc_builder_init(&builder, planning->arena);
    for (size_t i = 0; object != NULL && i < object->merged.entry_count; i++) {
        const struct doc_entry *entry = &object->merged.entries[i];
        bool is_left_out = false;

        for (size_t j = 0; j < ARRAY_COUNT(left_out); j++) {
            is_left_out = is_left_out || text_is(entry->key, left_out[j]);
        }
        if (!is_left_out) {
            doc_builder_add(&builder, entry);
        }
    }
    doc = doc_builder_map(&builder, NULL);
    return merge_prune(planning->arena, MERGE_LEAF, &doc);
}

static bool has_groups(const struct model_object *object)
{
    return object->kind->owner == OWNER_CLUSTER || object->kind->owner == OWNER_CLUSTER_TEMPLATE;
}

/* Nodes of one object that come, go and change: the sums, less those of the objects before it. */
static struct doc sums_doc(struct planning *planning, const struct file_plan_summary *before)
{
    const struct file_plan_summary *now = planning->summary;
    struct doc_builder builder;

    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "change", number_doc(planning, now->changes - before->changes));
    doc_builder_put(&builder, "create", number_doc(planning, now->creates - before->creates));
    doc_builder_put(&builder, "destroy", number_doc(planning, now->destroys - before->destroys));
    return doc_builder_map(&builder, NULL);
}

static struct doc object_doc(struct planning *planning, const struct object_pair *pair)
{
    const struct model_object *object =
        pair->new_object != NULL ? pair->new_object : pair->old_object;
    struct doc old_fields = fields_doc(planning, pair->old_object);
    struct doc new_fields = fields_doc(planning, pair->new_object);
    struct file_plan_summary outer = *planning->summary;
    struct doc_builder builder;

    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "kind", text_doc(text_from(object->kind->name)));
    doc_builder_put(&builder, "name", text_doc(object->name));
    planning->summary->has_differences = false;
    planning->summary->objects += pair->new_object != NULL;
    if (has_groups(object)) {
        const struct doc *version = doc_child(&new_fields, "version");

        doc_builder_put(&builder, "groups", groups_doc(planning, pair));
        if (planning->is_compared) {
            doc_builder_put(&builder, "sums", sums_doc(planning, &outer));
        }
        doc_builder_put(&builder, "nodes",
                        number_doc(planning, pair->new_object == NULL ? 0 : object->node_count));
        if (doc_is_scalar(version)) {
            doc_builder_put(&builder, "version", *version);
        }
    }
    if (object->kind->owner == OWNER_CLUSTER_TEMPLATE) { /* no machine stands behind a template */
        bool differs = planning->summary->has_differences;

        outer.objects = planning->summary->objects;
        outer.are_values_cut = planning->summary->are_values_cut;
        *planning->summary = outer;
        planning->summary->has_differences = differs;
    }
    if (planning->options.with_values && pair->new_object != NULL) {
        struct list values = { .arena = planning->arena };

        values_add(planning, &values, TEXT(""), &new_fields);
        doc_builder_put(&builder, "values", list_doc(&values));
    }
    if (planning->is_compared) {
        struct diff diff = { 0 };
        bool differs;

        if (pair->old_object != NULL && pair->new_object != NULL) {
            diff = diff_find(planning->arena, object->kind->owner, &old_fields, &new_fields);
        }
        differs = diff.count > 0 || planning->summary->has_differences ||
                  pair->old_object == NULL || pair->new_object == NULL;
        if (pair->old_object != NULL && !text_is_equal(pair->old_object->name, object->name)) {
            doc_builder_put(&builder, "change", text_doc(TEXT("rename")));
            doc_builder_put(&builder, "was", text_doc(pair->old_object->name));
        } else {
            doc_builder_put(
                &builder, "change",
                text_doc(text_from(change_word(pair->old_object, pair->new_object, differs))));
        }
        doc_builder_put(&builder, "changes", changes_doc(planning, &diff, NULL));
        planning->summary->has_differences = differs;
    }
    planning->summary->has_differences =
        planning->summary->has_differences || outer.has_differences;
    return doc_builder_map(&builder, NULL);
}

static int pair_compare(const void *a, const void *b, void *arg)
{
    const struct object_pair *first = a;
    const struct object_pair *second = b;
    const struct model_object *left = first->new_object ? first->new_object : first->old_object;
    const struct model_object *right = second->new_object ? second->new_object : second->old_object;

    (void)arg;
    if (left->kind != right->kind) {
        return left->kind < right->kind ? -1 : 1; /* rows of one table: the order of schema.def */
    }
    return text_compare(left->name, right->name);
}

/* NodeGroup documents show in their clusters. */
static bool is_shown(const struct model_object *object)
{
    return object->kind->owner != OWNER_NODEGROUP && object->name.length > 0;
}

/* The same object of `from` in another set: a known id counts more than the name (K4). */
static const struct model_object *other_find(const struct model_set *from,
                                             const struct model_set *set,
                                             const struct model_object *object)
{
    const struct model_object *other = model_set_find_id(set, object);
    const struct model_object *owner;

    if (other != NULL) {
        return other;
    }
    other = model_set_find(set, object->kind->name, object->name);
    owner = other == NULL ? NULL : model_set_find_id(from, other);
    return owner == NULL || owner == object ? other : NULL; /* its id stands for another one */
}

struct doc file_plan_make(struct arena *arena, const struct model_set *set,
                          const struct model_set *against, struct file_plan_options options,
                          struct file_plan_summary *out_summary)
{
    struct planning planning = { arena, options, out_summary, against != NULL };
    size_t room = set->count + (against == NULL ? 0 : against->count);
    struct object_pair *pairs = arena_array(arena, struct object_pair, room);
    struct list objects = { .arena = arena };
    size_t count = 0;

    *out_summary = (struct file_plan_summary){ 0 };
    for (size_t i = 0; i < set->count; i++) {
        const struct model_object *object = &set->objects[i];

        if (is_shown(object)) {
            pairs[count++] = (struct object_pair){
                against == NULL ? NULL : other_find(set, against, object),
                object,
            };
        }
    }
    for (size_t i = 0; against != NULL && i < against->count; i++) {
        const struct model_object *object = &against->objects[i];

        if (is_shown(object) && other_find(against, set, object) == NULL) {
            pairs[count++] = (struct object_pair){ object, NULL };
        }
    }
    assert(count <= room);
    sort_stable(arena, pairs, count, sizeof(*pairs), pair_compare, NULL);
    for (size_t i = 0; i < count; i++) {
        list_add(&objects, object_doc(&planning, &pairs[i]));
    }
    return list_doc(&objects);
}

#include "base/map.h"
#include "model/properties.h"
#include "plan/file_parts.h"
#include "plan/making.h"
#include "plan/slots.h"

#include <assert.h>

/* Matches the groups of two versions of an object by path or by renamedFrom, then describes each
 * pair. */

/* Puts the slots that the group has and the other ranges do not have under `key`. Returns their
 * number. */
static uint64_t slots_put(struct planning *planning, struct doc_builder *builder, const char *key,
                          const struct group *group, struct slots others)
{
    struct slots_rest rest = slots_without(slots_of(group), others);
    struct text names = slots_rest_format(planning->arena, group, rest);

    if (names.length > 0) {
        doc_builder_put(builder, key, plan_text(names));
    }
    return slots_rest_count(rest);
}

/* Adds the members that the change creates and destroys to the plan, and their numbers to the sums.
 * Returns the number of members that are kept. A template has no machines. */
static uint64_t size_put(struct planning *planning, struct doc_builder *builder,
                         const struct group *old_group, const struct group *new_group)
{
    uint64_t created = 0;
    uint64_t destroyed = 0;

    if (old_group != NULL && old_group->size != (new_group == NULL ? 0 : new_group->size)) {
        doc_builder_put(builder, "oldSize", plan_number(planning, old_group->size));
    }
    if (!planning->has_machines) {
        return 0;
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

/* True for fields that control how a group is operated. A change of such a field does not replace
 * machines. */
static bool is_policy(struct text path)
{
    static const struct text names[] = {
        TEXT("alternatives"), TEXT("balance"),     TEXT("firstNumber"),   TEXT("heal"),
        TEXT("health"),       TEXT("keepFailed"),  TEXT("maxSize"),       TEXT("maxUnhealthy"),
        TEXT("mergeLabels"),  TEXT("minSize"),     TEXT("onUnreachable"), TEXT("pick"),
        TEXT("protected"),    TEXT("renamedFrom"), TEXT("replaceAfter"),  TEXT("rollout"),
    };
    struct text field = text_slice(path, 0, text_find_byte(path, '.'));

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (text_is_equal(field, names[i])) {
            return true;
        }
    }
    return false;
}

/* The effect of a change on the machines that the group keeps. */
enum machines_change { MACHINES_STAY, MACHINES_CHANGE, MACHINES_REPLACED };

/* True if the plugin of the group changes this field in place. False if the plugin is unknown. */
static bool is_file_groups_in_place(const struct planning *planning, const struct model_leaf *leaf,
                                    struct text path)
{
    const struct model_plugins *plugins = planning->plugins;
    const struct wire_hello *hello =
        plugins == NULL ? NULL : plugins->find(plugins->arg, leaf->group.plugin);
    const struct text *paths;
    size_t count = hello == NULL ? 0 : properties_in_place(planning->arena, hello, &paths);

    return count > 0 && properties_is_below(path, paths, count);
}

static enum machines_change machines_change(const struct planning *planning,
                                            const struct diff *diff, const struct model_leaf *leaf)
{
    enum machines_change worst = MACHINES_STAY;

    for (size_t i = 0; i < diff->count; i++) {
        struct text path = diff->changes[i].path;

        if (making_is_path(path) && !is_file_groups_in_place(planning, leaf, path)) {
            return MACHINES_REPLACED;
        }
        if (!text_is(path, "size") && !is_policy(path)) {
            worst = MACHINES_CHANGE;
        }
    }
    return worst;
}

/* True for fields that the plan shows in another form: the size as members, an earlier path as a
 * rename, and mergeLabels as the resulting labels. */
static bool is_reported_otherwise(struct text path)
{
    return text_is(path, "size") || text_is(path, "renamedFrom") || text_is(path, "mergeLabels");
}

/* Puts the result of the comparison of both versions of a group. */
static void file_groups_comparison_put(struct planning *planning, struct doc_builder *builder,
                                       const struct model_leaf *old_leaf,
                                       const struct model_leaf *new_leaf)
{
    bool is_renamed =
        old_leaf != NULL && new_leaf != NULL && !text_is_equal(old_leaf->path, new_leaf->path);
    struct diff diff = { 0 };
    uint64_t staying;
    const char *word;

    if (old_leaf != NULL && new_leaf != NULL) {
        diff = diff_find(planning->arena, OWNER_GROUP, &old_leaf->doc, &new_leaf->doc);
    }
    word = is_renamed ? "rename" : plan_change_word(old_leaf, new_leaf, diff.count > 0);
    doc_builder_put(builder, "change", plan_text(text_from(word)));
    doc_builder_put(builder, "changes", plan_changes_doc(planning, &diff, is_reported_otherwise));
    if (is_renamed) {
        doc_builder_put(builder, "was", plan_text(old_leaf->path));
    }
    staying = size_put(planning, builder, old_leaf == NULL ? NULL : &old_leaf->group,
                       new_leaf == NULL ? NULL : &new_leaf->group);
    switch (machines_change(planning, &diff, new_leaf)) {
    case MACHINES_STAY:
        break;
    case MACHINES_CHANGE:
        planning->summary->changes += staying;
        break;
    case MACHINES_REPLACED:
        planning->summary->replaces += staying;
        if (staying > 0) {
            doc_builder_put(builder, "replace", plan_number(planning, staying));
        }
        break;
    }
    if (!text_is(text_from(word), "none")) {
        planning->summary->has_differences = true;
    }
}

/* True if values were requested and there is memory for them. A value takes about 600 bytes. A
 * quarter of the arena is reserved for the essential parts of the plan. */
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
    doc_builder_put(&builder, "path", plan_text(leaf->path));
    doc_builder_put(&builder, "plugin", plan_text(leaf->group.plugin));
    doc_builder_put(&builder, "size",
                    plan_number(planning, new_leaf == NULL ? 0 : new_leaf->group.size));
    if (new_leaf != NULL) {
        if (planning->has_machines) {
            slots_put(planning, &builder, "members", &leaf->group, slots_of(NULL));
        }
        doc_builder_put(&builder, "labels", plan_labels_doc(planning, leaf));
        planning->summary->groups++;
        planning->summary->nodes += leaf->group.size;
    }
    if (new_leaf != NULL && has_room_for_values(planning)) {
        struct plan_list values = { .arena = planning->arena };

        plan_values_add(planning, &values, TEXT(""), &leaf->doc);
        if (planning->options.with_defaults) {
            plan_defaults_add(planning, &values, OWNER_GROUP, &leaf->doc);
        }
        doc_builder_put(&builder, "values", plan_list_doc(&values));
    }
    if (planning->is_compared) {
        file_groups_comparison_put(planning, &builder, old_leaf, new_leaf);
    }
    return doc_builder_map(&builder, NULL);
}

/* Make an index of the leaves of an object by path. */
static struct map leaves_index(struct planning *planning, const struct model_object *object)
{
    struct map map;

    map_init(&map, planning->arena);
    for (size_t i = 0; object != NULL && i < object->leaf_count; i++) {
        map_put(&map, object->leaves[i].path, &object->leaves[i]);
    }
    return map;
}

/* Returns the old leaf that the new leaf continues, and removes it from the index. */
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

struct doc plan_groups_doc(struct planning *planning, const struct model_object *old_object,
                           const struct model_object *new_object)
{
    struct plan_list groups = { .arena = planning->arena };
    struct map old_leaves;

    if (planning->is_compared) {
        old_leaves = leaves_index(planning, old_object);
    } else {
        map_init(&old_leaves, planning->arena);
    }
    for (size_t i = 0; new_object != NULL && i < new_object->leaf_count; i++) {
        const struct model_leaf *leaf = &new_object->leaves[i];

        plan_list_add(&groups, group_doc(planning, old_leaf_take(&old_leaves, leaf), leaf));
    }
    for (const struct map_node *node = map_first(&old_leaves, TEXT("")); node != NULL;
         node = map_after(&old_leaves, node->key)) {
        plan_list_add(&groups, group_doc(planning, node->value, NULL));
    }
    return plan_list_doc(&groups);
}

#include "plan/file_plan.h"

#include "base/map.h"
#include "base/sort.h"
#include "model/diff.h"
#include "model/merge.h"
#include "plan/file_parts.h"

#include <assert.h>

/* The phases: match the objects of both sets by kind and name, match the groups of both versions of
 * an object by path or renamedFrom (file_groups.c), then describe each pair. In a pair, one version
 * may be missing. */

struct object_pair {
    const struct model_object *old_object;
    const struct model_object *new_object;
};

/* ---- objects ---- */

/* Make the document with the fields of the object itself. It does not include its groups, its
 * defaults (the groups show them) and nulls. */
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

static bool has_file_plan_groups(const struct model_object *object)
{
    return object->kind->owner == OWNER_CLUSTER || object->kind->owner == OWNER_CLUSTER_TEMPLATE;
}

/* Return the sums of one object: the current totals minus the totals before the object. */
static struct doc file_plan_sums_doc(struct planning *planning,
                                     const struct file_plan_summary *before)
{
    const struct file_plan_summary *now = planning->summary;
    struct doc_builder builder;

    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "change", plan_number(planning, now->changes - before->changes));
    doc_builder_put(&builder, "create", plan_number(planning, now->creates - before->creates));
    doc_builder_put(&builder, "destroy", plan_number(planning, now->destroys - before->destroys));
    doc_builder_put(&builder, "replace", plan_number(planning, now->replaces - before->replaces));
    return doc_builder_map(&builder, NULL);
}

/* Puts the result of the comparison of both versions of an object. Their groups are already
 * compared. */
static void file_plan_comparison_put(struct planning *planning, struct doc_builder *builder,
                                     const struct object_pair *pair, const struct doc *old_fields,
                                     const struct doc *new_fields)
{
    const struct model_object *old_object = pair->old_object;
    const struct model_object *new_object = pair->new_object;
    bool is_kept = old_object != NULL && new_object != NULL;
    bool differs = planning->summary->has_differences || !is_kept;
    struct diff diff = { 0 };

    if (is_kept) {
        diff = diff_find(planning->arena, new_object->kind->owner, old_fields, new_fields);
        differs = differs || diff.count > 0;
    }
    if (is_kept && !text_is_equal(old_object->name, new_object->name)) {
        doc_builder_put(builder, "change", plan_text(TEXT("rename")));
        doc_builder_put(builder, "was", plan_text(old_object->name));
    } else {
        doc_builder_put(builder, "change",
                        plan_text(text_from(plan_change_word(old_object, new_object, differs))));
    }
    doc_builder_put(builder, "changes", plan_changes_doc(planning, &diff, NULL));
    planning->summary->has_differences = differs;
}

static uint64_t nodes_of(const struct model_object *object)
{
    return object->node_count + (object->others == NULL ? 0 : object->others->nodes);
}

static struct doc file_plan_object_doc(struct planning *planning, const struct object_pair *pair)
{
    const struct model_object *object =
        pair->new_object != NULL ? pair->new_object : pair->old_object;
    struct doc old_fields = fields_doc(planning, pair->old_object);
    struct doc new_fields = fields_doc(planning, pair->new_object);
    struct file_plan_summary outer = *planning->summary;
    struct doc_builder builder;

    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "kind", plan_text(text_from(object->kind->name)));
    doc_builder_put(&builder, "name", plan_text(object->name));
    planning->summary->has_differences = false;
    planning->summary->objects += pair->new_object != NULL;
    if (has_file_plan_groups(object)) {
        const struct doc *version = doc_child(&new_fields, "version");

        planning->has_machines = object->kind->owner == OWNER_CLUSTER;
        doc_builder_put(&builder, "groups",
                        plan_groups_doc(planning, pair->old_object, pair->new_object));
        if (planning->is_compared && object->kind->owner == OWNER_CLUSTER) {
            doc_builder_put(&builder, "sums", file_plan_sums_doc(planning, &outer));
        }
        if (planning->has_machines) {
            doc_builder_put(&builder, "nodes",
                            plan_number(planning, pair->new_object == NULL ? 0 : nodes_of(object)));
        }
        if (object->others != NULL) {
            doc_builder_put(&builder, "others", plan_number(planning, object->others->groups));
        }
        if (doc_is_scalar(version)) {
            doc_builder_put(&builder, "version", *version);
        }
    }
    /* A template has no machines. */
    if (object->kind->owner == OWNER_CLUSTER_TEMPLATE) {
        bool differs = planning->summary->has_differences;

        outer.objects = planning->summary->objects;
        outer.are_values_cut = planning->summary->are_values_cut;
        *planning->summary = outer;
        planning->summary->has_differences = differs;
    }
    if (planning->options.with_values && pair->new_object != NULL) {
        struct plan_list values = { .arena = planning->arena };

        plan_values_add(planning, &values, TEXT(""), &new_fields);
        doc_builder_put(&builder, "values", plan_list_doc(&values));
    }
    if (planning->is_compared) {
        file_plan_comparison_put(planning, &builder, pair, &old_fields, &new_fields);
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
        /* Both kinds are rows of one table, so their addresses have the order of schema.def. */
        return left->kind < right->kind ? -1 : 1;
    }
    return text_compare(left->name, right->name);
}

/* True if the plan has a separate entry for the object. NodeGroup documents are shown in their
 * clusters. */
static bool is_file_plan_shown(const struct model_object *object)
{
    return object->kind->owner != OWNER_NODEGROUP && object->name.length > 0 && !object->is_known;
}

/* Finds the object of the other set that corresponds to `object` of `from`. A known id takes
 * precedence over the name (K4). */
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
    /* `other` has the same name; it is the same object unless its id belongs to another one. */
    return owner == NULL || owner == object ? other : NULL;
}

struct doc file_plan_make(struct arena *arena, const struct model_set *set,
                          const struct model_set *against, struct file_plan_options options,
                          struct file_plan_summary *out_summary)
{
    struct planning planning = { .arena = arena,
                                 .options = options,
                                 .summary = out_summary,
                                 .plugins = set->plugins,
                                 .is_compared = against != NULL };
    size_t room = set->count + (against == NULL ? 0 : against->count);
    struct object_pair *pairs = arena_array(arena, struct object_pair, room);
    struct plan_list objects = { .arena = arena };
    size_t count = 0;

    *out_summary = (struct file_plan_summary){ 0 };
    for (size_t i = 0; i < set->count; i++) {
        const struct model_object *object = &set->objects[i];

        if (is_file_plan_shown(object)) {
            pairs[count++] = (struct object_pair){
                against == NULL ? NULL : other_find(set, against, object),
                object,
            };
        }
    }
    for (size_t i = 0; against != NULL && i < against->count; i++) {
        const struct model_object *object = &against->objects[i];

        if (is_file_plan_shown(object) && other_find(against, set, object) == NULL) {
            pairs[count++] = (struct object_pair){ object, NULL };
        }
    }
    assert(count <= room);
    sort_stable(arena, pairs, count, sizeof(*pairs), pair_compare, NULL);
    for (size_t i = 0; i < count; i++) {
        plan_list_add(&objects, file_plan_object_doc(&planning, &pairs[i]));
    }
    return plan_list_doc(&objects);
}

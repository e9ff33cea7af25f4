#include "base/limits.h"
#include "base/sort.h"
#include "model/merge.h"
#include "model/nest.h"
#include "model/resolve.h"

#include <assert.h>

/* Moves each NodeGroup document into the document of its cluster, before anything is merged.
 * All groups of one cluster are added in one step: the mapping is built from their sorted paths. So
 * ten thousand documents cost no more than ten thousand inline groups. */

static struct text node_groups_field_text(const struct model_object *object, const char *field)
{
    return doc_child(&object->own, field)->text;
}

static int attach_compare(const void *a, const void *b, void *arg)
{
    const struct model_object *first = *(const struct model_object *const *)a;
    const struct model_object *second = *(const struct model_object *const *)b;
    int order = text_compare(node_groups_field_text(first, "cluster"),
                             node_groups_field_text(second, "cluster"));

    (void)arg;
    return order != 0 ? order
                      : nest_compare(node_groups_field_text(first, "name"),
                                     node_groups_field_text(second, "name"));
}

/* Make a group of a cluster from a NodeGroup document, with only the fields of such a group. */
static struct nest_item node_groups_item_make(struct arena *arena,
                                              const struct model_object *object)
{
    const struct doc *name = doc_child(&object->own, "name");
    struct doc_builder builder;
    struct nest_item item = { .path = name->text, .place = doc_place(name) };

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < object->own.entry_count; i++) {
        const struct doc_entry *field = &object->own.entries[i];

        if (!text_is(field->key, "cluster") && !text_is(field->key, "name") &&
            !text_is(field->key, "id")) {
            doc_builder_add(&builder, field);
        }
    }
    item.value = doc_builder_map(&builder, &object->own);
    item.value.has_faults = object->own.has_faults;
    return item;
}

/* True if the cluster's own document already describes the group. Reports this fault. */
static bool is_twice(struct model_set *set, const struct model_object *cluster,
                     const struct model_object *object)
{
    const struct doc *other =
        nest_find(doc_child(&cluster->own, "groups"), node_groups_field_text(object, "name"));
    struct err *err;

    if (!doc_is_map(other)) {
        return false;
    }
    err =
        err_list_set(set->errors, object->place, CODE_R0332,
                     "nodegroup '%.*s' is described twice in these files", TEXT_ARG(object->name));
    err_note(err, "the cluster's own document describes it here");
    err->note_place = doc_place(other);
    err_hint(err, "keep one of them");
    return true;
}

/* Add these objects of one cluster, sorted by path, to the cluster's own groups. */
static void cluster_attach(struct model_set *set, struct model_object **objects, size_t count)
{
    const struct doc *reference = doc_child(&objects[0]->own, "cluster");
    struct model_object *cluster = model_set_find(set, "Cluster", reference->text);
    struct nest_item *items = arena_array(set->arena, struct nest_item, count);
    struct doc groups;
    struct doc layer;
    size_t kept = 0;

    if (cluster == NULL) {
        for (size_t i = 0; i < count; i++) {
            const struct doc *unknown = doc_child(&objects[i]->own, "cluster");

            resolve_report_unknown(set, "Cluster", unknown->text, unknown);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_twice(set, cluster, objects[i])) {
            items[kept++] = node_groups_item_make(set->arena, objects[i]);
        }
    }
    if (kept == 0) {
        return;
    }
    groups = nest_build(set->arena, items, kept, &objects[0]->own);
    layer = doc_map(NULL, 0, &cluster->own);
    layer = nest_put(set->arena, &layer, "groups", groups);
    cluster->own = merge_layers(set->arena, MERGE_CLUSTER, &cluster->own, &layer);
}

void node_groups_attach(struct model_set *set)
{
    struct model_object **found = arena_array(set->arena, struct model_object *, set->count);
    size_t count = 0;

    for (size_t i = 0; i < set->count; i++) {
        struct model_object *object = &set->objects[i];

        if (object->kind->owner == OWNER_NODEGROUP && object->name.length > 0 &&
            object->state == MODEL_NEW) {
            found[count++] = object;
        }
    }
    sort_stable(set->arena, found, count, sizeof(struct model_object *), attach_compare, NULL);
    for (size_t start = 0, end; start < count; start = end) {
        struct text cluster = node_groups_field_text(found[start], "cluster");

        for (end = start; end < count &&
                          text_is_equal(node_groups_field_text(found[end], "cluster"), cluster);) {
            end++;
        }
        cluster_attach(set, found + start, end - start);
    }
}

#include "base/limits.h"
#include "base/sort.h"
#include "model/merge.h"
#include "model/resolve.h"

#include <assert.h>

/* NodeGroup documents become groups of their clusters' own documents, before anything is merged.
 * All of one cluster are laid in at once: the mapping is built from their paths, sorted, so that ten
 * thousand of them cost no more than ten thousand groups written inline. */

/* Byte order of paths, but that what stands below a group follows it at once. */
static int path_compare(struct text a, struct text b)
{
    for (size_t i = 0; i < a.length && i < b.length; i++) {
        int first = a.data[i] == '/' ? 0 : (unsigned char)a.data[i];
        int second = b.data[i] == '/' ? 0 : (unsigned char)b.data[i];

        if (first != second) {
            return first - second;
        }
    }
    return (a.length > b.length) - (a.length < b.length);
}

static struct text field_text(const struct model_object *object, const char *field)
{
    return doc_child(&object->own, field)->text;
}

static int attach_compare(const void *a, const void *b, void *arg)
{
    const struct model_object *first = *(const struct model_object *const *)a;
    const struct model_object *second = *(const struct model_object *const *)b;
    int order = text_compare(field_text(first, "cluster"), field_text(second, "cluster"));

    (void)arg;
    return order != 0 ? order : path_compare(field_text(first, "name"), field_text(second, "name"));
}

/* Follow outer/inner below a mapping of groups. */
static const struct doc *group_find(const struct doc *groups, struct text path)
{
    size_t slash = text_find_byte(path, '/');
    const struct doc *group = doc_find(groups, text_slice(path, 0, slash));

    if (slash == SIZE_MAX) {
        return group;
    }
    return group_find(doc_child(group, "groups"), text_slice(path, slash + 1, path.length));
}

/* The part of an object's path that starts at `offset`, up to the next '/'. */
static struct text step_at(const struct model_object *object, size_t offset)
{
    struct text rest = text_slice(field_text(object, "name"), offset, SIZE_MAX);

    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

/* The fields of a NodeGroup document that a group in a cluster has. */
static void fields_copy(struct doc_builder *builder, const struct model_object *object)
{
    for (size_t i = 0; i < object->own.entry_count; i++) {
        const struct doc_entry *field = &object->own.entries[i];

        if (!text_is(field->key, "cluster") && !text_is(field->key, "name") &&
            !text_is(field->key, "id")) {
            doc_builder_add(builder, field);
        }
    }
}

/* The mapping of groups that objects, sorted and with one path up to `offset`, mean below it. */
static struct doc groups_build(struct arena *arena, struct model_object *const *objects,
                               size_t count, size_t offset)
{
    struct doc_builder groups;

    doc_builder_init(&groups, arena);
    for (size_t start = 0, end; start < count; start = end) {
        const struct doc *name = doc_child(&objects[start]->own, "name");
        struct text step = step_at(objects[start], offset);
        size_t below_offset = offset + step.length + 1;
        size_t below = start;
        struct doc_entry entry = { .key = step };
        struct doc_builder fields;
        bool has_faults = false;

        for (end = start; end < count && text_is_equal(step_at(objects[end], offset), step);) {
            end++;
        }
        doc_builder_init(&fields, arena);
        if (name->text.length < below_offset) { /* the path ends here; no other has the same */
            has_faults = objects[below]->own.has_faults;
            fields_copy(&fields, objects[below++]);
        }
        if (below < end) {
            doc_builder_put(&fields, "groups",
                            groups_build(arena, objects + below, end - below, below_offset));
        }
        entry.line = name->line;
        entry.column = name->column;
        entry.length = name->length;
        entry.value = doc_builder_map(&fields, &objects[start]->own);
        entry.value.has_faults = has_faults;
        doc_builder_add(&groups, &entry);
    }
    return doc_builder_map(&groups, &objects[0]->own);
}

/* Does the cluster's own document describe the group already? That is told. */
static bool is_twice(struct model_set *set, const struct model_object *cluster,
                     const struct model_object *object)
{
    const struct doc *other =
        group_find(doc_child(&cluster->own, "groups"), field_text(object, "name"));
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

/* Lay these objects, all of one cluster and sorted by path, into its own groups. */
static void cluster_attach(struct model_set *set, struct model_object **objects, size_t count)
{
    const struct doc *reference = doc_child(&objects[0]->own, "cluster");
    struct model_object *cluster = model_set_find(set, "Cluster", reference->text);
    struct doc_builder builder;
    struct doc layer;
    size_t kept = 0;

    if (cluster == NULL) {
        for (size_t i = 0; i < count; i++) {
            const struct doc *unknown = doc_child(&objects[i]->own, "cluster");

            resolve_tell_unknown(set, "Cluster", unknown->text, unknown);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_twice(set, cluster, objects[i])) {
            objects[kept++] = objects[i];
        }
    }
    if (kept == 0) {
        return;
    }
    doc_builder_init(&builder, set->arena);
    doc_builder_put(&builder, "groups", groups_build(set->arena, objects, kept, 0));
    layer = doc_builder_map(&builder, &cluster->own);
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
        struct text cluster = field_text(found[start], "cluster");

        for (end = start;
             end < count && text_is_equal(field_text(found[end], "cluster"), cluster);) {
            end++;
        }
        cluster_attach(set, found + start, end - start);
    }
}

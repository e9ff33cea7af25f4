#include "plan/file_parts.h"

#include <assert.h>

struct doc plan_text(struct text text)
{
    return doc_text(text, NULL);
}

struct doc plan_number(struct planning *planning, uint64_t number)
{
    assert(number <= INT64_MAX);
    return doc_int(planning->arena, (int64_t)number, NULL);
}

const char *plan_change_word(const void *old_side, const void *new_side, bool differs)
{
    if (old_side == NULL) {
        return "create";
    }
    if (new_side == NULL) {
        return "destroy";
    }
    return differs ? "change" : "none";
}

void plan_list_add(struct plan_list *list, struct doc item)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 16 : list->room * 2;

        list->items =
            arena_grow(list->arena, list->items, list->room * sizeof(item), room * sizeof(item));
        list->room = room;
    }
    list->items[list->count++] = item;
}

struct doc plan_list_doc(const struct plan_list *list)
{
    return doc_list(list->items, list->count, NULL);
}

static void file_parts_value_add(struct planning *planning, struct plan_list *values,
                                 struct text path, const struct doc *value)
{
    struct place place = doc_place(value);
    struct doc_builder builder;

    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "path", plan_text(path));
    doc_builder_put(&builder, "value", *value);
    doc_builder_put(&builder, "origin",
                    plan_text(model_origin_format(planning->arena, value->origin)));
    doc_builder_put(&builder, "source", plan_number(planning, place.source));
    doc_builder_put(&builder, "line", plan_number(planning, place.line));
    doc_builder_put(&builder, "column", plan_number(planning, place.column));
    plan_list_add(values, doc_builder_map(&builder, NULL));
}

/* Adds every leaf of the tree to `values`. A list or an empty map counts as one value. */
void plan_values_add(struct planning *planning, struct plan_list *values, struct text outer,
                     const struct doc *doc)
{
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];
        struct text path = outer.length == 0 ? entry->key
                                             : arena_printf(planning->arena, "%.*s.%.*s",
                                                            TEXT_ARG(outer), TEXT_ARG(entry->key));

        if (doc_is_map(&entry->value) && entry->value.entry_count > 0) {
            plan_values_add(planning, values, path, &entry->value);
        } else {
            file_parts_value_add(planning, values, path, &entry->value);
        }
    }
}

void plan_defaults_add(struct planning *planning, struct plan_list *values, enum schema_owner owner,
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
            file_parts_value_add(planning, values, name, &value);
        }
    }
}

/* ---- differences ---- */

struct doc plan_changes_doc(struct planning *planning, const struct diff *diff,
                            bool (*is_left_out)(struct text path))
{
    struct plan_list list = { .arena = planning->arena };

    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_change *change = &diff->changes[i];
        struct doc_builder builder;

        if (is_left_out != NULL && is_left_out(change->path)) {
            continue;
        }
        doc_builder_init(&builder, planning->arena);
        doc_builder_put(&builder, "path", plan_text(change->path));
        if (change->old_value != NULL) {
            doc_builder_put(&builder, "old", *change->old_value);
        }
        if (change->new_value != NULL) {
            doc_builder_put(&builder, "new", *change->new_value);
            doc_builder_put(
                &builder, "origin",
                plan_text(model_origin_format(planning->arena, change->new_value->origin)));
        }
        plan_list_add(&list, doc_builder_map(&builder, NULL));
    }
    return plan_list_doc(&list);
}

/* ---- labels (M22) ---- */

struct doc plan_labels_doc(struct planning *planning, const struct model_leaf *leaf)
{
    struct plan_list added = { .arena = planning->arena };
    struct plan_list skipped = { .arena = planning->arena };
    const struct doc *effective = doc_child(&leaf->doc, "labels");
    struct doc_builder overridden;
    struct doc_builder builder;

    doc_builder_init(&overridden, planning->arena);
    for (size_t i = 0; doc_is_map(&leaf->given_labels) && i < leaf->given_labels.entry_count; i++) {
        const struct doc_entry *given = &leaf->given_labels.entries[i];
        const struct doc_entry *parent = doc_entry_find(&leaf->parent_labels, given->key);

        if (parent == NULL) {
            plan_list_add(&added, plan_text(given->key));
        } else if (!doc_is_equal(&parent->value, &given->value)) {
            doc_builder_add(&overridden, parent);
        }
    }
    for (size_t i = 0; doc_is_map(&leaf->parent_labels) && i < leaf->parent_labels.entry_count;
         i++) {
        if (doc_find(effective, leaf->parent_labels.entries[i].key) == NULL) {
            plan_list_add(&skipped, plan_text(leaf->parent_labels.entries[i].key));
        }
    }
    doc_builder_init(&builder, planning->arena);
    doc_builder_put(&builder, "added", plan_list_doc(&added));
    doc_builder_put(&builder, "skipped", plan_list_doc(&skipped));
    doc_builder_put(&builder, "overridden", doc_builder_map(&overridden, NULL));
    return doc_builder_map(&builder, NULL);
}

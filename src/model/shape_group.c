#include "base/limits.h"
#include "base/sort.h"
#include "base/suggest.h"
#include "model/check.h"
#include "model/shape_value.h"

#include <assert.h>

/* Groups nest, and a sub-group may be written bare among the fields of its group. This file
 * distinguishes a bare sub-group from a misspelled field by its content. Whether the group is a
 * leaf or an inner one is decided on the merged tree (leaves.c). */

static bool is_group_field(struct text key)
{
    return schema_field_find(OWNER_GROUP, key) != NULL ||
           schema_alias_find(OWNER_GROUP, key) != NULL;
}

/* True for a map that has a field of groups, or that consists of such maps only (`{}` included). */
static bool looks_like_group(const struct doc *doc, unsigned depth)
{
    if (!doc_is_map(doc) || depth > LIMIT_GROUP_NESTING) {
        return false;
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        if (is_group_field(doc->entries[i].key)) {
            return true;
        }
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        if (!looks_like_group(&doc->entries[i].value, depth + 1)) {
            return false;
        }
    }
    return true;
}

/* True if the group, as written here, has machines of its own. */
static bool has_shape_group_leaf_field(const struct doc *doc)
{
    /* A null drops the template's value, so that sub-groups may take the place of the machines. */
    for (size_t i = 0; i < doc->entry_count; i++) {
        if (!doc_is_null(&doc->entries[i].value) && schema_makes_leaf(doc->entries[i].key)) {
            return true;
        }
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct schema_field *alias = schema_alias_find(OWNER_GROUP, doc->entries[i].key);

        if (alias != NULL && !doc_is_null(&doc->entries[i].value) &&
            schema_makes_leaf(text_from(alias->name))) {
            return true;
        }
    }
    return false;
}

/* Decide about an entry of a group that is not a field: return true if it is a bare sub-group,
 * otherwise report the fault. */
static bool is_bare_group(struct shape *shape, bool has_machines, const struct doc_entry *entry,
                          const struct shape_step *step)
{
    struct suggest suggest = suggest_start(entry->key);

    if (!looks_like_group(&entry->value, 0) && !doc_is_null(&entry->value)) {
        shape_unknown_field(shape, OWNER_GROUP, entry, step);
        return false;
    }
    if (!has_machines) {
        return true;
    }
    schema_suggest_fields(OWNER_GROUP, &suggest);
    if (suggest_best(&suggest).length > 0 || doc_is_null(&entry->value)) {
        shape_unknown_field(shape, OWNER_GROUP, entry, step);
    } else {
        err_hint(shape_fault(shape, step, doc_key_place(entry), CODE_R0308,
                             arena_printf(shape->arena,
                                          "'%.*s' is a sub-group of a group that has machines of "
                                          "its own",
                                          TEXT_ARG(entry->key))),
                 "a group has machines or sub-groups: move the machines into a sub-group");
    }
    return false;
}

/* Read one named group and add it to `builder`. */
static void named_group_read(struct shape *shape, const struct doc_entry *entry,
                             const struct shape_step *step, struct doc_builder *builder)
{
    const struct doc *body = &entry->value;
    struct doc_entry made = *entry;
    struct err err;

    if (!check_group_name(entry->key, &err)) {
        err_place(&err, doc_key_place(entry));
        shape_path(&err, step);
        err_list_add(shape->errors, &err);
        return;
    }
    if (shape_is_empty(shape, body, step)) {
        return;
    }
    if (doc_is_null(body)) {
        made.value = doc_plain(TEXT("null"), body);
    } else if (doc_is_map(body)) {
        made.value = shape_group(shape, body, step);
    } else {
        shape_fault(shape, step, doc_place(body), CODE_R0302,
                    arena_printf(shape->arena, "group '%.*s' must be a map of fields, got a %s",
                                 TEXT_ARG(entry->key),
                                 doc_is_list(body) ? "list" : "single value"));
        return;
    }
    made.value.origin = shape->now;
    doc_builder_add(builder, &made);
}

/* Read an item of the list form. Its name becomes the key, and its remaining fields become the
 * group. */
static void listed_group_read(struct shape *shape, const struct doc *item,
                              const struct shape_step *step, struct doc_builder *builder)
{
    const struct doc_entry *name = doc_entry_find(item, TEXT("name"));
    const struct doc_entry *alias = doc_entry_find(item, TEXT("pool_name"));
    struct doc_entry *rest;
    struct doc_entry made = { .value = *item };
    size_t count = 0;

    if (name != NULL && alias != NULL) {
        bool is_alias_second = place_compare(doc_key_place(name), doc_key_place(alias)) < 0;
        struct err *err =
            shape_fault(shape, step, doc_key_place(is_alias_second ? alias : name), CODE_R0306,
                        TEXT("'name' and 'pool_name' are the same field, set twice"));

        err_note(err, "first set here");
        err->note_place = doc_key_place(is_alias_second ? name : alias);
    }
    name = name == NULL ? alias : name;
    if (!doc_is_map(item) || name == NULL || !doc_is_scalar(&name->value)) {
        err_hint(shape_fault(shape, step, doc_place(item), CODE_R0330,
                             TEXT("a group in a list needs a name")),
                 "- name: web, then its fields; or write groups as a mapping");
        return;
    }
    rest = arena_array(shape->arena, struct doc_entry, item->entry_count);
    for (size_t i = 0; i < item->entry_count; i++) {
        if (!text_is(item->entries[i].key, "name") && !text_is(item->entries[i].key, "pool_name")) {
            rest[count++] = item->entries[i];
        }
    }
    made.key = name->value.text;
    made.line = name->value.line;
    made.column = name->value.column;
    made.length = name->value.length;
    made.value = doc_map(rest, count, item);
    named_group_read(shape, &made, step, builder);
}

static int shape_group_entry_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct doc_entry *)a)->key, ((const struct doc_entry *)b)->key);
}

/* Make a map of the groups in a builder. Reports duplicate names. */
static struct doc shape_group_make(struct shape *shape, struct doc_builder *builder,
                                   const struct doc *like, const struct shape_step *step)
{
    struct doc groups;

    sort_stable(shape->arena, builder->entries, builder->count, sizeof(struct doc_entry),
                shape_group_entry_compare, NULL);
    for (size_t i = 1; i < builder->count; i++) {
        const struct doc_entry *first = &builder->entries[i - 1];
        const struct doc_entry *second = &builder->entries[i];
        struct err *err;

        if (place_compare(doc_key_place(second), doc_key_place(first)) < 0) {
            first = second;
            second = &builder->entries[i - 1];
        }
        if (text_is_equal(first->key, second->key)) {
            err = shape_fault(
                shape, step, doc_key_place(second), CODE_R0306,
                arena_printf(shape->arena, "group '%.*s' is given twice", TEXT_ARG(second->key)));
            err_note(err, "first given here");
            err->note_place = doc_key_place(first);
        }
    }
    groups = doc_builder_map(builder, like);
    groups.origin = shape->now;
    return groups;
}

bool shape_groups(struct shape *shape, const struct doc *doc, const struct shape_step *step,
                  struct doc *out)
{
    struct doc_builder builder;
    bool has_faults;
    size_t count;

    doc_builder_init(&builder, shape->arena);
    if (doc_is_list(doc)) {
        for (size_t i = 0; i < doc->item_count; i++) {
            struct shape_step item_step = { .outer = step, .index = i };

            listed_group_read(shape, &doc->items[i], &item_step, &builder);
        }
    } else if (doc_is_map(doc)) {
        for (size_t i = 0; i < doc->entry_count; i++) {
            struct shape_step group_step = { .outer = step, .key = doc->entries[i].key };

            named_group_read(shape, &doc->entries[i], &group_step, &builder);
        }
    } else {
        err_hint(shape_fault(shape, step, doc_place(doc), CODE_R0302,
                             TEXT("groups must be a mapping of names to groups, or a list of "
                                  "groups with names")),
                 "groups: {web: {size: 2}}");
        return false;
    }
    count = doc_is_list(doc) ? doc->item_count : doc->entry_count;
    has_faults = builder.count < count;
    *out = shape_group_make(shape, &builder, doc, step);
    out->has_faults = has_faults;
    return true;
}

struct doc shape_group(struct shape *shape, const struct doc *doc, const struct shape_step *step)
{
    const struct doc_entry *seen[SCHEMA_FIELDS_MAX] = { NULL };
    struct doc_builder fields;
    struct doc_builder groups;
    size_t kept = 0;
    bool has_machines = has_shape_group_leaf_field(doc);
    bool has_faults = false;
    struct doc group;

    assert(doc_is_map(doc));
    doc_builder_init(&fields, shape->arena);
    doc_builder_init(&groups, shape->arena);
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];
        struct shape_step entry_step = { .outer = step, .key = entry->key };

        size_t kept_before = fields.count + groups.count;

        if (!shape_field(shape, OWNER_GROUP, entry, &entry_step, seen, &fields) &&
            is_bare_group(shape, has_machines, entry, &entry_step)) {
            named_group_read(shape, entry, &entry_step, &groups);
        }
        has_faults = has_faults || fields.count + groups.count == kept_before;
    }
    if (groups.count > 0) {
        for (size_t i = 0; i < fields.count;
             i++) { /* groups below `groups:` are added to the bare ones */
            const struct doc_entry *field = &fields.entries[i];
            bool is_groups = text_is(field->key, "groups") && doc_is_map(&field->value);

            for (size_t j = 0; is_groups && j < field->value.entry_count; j++) {
                doc_builder_add(&groups, &field->value.entries[j]);
            }
            if (!is_groups) {
                fields.entries[kept++] = *field;
            }
        }
        fields.count = kept;
        doc_builder_put(&fields, "groups", shape_group_make(shape, &groups, doc, step));
    }
    group = doc_builder_map(&fields, doc);
    group.has_faults = has_faults;
    return group;
}

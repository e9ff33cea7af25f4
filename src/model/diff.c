#include "model/diff.h"

#include "model/scalar.h"

#include <assert.h>

struct finding {
    struct arena *arena;
    struct diff diff;
    size_t room;
};

static void change_add(struct finding *finding, struct text path, const struct doc *old_value,
                       const struct doc *new_value)
{
    if (finding->diff.count == finding->room) {
        size_t room = finding->room == 0 ? 8 : finding->room * 2;

        finding->diff.changes = arena_grow(finding->arena, finding->diff.changes,
                                           finding->room * sizeof(struct diff_change),
                                           room * sizeof(struct diff_change));
        finding->room = room;
    }
    finding->diff.changes[finding->diff.count++] =
        (struct diff_change){ path, old_value, new_value };
}

static bool scalar_is_same(const struct schema_type *type, const struct doc *a, const struct doc *b)
{
    uint64_t first;
    uint64_t second;

    if (type != NULL && type->kind == TYPE_SIZE) {
        return scalar_parse_size(a->text, type->unit, &first) &&
               scalar_parse_size(b->text, type->unit, &second) && first == second;
    }
    if (type != NULL && type->kind == TYPE_DURATION) {
        return scalar_parse_duration(a->text, &first) && scalar_parse_duration(b->text, &second) &&
               first == second;
    }
    return doc_is_equal(a, b);
}

static const struct schema_type member_type = { .kind = TYPE_OBJECT, .owner = OWNER_MEMBER };
static const struct schema_type role_type = { .kind = TYPE_OBJECT, .owner = OWNER_ROLE };

/* Return the type of a field; NULL if the schema does not describe it. */
static const struct schema_type *type_below(const struct schema_type *type, struct text key)
{
    const struct schema_field *field;

    if (type == NULL || type->kind != TYPE_OBJECT) {
        return NULL;
    }
    if (type->shape == SHAPE_MAP) {
        return type->owner == OWNER_ROLE ? &role_type : &member_type;
    }
    field = schema_field_find(type->owner, key);
    return field == NULL ? NULL : &field->type;
}

static bool is_diff_same(const struct schema_type *type, const struct doc *a, const struct doc *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (doc_is_shared(a, b)) {
        return true;
    }
    if (doc_is_scalar(a)) {
        return scalar_is_same(type, a, b);
    }
    if (doc_is_list(a)) {
        bool same = a->item_count == b->item_count;

        for (size_t i = 0; same && i < a->item_count; i++) {
            same = is_diff_same(type, &a->items[i], &b->items[i]);
        }
        return same;
    }
    if (a->entry_count != b->entry_count) {
        return false;
    }
    for (size_t i = 0; i < a->entry_count; i++) {
        if (!text_is_equal(a->entries[i].key, b->entries[i].key) ||
            !is_diff_same(type_below(type, a->entries[i].key), &a->entries[i].value,
                          &b->entries[i].value)) {
            return false;
        }
    }
    return true;
}

static void maps_compare(struct finding *finding, const struct schema_type *type, struct text path,
                         const struct doc *old_doc, const struct doc *new_doc);

static void entries_compare(struct finding *finding, const struct schema_type *type,
                            struct text outer, const struct doc_entry *old_entry,
                            const struct doc_entry *new_entry)
{
    struct text key = old_entry != NULL ? old_entry->key : new_entry->key;
    const struct doc *old_value = old_entry == NULL ? NULL : &old_entry->value;
    const struct doc *new_value = new_entry == NULL ? NULL : &new_entry->value;
    const struct schema_type *below = type_below(type, key);

    if (old_value != NULL && new_value != NULL && is_diff_same(below, old_value, new_value)) {
        return;
    }
    if (outer.length > 0) {
        key = arena_printf(finding->arena, "%.*s.%.*s", TEXT_ARG(outer), TEXT_ARG(key));
    }
    if (doc_is_map(old_value) && doc_is_map(new_value)) {
        maps_compare(finding, below, key, old_value, new_value);
    } else {
        change_add(finding, key, old_value, new_value);
    }
}

/* Iterate over both sorted maps in parallel. */
static void maps_compare(struct finding *finding, const struct schema_type *type, struct text path,
                         const struct doc *old_doc, const struct doc *new_doc)
{
    size_t old_count = doc_is_map(old_doc) ? old_doc->entry_count : 0;
    size_t new_count = doc_is_map(new_doc) ? new_doc->entry_count : 0;
    size_t i = 0;
    size_t j = 0;

    while (i < old_count || j < new_count) {
        int order = i == old_count ? 1
                    : j == new_count
                        ? -1
                        : text_compare(old_doc->entries[i].key, new_doc->entries[j].key);

        entries_compare(finding, type, path, order <= 0 ? &old_doc->entries[i] : NULL,
                        order >= 0 ? &new_doc->entries[j] : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

struct diff diff_find(struct arena *arena, enum schema_owner owner, const struct doc *old_doc,
                      const struct doc *new_doc)
{
    struct finding finding = { .arena = arena };
    struct schema_type type = { .kind = TYPE_OBJECT, .owner = owner };

    assert(owner < OWNER_COUNT);
    maps_compare(&finding, &type, TEXT(""), old_doc, new_doc);
    return finding.diff;
}

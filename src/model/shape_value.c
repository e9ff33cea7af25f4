#include "model/shape_value.h"

#include "base/limits.h"
#include "base/suggest.h"

#include <assert.h>

void shape_origins(struct shape *shape, const struct origin *file)
{
    struct origin *origins = arena_array(shape->arena, struct origin, 3);

    if (file != NULL) {
        origins[0] = origins[1] = origins[2] = *file;
    }
    origins[0].kind = ORIGIN_FILE;
    origins[1].kind = ORIGIN_DEFAULTS;
    origins[2].kind = ORIGIN_GROUP;
    shape->file = shape->now = &origins[0];
    shape->defaults = &origins[1];
    shape->group = &origins[2];
}

bool shape_is_empty(struct shape *shape, const struct doc *doc, const struct shape_step *step)
{
    bool is_empty = doc_is_scalar(doc) && doc->style == DOC_STYLE_EMPTY;

    if (is_empty) {
        struct text what = shape_words(shape, step);

        err_hint(
            shape_fault(shape, step, doc_place(doc), CODE_R0303,
                        arena_printf(shape->arena, "%.*s has no value", TEXT_ARG(what))),
            "indent the lines that belong to it; or write null to remove the value of a lower layer, {} or [] for an empty value");
    }
    return is_empty;
}

/* Read a tree that another component checks. It is copied with its origin, and only empty values
 * are rejected. */
static struct doc opaque_read(struct shape *shape, const struct doc *doc,
                              const struct shape_step *step)
{
    struct doc copy = *doc;

    copy.origin = shape->now;
    if (doc_is_list(doc)) {
        struct doc *items = arena_array(shape->arena, struct doc, doc->item_count);

        for (size_t i = 0; i < doc->item_count; i++) {
            items[i] = opaque_read(shape, &doc->items[i],
                                   &(struct shape_step){ .outer = step, .index = i });
        }
        copy.items = items;
    } else if (doc_is_map(doc)) {
        struct doc_entry *entries = arena_array(shape->arena, struct doc_entry, doc->entry_count);

        for (size_t i = 0; i < doc->entry_count; i++) {
            entries[i] = doc->entries[i];
            entries[i].value =
                opaque_read(shape, &doc->entries[i].value,
                            &(struct shape_step){ .outer = step, .key = doc->entries[i].key });
        }
        copy.entries = entries;
    } else if (shape_is_empty(shape, doc, step)) {
        copy = doc_plain(TEXT("null"), &copy);
    }
    return copy;
}

/* Add a hint for a single value in place of a map: it is most likely the value of the required
 * field, else of the first field. */
static void main_field_hint(struct err *err, enum schema_owner owner, struct text value)
{
    const struct schema_field *best = NULL;
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    for (size_t i = 0; i < count; i++) {
        if (schema_has_owner(&fields[i], owner) &&
            (best == NULL || (fields[i].is_required && !best->is_required))) {
            best = &fields[i];
        }
    }
    if (best != NULL && best->type.shape == SHAPE_ONE &&
        (best->type.kind == TYPE_TEXT || best->type.kind == TYPE_SIZE)) {
        err_hint(err, "write {%s: %.*s}", best->name, TEXT_ARG(value));
    }
}

MUST_CHECK static bool one_read(struct shape *shape, const struct schema_type *type,
                                const struct doc *doc, const struct shape_step *step,
                                struct doc *out)
{
    bool is_map_wanted = type->kind == TYPE_OBJECT || type->kind == TYPE_OPAQUE;

    if (shape_is_empty(shape, doc, step)) {
        return false;
    }
    if (is_map_wanted && !doc_is_map(doc)) {
        struct text what = shape_words(shape, step);
        struct err *err =
            shape_fault(shape, step, doc_place(doc), CODE_R0302,
                        arena_printf(shape->arena, "%.*s must be a map, got a %s", TEXT_ARG(what),
                                     doc_is_list(doc) ? "list" : "single value"));

        if (type->kind == TYPE_OBJECT && doc_is_scalar(doc) && doc->text.length < 60) {
            main_field_hint(err, type->owner, doc->text);
        }
        return false;
    }
    if (type->kind == TYPE_OBJECT) {
        *out = shape_fields(shape, type->owner, doc, step);
        return true;
    }
    if (type->kind == TYPE_OPAQUE) {
        *out = opaque_read(shape, doc, step);
        return true;
    }
    if (type->kind == TYPE_GROUPS) {
        return shape_groups(shape, doc, step, out);
    }
    return shape_scalar(shape, type, doc, step, out);
}

static struct err *count_fault(struct shape *shape, const struct doc *doc,
                               const struct shape_step *step, size_t count, int64_t limit)
{
    return shape_fault(shape, step, doc_place(doc), CODE_R0320,
                       arena_printf(shape->arena, "%.*s has %zu entries, at most %lld are allowed",
                                    TEXT_ARG(shape_words(shape, step)), count, (long long)limit));
}

/* Check that items are unique apart from their names: a duplicate is redundant or a mistake. */
static void shape_value_twice_check(struct shape *shape, const struct doc *doc, size_t at,
                                    const struct shape_step *step)
{
    const struct doc *item = &doc->items[at];
    struct err *err;

    for (size_t i = 0; i < at; i++) {
        if (!doc_is_scalar(&doc->items[i]) || !text_is_equal(doc->items[i].text, item->text)) {
            continue;
        }
        err =
            shape_fault(shape, step, doc_place(item), CODE_R0306,
                        arena_printf(shape->arena, "'%.*s' is twice in %.*s", TEXT_ARG(item->text),
                                     TEXT_ARG(shape_words(shape, step->outer))));
        err_note(err, "first here");
        err->note_place = doc_place(&doc->items[i]);
        return;
    }
}

MUST_CHECK static bool shape_value_list_read(struct shape *shape, const struct schema_type *type,
                                             const struct doc *doc, const struct shape_step *step,
                                             struct doc *out)
{
    struct doc *items;
    size_t count = 0;

    if (!doc_is_list(doc)) {
        struct err *err = shape_fault(shape, step, doc_place(doc), CODE_R0302,
                                      arena_printf(shape->arena, "%.*s must be a list, got a %s",
                                                   TEXT_ARG(shape_words(shape, step)),
                                                   doc_is_map(doc) ? "map" : "single value"));

        if (doc_is_scalar(doc) && doc->text.length < 60) {
            err_hint(err, "write [%.*s]", TEXT_ARG(doc->text));
        } else if (doc_is_map(doc)) {
            err_hint(err, "begin each item with '- ', even if there is only one");
        }
        return false;
    }
    if (type->max > 0 && doc->item_count > (uint64_t)type->max) {
        count_fault(shape, doc, step, doc->item_count, type->max);
        return false;
    }
    items = arena_array(shape->arena, struct doc, doc->item_count);
    for (size_t i = 0; i < doc->item_count; i++) {
        const struct doc *item = &doc->items[i];
        struct shape_step item_step = { .outer = step, .index = i };

        if (doc_is_null(item)) {
            shape_fault(shape, &item_step, doc_place(item), CODE_R0302,
                        TEXT("an item of a list cannot be null"));
        } else if (one_read(shape, type, item, &item_step, &items[count])) {
            items[count++].origin = shape->now;
            if (type->is_set) {
                shape_value_twice_check(shape, doc, i, &item_step);
            }
        }
    }
    *out = doc_list(items, count, doc);
    return true;
}

MUST_CHECK static bool shape_value_map_read(struct shape *shape, const struct schema_type *type,
                                            const struct doc *doc, const struct shape_step *step,
                                            struct doc *out)
{
    struct doc_entry *entries;
    size_t count = 0;

    if (!doc_is_map(doc)) {
        shape_fault(shape, step, doc_place(doc), CODE_R0302,
                    arena_printf(shape->arena, "%.*s must be a map, got a %s",
                                 TEXT_ARG(shape_words(shape, step)),
                                 doc_is_list(doc) ? "list" : "single value"));
        return false;
    }
    if (type->max > 0 && doc->entry_count > (uint64_t)type->max) {
        count_fault(shape, doc, step, doc->entry_count, type->max);
        return false;
    }
    entries = arena_array(shape->arena, struct doc_entry, doc->entry_count);
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];
        struct shape_step entry_step = { .outer = step, .key = entry->key };
        struct err err;

        if (type->check_key != NULL && !type->check_key(entry->key, &err)) {
            err_place(&err, doc_key_place(entry));
            shape_path(&err, &entry_step);
            err_list_add(shape->errors, &err);
            continue;
        }
        entries[count] = *entry;
        if (doc_is_null(&entry->value)) {
            entries[count++].value.origin = shape->now;
        } else if (one_read(shape, type, &entry->value, &entry_step, &entries[count].value)) {
            entries[count++].value.origin = shape->now;
        }
    }
    *out = doc_map(entries, count, doc);
    return true;
}

/* Return the value of `current` at the same path. */
static const struct doc *shape_value_current_find(const struct shape *shape,
                                                  const struct shape_step *step)
{
    return step == NULL ? shape->current
           : step->key.data == NULL
               ? NULL
               : doc_find(shape_value_current_find(shape, step->outer), step->key);
}

/* True if the value is shared with `current` at the same path, so all its origins are right. */
static bool is_shape_value_current(const struct shape *shape, const struct doc *doc,
                                   const struct shape_step *step)
{
    const struct doc *current = NULL;

    if (shape->current != NULL && doc_is_container(doc) && doc->origin != NULL &&
        doc->origin->kind == shape->now->kind) {
        current = shape_value_current_find(shape, step);
    }
    return current != NULL && doc_is_shared(doc, current);
}

bool shape_value(struct shape *shape, const struct schema_type *type, const struct doc *doc,
                 const struct shape_step *step, struct doc *out)
{
    bool is_good;

    if ((type->shape != SHAPE_ONE || type->kind == TYPE_OPAQUE) &&
        is_shape_value_current(shape, doc, step)) {
        *out = *doc;
        return true;
    }
    if (doc_is_null(doc)) {
        *out = doc_plain(TEXT("null"), doc);
        is_good = true;
    } else if (type->shape == SHAPE_ONE) {
        is_good = one_read(shape, type, doc, step, out);
    } else if (shape_is_empty(shape, doc, step)) {
        is_good = false;
    } else {
        is_good = type->shape == SHAPE_LIST ? shape_value_list_read(shape, type, doc, step, out)
                                            : shape_value_map_read(shape, type, doc, step, out);
    }
    if (is_good) {
        out->origin = shape->now;
    }
    return is_good;
}

void shape_unknown_field(struct shape *shape, enum schema_owner owner,
                         const struct doc_entry *entry, const struct shape_step *step)
{
    struct suggest suggest = suggest_start(entry->key);
    struct text best = TEXT("");
    struct err *err;

    if (shape->errors->count < LIMIT_ERRORS_KEPT) { /* further errors are never shown */
        best = schema_foreign_find(owner, entry->key);
        schema_suggest_fields(owner, &suggest);
    }
    best = best.length > 0 ? best : suggest_best(&suggest);
    err = shape_fault(shape, step, doc_key_place(entry), CODE_R0301,
                      arena_printf(shape->arena, "unknown field '%.*s' in %s", TEXT_ARG(entry->key),
                                   schema_owner_words(owner)));
    if (best.length > 0) {
        err_hint(err, "did you mean '%.*s'? all fields: reeve explain %s", TEXT_ARG(best),
                 schema_owner_path(owner));
    } else if (owner == OWNER_GROUP && text_is(entry->key, "name")) {
        err_hint(err,
                 "in a mapping the key is the group's name; name: is for lists of groups only");
    } else if (text_is(entry->key, "apiVersion")) {
        err_hint(err, "%s", SHAPE_HINT_API_VERSION);
    } else if (schema_field_anywhere(entry->key) != NULL) {
        err_hint(err, "the field exists, but not here; all fields: reeve explain %s",
                 schema_owner_path(owner));
    } else {
        err_hint(err, "all fields: reeve explain %s", schema_owner_path(owner));
    }
}

bool shape_field(struct shape *shape, enum schema_owner owner, const struct doc_entry *entry,
                 const struct shape_step *step, const struct doc_entry **seen,
                 struct doc_builder *builder)
{
    const struct schema_field *field = schema_field_find(owner, entry->key);
    const struct origin *outer = shape->now;
    struct doc_entry made = *entry;
    size_t count;
    size_t row;

    if (field == NULL) {
        field = schema_alias_find(owner, entry->key);
    }
    if (field == NULL) {
        return false;
    }
    row = (size_t)(field - schema_fields(&count));
    assert(row < count);
    if (!schema_is_usable(field->since)) {
        err_hint(shape_fault(shape, step, doc_key_place(entry), CODE_R0304,
                             arena_printf(shape->arena, "'%s' needs %s", field->name,
                                          schema_since_words(field->since))),
                 "this version of reeve does not support the field yet; leave it out");
        return true;
    }
    if (seen[row] != NULL) {
        bool is_later = place_compare(doc_key_place(seen[row]), doc_key_place(entry)) < 0;
        const struct doc_entry *second = is_later ? entry : seen[row];
        const struct doc_entry *first = is_later ? seen[row] : entry;
        struct shape_step second_step = { .outer = step->outer, .key = second->key };
        struct err *err = shape_fault(
            shape, &second_step, doc_key_place(second), CODE_R0306,
            arena_printf(shape->arena, "'%.*s' and '%.*s' are the same field, set twice",
                         TEXT_ARG(first->key), TEXT_ARG(second->key)));

        err_note(err, "first set here");
        err->note_place = doc_key_place(first);
        return true;
    }
    seen[row] = entry;
    if (text_is(text_from(field->name), "defaults")) {
        shape->now = shape->defaults;
    } else if (field->type.kind == TYPE_GROUPS) {
        shape->now = shape->group;
    }
    made.key = text_from(field->name);
    if (shape_value(shape, &field->type, &entry->value, step, &made.value)) {
        doc_builder_add(builder, &made);
    }
    shape->now = outer;
    return true;
}

/* Check that an item has its required fields. A list replaces another one as a whole, so each item
 * must be complete. */
static void item_check(struct shape *shape, enum schema_owner owner, const struct doc *doc,
                       const struct shape_step *step, const struct doc_entry *const *seen)
{
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    for (size_t i = 0; i < count; i++) {
        if (fields[i].is_required && schema_has_owner(&fields[i], owner) &&
            (seen[i] == NULL || doc_is_null(&seen[i]->value))) {
            err_hint(shape_fault(shape, step, doc_place(doc), CODE_R0330,
                                 arena_printf(shape->arena, "%s needs '%s'",
                                              schema_owner_words(owner), fields[i].name)),
                     "%s: %s", fields[i].name, fields[i].help);
        }
    }
}

static const struct doc_entry *given_find(const struct doc *doc, const char *key)
{
    const struct doc_entry *entry = doc_entry_find(doc, text_from(key));

    return entry == NULL || doc_is_null(&entry->value) ? NULL : entry;
}

/* Remove fields that are null. No lower layer is merged under a value that replaces another as a
 * whole, so a null has no effect there. */
static void nulls_drop(struct doc_builder *builder)
{
    size_t kept = 0;

    for (size_t i = 0; i < builder->count; i++) {
        if (!doc_is_null(&builder->entries[i].value)) {
            builder->entries[kept++] = builder->entries[i];
        }
    }
    builder->count = kept;
}

/* Check that exactly one of two fields is given. */
static void shape_value_choice_check(struct shape *shape, enum schema_owner owner,
                                     const struct doc *doc, const struct shape_step *step,
                                     const char *a, const char *b)
{
    const struct doc_entry *first = given_find(doc, a);
    const struct doc_entry *second = given_find(doc, b);

    if ((first == NULL) != (second == NULL)) {
        return;
    }
    shape_fault(shape, step, first == NULL ? doc_place(doc) : doc_key_place(second), CODE_R0321,
                arena_printf(shape->arena, "%s takes '%s' or '%s', got %s",
                             schema_owner_words(owner), a, b, first == NULL ? "none" : "both"));
}

/* Check the combination of the fields. Skipped if one of them had a fault, because the missing
 * field may be the faulty one, which is already reported. */
static void shape_value_whole_check(struct shape *shape, enum schema_owner owner,
                                    const struct doc *doc, const struct shape_step *step,
                                    const struct doc_entry *const *seen)
{
    if (owner == OWNER_VOLUME) {
        item_check(shape, owner, doc, step, seen);
    } else if (owner == OWNER_BOOTSTRAP) {
        shape_value_choice_check(shape, owner, doc, step, "tar", "bundle");
    } else if (owner == OWNER_FROM_CLUSTER) {
        shape_value_choice_check(shape, owner, doc, step, "template", "cluster");
    } else if (owner == OWNER_FROM_GROUP) {
        shape_value_choice_check(shape, owner, doc, step, "nodegrouptemplate", "nodegroup");
    }
}

struct doc shape_fields(struct shape *shape, enum schema_owner owner, const struct doc *doc,
                        const struct shape_step *step)
{
    const struct doc_entry *seen[SCHEMA_FIELDS_MAX] = { NULL };
    struct doc_builder builder;
    bool has_faults = false;
    struct doc fields;

    assert(doc_is_map(doc));
    doc_builder_init(&builder, shape->arena);
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];
        struct shape_step entry_step = { .outer = step, .key = entry->key };

        size_t kept = builder.count;

        if (!shape_field(shape, owner, entry, &entry_step, seen, &builder)) {
            shape_unknown_field(shape, owner, entry, &entry_step);
        }
        has_faults = has_faults || builder.count == kept;
    }
    if (!has_faults) {
        shape_value_whole_check(shape, owner, doc, step, seen);
    }
    if (owner == OWNER_VOLUME || owner == OWNER_BOOTSTRAP || owner == OWNER_STAGE ||
        owner == OWNER_FROM_CLUSTER || owner == OWNER_FROM_GROUP) {
        nulls_drop(&builder);
    }
    fields = doc_builder_map(&builder, doc);
    fields.has_faults = has_faults;
    return fields;
}

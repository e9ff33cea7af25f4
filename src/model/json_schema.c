#include "model/json_schema.h"

#include "base/limits.h"

#include <assert.h>

/* Each owner of fields becomes one definition under $defs, to which fields refer. */

struct writing {
    struct arena *arena;
};

static struct doc json_schema_text_doc(const char *text)
{
    return doc_text(text_from(text), NULL);
}

/* Make {"KEY": VALUE}. */
static struct doc one_entry(struct writing *writing, const char *key, struct doc value)
{
    struct doc_builder builder;

    doc_builder_init(&builder, writing->arena);
    doc_builder_put(&builder, key, value);
    return doc_builder_map(&builder, NULL);
}

/* Make {"anyOf": [a, b]}. */
static struct doc any_of(struct writing *writing, struct doc a, struct doc b)
{
    struct doc *items = arena_array(writing->arena, struct doc, 2);

    items[0] = a;
    items[1] = b;
    return one_entry(writing, "anyOf", doc_list(items, 2, NULL));
}

static struct doc type_named(struct writing *writing, const char *name)
{
    return one_entry(writing, "type", json_schema_text_doc(name));
}

static struct doc reference(struct writing *writing, const char *name)
{
    return one_entry(writing, "$ref",
                     doc_text(arena_printf(writing->arena, "#/$defs/%s", name), NULL));
}

/* Return the key of an owner under $defs: its path in `reeve explain`. */
static struct doc owner_reference(struct writing *writing, enum schema_owner owner)
{
    return reference(writing, schema_owner_path(owner));
}

/* Text in any plain spelling: `version: 1.10` is a text to reeve and a number to an editor. */
static struct doc text_type(struct writing *writing)
{
    struct doc *items = arena_array(writing->arena, struct doc, 3);

    items[0] = json_schema_text_doc("string");
    items[1] = json_schema_text_doc("number");
    items[2] = json_schema_text_doc("boolean");
    return one_entry(writing, "type", doc_list(items, 3, NULL));
}

static struct doc int_type(struct writing *writing, const struct schema_type *type)
{
    struct doc_builder builder;

    doc_builder_init(&builder, writing->arena);
    doc_builder_put(&builder, "type", json_schema_text_doc("integer"));
    doc_builder_put(&builder, "minimum", doc_int(writing->arena, type->min, NULL));
    doc_builder_put(&builder, "maximum", doc_int(writing->arena, type->max, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct doc type_word(struct writing *writing, const struct schema_type *type)
{
    struct doc items[64];
    struct doc *copies;
    size_t count = 0;

    while (schema_word_at(type, count).length > 0) {
        assert(count < ARRAY_COUNT(items));
        items[count] = doc_text(schema_word_at(type, count), NULL);
        count++;
    }
    copies = arena_array(writing->arena, struct doc, count);
    for (size_t i = 0; i < count; i++) {
        copies[i] = items[i];
    }
    return one_entry(writing, "enum", doc_list(copies, count, NULL));
}

static struct doc pattern_type(struct writing *writing, const char *pattern)
{
    struct doc_builder builder;

    doc_builder_init(&builder, writing->arena);
    doc_builder_put(&builder, "type", json_schema_text_doc("string"));
    doc_builder_put(&builder, "pattern", json_schema_text_doc(pattern));
    return doc_builder_map(&builder, NULL);
}

static struct doc one_type(struct writing *writing, const struct schema_type *type)
{
    switch (type->kind) {
    case TYPE_TEXT:
        return text_type(writing);
    case TYPE_INT:
        return int_type(writing, type);
    case TYPE_BOOL:
        return type_named(writing, "boolean");
    case TYPE_WORD:
        return type_word(writing, type);
    case TYPE_SIZE:
        return type->unit == NULL
                   ? pattern_type(writing, "^[0-9]+([kMGT]?B|[KMGT]iB)$")
                   : any_of(writing, pattern_type(writing, "^[0-9]+([kMGT]?B|[KMGT]iB)?$"),
                            type_named(writing, "integer"));
    case TYPE_DURATION:
        return pattern_type(writing, "^([0-9]+(ms|[smhd]))+$");
    case TYPE_SHARE:
        return any_of(writing, type_named(writing, "integer"), pattern_type(writing, "^[0-9]+%?$"));
    case TYPE_OBJECT:
        return owner_reference(writing, type->owner);
    case TYPE_OPAQUE:
        return type_named(writing, "object");
    case TYPE_GROUPS:
        return reference(writing, "groups");
    case TYPE_KIND_COUNT:
        break;
    }
    assert(false);
    return (struct doc){ 0 };
}

static struct doc field_type(struct writing *writing, const struct schema_field *field)
{
    struct doc one = one_type(writing, &field->type);
    struct doc_builder builder;
    struct doc shaped = one;

    if (field->type.shape != SHAPE_ONE) {
        bool is_list = field->type.shape == SHAPE_LIST;
        bool is_open = field->type.shape == SHAPE_MAP; /* null may drop entries */

        doc_builder_init(&builder, writing->arena);
        doc_builder_put(&builder, "type", json_schema_text_doc(is_list ? "array" : "object"));
        doc_builder_put(&builder, is_list ? "items" : "additionalProperties",
                        is_open ? any_of(writing, one, type_named(writing, "null")) : one);
        if (field->type.max > 0) {
            doc_builder_put(&builder, is_list ? "maxItems" : "maxProperties",
                            doc_int(writing->arena, field->type.max, NULL));
        }
        if (field->type.is_set) {
            doc_builder_put(&builder, "uniqueItems", doc_bool(true, NULL));
        }
        shaped = doc_builder_map(&builder, NULL);
    }
    shaped = any_of(writing, shaped, type_named(writing, "null"));
    doc_builder_init(&builder, writing->arena);
    for (size_t i = 0; i < shaped.entry_count; i++) {
        doc_builder_add(&builder, &shaped.entries[i]);
    }
    doc_builder_put(&builder, "description", json_schema_text_doc(field->help));
    if (field->default_text[0] != '\0') {
        doc_builder_put(&builder, "default", json_schema_text_doc(field->default_text));
    }
    return doc_builder_map(&builder, NULL);
}

/* Put a field under its own name and under each alias. */
static void json_schema_field_put(struct writing *writing, struct doc_builder *properties,
                                  const struct schema_field *field)
{
    struct doc type = field_type(writing, field);
    struct text aliases = text_from(field->aliases);

    doc_builder_put(properties, field->name, type);
    while (aliases.length > 0) {
        size_t end = text_find_byte(aliases, ' ');
        char *alias = arena_string(writing->arena, text_slice(aliases, 0, end));

        doc_builder_put(properties, alias, type);
        aliases = end == SIZE_MAX ? TEXT("") : text_slice(aliases, end + 1, aliases.length);
    }
}

/* True if no other layer, but only the document itself, can provide this field. */
static bool is_always_needed(const struct schema_field *field, enum schema_owner owner)
{
    bool is_document = owner <= OWNER_SECRET || owner == OWNER_BUDGET;
    bool is_name = text_is(text_from(field->name), "name");

    return field->is_required &&
           (owner == OWNER_VOLUME ||
            (is_document && (is_name || owner == OWNER_ACCOUNT || owner == OWNER_SECRET)));
}

static struct doc owner_schema(struct writing *writing, enum schema_owner owner)
{
    struct doc_builder properties;
    struct doc_builder builder;
    struct doc needed[SCHEMA_FIELDS_MAX];
    struct doc *required;
    size_t needed_count = 0;
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    doc_builder_init(&properties, writing->arena);
    for (size_t i = 0; i < count; i++) {
        if (schema_has_owner(&fields[i], owner) && schema_is_usable(fields[i].since)) {
            json_schema_field_put(writing, &properties, &fields[i]);
            if (is_always_needed(&fields[i], owner)) {
                needed[needed_count++] = json_schema_text_doc(fields[i].name);
            }
        }
    }
    if (owner <= OWNER_SECRET || owner == OWNER_BUDGET) {
        doc_builder_put(&properties, "kind", type_named(writing, "string"));
    }
    required = arena_array(writing->arena, struct doc, needed_count);
    for (size_t i = 0; i < needed_count; i++) {
        required[i] = needed[i];
    }
    doc_builder_init(&builder, writing->arena);
    doc_builder_put(&builder, "type", json_schema_text_doc("object"));
    doc_builder_put(&builder, "properties", doc_builder_map(&properties, NULL));
    if (needed_count > 0) {
        doc_builder_put(&builder, "required", doc_list(required, needed_count, NULL));
    }
    /* any other key of a group may hold a bare sub-group */
    doc_builder_put(&builder, "additionalProperties",
                    owner == OWNER_GROUP ? any_of(writing, owner_reference(writing, OWNER_GROUP),
                                                  type_named(writing, "null"))
                                         : doc_bool(false, NULL));
    return doc_builder_map(&builder, NULL);
}

/* Make the schema of a mapping of names to groups, or of a list of groups with names. */
static struct doc groups_schema(struct writing *writing)
{
    struct doc_builder mapping;
    struct doc_builder list;
    struct doc group = owner_reference(writing, OWNER_GROUP);

    doc_builder_init(&mapping, writing->arena);
    doc_builder_put(&mapping, "type", json_schema_text_doc("object"));
    doc_builder_put(&mapping, "additionalProperties",
                    any_of(writing, group, type_named(writing, "null")));
    doc_builder_init(&list, writing->arena);
    doc_builder_put(&list, "type", json_schema_text_doc("array"));
    doc_builder_put(&list, "items", type_named(writing, "object"));
    return any_of(writing, doc_builder_map(&mapping, NULL), doc_builder_map(&list, NULL));
}

static bool is_usable_document(const struct schema_kind *kind)
{
    return kind->is_in_files && schema_is_usable(kind->since);
}

/* Make the schema of one document. Its `kind` selects the kind; without it, it is a cluster. */
static struct doc documents_schema(struct writing *writing)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);
    struct doc *items = arena_array(writing->arena, struct doc, count);
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        struct doc_builder when;
        struct doc_builder item;
        struct doc name = one_entry(writing, "const", json_schema_text_doc(kinds[i].name));
        struct doc *needed = arena_one(writing->arena, struct doc);

        if (!is_usable_document(&kinds[i])) {
            continue;
        }
        *needed = json_schema_text_doc("kind");
        doc_builder_init(&when, writing->arena);
        doc_builder_put(&when, "properties", one_entry(writing, "kind", name));
        if (kinds[i].owner != OWNER_CLUSTER) {
            doc_builder_put(&when, "required", doc_list(needed, 1, NULL));
        }
        doc_builder_init(&item, writing->arena);
        doc_builder_put(&item, "if", doc_builder_map(&when, NULL));
        doc_builder_put(&item, "then", owner_reference(writing, kinds[i].owner));
        items[used++] = doc_builder_map(&item, NULL);
    }
    return one_entry(writing, "allOf", doc_list(items, used, NULL));
}

struct doc json_schema_make(struct arena *arena, const struct schema_kind *kind)
{
    struct writing writing = { arena };
    struct doc_builder definitions;
    struct doc_builder builder;
    struct doc root;

    assert(kind == NULL || is_usable_document(kind));
    doc_builder_init(&definitions, arena);
    for (int owner = 0; owner < OWNER_COUNT; owner++) {
        if (owner != OWNER_CONFIG) { /* not usable in this version */
            doc_builder_put(&definitions, schema_owner_path((enum schema_owner)owner),
                            owner_schema(&writing, (enum schema_owner)owner));
        }
    }
    doc_builder_put(&definitions, "groups", groups_schema(&writing));
    root = kind == NULL ? documents_schema(&writing) : owner_reference(&writing, kind->owner);
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < root.entry_count; i++) {
        doc_builder_add(&builder, &root.entries[i]);
    }
    doc_builder_put(&builder, "$schema",
                    json_schema_text_doc("https://json-schema.org/draft/2020-12/schema"));
    doc_builder_put(&builder, "title",
                    json_schema_text_doc(kind == NULL ? "a document of reeve" : kind->name));
    doc_builder_put(&builder, "$defs", doc_builder_map(&definitions, NULL));
    return doc_builder_map(&builder, NULL);
}

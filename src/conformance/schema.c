#include "codec/json.h"
#include "codec/yaml.h"
#include "conformance/conformance_parts.h"
#include "model/properties.h"
#include "reeve/plugin.h"

#include <assert.h>
#include <stdio.h>

/* Tests the table of properties: whether it is consistent, the smallest properties that it accepts,
 * and the properties that it rejects. */

static const struct wire_property *schema_property_at(const struct wire_hello *hello, size_t i)
{
    return wire_item(hello->properties, const struct wire_property, i);
}

/* Reads a value as written in a file. */
static bool schema_value_read(struct arena *arena, const struct wire_property *property,
                              struct text text, struct doc *out)
{
    struct yaml_docs docs;
    struct err err;

    if (property->type == REEVE_TYPE_TEXT) {
        *out = doc_text(text, NULL);
        return true;
    }
    if (!yaml_parse(arena, text, NULL, &docs, &err) || docs.count != 1) {
        return false;
    }
    *out = docs.items[0];
    return true;
}

static void schema_own_put(struct doc_builder *builder, struct text name, struct doc value)
{
    doc_builder_add(builder, &(struct doc_entry){ .key = name, .value = value });
}

/* Returns {resourceProperties: own}. */
static struct doc leaf_of(struct arena *arena, const struct doc *own)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "resourceProperties", *own);
    return doc_builder_map(&builder, NULL);
}

/* Returns whether the table accepts this value, ignoring missing properties. */
MUST_CHECK static bool value_is_taken(struct arena *arena, const struct wire_hello *hello,
                                      const struct wire_property *property, struct doc value,
                                      struct err *err)
{
    struct wire_property one = *property;
    struct wire_hello alone = *hello;
    struct err_list errors;
    struct doc_builder builder;
    struct doc leaf;
    struct doc own;

    one.flags = 0;
    alone.properties = (struct wire_list){ &one, 1 };
    doc_builder_init(&builder, arena);
    schema_own_put(&builder, property->name, value);
    own = doc_builder_map(&builder, NULL);
    leaf = leaf_of(arena, &own);
    err_list_init(&errors, arena);
    properties_check(&alone, &leaf, (struct place){ 0 }, &errors);
    if (errors.errors > 0) {
        *err = errors.items[0];
    }
    return errors.errors == 0;
}

/* ---- consistency of the table ---- */

struct looking {
    struct arena *arena;
    struct conformance_about *about;
    struct text *faults;
};

static void schema_fault_add(struct looking *looking, struct text fault)
{
    if (looking->about->fault_count < LIMIT_HOST_FAULTS) {
        looking->faults[looking->about->fault_count++] = fault;
    }
}

static void written_look(struct looking *looking, const struct wire_property *property,
                         const char *what, struct text text)
{
    struct err err = { 0 };
    struct doc value;

    if (text.length == 0) {
        return;
    }
    if (!schema_value_read(looking->arena, property, text, &value)) {
        schema_fault_add(looking, arena_printf(looking->arena,
                                               "the %s of '%.*s' is not a valid value: "
                                               "%.*s",
                                               what, TEXT_ARG(property->name), TEXT_ARG(text)));
    } else if (!value_is_taken(looking->arena, &looking->about->hello, property, value, &err)) {
        schema_fault_add(looking,
                         arena_printf(looking->arena,
                                      "the %s of '%.*s' breaks the rules of its own property: %s",
                                      what, TEXT_ARG(property->name), err.text));
    }
}

static void bounds_look(struct looking *looking, const struct wire_property *property)
{
    bool is_counted = property->type == REEVE_TYPE_INTEGER || property->type == REEVE_TYPE_SIZE;

    if (property->least > property->most) {
        schema_fault_add(looking,
                         arena_printf(looking->arena, "the minimum of '%.*s' is above its maximum",
                                      TEXT_ARG(property->name)));
    }
    if ((property->least != 0 || property->most != 0) && !is_counted) {
        schema_fault_add(
            looking,
            arena_printf(looking->arena,
                         "'%.*s' has bounds but is neither integer nor size: they have no effect",
                         TEXT_ARG(property->name)));
    }
}

static void twice_look(struct looking *looking, size_t i)
{
    const struct wire_hello *hello = &looking->about->hello;
    const struct wire_property *property = schema_property_at(hello, i);

    for (size_t j = 0; j < i; j++) {
        const struct wire_property *other = schema_property_at(hello, j);

        if (text_is_equal(other->name, property->name)) {
            schema_fault_add(looking, arena_printf(looking->arena, "'%.*s' appears twice",
                                                   TEXT_ARG(property->name)));
        } else if (property->role != REEVE_ROLE_NONE && other->role == property->role) {
            schema_fault_add(looking,
                             arena_printf(looking->arena,
                                          "'%.*s' and '%.*s' both have the role of the portable "
                                          "field %s",
                                          TEXT_ARG(other->name), TEXT_ARG(property->name),
                                          properties_portable(property->role)));
        }
    }
}

static void capability_look(struct looking *looking, uint64_t capability, uint64_t role)
{
    const struct wire_hello *hello = &looking->about->hello;
    bool has_role = false;

    for (size_t i = 0; i < hello->properties.count; i++) {
        has_role |= schema_property_at(hello, i)->role == role;
    }
    if ((hello->capabilities & capability) != 0 && !has_role) {
        schema_fault_add(
            looking,
            arena_printf(looking->arena,
                         "the plugin declares that it can make %s, but no property has that role",
                         properties_portable(role)));
    }
}

void schema_look(struct arena *arena, struct conformance_about *about)
{
    struct looking looking = { arena, about, arena_array(arena, struct text, LIMIT_HOST_FAULTS) };

    for (size_t i = 0; i < about->hello.properties.count; i++) {
        const struct wire_property *property = schema_property_at(&about->hello, i);

        twice_look(&looking, i);
        bounds_look(&looking, property);
        written_look(&looking, property, "default", property->initial);
        written_look(&looking, property, "example", property->example);
    }
    capability_look(&looking, REEVE_CAN_VOLUMES, REEVE_ROLE_VOLUMES);
    capability_look(&looking, REEVE_CAN_NETWORK, REEVE_ROLE_NETWORK);
    about->faults = looking.faults;
}

/* ---- the smallest properties ---- */

/* Gets a value for a required property. Properties with a default need no value, because the
 * default is filled in. */
static bool required_value(struct arena *arena, const struct wire_property *property,
                           struct doc *out)
{
    size_t bar = text_find_byte(property->choices, '|');

    if (property->example.length > 0) {
        return schema_value_read(arena, property, property->example, out);
    }
    if (property->choices.length > 0) {
        return schema_value_read(arena, property, text_slice(property->choices, 0, bar), out);
    }
    if ((property->least != 0 || property->most != 0) &&
        (property->type == REEVE_TYPE_INTEGER || property->type == REEVE_TYPE_SIZE)) {
        *out = doc_int(arena, property->least, NULL);
        return true;
    }
    return false;
}

static struct text canonical(struct arena *arena, const struct wire_hello *hello,
                             const struct doc *own)
{
    struct doc leaf = leaf_of(arena, own);
    struct doc more = { 0 };
    struct doc made = properties_make(arena, hello, &leaf, &more);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &made);
    return buf_text(&buf);
}

bool schema_smallest(struct arena *arena, const struct wire_hello *hello, const struct doc *given,
                     struct doc *out_own, struct text *out_json, struct err *err)
{
    struct err_list errors;
    struct doc_builder builder;
    struct doc leaf;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < hello->properties.count; i++) {
        const struct wire_property *property = schema_property_at(hello, i);
        struct doc value;

        if ((property->flags & REEVE_PROPERTY_REQUIRED) != 0 &&
            (property->initial.length > 0
                 ? schema_value_read(arena, property, property->initial, &value)
                 : required_value(arena, property, &value))) {
            schema_own_put(&builder, property->name, value);
        }
    }
    for (size_t i = 0; doc_is_map(given) && i < given->entry_count; i++) {
        doc_builder_add(&builder, &given->entries[i]);
    }
    *out_own = doc_builder_map(&builder, NULL);
    leaf = leaf_of(arena, out_own);
    err_list_init(&errors, arena);
    properties_check(hello, &leaf, (struct place){ 0 }, &errors);
    if (errors.errors > 0) {
        err_set(err, CODE_R0621, "%s", errors.items[0].text);
        err_place(err, errors.items[0].place);
        return err_hint(err, "set the properties of the test's machines with --set NAME=VALUE or "
                             "--properties FILE");
    }
    *out_json = canonical(arena, hello, out_own);
    return true;
}

/* ---- invalid properties ---- */

enum wrong { WRONG_MISSING, WRONG_TYPE, WRONG_BELOW, WRONG_ABOVE, WRONG_CHOICE, WRONG_COUNT };

/* Gets a value that is invalid in this way. Returns false if this property cannot be invalid in
 * this way. */
static bool wrong_value(struct arena *arena, const struct wire_property *property, enum wrong wrong,
                        struct doc *out, const char **words)
{
    bool is_counted = property->type == REEVE_TYPE_INTEGER || property->type == REEVE_TYPE_SIZE;
    bool has_bounds = is_counted && (property->least != 0 || property->most != 0);

    switch (wrong) {
    case WRONG_MISSING:
        *words = "nothing";
        return (property->flags & REEVE_PROPERTY_REQUIRED) != 0 && property->initial.length == 0;
    case WRONG_TYPE:
        *words = "a value of the wrong type";
        *out = property->type == REEVE_TYPE_TEXT || property->type == REEVE_TYPE_LIST ||
                       property->type == REEVE_TYPE_TEXTS
                   ? doc_map(NULL, 0, NULL)
                   : doc_text(TEXT("no such value"), NULL);
        return property->type != REEVE_TYPE_ANY;
    case WRONG_BELOW:
        *words = "below its minimum";
        *out = doc_int(arena, has_bounds ? property->least - 1 : 0, NULL);
        return has_bounds && property->least > INT64_MIN &&
               (property->type == REEVE_TYPE_INTEGER || property->least > 0);
    case WRONG_ABOVE:
        *words = "above its maximum";
        *out =
            doc_int(arena, has_bounds && property->most < INT64_MAX ? property->most + 1 : 0, NULL);
        return has_bounds && property->most < INT64_MAX;
    case WRONG_CHOICE:
        *words = "none of its choices";
        *out = doc_text(TEXT("no-such-choice"), NULL);
        return property->choices.length > 0;
    case WRONG_COUNT:
        break;
    }
    return false;
}

static struct doc own_with(struct arena *arena, const struct doc *own, struct text name,
                           const struct doc *value)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < own->entry_count; i++) {
        if (!text_is_equal(own->entries[i].key, name)) {
            doc_builder_add(&builder, &own->entries[i]);
        }
    }
    if (doc_is_present(value)) {
        schema_own_put(&builder, name, *value);
    }
    return doc_builder_map(&builder, NULL);
}

bool schema_wrong(struct arena *arena, const struct wire_hello *hello, const struct doc *own,
                  size_t i, struct text *out_json, struct text *out_words)
{
    assert(doc_is_map(own));
    for (size_t at = 0; at < hello->properties.count * WRONG_COUNT; at++) {
        const struct wire_property *property = schema_property_at(hello, at / WRONG_COUNT);
        struct doc value = { 0 };
        const char *words;
        struct doc changed;
        struct doc leaf;
        struct err_list errors;

        if (!wrong_value(arena, property, (enum wrong)(at % WRONG_COUNT), &value, &words)) {
            continue;
        }
        changed = own_with(arena, own, property->name, &value);
        leaf = leaf_of(arena, &changed);
        err_list_init(&errors, arena);
        properties_check(hello, &leaf, (struct place){ 0 }, &errors);
        if (errors.errors == 0 || i-- > 0) { /* only properties that the manager rejects as well */
            continue;
        }
        *out_json = canonical(arena, hello, &changed);
        *out_words = arena_printf(arena, "%s for '%.*s'", words, TEXT_ARG(property->name));
        return true;
    }
    return false;
}

#include "model/properties.h"

#include "base/limits.h"
#include "base/suggest.h"
#include "model/scalar.h"
#include "model/set.h"
#include "reeve/plugin.h"

#include <assert.h>
#include <stdio.h>

#define OWN_FIELD "resourceProperties"

/* ---- roles ---- */

const char *properties_portable(uint64_t role)
{
    static const char *const fields[] = {
        [REEVE_ROLE_IMAGE] = "image",     [REEVE_ROLE_MACHINE_SIZE] = "machineSize",
        [REEVE_ROLE_VOLUMES] = "volumes", [REEVE_ROLE_SUBNET] = "subnet",
        [REEVE_ROLE_USER] = "user",       [REEVE_ROLE_SECURITY_GROUPS] = "securityGroups",
        [REEVE_ROLE_OWNER] = "owner",     [REEVE_ROLE_SSH_KEY] = "sshKey",
        [REEVE_ROLE_DRIVER] = "driver",   [REEVE_ROLE_NETWORK] = "network",
    };

    return role < ARRAY_COUNT(fields) ? fields[role] : NULL;
}

static const struct wire_property *properties_property_at(const struct wire_hello *plugin, size_t i)
{
    return wire_item(plugin->properties, const struct wire_property, i);
}

static const struct wire_property *property_find(const struct wire_hello *plugin, struct text name)
{
    for (size_t i = 0; i < plugin->properties.count; i++) {
        if (text_is_equal(properties_property_at(plugin, i)->name, name)) {
            return properties_property_at(plugin, i);
        }
    }
    return NULL;
}

static const struct wire_property *role_find(const struct wire_hello *plugin, uint64_t role)
{
    for (size_t i = 0; i < plugin->properties.count; i++) {
        if (properties_property_at(plugin, i)->role == role) {
            return properties_property_at(plugin, i);
        }
    }
    return NULL;
}

bool properties_has_role(const struct wire_hello *plugin, uint64_t role)
{
    return role_find(plugin, role) != NULL;
}

/* ---- construction ---- */

static void properties_value_add(struct doc_builder *builder, struct text key, struct doc value)
{
    doc_builder_add(builder, &(struct doc_entry){ .key = key, .value = value });
}

/* Convert a size to bytes. A bare number is in GB for a volume (FILE.md 3), else in bytes. */
static struct doc size_doc(struct arena *arena, const struct doc *value, const char *unit)
{
    uint64_t bytes;

    if (doc_is_scalar(value) && scalar_parse_size(value->text, unit, &bytes) &&
        bytes <= INT64_MAX) {
        return doc_int(arena, (int64_t)bytes, value);
    }
    return *value;
}

static struct doc volume_doc(struct arena *arena, const struct doc *volume)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < volume->entry_count; i++) {
        const struct doc_entry *entry = &volume->entries[i];
        struct doc value =
            text_is(entry->key, "size") ? size_doc(arena, &entry->value, "GB") : entry->value;

        properties_value_add(&builder, entry->key, value);
    }
    return doc_builder_map(&builder, volume);
}

static struct doc volumes_doc(struct arena *arena, const struct doc *volumes)
{
    struct doc *items;

    if (!doc_is_list(volumes)) {
        return *volumes;
    }
    items = arena_array(arena, struct doc, volumes->item_count);
    for (size_t i = 0; i < volumes->item_count; i++) {
        items[i] = doc_is_map(&volumes->items[i]) ? volume_doc(arena, &volumes->items[i])
                                                  : volumes->items[i];
    }
    return doc_list(items, volumes->item_count, volumes);
}

/* Convert a value to the form for the plugin: every size is in bytes, at any depth. */
static struct doc properties_value_doc(struct arena *arena, const struct wire_property *property,
                                       const struct doc *value)
{
    if (property->role == REEVE_ROLE_VOLUMES) {
        return volumes_doc(arena, value);
    }
    return property->type == REEVE_TYPE_SIZE ? size_doc(arena, value, "B") : *value;
}

static struct doc initial_doc(const struct wire_property *property)
{
    bool is_text = property->type == REEVE_TYPE_TEXT;

    return is_text ? doc_text(property->initial, NULL) : doc_plain(property->initial, NULL);
}

static const struct doc *portable_find(const struct doc *leaf, const struct doc *more,
                                       uint64_t role)
{
    const char *field = properties_portable(role);
    const struct doc *value = field == NULL ? NULL : doc_child(leaf, field);

    return field == NULL || doc_is_present(value) ? value : doc_child(more, field);
}

/* A value that the schema does not know is kept unchanged, because it was checked before, perhaps
 * by another version. */
struct doc properties_make(struct arena *arena, const struct wire_hello *plugin,
                           const struct doc *leaf, const struct doc *more)
{
    const struct doc *own = doc_child(leaf, OWN_FIELD);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; doc_is_map(own) && i < own->entry_count; i++) {
        const struct wire_property *property = property_find(plugin, own->entries[i].key);
        const struct doc *value = &own->entries[i].value;

        properties_value_add(&builder, own->entries[i].key,
                             property == NULL ? *value
                                              : properties_value_doc(arena, property, value));
    }
    for (size_t i = 0; i < plugin->properties.count; i++) {
        const struct wire_property *property = properties_property_at(plugin, i);
        const struct doc *portable = portable_find(leaf, more, property->role);
        struct doc value;

        if (doc_is_present(doc_find(own, property->name))) {
            continue;
        }
        if (!doc_is_present(portable) && property->initial.length == 0) {
            continue;
        }
        value = doc_is_present(portable) ? *portable : initial_doc(property);
        properties_value_add(&builder, property->name,
                             properties_value_doc(arena, property, &value));
    }
    return doc_builder_map(&builder, own);
}

/* ---- checks ---- */

struct judging {
    const struct wire_hello *plugin;
    struct place place; /* position of the group; unknown for the stored state */
    struct err_list *errors;
};

static struct err *properties_fault(const struct judging *judging, enum code code, const char *what)
{
    return err_list_set(judging->errors, (struct place){ 0 }, code, "%s", what);
}

static struct err *value_fault(const struct judging *judging, const struct doc *value,
                               enum code code, const char *what)
{
    struct err *err = properties_fault(judging, code, what);

    model_blame(err, value);
    err_place(err, judging->place);
    return err;
}

static struct err *entry_fault(const struct judging *judging, const struct doc_entry *entry,
                               enum code code, const char *what)
{
    struct err *err = properties_fault(judging, code, what);

    err_place(err, model_place(entry));
    err_place(err, judging->place);
    return err;
}

static const char *type_words(uint64_t type)
{
    static const char *const words[] = {
        [REEVE_TYPE_TEXT] = "a text",           [REEVE_TYPE_INTEGER] = "an integer",
        [REEVE_TYPE_BOOLEAN] = "true or false", [REEVE_TYPE_SIZE] = "a size such as 512MiB",
        [REEVE_TYPE_TEXTS] = "a list of texts", [REEVE_TYPE_MAP] = "a mapping",
        [REEVE_TYPE_LIST] = "a list",           [REEVE_TYPE_ANY] = "anything",
        [REEVE_TYPE_NUMBER] = "a number",
    };

    return type < ARRAY_COUNT(words) ? words[type] : "something";
}

static bool is_texts(const struct doc *value)
{
    for (size_t i = 0; doc_is_list(value) && i < value->item_count; i++) {
        if (!doc_is_scalar(&value->items[i])) {
            return false;
        }
    }
    return doc_is_list(value);
}

static bool type_fits(const struct doc *value, uint64_t type)
{
    uint64_t bytes;

    switch (type) {
    case REEVE_TYPE_TEXT:
        return doc_is_scalar(value) && !doc_is_null(value);
    case REEVE_TYPE_INTEGER:
        return doc_is_scalar(value) && doc_core_type(value) == DOC_TYPE_INT;
    case REEVE_TYPE_NUMBER:
        return doc_is_scalar(value) &&
               (doc_core_type(value) == DOC_TYPE_INT || doc_core_type(value) == DOC_TYPE_FLOAT);
    case REEVE_TYPE_BOOLEAN:
        return doc_is_scalar(value) && doc_core_type(value) == DOC_TYPE_BOOL;
    case REEVE_TYPE_SIZE:
        return doc_is_scalar(value) && scalar_parse_size(value->text, "B", &bytes);
    case REEVE_TYPE_TEXTS:
        return is_texts(value);
    case REEVE_TYPE_MAP:
        return doc_is_map(value);
    case REEVE_TYPE_LIST:
        return doc_is_list(value);
    default:
        return true;
    }
}

/* True if the word is one of the choices, which are separated by bars. */
static bool is_choice(struct text choices, struct text word, struct suggest *suggest)
{
    while (choices.length > 0) {
        size_t bar = text_find_byte(choices, '|');
        struct text choice = text_slice(choices, 0, bar);

        if (text_is_equal(choice, word)) {
            return true;
        }
        suggest_offer(suggest, choice);
        choices = text_slice(choices, choice.length + 1, choices.length);
    }
    return false;
}

static void properties_choice_check(const struct judging *judging,
                                    const struct wire_property *property, const struct doc *value)
{
    struct suggest suggest = suggest_start(value->text);
    struct text best;
    struct err *err;
    char what[LIMIT_ERROR_TEXT_BYTES];

    if (property->choices.length == 0 || is_choice(property->choices, value->text, &suggest)) {
        return;
    }
    snprintf(what, sizeof(what), "'%.*s' is not a value of '%.*s' of plugin %.*s; allowed are %.*s",
             TEXT_ARG(value->text), TEXT_ARG(property->name), TEXT_ARG(judging->plugin->name),
             TEXT_ARG(property->choices));
    err = value_fault(judging, value, CODE_R0307, what);
    best = suggest_best(&suggest);
    if (best.length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(best));
    }
}

static void properties_bounds_check(const struct judging *judging,
                                    const struct wire_property *property, const struct doc *value)
{
    char what[LIMIT_ERROR_TEXT_BYTES];
    uint64_t bytes = 0;
    int64_t number = 0;

    if (property->least == 0 && property->most == 0) {
        return;
    }
    if (property->type == REEVE_TYPE_SIZE) {
        (void)!scalar_parse_size(value->text, "B", &bytes);
        number = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
    } else if (property->type != REEVE_TYPE_INTEGER || !text_parse_int64(value->text, &number)) {
        return;
    }
    if (number < property->least || number > property->most) {
        snprintf(what, sizeof(what), "'%.*s' of plugin %.*s must be from %lld to %lld%s",
                 TEXT_ARG(property->name), TEXT_ARG(judging->plugin->name),
                 (long long)property->least, (long long)property->most,
                 property->type == REEVE_TYPE_SIZE ? " bytes" : "");
        value_fault(judging, value, CODE_R0305, what);
    }
}

static void properties_value_check(const struct judging *judging,
                                   const struct wire_property *property, const struct doc *value)
{
    char what[LIMIT_ERROR_TEXT_BYTES];

    if (!type_fits(value, property->type)) {
        snprintf(what, sizeof(what), "'%.*s' of plugin %.*s must be %s", TEXT_ARG(property->name),
                 TEXT_ARG(judging->plugin->name), type_words(property->type));
        value_fault(judging, value, CODE_R0302, what);
        return;
    }
    if (doc_is_scalar(value)) {
        properties_choice_check(judging, property, value);
        properties_bounds_check(judging, property, value);
    }
}

static void properties_unknown_report(const struct judging *judging, const struct doc_entry *entry)
{
    struct suggest suggest = suggest_start(entry->key);
    char what[LIMIT_ERROR_TEXT_BYTES];
    struct text best;
    struct err *err;

    for (size_t i = 0; i < judging->plugin->properties.count; i++) {
        suggest_offer(&suggest, properties_property_at(judging->plugin, i)->name);
    }
    best = suggest_best(&suggest);
    snprintf(what, sizeof(what), "unknown field '%.*s' in " OWN_FIELD " of plugin %.*s",
             TEXT_ARG(entry->key), TEXT_ARG(judging->plugin->name));
    err = entry_fault(judging, entry, CODE_R0301, what);
    if (best.length > 0) {
        err_hint(err, "did you mean '%.*s'? reeve explain plugin/%.*s lists its fields",
                 TEXT_ARG(best), TEXT_ARG(judging->plugin->name));
    } else {
        err_hint(err, "reeve explain plugin/%.*s lists its fields",
                 TEXT_ARG(judging->plugin->name));
    }
}

static void own_check(const struct judging *judging, const struct doc *own)
{
    for (size_t i = 0; doc_is_map(own) && i < own->entry_count; i++) {
        const struct doc_entry *entry = &own->entries[i];
        const struct wire_property *property = property_find(judging->plugin, entry->key);

        if (property == NULL) {
            properties_unknown_report(judging, entry);
        } else {
            properties_value_check(judging, property, &entry->value);
        }
    }
}

/* Check a portable field. It is an error if the plugin does not have the field, or if the group
 * also has it in the plugin's own spelling. */
static void portable_check(const struct judging *judging, const struct doc *leaf,
                           const struct doc *own, uint64_t role)
{
    const char *field = properties_portable(role);
    const struct doc_entry *entry = field == NULL ? NULL : doc_entry_find(leaf, text_from(field));
    const struct wire_property *property = role_find(judging->plugin, role);
    const struct doc_entry *second;
    char what[LIMIT_ERROR_TEXT_BYTES];
    struct err *err;

    if (entry == NULL || doc_is_null(&entry->value)) {
        return;
    }
    if (property == NULL) {
        if (role == REEVE_ROLE_OWNER || role == REEVE_ROLE_DRIVER || role == REEVE_ROLE_USER) {
            /* These fields also have other uses than the plugin, or belong to the cluster. */
            return;
        }
        snprintf(what, sizeof(what), "plugin %.*s has no '%s'", TEXT_ARG(judging->plugin->name),
                 field);
        err_hint(
            entry_fault(judging, entry, CODE_R0347, what),
            "leave the field out: it has no effect; reeve explain plugin/%.*s lists the fields of the plugin",
            TEXT_ARG(judging->plugin->name));
        return;
    }
    second = doc_entry_find(own, property->name);
    if (second != NULL) {
        snprintf(what, sizeof(what), "'%s' and " OWN_FIELD ".%.*s set the same property", field,
                 TEXT_ARG(property->name));
        err = entry_fault(judging, second, CODE_R0306, what);
        err->note_place = model_place(entry);
        err_note(err, "'%s' is here", field);
        return;
    }
    if (role != REEVE_ROLE_VOLUMES &&
        role != REEVE_ROLE_NETWORK) { /* reeve's own schema has already checked their form */
        properties_value_check(judging, property, &entry->value);
    }
}

static void properties_required_check(const struct judging *judging, const struct doc *leaf,
                                      const struct doc *own)
{
    for (size_t i = 0; i < judging->plugin->properties.count; i++) {
        const struct wire_property *property = properties_property_at(judging->plugin, i);
        const char *field = properties_portable(property->role);
        char what[LIMIT_ERROR_TEXT_BYTES];

        if ((property->flags & REEVE_PROPERTY_REQUIRED) == 0 ||
            doc_is_present(doc_find(own, property->name)) ||
            (field != NULL && doc_is_present(doc_child(leaf, field)))) {
            continue;
        }
        snprintf(what, sizeof(what), "plugin %.*s needs '%.*s'", TEXT_ARG(judging->plugin->name),
                 TEXT_ARG(property->name));
        err_hint(doc_is_map(own)
                     ? value_fault(judging, own, CODE_R0330, what)
                     : err_list_set(judging->errors, judging->place, CODE_R0330, "%s", what),
                 "%.*s", TEXT_ARG(property->help));
    }
}

void properties_check(const struct wire_hello *plugin, const struct doc *leaf, struct place place,
                      struct err_list *errors)
{
    struct judging judging = { plugin, place, errors };
    const struct doc *own = doc_child(leaf, OWN_FIELD);

    if (plugin->properties.count == 0) {
        return;
    }
    own_check(&judging, own);
    for (uint64_t role = 0; role <= REEVE_ROLE_DRIVER; role++) {
        portable_check(&judging, leaf, own, role);
    }
    properties_required_check(&judging, leaf, own);
}

struct text properties_place(struct arena *arena, const struct wire_hello *plugin,
                             const struct doc *leaf, struct text pointer)
{
    struct text rest = text_slice(pointer, 1, pointer.length);
    struct text name = text_slice(rest, 0, text_find_byte(rest, '/'));
    const struct wire_property *property = property_find(plugin, name);
    const char *field = property == NULL ? NULL : properties_portable(property->role);

    if (field != NULL && !doc_is_present(doc_find(doc_child(leaf, OWN_FIELD), name)) &&
        doc_is_present(doc_child(leaf, field))) {
        return arena_printf(arena, "/%s%.*s", field,
                            TEXT_ARG(text_slice(rest, name.length, rest.length)));
    }
    return arena_printf(arena, "/" OWN_FIELD "%.*s", TEXT_ARG(pointer));
}

size_t properties_in_place(struct arena *arena, const struct wire_hello *plugin,
                           const struct text **out)
{
    const struct wire_property *properties = plugin->properties.items;
    struct text *paths = arena_array(arena, struct text, plugin->properties.count);
    size_t count = 0;

    for (size_t i = 0; i < plugin->properties.count; i++) {
        const char *portable = properties_portable(properties[i].role);

        if ((properties[i].flags & REEVE_PROPERTY_IN_PLACE) != 0) {
            paths[count++] = portable != NULL ? text_from(portable)
                                              : arena_printf(arena, "resourceProperties.%.*s",
                                                             TEXT_ARG(properties[i].name));
        }
    }
    *out = paths;
    return count;
}

bool properties_is_below(struct text path, const struct text *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_has_prefix(path, paths[i]) &&
            (path.length == paths[i].length || path.data[paths[i].length] == '.' ||
             path.data[paths[i].length] == '[')) {
            return true;
        }
    }
    return false;
}

#include "provider/plugin_doc.h"

#include "model/properties.h"
#include "reeve/plugin.h"

static const char *type_name(uint64_t type)
{
    static const char *const names[] = {
        [REEVE_TYPE_TEXT] = "text",       [REEVE_TYPE_INTEGER] = "integer",
        [REEVE_TYPE_BOOLEAN] = "boolean", [REEVE_TYPE_SIZE] = "size",
        [REEVE_TYPE_TEXTS] = "texts",     [REEVE_TYPE_MAP] = "map",
        [REEVE_TYPE_LIST] = "list",       [REEVE_TYPE_ANY] = "any",
        [REEVE_TYPE_NUMBER] = "number",
    };

    return type < ARRAY_COUNT(names) ? names[type] : "any";
}

static void plugin_doc_words_put(struct doc_builder *builder, const char *key, struct text text)
{
    if (text.length > 0) {
        doc_builder_put(builder, key, doc_text(text, NULL));
    }
}

static struct doc property_doc(struct arena *arena, const struct wire_property *property)
{
    const char *field = properties_portable(property->role);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    plugin_doc_words_put(&builder, "name", property->name);
    plugin_doc_words_put(&builder, "type", text_from(type_name(property->type)));
    plugin_doc_words_put(&builder, "field", text_from(field));
    doc_builder_put(&builder, "required",
                    doc_bool((property->flags & REEVE_PROPERTY_REQUIRED) != 0, NULL));
    plugin_doc_words_put(&builder, "default", property->initial);
    plugin_doc_words_put(&builder, "choices", property->choices);
    plugin_doc_words_put(&builder, "example", property->example);
    plugin_doc_words_put(&builder, "help", property->help);
    if (property->least != 0 || property->most != 0) {
        doc_builder_put(&builder, "least", doc_int(arena, property->least, NULL));
        doc_builder_put(&builder, "most", doc_int(arena, property->most, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static struct doc properties_doc(struct arena *arena, const struct wire_hello *hello)
{
    struct doc *items = arena_array(arena, struct doc, hello->properties.count);

    for (size_t i = 0; i < hello->properties.count; i++) {
        items[i] = property_doc(arena, wire_item(hello->properties, const struct wire_property, i));
    }
    return doc_list(items, hello->properties.count, NULL);
}

static struct doc can_doc(struct arena *arena, const struct wire_hello *hello)
{
    static const struct {
        const char *word;
        uint64_t capability;
        uint64_t method;
    } cans[] = {
        { "dispose", REEVE_CAN_DISPOSE, 0 },
        { "hostKeys", REEVE_CAN_HOST_KEYS, 0 },
        { "label", 0, UINT64_C(1) << WIRE_LABEL },
        { "network", REEVE_CAN_NETWORK, 0 },
        { "reboot", 0, UINT64_C(1) << WIRE_REBOOT },
        { "strong", REEVE_CAN_STRONG, 0 },
        { "token", REEVE_CAN_TOKEN, 0 },
        { "validate", 0, UINT64_C(1) << WIRE_VALIDATE },
        { "volumes", REEVE_CAN_VOLUMES, 0 },
    };
    struct doc *items = arena_array(arena, struct doc, ARRAY_COUNT(cans));
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(cans); i++) {
        if ((hello->capabilities & cans[i].capability) != 0 ||
            (hello->methods & cans[i].method) != 0) {
            items[count++] = doc_text(text_from(cans[i].word), NULL);
        }
    }
    return doc_list(items, count, NULL);
}

struct text plugin_doc_contract(struct arena *arena, const struct wire_hello *hello)
{
    return hello->contract == 0
               ? TEXT("")
               : arena_printf(arena, "%llu.%llu", (unsigned long long)(hello->contract >> 16),
                              (unsigned long long)(hello->contract & 0xffff));
}

void plugin_doc_put(struct doc_builder *builder, struct arena *arena,
                    const struct wire_hello *hello)
{
    plugin_doc_words_put(builder, "version", hello->version);
    plugin_doc_words_put(builder, "about", hello->about);
    plugin_doc_words_put(builder, "contract", plugin_doc_contract(arena, hello));
    doc_builder_put(builder, "can", can_doc(arena, hello));
    doc_builder_put(builder, "lag", doc_int(arena, (int64_t)hello->lag_ms, NULL));
    doc_builder_put(builder, "late", doc_int(arena, (int64_t)hello->late_ms, NULL));
    doc_builder_put(
        builder, "scope",
        doc_text((hello->capabilities & REEVE_CAN_HOST) != 0 ? TEXT("host") : TEXT("world"), NULL));
    doc_builder_put(builder, "properties", properties_doc(arena, hello));
}

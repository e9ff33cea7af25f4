#include "records/pins.h"

#include "codec/json.h"
#include "state/objects.h"

static struct text pins_id(struct arena *arena, struct text cluster, struct text group,
                           struct text generation)
{
    return arena_printf(arena, "%.*s/%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(generation),
                        TEXT_ARG(group));
}

struct text pins_key(struct arena *arena, struct text tenant, struct text cluster,
                     struct text group, struct text generation)
{
    return objects_key(arena, tenant, TEXT(PINS_KIND), pins_id(arena, cluster, group, generation),
                       CACHE_BASE);
}

struct text pins_format(struct arena *arena, const struct wire_list *pins)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < pins->count; i++) {
        const struct wire_pair *pin = wire_item(*pins, const struct wire_pair, i);

        doc_builder_add(
            &builder, &(struct doc_entry){ .key = pin->name, .value = doc_text(pin->value, NULL) });
    }
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct wire_list pins_read(struct arena *arena, const struct cache *cache, struct text tenant,
                           struct text cluster, struct text group, struct text generation)
{
    const struct cache_object *object =
        cache_find(cache, tenant, TEXT(PINS_KIND), pins_id(arena, cluster, group, generation));
    struct wire_pair *pins;
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                    &doc, &err) ||
        !doc_is_map(&doc)) {
        return (struct wire_list){ 0 };
    }
    pins = arena_array(arena, struct wire_pair, doc.entry_count);
    for (size_t i = 0; i < doc.entry_count; i++) {
        pins[i] = (struct wire_pair){ doc.entries[i].key, doc.entries[i].value.text };
    }
    return (struct wire_list){ pins, doc.entry_count };
}

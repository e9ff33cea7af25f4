#include "state/holders.h"

#include "codec/json.h"
#include "state/objects.h"

struct text holders_key(struct arena *arena, struct text tenant, struct text cluster)
{
    return objects_key(arena, tenant, TEXT(HOLDERS_KIND), cluster, CACHE_BASE);
}

static size_t holders_room(const struct doc *doc)
{
    size_t room = 0;

    for (size_t i = 0; i < doc->entry_count; i++) {
        room += doc_is_map(&doc->entries[i].value) ? doc->entries[i].value.entry_count : 0;
    }
    return room;
}

struct holders holders_read(struct arena *arena, const struct cache *cache, struct text tenant,
                            struct text cluster)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT(HOLDERS_KIND), cluster);
    struct holders out = { 0 };
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL) {
        return out;
    }
    out.revision = object->parts[CACHE_BASE].revision;
    if (!json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                    &doc, &err) ||
        !doc_is_map(&doc)) {
        return out;
    }
    out.items = arena_array(arena, struct holder, holders_room(&doc) + 1);
    for (size_t i = 0; i < doc.entry_count; i++) {
        const struct doc *tokens = &doc.entries[i].value;

        for (size_t j = 0; doc_is_map(tokens) && j < tokens->entry_count; j++) {
            struct holder holder = { doc.entries[i].key, tokens->entries[j].key, 0 };

            if (doc_is_scalar(&tokens->entries[j].value) &&
                text_parse_int64(tokens->entries[j].value.text, &holder.at_ms)) {
                out.items[out.count++] = holder;
            }
        }
    }
    return out;
}

/* Return the holders of one role as a map from token to time. */
static struct doc holders_of_role(struct arena *arena, const struct holders *holders,
                                  struct text role)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < holders->count; i++) {
        if (text_is_equal(holders->items[i].role, role)) {
            doc_builder_put(&builder, arena_string(arena, holders->items[i].token),
                            doc_int(arena, holders->items[i].at_ms, NULL));
        }
    }
    return doc_builder_map(&builder, NULL);
}

struct text holders_format(struct arena *arena, const struct holders *holders)
{
    struct doc_builder builder;
    struct roles_list done = { 0 };
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < holders->count; i++) {
        struct text role = holders->items[i].role;

        if (!roles_list_has(&done, role)) {
            roles_list_add(arena, &done, role);
            doc_builder_put(&builder, arena_string(arena, role),
                            holders_of_role(arena, holders, role));
        }
    }
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

int64_t holders_find(const struct holders *holders, struct text role, struct text token)
{
    for (size_t i = 0; i < holders->count; i++) {
        if (text_is_equal(holders->items[i].role, role) &&
            text_is_equal(holders->items[i].token, token)) {
            return holders->items[i].at_ms;
        }
    }
    return 0;
}

struct roles_list holders_roles_of(struct arena *arena, const struct holders *holders,
                                   const struct roles_list *listed, struct text token)
{
    struct roles_list roles = *listed;

    for (size_t i = 0; i < holders->count; i++) {
        if (text_is_equal(holders->items[i].token, token)) {
            roles_list_add(arena, &roles, holders->items[i].role);
        }
    }
    return roles;
}

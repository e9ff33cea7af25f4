#include "records/pass_index.h"

#include "base/buf.h"
#include "codec/json.h"

#include <assert.h>

/* public names start with: pass_index_ pass_key */

/* {"chains":[[FIRST,COUNT,PARTS,BYTES,MS],...],"next":N} */

enum { CHAIN_FIELDS = 5 };

static bool pass_index_chain_read(const struct doc *doc, struct pass_chain *out)
{
    int64_t numbers[CHAIN_FIELDS];

    if (!doc_is_list(doc) || doc->item_count != CHAIN_FIELDS) {
        return false;
    }
    for (size_t i = 0; i < CHAIN_FIELDS; i++) {
        if (!doc_is_scalar(&doc->items[i]) || !text_parse_int64(doc->items[i].text, &numbers[i]) ||
            numbers[i] < 0) {
            return false;
        }
    }
    *out = (struct pass_chain){ (uint64_t)numbers[0], (uint64_t)numbers[1], (uint64_t)numbers[2],
                                (uint64_t)numbers[3], (uint64_t)numbers[4] };
    return out->first > 0 && out->count > 0 && out->parts > 0;
}

void pass_index_read(struct arena *arena, const struct cache *cache, struct text tenant,
                     struct text cluster, struct pass_index *out)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT("Pass"), cluster);
    const struct doc *chains;
    const struct doc *next;
    struct doc doc;
    struct err err;
    int64_t number = 0;

    *out = (struct pass_index){ .next = 1 };
    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL ||
        !json_parse(arena, blob_text(object->parts[CACHE_STATUS].bytes), NULL, &doc, &err)) {
        return;
    }
    next = doc_child(&doc, "next");
    if (doc_is_scalar(next) && text_parse_int64(next->text, &number) && number > 0) {
        out->next = (uint64_t)number;
    }
    chains = doc_child(&doc, "chains");
    for (size_t i = 0;
         doc_is_list(chains) && i < chains->item_count && out->count < PASS_INDEX_ROOM; i++) {
        out->count += pass_index_chain_read(&chains->items[i], &out->chains[out->count]);
    }
}

struct text pass_index_format(struct arena *arena, const struct pass_index *index)
{
    struct buf buf;

    assert(index->count <= PASS_INDEX_ROOM);
    buf_init(&buf, arena);
    buf_add_string(&buf, "{\"chains\":[");
    for (size_t i = 0; i < index->count; i++) {
        const struct pass_chain *chain = &index->chains[i];

        buf_printf(&buf, "%s[%llu,%llu,%llu,%llu,%llu]", i == 0 ? "" : ",",
                   (unsigned long long)chain->first, (unsigned long long)chain->count,
                   (unsigned long long)chain->parts, (unsigned long long)chain->bytes,
                   (unsigned long long)chain->wall_ms);
    }
    buf_printf(&buf, "],\"next\":%llu}", (unsigned long long)index->next);
    return buf_text(&buf);
}

const struct pass_chain *pass_index_find(const struct pass_index *index, uint64_t number)
{
    for (size_t i = 0; i < index->count; i++) {
        const struct pass_chain *chain = &index->chains[i];

        if (number >= chain->first && number - chain->first < chain->count) {
            return chain;
        }
    }
    return NULL;
}

/* Make the key of a pass. Numbers have a fixed width, so that the keys sort in numerical order. */
struct text pass_key(struct arena *arena, struct text tenant, struct text cluster, uint64_t number,
                     uint64_t part)
{
    struct text key = arena_printf(arena, "/%.*s/Pass/%.*s/%012llu", TEXT_ARG(tenant),
                                   TEXT_ARG(cluster), (unsigned long long)number);

    return part == 0 ? key
                     : arena_printf(arena, "%.*s/%04llu", TEXT_ARG(key), (unsigned long long)part);
}

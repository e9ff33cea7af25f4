#include "base/buf.h"
#include "base/limits.h"
#include "codec/json.h"
#include "codec/json_member.h"
#include "state/cache_inner.h"

#include <assert.h>
#include <string.h>

/* Traits are the data of a part that a selector can read, packed into one blob: key, NUL, value,
 * NUL, and so on. The traits of a spec are its labels; those of a status are its facts and the
 * fields state and status. They are extracted when a selector first uses them, because most objects
 * are never selected. */

static void trait_add(struct buf *buf, struct text key, struct text value)
{
    buf_add(buf, key);
    buf_add_bytes(buf, '\0', 1);
    buf_add(buf, value);
    buf_add_bytes(buf, '\0', 1);
}

/* Add every scalar of a small map, or a scalar itself under the member's name. */
static void cache_traits_member_add(struct arena *work, struct buf *buf, struct text object,
                                    const char *name)
{
    struct text bytes;
    struct doc doc;
    struct err err;

    if (!json_member_find(object, text_from(name), &bytes) ||
        !json_parse_record(work, bytes, NULL, &doc, &err)) {
        return;
    }
    if (doc_is_scalar(&doc)) {
        trait_add(buf, text_from(name), doc.text);
        return;
    }
    if (!doc_is_map(&doc)) {
        return;
    }
    for (size_t i = 0; i < doc.entry_count; i++) {
        if (doc_is_scalar(&doc.entries[i].value)) {
            trait_add(buf, doc.entries[i].key, doc.entries[i].value.text);
        }
    }
}

void cache_traits_take(struct cache_bytes *bytes, enum cache_part part)
{
    struct arena *work;
    struct text object;
    struct text inner;
    struct buf buf;

    if (bytes->bytes == NULL || bytes->traits != NULL) {
        return;
    }
    work = arena_new(LIMIT_WORK_ARENA_BYTES);
    object = blob_text(bytes->bytes);
    buf_init(&buf, work);
    if (part == CACHE_SPEC) {
        cache_traits_member_add(work, &buf, object, "labels");
        if (json_member_find(object, TEXT("metadata"), &inner)) {
            cache_traits_member_add(work, &buf, inner, "labels");
        }
    } else if (part == CACHE_STATUS) {
        cache_traits_member_add(work, &buf, object, "facts");
        cache_traits_member_add(work, &buf, object, "state");
        cache_traits_member_add(work, &buf, object, "status");
    }
    bytes->traits = blob_new(buf_text(&buf));
    arena_free(work);
}

static bool cache_traits_find(const struct cache_bytes *bytes, struct text key, struct text *out)
{
    struct text rest = bytes->traits == NULL ? TEXT("") : blob_text(bytes->traits);

    while (rest.length > 0) {
        size_t key_end = text_find_byte(rest, '\0');
        struct text behind = text_slice(rest, key_end + 1, rest.length);
        size_t value_end = text_find_byte(behind, '\0');

        assert(key_end != SIZE_MAX && value_end != SIZE_MAX);
        if (text_is_equal(text_slice(rest, 0, key_end), key)) {
            *out = text_slice(behind, 0, value_end);
            return true;
        }
        rest = text_slice(behind, value_end + 1, behind.length);
    }
    return false;
}

static bool part_find(void *arg, struct text key, struct text *out)
{
    const struct cache_bytes *parts = arg;

    return cache_traits_find(&parts[CACHE_SPEC], key, out) ||
           cache_traits_find(&parts[CACHE_STATUS], key, out);
}

bool cache_parts_exist(const struct cache_bytes parts[static CACHE_PART_COUNT])
{
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        if (parts[part].bytes != NULL) {
            return true;
        }
    }
    return false;
}

bool cache_parts_match(const struct selector *selector,
                       struct cache_bytes parts[static CACHE_PART_COUNT])
{
    assert(selector != NULL);
    cache_traits_take(&parts[CACHE_SPEC], CACHE_SPEC);
    cache_traits_take(&parts[CACHE_STATUS], CACHE_STATUS);
    return selector_matches(selector, part_find, parts);
}

bool cache_scope_has(const struct cache_scope *scope, struct text key, struct text kind,
                     struct cache_bytes parts[static CACHE_PART_COUNT])
{
    if (!text_has_prefix(key, scope->prefix) ||
        (scope->kind.length > 0 && !text_is_equal(scope->kind, kind)) ||
        !cache_parts_exist(parts)) {
        return false;
    }
    return scope->selector == NULL || cache_parts_match(scope->selector, parts);
}

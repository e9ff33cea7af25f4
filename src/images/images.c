#include "images/images.h"

#include "base/limits.h"
#include "base/suggest.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/check.h"
#include "state/objects.h"

#include <string.h>

/* ---- references ---- */

bool image_is_tag(struct text value)
{
    enum { TAG_BYTES = 63 };
    bool is_good = value.length > 0 && value.length <= TAG_BYTES;

    for (size_t i = 0; is_good && i < value.length; i++) {
        char byte = value.data[i];
        bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9');

        is_good = is_word || (i > 0 && (byte == '-' || byte == '_' || byte == '.'));
    }
    return is_good;
}

static bool is_image_digest(struct text value)
{
    bool is_good = value.length >= IMAGE_DIGEST_BYTES_MIN && value.length <= IMAGE_DIGEST_BYTES;

    for (size_t i = 0; is_good && i < value.length; i++) {
        char byte = value.data[i];

        is_good = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
    }
    return is_good;
}

bool image_reference_parse(struct text value, struct image_reference *out, struct err *err)
{
    static const char mark[] = "sha256:";
    size_t at = text_find_byte(value, '@');
    size_t colon = text_find_byte(text_slice(value, 0, at), ':');
    struct image_reference parsed = { .name = text_slice(value, 0, colon < at ? colon : at) };
    struct err unused;

    if (at != SIZE_MAX) {
        struct text digest = text_slice(value, at + 1, SIZE_MAX);

        parsed.digest = text_has_prefix(digest, text_from(mark))
                            ? text_slice(digest, sizeof(mark) - 1, SIZE_MAX)
                            : TEXT("-");
    }
    if (colon != SIZE_MAX) {
        parsed.tag = text_slice(value, colon + 1, at == SIZE_MAX ? SIZE_MAX : at - colon - 1);
    }
    if (check_object_name(parsed.name, &unused) &&
        (colon == SIZE_MAX || image_is_tag(parsed.tag)) &&
        (at == SIZE_MAX || is_image_digest(parsed.digest)) &&
        (at == SIZE_MAX || colon == SIZE_MAX)) {
        *out = parsed;
        return true;
    }
    err_set(err, CODE_R0853, "'%.*s' is not the name of an image",
            TEXT_ARG(text_slice(value, 0, LIMIT_TENANT_BYTES)));
    return err_hint(err, "write NAME, NAME:TAG or NAME@sha256:DIGEST");
}

/* ---- records ---- */

struct text image_key(struct arena *arena, struct text tenant, struct text name)
{
    return objects_key(arena, tenant, TEXT(IMAGE_KIND), name, CACHE_BASE);
}

struct text image_format(struct arena *arena, const struct image *image)
{
    struct doc *versions = arena_array(arena, struct doc, image->version_count);
    struct doc_builder builder;
    struct doc_builder tags;
    struct doc doc;
    struct buf buf;

    for (size_t i = 0; i < image->version_count; i++) {
        const struct image_version *version = &image->versions[i];
        struct doc_builder map;

        doc_builder_init(&map, arena);
        doc_builder_put(&map, "at", doc_text(version->at, NULL));
        doc_builder_put(&map, "by", doc_text(version->by, NULL));
        doc_builder_put(&map, "bytes", doc_int(arena, (int64_t)version->bytes, NULL));
        doc_builder_put(&map, "digest", doc_text(version->digest, NULL));
        doc_builder_put(&map, "format", doc_text(version->format, NULL));
        versions[i] = doc_builder_map(&map, NULL);
    }
    doc_builder_init(&tags, arena);
    for (size_t i = 0; i < image->tag_count; i++) {
        doc_builder_put(&tags, arena_string(arena, image->tags[i].name),
                        doc_text(image->tags[i].digest, NULL));
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "tags", doc_builder_map(&tags, NULL));
    doc_builder_put(&builder, "versions", doc_list(versions, image->version_count, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

bool image_object_read(struct arena *arena, const struct cache_object *object, struct image *out)
{
    const struct doc *versions;
    const struct doc *tags;
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                    &doc, &err)) {
        return false;
    }
    *out = (struct image){ .name = arena_text(arena, cache_id(object)),
                           .revision = object->parts[CACHE_BASE].revision };
    versions = doc_child(&doc, "versions");
    for (size_t i = 0; doc_is_list(versions) && i < versions->item_count && i < IMAGE_VERSIONS_MAX;
         i++) {
        const struct doc *item = &versions->items[i];

        out->versions[out->version_count++] = (struct image_version){
            .digest = doc_child_text(item, "digest"),
            .bytes = (uint64_t)doc_child_number(item, "bytes"),
            .format = doc_child_text(item, "format"),
            .at = doc_child_text(item, "at"),
            .by = doc_child_text(item, "by"),
        };
    }
    tags = doc_child(&doc, "tags");
    for (size_t i = 0; doc_is_map(tags) && i < tags->entry_count && i < IMAGE_TAGS_MAX; i++) {
        out->tags[out->tag_count++] =
            (struct image_tag){ tags->entries[i].key, tags->entries[i].value.text };
    }
    return true;
}

bool image_read(struct arena *arena, const struct cache *cache, struct text tenant,
                struct text name, struct image *out)
{
    return image_object_read(arena, cache_find(cache, tenant, TEXT(IMAGE_KIND), name), out);
}

/* ---- versions ---- */

bool image_version_find(const struct image *image, const struct image_reference *reference,
                        struct image_version *out, struct err *err)
{
    struct text digest = reference->digest;
    struct text tag = reference->tag.length > 0 ? reference->tag : TEXT(IMAGE_LATEST);
    size_t found = 0;

    for (size_t i = 0; digest.length == 0 && i < image->tag_count; i++) {
        if (text_is_equal(image->tags[i].name, tag)) {
            digest = image->tags[i].digest;
        }
    }
    for (size_t i = 0; digest.length > 0 && i < image->version_count; i++) {
        if (text_has_prefix(image->versions[i].digest, digest)) {
            *out = image->versions[i];
            found++;
        }
    }
    if (found == 1) {
        return true;
    }
    if (found > 1) {
        err_set(err, CODE_R0853, "image '%.*s' has %zu versions whose digest begins with %.*s",
                TEXT_ARG(image->name), found, TEXT_ARG(digest));
    } else if (reference->digest.length > 0) {
        err_set(err, CODE_R0853, "image '%.*s' has no version with the digest %.*s",
                TEXT_ARG(image->name), TEXT_ARG(digest));
    } else {
        err_set(err, CODE_R0853, "image '%.*s' has no tag '%.*s'", TEXT_ARG(image->name),
                TEXT_ARG(tag));
    }
    return err_hint(err, "reeve get images %.*s lists its versions and tags",
                    TEXT_ARG(image->name));
}

bool image_resolve(struct arena *arena, const struct cache *cache, struct text tenant,
                   struct text reference, struct image_version *out, struct err *err)
{
    struct text prefix = arena_printf(arena, "/%.*s/" IMAGE_KIND "/", TEXT_ARG(tenant));
    struct image_reference parsed;
    struct suggest suggest;
    struct image *image = arena_one(arena, struct image);

    if (!image_reference_parse(reference, &parsed, err)) {
        return false;
    }
    if (image_read(arena, cache, tenant, parsed.name, image)) {
        return image_version_find(image, &parsed, out, err);
    }
    suggest = suggest_start(parsed.name);
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        suggest_offer(&suggest, arena_text(arena, cache_id(object)));
    }
    err_set(err, CODE_R0853, "image '%.*s' does not exist", TEXT_ARG(parsed.name));
    return suggest_best(&suggest).length > 0
               ? err_hint(err, "did you mean '%.*s'? reeve get images lists all",
                          TEXT_ARG(suggest_best(&suggest)))
               : err_hint(err, "reeve get images lists all; reeve image push FILE --name %.*s",
                          TEXT_ARG(parsed.name));
}

bool images_have(const struct cache *cache, struct text digest)
{
    const struct cache_object *object = cache_first(cache, TEXT("/"));

    for (; object != NULL; object = cache_next(cache, TEXT("/"), object)) {
        struct text bytes = object->parts[CACHE_BASE].bytes == NULL
                                ? TEXT("")
                                : blob_text(object->parts[CACHE_BASE].bytes);

        if (text_is(cache_kind(object), IMAGE_KIND) &&
            memmem(bytes.data, bytes.length, digest.data, digest.length) != NULL) {
            return true;
        }
    }
    return false;
}

size_t images_count(const struct cache *cache, struct arena *arena, struct text tenant)
{
    struct text prefix = arena_printf(arena, "/%.*s/" IMAGE_KIND "/", TEXT_ARG(tenant));
    size_t count = 0;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        count += object->parts[CACHE_BASE].bytes != NULL;
    }
    return count;
}

#include "plugin_fetch/plugin_fetch_record.h"

#include "base/buf.h"
#include "codec/json.h"
#include "state/objects.h"

#include <strings.h>

static struct text plugin_fetch_record_text_of(struct arena *arena, const struct doc *doc,
                                               const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) && value->text.length > 0 ? arena_text(arena, value->text)
                                                          : TEXT("");
}

static struct kept_bytes plugin_fetch_record_bytes_read(struct arena *arena, const struct doc *doc)
{
    struct kept_bytes bytes = {
        .digest = plugin_fetch_record_text_of(arena, doc, "digest"),
        .url = plugin_fetch_record_text_of(arena, doc, "url"),
        .asked = plugin_fetch_record_text_of(arena, doc, "asked"),
        .version = plugin_fetch_record_text_of(arena, doc, "version"),
        .by = plugin_fetch_record_text_of(arena, doc, "by"),
    };

    return text_parse_int64(plugin_fetch_record_text_of(arena, doc, "bytes"), &bytes.bytes) &&
                   bytes.digest.length == 64
               ? bytes
               : (struct kept_bytes){ 0 };
}

struct text kept_key(struct arena *arena, struct text tenant, struct text name)
{
    return objects_key(arena, tenant, TEXT("Plugin"), name, CACHE_BASE);
}

struct kept kept_read(struct arena *arena, const struct cache *cache, struct text tenant,
                      struct text name)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT("Plugin"), name);
    struct kept kept = { 0 };
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL) {
        return kept;
    }
    kept.revision = object->parts[CACHE_BASE].revision;
    if (json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL, &doc,
                   &err) &&
        doc_is_map(&doc)) {
        kept.now = plugin_fetch_record_bytes_read(arena, doc_child(&doc, "now"));
        kept.next = plugin_fetch_record_bytes_read(arena, doc_child(&doc, "next"));
    }
    return kept;
}

void kept_put(struct doc_builder *builder, struct arena *arena, const struct kept_bytes *bytes)
{
    doc_builder_put(builder, "asked", doc_text(bytes->asked, NULL));
    doc_builder_put(builder, "by", doc_text(bytes->by, NULL));
    doc_builder_put(builder, "bytes", doc_int(arena, bytes->bytes, NULL));
    doc_builder_put(builder, "digest", doc_text(bytes->digest, NULL));
    doc_builder_put(builder, "url", doc_text(bytes->url, NULL));
    doc_builder_put(builder, "version", doc_text(bytes->version, NULL));
}

static void part_put(struct doc_builder *builder, struct arena *arena, const char *name,
                     const struct kept_bytes *bytes)
{
    struct doc_builder part;

    if (bytes->digest.length > 0) {
        doc_builder_init(&part, arena);
        kept_put(&part, arena, bytes);
        doc_builder_put(builder, name, doc_builder_map(&part, NULL));
    }
}

struct text kept_format(struct arena *arena, const struct kept *kept)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    part_put(&builder, arena, "next", &kept->next);
    part_put(&builder, arena, "now", &kept->now);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static bool is_same_digest(struct text a, struct text b)
{
    return a.length == b.length && strncasecmp(a.data, b.data, a.length) == 0;
}

bool kept_is_installed(const struct kept_bytes *kept)
{
    return text_is(kept->by, KEPT_INSTALLED);
}

bool kept_check(const struct kept_bytes *kept, const struct plugin_origin *origin, struct text url,
                struct err *err)
{
    if (origin->sha256.length > 0 && !is_same_digest(origin->sha256, kept->digest)) {
        err_set(err, CODE_R0644,
                "the file pins the digest %.*s, but the stored plugin has %.*s: "
                "reeve plugin upgrade %.*s fetches the version in the file",
                TEXT_ARG(origin->sha256), TEXT_ARG(kept->digest), TEXT_ARG(origin->name));
        return false;
    }
    if (kept_is_installed(kept)) {
        return true;
    }
    if (origin->version.length > 0 && !text_is_equal(origin->version, kept->asked)) {
        err_set(err, CODE_R0649,
                "the file has version %.*s, but %.*s is stored: reeve plugin "
                "upgrade %.*s fetches the version in the file",
                TEXT_ARG(origin->version), TEXT_ARG(kept->asked), TEXT_ARG(origin->name));
        return false;
    }
    if (url.length > 0 && !text_is_equal(url, kept->url)) {
        err_set(err, CODE_R0649,
                "the file has %.*s, but the stored plugin is from %.*s: reeve plugin "
                "upgrade %.*s fetches the version in the file",
                TEXT_ARG(text_slice(url, 0, 90)), TEXT_ARG(text_slice(kept->url, 0, 90)),
                TEXT_ARG(origin->name));
        return false;
    }
    return true;
}

struct text kept_words(struct arena *arena, struct text name, const struct kept *kept)
{
    const struct kept_bytes *next = &kept->next;
    struct text words =
        arena_printf(arena, "plugin %.*s, version %.*s, from %.*s: sha256 %.*s, %lld bytes",
                     TEXT_ARG(name), TEXT_ARG(next->version), TEXT_ARG(next->url),
                     TEXT_ARG(next->digest), (long long)next->bytes);

    return kept->now.digest.length == 0
               ? words
               : arena_printf(arena,
                              "%.*s; until it is approved, the plugin with sha256 %.*s "
                              "creates the machines",
                              TEXT_ARG(words), TEXT_ARG(kept->now.digest));
}

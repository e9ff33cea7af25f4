#include "records/configurations.h"

#include "base/limits.h"
#include "base/suggest.h"
#include "codec/json.h"
#include "model/check.h"
#include "state/objects.h"

#include <assert.h>
#include <string.h>

static struct text configuration_base(const struct cache_object *object)
{
    return object == NULL || object->parts[CACHE_BASE].bytes == NULL
               ? TEXT("")
               : blob_text(object->parts[CACHE_BASE].bytes);
}

/* Return a number in the record of a configuration; 0 if the record has no such number. */
static uint64_t configuration_number(const struct cache_object *object, const char *key)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text bytes = configuration_base(object);
    const struct doc *value;
    struct doc doc;
    struct err err;
    int64_t number = 0;

    if (bytes.length == 0 || !json_parse(arena, bytes, NULL, &doc, &err)) {
        return 0;
    }
    value = doc_child(&doc, key);
    return doc_is_scalar(value) && text_parse_int64(value->text, &number) && number > 0
               ? (uint64_t)number
               : 0;
}

uint64_t configuration_newest(const struct cache *cache, struct text tenant, struct text name,
                              uint64_t *out_revision)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT(CONFIGURATION_KIND), name);

    if (out_revision != NULL) {
        *out_revision =
            configuration_base(object).length == 0 ? 0 : object->parts[CACHE_BASE].revision;
    }
    return configuration_number(object, "newest");
}

uint64_t configuration_upgraded(const struct cache *cache, struct text tenant, struct text name)
{
    return configuration_number(cache_find(cache, tenant, TEXT(CONFIGURATION_KIND), name),
                                "upgraded");
}

struct text configuration_head(struct arena *arena, uint64_t newest, uint64_t upgraded)
{
    return arena_printf(arena, "{\"newest\":%llu,\"upgraded\":%llu}", (unsigned long long)newest,
                        (unsigned long long)upgraded);
}

bool configuration_read(struct arena *arena, const struct cache *cache, struct text tenant,
                        struct text name, uint64_t number, struct doc *out)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT(CONFIGURATION_REVISION_KIND),
                                                   configuration_revision_id(arena, name, number));
    struct text bytes = configuration_base(object);
    struct err err;

    return bytes.length > 0 && json_parse(arena, arena_text(arena, bytes), NULL, out, &err);
}

static bool has_word(struct text bytes, const char *word)
{
    return bytes.length > 0 && memmem(bytes.data, bytes.length, word, strlen(word)) != NULL;
}

struct configuration_use configuration_use_of(struct arena *arena,
                                              const struct cache_object *object)
{
    struct text bytes = object->parts[CACHE_SPEC].bytes == NULL
                            ? TEXT("")
                            : blob_text(object->parts[CACHE_SPEC].bytes);
    struct configuration_use out = { .reference = TEXT("") };
    const struct doc *value;
    const struct doc *spec;
    struct doc doc;
    struct err err;

    /* Objects that contain neither word are not parsed. This skips most objects. */
    if (bytes.length == 0 ||
        (!has_word(bytes, "\"configuration\"") && !has_word(bytes, "\"autoUpgrade\"")) ||
        !json_parse(arena, arena_text(arena, bytes), NULL, &doc, &err)) {
        return out;
    }
    spec = doc_child(&doc, "spec");
    value = doc_child(spec, "autoUpgrade");
    out.is_following = doc_is_scalar(value) && text_is(value->text, "true");
    if (text_is(cache_kind(object), "Cluster") || text_is(cache_kind(object), "ClusterTemplate")) {
        spec = doc_child(spec, "defaults");
    }
    value = doc_child(spec, "configuration");
    if (doc_is_scalar(value) && !doc_is_null(value)) {
        out.reference = value->text;
    }
    return out;
}

bool configuration_reference_parse(struct text reference, struct text *out_name,
                                   uint64_t *out_number)
{
    size_t at = text_find_byte(reference, '@');
    int64_t number = 0;
    struct err err;

    if (!check_configuration(reference, &err) ||
        (at != SIZE_MAX && !text_parse_int64(text_slice(reference, at + 2, SIZE_MAX), &number))) {
        return false;
    }
    *out_name = text_slice(reference, 0, at);
    *out_number = (uint64_t)number;
    return true;
}

struct text configuration_reference(struct arena *arena, struct text name, uint64_t number)
{
    return arena_printf(arena, "%.*s@r%llu", TEXT_ARG(name), (unsigned long long)number);
}

struct text configuration_revision_id(struct arena *arena, struct text name, uint64_t number)
{
    return arena_printf(arena, "%.*s/%010llu", TEXT_ARG(name), (unsigned long long)number);
}

struct text configuration_name_of(const struct cache_object *revision)
{
    return text_slice(cache_id(revision), 0, text_find_byte(cache_id(revision), '/'));
}

uint64_t configuration_number_of(const struct cache_object *revision)
{
    struct text id = cache_id(revision);
    uint64_t number = 0;

    for (size_t i = text_find_byte(id, '/') + 1; i < id.length; i++) {
        number = number * 10 + (uint64_t)(id.data[i] - '0');
    }
    return number;
}

bool configuration_unknown(struct arena *arena, const struct cache *cache, struct text tenant,
                           struct text name, uint64_t number, struct err *err)
{
    struct text prefix = arena_printf(arena, "/%.*s/" CONFIGURATION_KIND "/", TEXT_ARG(tenant));
    uint64_t newest = configuration_newest(cache, tenant, name, NULL);
    struct suggest suggest = suggest_start(name);
    const struct cache_object *object = cache_first(cache, prefix);
    bool is_any = object != NULL;

    if (newest > 0) {
        err_set(err, CODE_R0829, "configuration '%.*s' has no revision r%llu", TEXT_ARG(name),
                (unsigned long long)number);
        return err_hint(err,
                        number > newest ? "the newest revision is r%llu"
                                        : "the revision was removed; the newest revision is r%llu",
                        (unsigned long long)newest);
    }
    for (; object != NULL; object = cache_next(cache, prefix, object)) {
        suggest_offer(&suggest, cache_id(object));
    }
    err_set(err, CODE_R0829, "there is no configuration '%.*s'", TEXT_ARG(name));
    if (suggest_best(&suggest).length > 0) {
        return err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    }
    return err_hint(err, is_any ? "reeve get configs lists the configurations"
                                : "reeve config push DIR --name NAME stores the first revision");
}

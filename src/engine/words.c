#include "engine/words.h"

#include "base/limits.h"
#include "codec/json.h"
#include "model/nest.h"

#define PIN "revision"

bool words_has(const struct cache_object *object, const char *word)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc words = words_read(arena, object);

    return doc_is_present(doc_child(&words, word));
}

bool words_approved(struct arena *arena, const struct cache_object *object,
                    struct text *out_observation)
{
    struct doc words = words_read(arena, object);
    const struct doc *approved = doc_child(&words, "approved");
    const struct doc *observation = doc_child(approved, "observation");

    *out_observation = doc_is_scalar(observation) ? observation->text : TEXT("");
    return doc_is_present(approved);
}

uint64_t words_pause_end_ms(const struct doc *words)
{
    const struct doc *until = doc_child(doc_child(words, "paused"), "until");
    int64_t until_ms = 0;

    return doc_is_scalar(until) && text_parse_int64(until->text, &until_ms) ? (uint64_t)until_ms
                                                                            : UINT64_MAX;
}

bool words_is_paused(const struct doc *words, uint64_t now_ms)
{
    return doc_is_map(doc_child(words, "paused")) && words_pause_end_ms(words) > now_ms;
}

uint64_t words_retry_revision(const struct doc *words, uint64_t revision)
{
    const struct doc *retry = doc_child(words, "retry");
    const struct doc *pin = doc_child(retry, PIN);
    int64_t pinned;

    if (!doc_is_present(retry)) {
        return 0;
    }
    /* One that is newer than the key is of another store, whose revisions say nothing here. */
    return doc_is_scalar(pin) && text_parse_int64(pin->text, &pinned) && pinned > 0 &&
                   (uint64_t)pinned < revision
               ? (uint64_t)pinned
               : revision;
}

struct doc words_retry(struct arena *arena, const struct doc *words)
{
    const struct doc *retry = doc_child(words, "retry");

    if (!doc_is_present(retry)) {
        return (struct doc){ 0 };
    }
    return doc_is_map(retry) ? nest_put(arena, retry, PIN, (struct doc){ 0 }) : *retry;
}

struct doc words_read(struct arena *arena, const struct cache_object *object)
{
    const struct cache_bytes *spec = object == NULL ? NULL : &object->parts[CACHE_SPEC];
    const struct doc *retry;
    struct doc words;
    struct doc pinned;
    struct err err;

    if (spec == NULL || spec->bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(spec->bytes)), NULL, &words, &err) ||
        !doc_is_map(&words)) {
        return doc_map(NULL, 0, NULL);
    }
    retry = doc_child(&words, "retry");
    if (!doc_is_map(retry)) {
        return words;
    }
    pinned = nest_put(arena, retry, PIN,
                      doc_int(arena, (int64_t)words_retry_revision(&words, spec->revision), NULL));
    return nest_put(arena, &words, "retry", pinned);
}

#include "moving/tally.h"

#include "base/map.h"
#include "sys/digest.h"

#include <string.h>

enum { TALLY_WORDS = DIGEST_BYTES / 8, TALLY_NUMBERS = 6 };

#define TALLY_EVENTS "events"

/* Count and digest of one kind of object. The digests of its rows are added, so that their order
 * does not matter. */
struct tally_kind {
    uint64_t count;
    uint64_t sum[TALLY_WORDS];
};

struct tally {
    struct arena *memory;
    struct map kinds;
    const struct store_dump_sink *inner;
    struct store_dump_sink inner_copy;
    uint64_t objects;
    uint64_t events;
};

struct tally *tally_new(const struct store_dump_sink *inner)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct tally *tally = arena_one(memory, struct tally);

    *tally = (struct tally){ .memory = memory };
    if (inner != NULL) {
        tally->inner_copy = *inner;
        tally->inner = &tally->inner_copy;
    }
    map_init(&tally->kinds, memory);
    return tally;
}

void tally_free(struct tally *tally)
{
    if (tally != NULL) {
        arena_free(tally->memory);
    }
}

static struct tally_kind *tally_kind_have(struct tally *tally, struct text name)
{
    struct tally_kind *kind = map_find(&tally->kinds, name);

    if (kind == NULL) {
        kind = arena_one(tally->memory, struct tally_kind);
        map_put(&tally->kinds, arena_text(tally->memory, name), kind);
    }
    return kind;
}

static void tally_add(struct tally_kind *kind, const uint64_t numbers[static TALLY_NUMBERS],
                      struct text name, struct text value)
{
    struct digest_stream *stream = digest_stream_new();
    unsigned char bytes[DIGEST_BYTES];

    digest_stream_add(stream,
                      (struct text){ (const char *)numbers, TALLY_NUMBERS * sizeof(numbers[0]) });
    digest_stream_add(stream, name);
    digest_stream_add(stream, value);
    digest_stream_end_raw(stream, bytes);
    for (size_t i = 0; i < TALLY_WORDS; i++) {
        uint64_t word;

        memcpy(&word, bytes + i * sizeof(word), sizeof(word));
        kind->sum[i] += word;
    }
    kind->count++;
}

/* Returns the kind in a key /TENANT/KIND/ID/PART. */
static struct text tally_kind_of(struct text key)
{
    struct text rest = text_slice(key, 1, SIZE_MAX);

    rest = text_slice(rest, text_find_byte(rest, '/'), SIZE_MAX);
    rest = text_slice(rest, 1, SIZE_MAX);
    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

MUST_CHECK static bool tally_row(void *arg, const struct store_dump_row *row, struct err *err)
{
    struct tally *tally = arg;
    const uint64_t numbers[TALLY_NUMBERS] = { row->revision,  row->created,    row->number,
                                              row->is_delete, row->key.length, row->value.length };

    tally_add(tally_kind_have(tally, tally_kind_of(row->key)), numbers, row->key, row->value);
    tally->objects += row->is_newest && !row->is_delete;
    return tally->inner == NULL || tally->inner->row(tally->inner->arg, row, err);
}

MUST_CHECK static bool tally_event(void *arg, const struct store_event *event, unsigned index,
                                   struct err *err)
{
    struct tally *tally = arg;
    const uint64_t numbers[TALLY_NUMBERS] = { event->revision,    event->number,
                                              event->time_ms,     event->cluster.length,
                                              event->body.length, 0 };

    tally_add(tally_kind_have(tally, TEXT(TALLY_EVENTS)), numbers, event->cluster, event->body);
    tally->events++;
    return tally->inner == NULL || tally->inner->event(tally->inner->arg, event, index, err);
}

struct store_dump_sink tally_sink(struct tally *tally)
{
    return (struct store_dump_sink){ tally_row, tally_event, tally };
}

uint64_t tally_objects(const struct tally *tally)
{
    return tally->objects;
}

uint64_t tally_events(const struct tally *tally)
{
    return tally->events;
}

/* Compares the kinds of `one` with those of `other`. */
MUST_CHECK static bool tally_has(const struct tally *one, const struct tally *other,
                                 struct err *err)
{
    static const struct tally_kind none = { .count = 0 };

    for (const struct map_node *node = map_first(&one->kinds, TEXT("")); node != NULL;
         node = map_after(&one->kinds, node->key)) {
        const struct tally_kind *kind = node->value;
        const struct tally_kind *same = map_find(&other->kinds, node->key);

        same = same == NULL ? &none : same;
        if (kind->count != same->count) {
            return err_set(err, CODE_R0594,
                           "the copy differs from the store: %llu rows of %.*s, not %llu",
                           (unsigned long long)same->count, TEXT_ARG(node->key),
                           (unsigned long long)kind->count);
        }
        if (memcmp(kind->sum, same->sum, sizeof(kind->sum)) != 0) {
            return err_set(err, CODE_R0594, "the copy differs from the store: rows of %.*s",
                           TEXT_ARG(node->key));
        }
    }
    return true;
}

bool tally_compare(const struct tally *store, const struct tally *copy, struct err *err)
{
    return tally_has(store, copy, err) && tally_has(copy, store, err);
}

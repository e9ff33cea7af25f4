#include "daemon/bundles.h"

#include "base/limits.h"
#include "base/map.h"

#include <assert.h>
#include <string.h>

/* One check takes as many iterations of the loop as it needs:
 *
 * 1. The check considers bundles that were not used for a while (a part of retention_ms). Usually
 *    there are none, and the check ends.
 * 2. It reads the current objects from the cache: the bundles to which they refer are in use.
 * 3. For the remaining bundles that are old enough, it searches the earlier revisions of all
 *    existing objects, one object after the other, because a cluster can be restored to any
 *    revision. Deleted objects cannot be restored.
 * 4. It reads the current objects once more, because they may have changed in the meantime. Bundles
 *    without any reference are removed in the same iteration.
 *
 * If the store does not answer, or the manager ends, nothing is removed, and the next check starts
 * from the beginning. */

/* The check renews the time of a bundle in use only if it is older than retention_ms divided by
 * this. So not every check writes to every file. */
enum { NEW_PARTS = 14 };

static const struct text mark = { "@sha256:", 8 };

enum { DIGEST_CHARACTERS = 64 };

struct bundles {
    struct bundles_options options;
    uint64_t due_ms;
    bool is_looking;
    bool is_closed;
    struct arena *arena; /* memory of a check */
    /* maps the digest of each bundle without a known reference to its struct depot_row */
    struct map rows;
    size_t row_count;
    struct text *keys; /* keys of the specs whose history is read */
    size_t key_count;
    size_t key;
};

struct bundles *bundles_new(const struct bundles_options *options)
{
    struct bundles *bundles = rows_resize(NULL, sizeof(*bundles));

    assert(options->depot != NULL && options->store != NULL && options->cache != NULL);
    *bundles = (struct bundles){ .options = *options,
                                 .due_ms = clock_monotonic_ms(options->clock) + options->first_ms };
    return bundles;
}

static void look_end(struct bundles *bundles)
{
    bundles->is_looking = false;
    arena_free(bundles->arena);
    bundles->arena = NULL;
}

/* ---- bundles of current objects ---- */

static void bundles_wanted(struct bundles *bundles, struct text digest)
{
    if (map_remove(&bundles->rows, digest) != NULL) {
        bundles->row_count--;
        depot_use(bundles->options.depot, digest);
    }
}

/* Marks all bundles to which a document refers (NAME@sha256:DIGEST) as used: they leave the
 * rows. */
static void bundles_named_take(struct bundles *bundles, struct text bytes)
{
    const char *found;

    while (bundles->row_count > 0 && bytes.length >= mark.length + DIGEST_CHARACTERS &&
           (found = memmem(bytes.data, bytes.length, mark.data, mark.length)) != NULL) {
        bytes = text_slice(bytes, (size_t)(found - bytes.data) + mark.length, SIZE_MAX);
        bundles_wanted(bundles, text_slice(bytes, 0, DIGEST_CHARACTERS));
    }
}

/* Marks the bundles of active runs as used: they leave the rows. */
static void runs_take(struct bundles *bundles)
{
    const struct map_node *node = map_first(&bundles->rows, TEXT(""));

    while (node != NULL) {
        struct text digest = node->key;

        if (bundles->options.is_run(bundles->options.arg, digest)) {
            bundles_wanted(bundles, digest);
        }
        node = map_after(&bundles->rows, digest);
    }
}

static void cache_take(struct bundles *bundles)
{
    const struct cache *cache = bundles->options.cache;
    const struct cache_object *object = cache_first(cache, TEXT(""));

    while (object != NULL && bundles->row_count > 0) {
        for (int part = 0; part < CACHE_PART_COUNT; part++) {
            if (object->parts[part].bytes != NULL) {
                bundles_named_take(bundles, blob_text(object->parts[part].bytes));
            }
        }
        object = cache_next(cache, TEXT(""), object);
    }
    runs_take(bundles);
}

/* ---- bundles of earlier revisions ---- */

static void bundles_keys_have(struct bundles *bundles)
{
    const struct cache *cache = bundles->options.cache;
    const struct cache_object *object;
    size_t count = 0;

    for (object = cache_first(cache, TEXT("")); object != NULL;
         object = cache_next(cache, TEXT(""), object)) {
        count += object->parts[CACHE_SPEC].bytes != NULL;
    }
    bundles->keys = arena_array(bundles->arena, struct text, count + 1);
    bundles->key_count = 0;
    bundles->key = 0;
    for (object = cache_first(cache, TEXT("")); object != NULL;
         object = cache_next(cache, TEXT(""), object)) {
        if (object->parts[CACHE_SPEC].bytes != NULL) {
            bundles->keys[bundles->key_count++] =
                arena_printf(bundles->arena, "%.*s/spec", TEXT_ARG(blob_text(object->key)));
        }
    }
}

static void rows_remove(struct bundles *bundles)
{
    const struct map_node *node = map_first(&bundles->rows, TEXT(""));
    size_t removed = 0;

    for (; node != NULL; node = map_after(&bundles->rows, node->key)) {
        removed += depot_remove(bundles->options.depot, node->key);
    }
    if (removed > 0) {
        log_info(bundles->options.log, "bundles", "swept", log_int("bundles", (int64_t)removed));
    }
}

static void bundles_history_known(void *arg, enum outcome outcome,
                                  const struct store_answer *answer);

static void history_next(struct bundles *bundles)
{
    if (bundles->row_count == 0) {
        look_end(bundles);
    } else if (bundles->key < bundles->key_count) {
        store_history(bundles->options.store, bundles->keys[bundles->key++], bundles_history_known,
                      bundles);
    } else {
        cache_take(bundles);
        rows_remove(bundles);
        look_end(bundles);
    }
}

static void bundles_history_known(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct bundles *bundles = arg;

    if (outcome != OUTCOME_OK || bundles->is_closed ||
        cache_state(bundles->options.cache) != CACHE_READY) {
        look_end(bundles);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        bundles_named_take(bundles, answer->items[i].value);
    }
    history_next(bundles);
}

/* ---- one check ---- */

/* Lists the bundles that were last used at least age_ms ago. */
static void rows_have(struct bundles *bundles, uint64_t age_ms)
{
    struct depot_row *rows;
    size_t count = depot_list(bundles->options.depot, bundles->arena, &rows);
    int64_t before_ms = clock_wall_ms(bundles->options.clock) - (int64_t)age_ms;

    map_init(&bundles->rows, bundles->arena);
    bundles->row_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].used_ms <= before_ms) {
            map_put(&bundles->rows, text_from(rows[i].digest), &rows[i]);
            bundles->row_count++;
        }
    }
}

void bundles_look(struct bundles *bundles)
{
    const struct bundles_options *options;
    uint64_t now_ms;

    if (bundles == NULL) {
        return;
    }
    options = &bundles->options;
    now_ms = clock_monotonic_ms(options->clock);
    if (bundles->is_looking || bundles->is_closed || now_ms < bundles->due_ms ||
        cache_state(options->cache) != CACHE_READY) {
        return;
    }
    bundles->due_ms = now_ms + options->every_ms;
    bundles->is_looking = true;
    bundles->arena = arena_new(SIZE_MAX);
    rows_have(bundles, options->retention_ms / NEW_PARTS);
    cache_take(bundles);
    if (bundles->row_count > 0) {
        /* the time of bundles in use was renewed above, so they are not listed */
        rows_have(bundles, options->retention_ms);
        bundles_keys_have(bundles);
    }
    history_next(bundles);
}

void bundles_stop(struct bundles *bundles)
{
    if (bundles != NULL) {
        bundles->is_closed = true;
    }
}

void bundles_free(struct bundles *bundles)
{
    if (bundles != NULL) {
        if (bundles->is_looking) {
            look_end(bundles);
        }
        rows_free(bundles);
    }
}

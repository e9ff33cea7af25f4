#include "state/cache.h"

#include "base/limits.h"
#include "state/cache_inner.h"
#include "state/commit.h"

#include <assert.h>
#include <string.h>

/* Normal case: pages of one revision fill the map. Then a watch of the store receives each later
 * change in order. Each change is applied to the map and appended to a ring; each watch of the
 * cache is a position in that ring.
 *
 * Failure: the store rejects a page or the watch, or the watch is lost. The cache then drops all
 * data and loads it again. Every watch receives RESET, because the changes in between are
 * unknown. */

/* ---- keys ---- */

struct key_parts {
    struct text object; /* /TENANT/KIND/ID */
    enum cache_part part;
};

/* Splits a stored key. Returns false if it is not the key of an object. The parts of an operation
 * are skipped too: they are as large as the whole change, and no client reads them. */
static bool cache_key_read(struct text key, struct key_parts *out)
{
    static const char *const names[CACHE_PART_COUNT] = { "/spec", "/status", "/base" };

    if (text_has_prefix(key, TEXT(COMMIT_PARTS))) {
        return false;
    }
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        struct text name = text_from(names[part]);

        if (text_has_suffix(key, name)) {
            *out = (struct key_parts){ text_slice(key, 0, key.length - name.length),
                                       (enum cache_part)part };
            return out->object.length > 0 && out->object.data[0] == '/';
        }
    }
    return false;
}

void cache_key_set(struct cache_object *object, struct blob *key)
{
    struct text tenant;
    struct text kind;
    struct text id;

    cache_names_read(blob_text(key), &tenant, &kind, &id);
    object->key = key;
    object->kind_at = (uint16_t)(tenant.length + 2);
    object->id_at = (uint16_t)(object->kind_at + kind.length + 1);
}

void cache_names_read(struct text key, struct text *tenant, struct text *kind, struct text *id)
{
    struct text rest = text_slice(key, 1, key.length);
    size_t first = text_find_byte(rest, '/');
    struct text behind = first == SIZE_MAX ? TEXT("") : text_slice(rest, first + 1, rest.length);
    size_t second = text_find_byte(behind, '/');

    *tenant = text_slice(rest, 0, first);
    *kind = text_slice(behind, 0, second);
    *id = second == SIZE_MAX ? TEXT("") : text_slice(behind, second + 1, behind.length);
}

/* ---- objects ---- */

static struct cache_object *cache_object_take(struct cache *cache, struct text key)
{
    struct cache_object *object = map_find(&cache->objects, key);

    if (object == NULL) {
        object = pool_take(cache->object_pool);
        assert(object != NULL && "the cache has too many objects");
        cache_key_set(object, blob_new(key));
        map_put(&cache->objects, blob_text(object->key), object);
    }
    return object;
}

static void bytes_drop(struct cache_bytes *bytes)
{
    blob_free(bytes->bytes);
    blob_free(bytes->traits);
    *bytes = (struct cache_bytes){ .bytes = NULL };
}

static struct cache_bytes bytes_share(const struct cache_bytes *bytes)
{
    struct cache_bytes shared = *bytes;

    shared.bytes = bytes->bytes == NULL ? NULL : blob_share(bytes->bytes);
    shared.traits = bytes->traits == NULL ? NULL : blob_share(bytes->traits);
    return shared;
}

/* Return the memory of a value in bytes, without its traits, which may be dropped at any time. */
static size_t bytes_weight(const struct cache_bytes *bytes)
{
    return bytes->bytes == NULL ? 0 : sizeof(*bytes->bytes) + bytes->bytes->length;
}

/* Sets the bytes of a part of an object. The caller takes ownership of the previous bytes. */
static void part_set(struct cache *cache, struct cache_object *object, enum cache_part part,
                     struct cache_bytes bytes)
{
    cache->present_bytes += bytes_weight(&bytes);
    cache->present_bytes -= bytes_weight(&object->parts[part]);
    object->parts[part] = bytes;
}

/* Drop an object without parts. */
static void object_drop(struct cache *cache, struct cache_object *object)
{
    map_remove(&cache->objects, blob_text(object->key));
    blob_free(object->key);
    pool_give(cache->object_pool, object);
}

/* Return the part that an item describes; `bytes` is NULL if the part is deleted. */
static struct cache_bytes cache_bytes_of(const struct store_item *item, struct blob *bytes)
{
    return (struct cache_bytes){ .bytes = bytes, .revision = item->revision };
}

/* ---- the ring of changes ---- */

enum { CHUNK_STEPS = 256 };

struct cache_step *cache_step_at(const struct cache *cache, uint64_t position)
{
    size_t place = position & (cache->steps_max - 1);

    assert(position >= cache->begin && position < cache->end);
    return &cache->chunks[place / CHUNK_STEPS][place % CHUNK_STEPS];
}

static struct cache_step **chunk_of(const struct cache *cache, uint64_t position)
{
    return &cache->chunks[(position & (cache->steps_max - 1)) / CHUNK_STEPS];
}

/* Return the memory that only this step owns: that of the previous value. Later steps or the object
 * own the other values. */
static size_t step_weight(const struct cache_step *step)
{
    return sizeof(*step) + bytes_weight(&step->before);
}

/* Returns the step after the newest one. If the ring is full, the caller must first drop the oldest
 * step. Chunks are allocated as needed, because the whole ring takes ten megabytes, which a manager
 * with few changes never needs. */
static struct cache_step *cache_step_take(struct cache *cache)
{
    struct cache_step **chunk = chunk_of(cache, cache->end);

    if (*chunk == NULL && cache->spare_count > 0) {
        *chunk = cache->spare[--cache->spare_count];
    }
    if (*chunk == NULL) {
        size_t steps = cache->steps_max < CHUNK_STEPS ? cache->steps_max : CHUNK_STEPS;

        *chunk = arena_array(cache->memory, struct cache_step, steps);
    }
    cache->end++;
    return cache_step_at(cache, cache->end - 1);
}

uint64_t cache_step_find(const struct cache *cache, uint64_t revision)
{
    uint64_t low = cache->begin;
    uint64_t high = cache->end;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (cache_step_at(cache, middle)->revision < revision) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void step_forget(struct cache *cache)
{
    struct cache_step *oldest = cache_step_at(cache, cache->begin);

    cache->known_from = oldest->revision + 1;
    cache->past_bytes -= step_weight(oldest);
    blob_free(oldest->key);
    bytes_drop(&oldest->before);
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        bytes_drop(&oldest->after[part]);
    }
    cache->begin++;
    if (cache->begin % CHUNK_STEPS == 0 &&
        cache->begin + cache->steps_max >= cache->end + CHUNK_STEPS) {
        struct cache_step **chunk = chunk_of(cache, cache->begin - 1);

        /* The chunk has no newer step, so it becomes a spare chunk. */
        cache->spare[cache->spare_count++] = *chunk;
        *chunk = NULL;
    }
}

/* Drops the oldest steps until the ring takes no more memory than the current values. A watch whose
 * position was dropped must list the data again. */
static void steps_trim(struct cache *cache)
{
    size_t most = cache->present_bytes > LIMIT_CACHE_PAST_BYTES ? cache->present_bytes
                                                                : LIMIT_CACHE_PAST_BYTES;

    while (cache->past_bytes > most) {
        step_forget(cache);
    }
}

static void steps_clear(struct cache *cache)
{
    while (cache->begin < cache->end) {
        step_forget(cache);
    }
}

/* Change a part of an object, and append its values before and after to the ring. */
static void part_change(struct cache *cache, const struct key_parts *key,
                        const struct store_item *item, struct blob *bytes)
{
    struct cache_object *object = cache_object_take(cache, key->object);
    struct cache_step *step;

    if (cache->end - cache->begin == cache->steps_max) {
        step_forget(cache);
    }
    step = cache_step_take(cache);
    *step = (struct cache_step){ .revision = item->revision,
                                 .key = blob_share(object->key),
                                 .part = key->part,
                                 .before = object->parts[key->part] };
    cache->past_bytes += step_weight(step);
    part_set(cache, object, key->part, cache_bytes_of(item, bytes));
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        if (cache->selecting > 0) { /* traits are read once here, not once for each watch */
            cache_traits_take(&object->parts[part], (enum cache_part)part);
        }
        step->after[part] = bytes_share(&object->parts[part]);
    }
    if (!cache_parts_exist(object->parts)) {
        object_drop(cache, object);
    }
}

static struct blob *cache_value_of(const struct store_change *change)
{
    return change->is_delete ? NULL : blob_new(change->item.value);
}

bool cache_change_take(struct cache *cache, const struct store_change *change)
{
    struct key_parts key;

    if (!cache_key_read(change->item.key, &key)) {
        return false;
    }
    part_change(cache, &key, &change->item, cache_value_of(change));
    return true;
}

void cache_item_take(struct cache *cache, const struct store_change *change)
{
    struct cache_object *object;
    struct cache_bytes before;
    struct key_parts key;

    if (!cache_key_read(change->item.key, &key)) {
        return;
    }
    object = cache_object_take(cache, key.object);
    before = object->parts[key.part];
    part_set(cache, object, key.part,
             change->is_delete ? (struct cache_bytes){ .bytes = NULL }
                               : cache_bytes_of(&change->item, cache_value_of(change)));
    bytes_drop(&before);
    if (!cache_parts_exist(object->parts)) {
        object_drop(cache, object);
    }
}

void cache_revision_end(struct cache *cache)
{
    if (cache->begin < cache->end) {
        cache_step_at(cache, cache->end - 1)->is_last = true;
    }
}

/* ---- following the store ---- */

static void load_start(struct cache *cache);

void cache_clear(struct cache *cache)
{
    const struct map_node *node;

    while ((node = map_first(&cache->objects, TEXT(""))) != NULL) {
        struct cache_object *object = node->value;

        for (int part = 0; part < CACHE_PART_COUNT; part++) {
            struct cache_bytes before = object->parts[part];

            part_set(cache, object, (enum cache_part)part, (struct cache_bytes){ .bytes = NULL });
            bytes_drop(&before);
        }
        object_drop(cache, object);
    }
    steps_clear(cache);
}

/* Drops all data, because it may be wrong. The next run notifies the watches. */
static void cache_lose(struct cache *cache)
{
    steps_clear(cache);
    cache->end++; /* earlier positions become invalid */
    cache->begin = cache->end;
    /* The store may not be able to report that many past changes in one step. */
    cache->skips_past = cache->state == CACHE_LOADING;
    cache->state = CACHE_LOST;
    cache->store_watch = NULL;
}

/* Sets the state to READY if the revision that ends the loading is reached. That revision may
 * change no key of the store. The watch then reports a later revision, or one without changes. */
static void cache_ready_check(struct cache *cache)
{
    if (cache->state == CACHE_LOADING && cache->revision >= cache->load_until) {
        cache->state = CACHE_READY;
        cache->skips_past = false;
    }
}

static void store_seen(void *arg, enum store_watch_state state, uint64_t revision,
                       const struct store_change *changes, size_t count)
{
    struct cache *cache = arg;
    bool has_steps = false;

    if (state != STORE_WATCH_CHANGES) {
        cache_lose(cache);
        return;
    }
    assert(revision > cache->revision);
    for (size_t i = 0; i < count; i++) {
        assert(changes[i].item.revision == revision);
        has_steps = cache_change_take(cache, &changes[i]) || has_steps;
    }
    if (has_steps) {
        cache_revision_end(cache);
    }
    cache->revision = revision;
    cache_ready_check(cache);
}

/* Starts the watch of later changes. Called when the content at the load revision is complete. */
static void store_follow(struct cache *cache)
{
    cache->known_from = cache->revision + 1;
    cache->store_watch = store_watch(cache->store, TEXT("/"), cache->known_from, store_seen, cache);
    cache_ready_check(cache);
}

static void page_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct cache *cache = arg;

    assert(cache->is_listing);
    if (cache->is_freed) {
        cache->is_listing = false;
        cache_free(cache);
        return;
    }
    cache->is_listing = outcome == OUTCOME_OK && answer->has_more;
    if (outcome != OUTCOME_OK) {
        cache->state = CACHE_LOST;
        return;
    }
    if (answer->has_more) { /* request the next page while this one is applied */
        struct store_range range = { .prefix = TEXT("/"),
                                     .after = answer->items[answer->count - 1].key,
                                     .at_revision = answer->revision,
                                     .limit = LIMIT_CACHE_PAGE,
                                     .bytes = LIMIT_CACHE_PAGE_BYTES };

        store_list(cache->store, &range, page_done, cache);
    }
    for (size_t i = 0; i < answer->count; i++) {
        cache_item_take(cache, &(struct store_change){ .item = answer->items[i] });
    }
    cache->revision = answer->revision;
    if (!answer->has_more) {
        store_follow(cache);
    }
}

/* Returns the revision to load first. It is an older revision, so that each change after it is
 * known and watches of an earlier process can resume where they ended. Returns 0 if the watch can
 * follow the store from its first revision. Then nothing is listed, because otherwise every object
 * would be read twice. */
uint64_t cache_load_revision(uint64_t compacted, uint64_t revision)
{
    uint64_t oldest = compacted > 0 ? compacted : 1;

    if (compacted == 0 && revision <= LIMIT_CACHE_BEHIND) {
        return 0;
    }
    if (revision <= oldest) {
        return revision;
    }
    return revision - oldest > LIMIT_CACHE_BEHIND ? revision - LIMIT_CACHE_BEHIND : oldest;
}

static void load_start(struct cache *cache)
{
    struct store_status status;
    bool skips_past;
    uint64_t behind;

    store_status(cache->store, &status);
    skips_past = cache->is_latest || cache->skips_past;
    behind = skips_past ? 0 : cache_load_revision(status.compacted_revision, status.revision);
    cache_clear(cache);
    cache->load_until = status.revision;
    cache->state = CACHE_LOADING;
    cache->revision = 0;
    if (!skips_past && behind == 0 && status.revision > 0) {
        store_follow(cache);
        return;
    }
    cache->is_listing = true;
    store_list(cache->store,
               &(struct store_range){ .prefix = TEXT("/"),
                                      .at_revision = behind,
                                      .limit = LIMIT_CACHE_PAGE,
                                      .bytes = LIMIT_CACHE_PAGE_BYTES },
               page_done, cache);
}

size_t cache_run(struct cache *cache)
{
    size_t reported = cache_watches_run(cache);

    steps_trim(cache); /* all watches have received these steps */
    if (cache->state == CACHE_LOST) {
        load_start(cache);
    }
    return reported;
}

/* ---- queries ---- */

enum cache_state cache_state(const struct cache *cache)
{
    return cache->state;
}

uint64_t cache_revision(const struct cache *cache)
{
    return cache->revision;
}

size_t cache_count(const struct cache *cache)
{
    return cache->objects.count;
}

const struct cache_object *cache_find(const struct cache *cache, struct text tenant,
                                      struct text kind, struct text id)
{
    char key[LIMIT_STORE_KEY_BYTES];
    size_t length = 0;
    struct text names[3] = { tenant, kind, id };

    if (tenant.length + kind.length + id.length + 3 > sizeof(key)) {
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        key[length++] = '/';
        if (names[i].length > 0) {
            memcpy(key + length, names[i].data, names[i].length);
        }
        length += names[i].length;
    }
    return map_find(&cache->objects, (struct text){ key, length });
}

static const struct cache_object *object_with(const struct map_node *node, struct text prefix)
{
    return node != NULL && text_has_prefix(node->key, prefix) ? node->value : NULL;
}

const struct cache_object *cache_first(const struct cache *cache, struct text prefix)
{
    return object_with(map_first(&cache->objects, prefix), prefix);
}

const struct cache_object *cache_next(const struct cache *cache, struct text prefix,
                                      const struct cache_object *object)
{
    assert(object != NULL);
    return object_with(map_after(&cache->objects, blob_text(object->key)), prefix);
}

/* ---- creation and end ---- */

struct cache *cache_new_ahead(size_t steps_max)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct cache *cache = arena_one(memory, struct cache);
    size_t chunks = (steps_max + CHUNK_STEPS - 1) / CHUNK_STEPS;

    assert(steps_max > 0 && (steps_max & (steps_max - 1)) == 0);
    cache->memory = memory;
    cache->steps_max = steps_max;
    cache->chunks = arena_array(memory, struct cache_step *, chunks);
    cache->spare = arena_array(memory, struct cache_step *, chunks);
    /* positions start at 1, so position 0 is always before the ring */
    cache->begin = cache->end = 1;
    map_init(&cache->objects, memory);
    cache->object_pool = pool_new(sizeof(struct cache_object), LIMIT_STORE_KEYS);
    cache_watches_init(cache);
    return cache;
}

void cache_follow(struct cache *cache, struct store *store)
{
    struct store_status status;

    assert(cache->store == NULL);
    cache->store = store;
    store_status(store, &status);
    if (!cache->is_reported || status.revision != cache->load_until) {
        load_start(cache);
        return;
    }
    cache->store_watch = store_watch(store, TEXT("/"), cache->load_until + 1, store_seen, cache);
    cache_ready_check(cache);
}

struct cache *cache_new(struct store *store, size_t steps_max)
{
    struct cache *cache = cache_new_ahead(steps_max);

    cache_follow(cache, store);
    return cache;
}

struct cache *cache_new_latest(struct store *store, size_t steps_max)
{
    struct cache *cache = cache_new_ahead(steps_max);

    cache->is_latest = true;
    cache_follow(cache, store);
    return cache;
}

void cache_free(struct cache *cache)
{
    if (cache == NULL) {
        return;
    }
    /* page_done frees it, because the store will still call that function */
    if (cache->is_listing) {
        cache->is_freed = true;
        return;
    }
    if (cache->store_watch != NULL) {
        store_watch_close(cache->store, cache->store_watch);
    }
    cache_clear(cache);
    cache_watches_fini(cache);
    pool_free(cache->object_pool);
    arena_free(cache->memory);
}

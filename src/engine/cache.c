#include "engine/cache.h"

#include "base/limits.h"
#include "base/map.h"

#include <assert.h>
#include <string.h>

/* The happy path: pages of one revision fill the map, then a watch of the store from the revision
 * behind it brings each change in order. A change goes into the map and into a ring; a watch of ours
 * is a position in that ring.
 *
 * Failure: a page or the watch is refused or lost. Then all is dropped and loaded anew, and every
 * watch is told RESET, for what happened in between is not known. */

struct change {
    uint64_t revision;
    struct blob *key; /* of the object */
    struct blob *bytes;
    enum cache_part part;
    bool is_last;
};

struct cache_watch {
    struct cache_watch *next;
    struct cache *cache;
    struct blob *prefix;
    uint64_t position; /* in the row of changes: the next to tell */
    cache_wants *wants;
    cache_seen *seen;
    void *arg;
    bool is_closed;
};

struct cache {
    struct arena *home;
    struct store *store;
    enum cache_state state;
    uint64_t revision;
    struct map objects; /* key to struct cache_object */
    struct pool *object_pool;
    struct pool *watch_pool;
    struct store_watch *store_watch;
    struct cache_watch *watches;
    struct change *changes; /* ring */
    size_t changes_max;
    uint64_t begin; /* positions [begin, end) are in the ring */
    uint64_t end;
    uint64_t known_from; /* the ring holds every change at or above this revision */
};

/* ---- keys ---- */

struct key_parts {
    struct text object; /* /TENANT/KIND/ID */
    enum cache_part part;
};

/* Take a stored key apart. False: it is none of an object. */
static bool key_read(struct text key, struct key_parts *out)
{
    static const char *const names[CACHE_PART_COUNT] = { "/spec", "/status", "/base" };

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

/* The three names in /TENANT/KIND/ID; the id may hold anything. */
static void names_read(struct text key, struct text *tenant, struct text *kind, struct text *id)
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

static struct cache_object *object_take(struct cache *cache, struct text key)
{
    struct cache_object *object = map_find(&cache->objects, key);

    if (object == NULL) {
        object = pool_take(cache->object_pool);
        assert(object != NULL && "more objects than a cache takes");
        object->key = blob_new(key);
        names_read(blob_text(object->key), &object->tenant, &object->kind, &object->id);
        map_put(&cache->objects, blob_text(object->key), object);
    }
    return object;
}

static bool object_is_empty(const struct cache_object *object)
{
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        if (object->parts[part].bytes != NULL) {
            return false;
        }
    }
    return true;
}

static void object_drop(struct cache *cache, struct cache_object *object)
{
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        blob_free(object->parts[part].bytes);
    }
    map_remove(&cache->objects, blob_text(object->key));
    blob_free(object->key);
    pool_give(cache->object_pool, object);
}

/* Set one part. Returns the object's key, shared: the object itself may be gone by this. */
static struct blob *part_put(struct cache *cache, const struct key_parts *key,
                             const struct store_item *item, struct blob *bytes)
{
    struct cache_object *object = object_take(cache, key->object);
    struct cache_bytes *part = &object->parts[key->part];
    struct blob *shared = blob_share(object->key);

    blob_free(part->bytes);
    *part = (struct cache_bytes){ bytes, item->revision, item->create_revision };
    if (object_is_empty(object)) {
        object_drop(cache, object);
    }
    return shared;
}

/* ---- the row of changes ---- */

static struct change *change_at(const struct cache *cache, uint64_t position)
{
    assert(position >= cache->begin && position < cache->end);
    return &cache->changes[position & (cache->changes_max - 1)];
}

static void change_forget(struct cache *cache)
{
    struct change *oldest = change_at(cache, cache->begin);

    cache->known_from = oldest->revision + 1;
    blob_free(oldest->key);
    blob_free(oldest->bytes);
    cache->begin++;
}

static void change_add(struct cache *cache, struct change change)
{
    if (cache->end - cache->begin == cache->changes_max) {
        change_forget(cache);
    }
    cache->end++;
    *change_at(cache, cache->end - 1) = change;
}

static void changes_clear(struct cache *cache)
{
    while (cache->begin < cache->end) {
        change_forget(cache);
    }
}

/* ---- following the store ---- */

static void load_start(struct cache *cache);

/* Everything that is known may be wrong: drop it. Watches learn it in the next run. */
static void cache_lose(struct cache *cache)
{
    changes_clear(cache);
    cache->end++; /* no position from before is valid any more */
    cache->begin = cache->end;
    cache->state = CACHE_LOST;
    cache->store_watch = NULL;
}

static void store_seen(void *arg, enum store_watch_state state, uint64_t revision,
                       const struct store_change *changes, size_t count)
{
    struct cache *cache = arg;
    struct change *last = NULL;

    if (state != STORE_WATCH_CHANGES) {
        cache_lose(cache);
        return;
    }
    assert(revision > cache->revision);
    for (size_t i = 0; i < count; i++) {
        struct blob *bytes = changes[i].is_delete ? NULL : blob_new(changes[i].item.value);
        struct key_parts key;

        if (!key_read(changes[i].item.key, &key)) {
            blob_free(bytes);
            continue;
        }
        change_add(cache, (struct change){
                              .revision = revision,
                              .key = part_put(cache, &key, &changes[i].item, bytes),
                              .bytes = bytes == NULL ? NULL : blob_share(bytes),
                              .part = key.part,
                          });
        last = change_at(cache, cache->end - 1);
    }
    if (last != NULL) {
        last->is_last = true;
    }
    cache->revision = revision;
}

static void page_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct cache *cache = arg;

    if (outcome != OUTCOME_OK) {
        cache->state = CACHE_LOST;
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        struct key_parts key;

        if (key_read(answer->items[i].key, &key)) {
            blob_free(part_put(cache, &key, &answer->items[i], blob_new(answer->items[i].value)));
        }
    }
    cache->revision = answer->revision;
    if (answer->has_more) {
        struct store_range range = { .prefix = TEXT("/"),
                                     .after = answer->items[answer->count - 1].key,
                                     .at_revision = answer->revision };

        store_list(cache->store, &range, page_done, cache);
        return;
    }
    cache->state = CACHE_READY;
    cache->known_from = answer->revision + 1;
    cache->store_watch =
        store_watch(cache->store, TEXT("/"), answer->revision + 1, store_seen, cache);
}

static void load_start(struct cache *cache)
{
    const struct map_node *node;

    while ((node = map_first(&cache->objects, TEXT(""))) != NULL) {
        object_drop(cache, node->value);
    }
    cache->state = CACHE_LOADING;
    cache->revision = 0;
    store_list(cache->store, &(struct store_range){ .prefix = TEXT("/") }, page_done, cache);
}

/* ---- our watches ---- */

struct cache_watch *cache_watch(struct cache *cache, struct text prefix, uint64_t from_revision,
                                cache_wants *wants, cache_seen *seen, void *arg)
{
    struct cache_watch *watch = pool_take(cache->watch_pool);
    uint64_t low = cache->begin;
    uint64_t high = cache->end;

    assert(watch != NULL && "more watches than a cache takes");
    assert(seen != NULL);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (change_at(cache, middle)->revision < from_revision) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *watch = (struct cache_watch){
        .next = cache->watches,
        .cache = cache,
        .prefix = blob_new(prefix),
        .position = low,
        .wants = wants,
        .seen = seen,
        .arg = arg,
    };
    if (cache->state != CACHE_READY || from_revision < cache->known_from) {
        watch->position = 0; /* before every ring: it is told RESET */
    }
    cache->watches = watch;
    return watch;
}

void cache_watch_close(struct cache_watch *watch)
{
    watch->is_closed = true;
}

static size_t watch_run(struct cache *cache, struct cache_watch *watch)
{
    size_t told = 0;

    if (!watch->is_closed && (watch->position < cache->begin || watch->position == 0)) {
        watch->is_closed = true;
        watch->seen(watch->arg, CACHE_WATCH_RESET, NULL);
        return 1;
    }
    while (!watch->is_closed && watch->position < cache->end) {
        const struct change *change = change_at(cache, watch->position++);
        struct cache_change seen = { .revision = change->revision,
                                     .part = change->part,
                                     .bytes = change->bytes,
                                     .is_last = change->is_last };

        if (!text_has_prefix(blob_text(change->key), blob_text(watch->prefix))) {
            continue;
        }
        names_read(blob_text(change->key), &seen.tenant, &seen.kind, &seen.id);
        if (watch->wants == NULL || watch->wants(watch->arg, &seen)) {
            watch->seen(watch->arg, CACHE_WATCH_CHANGE, &seen);
            told++;
        }
    }
    return told;
}

static void watches_sweep(struct cache *cache)
{
    for (struct cache_watch **link = &cache->watches; *link != NULL;) {
        struct cache_watch *watch = *link;

        if (watch->is_closed) {
            *link = watch->next;
            blob_free(watch->prefix);
            pool_give(cache->watch_pool, watch);
        } else {
            link = &watch->next;
        }
    }
}

size_t cache_run(struct cache *cache)
{
    size_t told = 0;

    for (struct cache_watch *watch = cache->watches; watch != NULL; watch = watch->next) {
        told += watch_run(cache, watch);
    }
    watches_sweep(cache);
    if (cache->state == CACHE_LOST) {
        load_start(cache);
    }
    return told;
}

/* ---- reading ---- */

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

/* ---- life ---- */

struct cache *cache_new(struct store *store, size_t changes_max)
{
    struct arena *home = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct cache *cache = arena_one(home, struct cache);

    assert(changes_max > 0 && (changes_max & (changes_max - 1)) == 0);
    cache->home = home;
    cache->store = store;
    cache->changes_max = changes_max;
    cache->changes = arena_array(home, struct change, changes_max);
    cache->begin = cache->end = 1; /* position 0 is before every ring */
    map_init(&cache->objects, home);
    cache->object_pool = pool_new(sizeof(struct cache_object), LIMIT_STORE_KEYS);
    cache->watch_pool = pool_new(sizeof(struct cache_watch), LIMIT_STORE_WATCHES);
    load_start(cache);
    return cache;
}

void cache_free(struct cache *cache)
{
    const struct map_node *node;

    if (cache == NULL) {
        return;
    }
    assert(cache->state != CACHE_LOADING);
    if (cache->store_watch != NULL) {
        store_watch_close(cache->store, cache->store_watch);
    }
    while ((node = map_first(&cache->objects, TEXT(""))) != NULL) {
        object_drop(cache, node->value);
    }
    changes_clear(cache);
    for (struct cache_watch *watch = cache->watches; watch != NULL; watch = watch->next) {
        watch->is_closed = true;
    }
    watches_sweep(cache);
    pool_free(cache->object_pool);
    pool_free(cache->watch_pool);
    arena_free(cache->home);
}

#include "base/limits.h"
#include "state/cache_inner.h"

#include <assert.h>

/* A watch is a position in the shared ring of changes. */
struct cache_watch {
    struct cache_watch *next;
    struct cache *cache;
    struct blob *prefix;
    struct blob *kind;
    /* its texts are borrowed from the two blobs above */
    struct cache_scope scope;
    uint64_t position; /* position in the ring of the next change to report */
    cache_seen *seen;
    void *arg;
    bool is_held;
    bool is_closed;
};

struct cache_watch *cache_watch(struct cache *cache, const struct cache_scope *scope,
                                uint64_t from_revision, cache_seen *seen, void *arg)
{
    struct cache_watch *watch = pool_take(cache->watch_pool);

    assert(watch != NULL && "the cache has too many watches");
    assert(seen != NULL);
    *watch = (struct cache_watch){
        .next = cache->watches,
        .cache = cache,
        .prefix = blob_new(scope->prefix),
        .kind = blob_new(scope->kind),
        .position = cache_step_find(cache, from_revision),
        .seen = seen,
        .arg = arg,
    };
    watch->scope =
        (struct cache_scope){ blob_text(watch->prefix), blob_text(watch->kind), scope->selector };
    if (cache->state != CACHE_READY || from_revision < cache->known_from) {
        watch->position = 0; /* a position before the ring makes the watch receive RESET */
    }
    cache->selecting += scope->selector != NULL ? 1 : 0;
    cache->watches = watch;
    return watch;
}

void cache_watch_hold(struct cache_watch *watch, bool is_held)
{
    watch->is_held = is_held;
}

void cache_watch_close(struct cache_watch *watch)
{
    watch->is_closed = true;
}

/* Finds how the step changes membership in the scope. Returns false if the object is in the scope
 * neither before nor after the step. */
static bool move_find(const struct cache_scope *scope, struct cache_step *step, struct text kind,
                      enum cache_move *out)
{
    struct text key = blob_text(step->key);
    struct cache_bytes after;
    bool was_in;
    bool is_in;

    if (!text_has_prefix(key, scope->prefix) ||
        (scope->kind.length > 0 && !text_is_equal(scope->kind, kind))) {
        return false;
    }
    is_in = cache_scope_has(scope, key, kind, step->after);
    /* The step keeps the traits that the scope read, for the states before and after it. */
    after = step->after[step->part];
    step->after[step->part] = step->before;
    was_in = cache_scope_has(scope, key, kind, step->after);
    step->before = step->after[step->part];
    step->after[step->part] = after;
    *out = !was_in ? CACHE_ENTERS : is_in ? CACHE_STAYS : CACHE_LEAVES;
    return was_in || is_in;
}

static size_t watch_run(struct cache *cache, struct cache_watch *watch)
{
    size_t reported = 0;

    if (!watch->is_closed && (watch->position < cache->begin || watch->position == 0)) {
        watch->is_closed = true;
        watch->seen(watch->arg, CACHE_WATCH_RESET, NULL);
        return 1;
    }
    while (!watch->is_closed && !watch->is_held && watch->position < cache->end) {
        struct cache_step *step = cache_step_at(cache, watch->position++);
        struct cache_change seen = { .revision = step->revision,
                                     .key = step->key,
                                     .part = step->part,
                                     .bytes = step->after[step->part].bytes,
                                     .parts = step->after,
                                     .is_last = step->is_last };

        cache_names_read(blob_text(step->key), &seen.tenant, &seen.kind, &seen.id);
        if (move_find(&watch->scope, step, seen.kind, &seen.move)) {
            watch->seen(watch->arg, CACHE_WATCH_CHANGE, &seen);
            reported++;
        }
    }
    return reported;
}

static void watches_sweep(struct cache *cache)
{
    for (struct cache_watch **link = &cache->watches; *link != NULL;) {
        struct cache_watch *watch = *link;

        if (watch->is_closed) {
            *link = watch->next;
            cache->selecting -= watch->scope.selector != NULL ? 1 : 0;
            blob_free(watch->prefix);
            blob_free(watch->kind);
            pool_give(cache->watch_pool, watch);
        } else {
            link = &watch->next;
        }
    }
}

size_t cache_watches_run(struct cache *cache)
{
    size_t reported = 0;

    for (struct cache_watch *watch = cache->watches; watch != NULL; watch = watch->next) {
        reported += watch_run(cache, watch);
    }
    watches_sweep(cache);
    return reported;
}

void cache_watches_init(struct cache *cache)
{
    cache->watch_pool = pool_new(sizeof(struct cache_watch), LIMIT_STORE_WATCHES);
}

void cache_watches_fini(struct cache *cache)
{
    for (struct cache_watch *watch = cache->watches; watch != NULL; watch = watch->next) {
        watch->is_closed = true;
    }
    watches_sweep(cache);
    pool_free(cache->watch_pool);
}

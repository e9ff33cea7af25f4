#include "state/cache_inner.h"

#include <assert.h>

/* While a store is opened, it reads and checks all its rows. The changes that it reports in this
 * phase are in order of revisions, so the last value of a key is the current one. Values up to the
 * load revision are only applied. Later changes are also appended to the ring, as if the store had
 * been listed at that revision and then followed (cache.c).
 *
 * Failure: if data is damaged, `end` is never called, and the cache lists the store. */

static void reported_begin(void *arg, uint64_t compacted_revision, uint64_t revision)
{
    struct cache *cache = arg;

    assert(cache->store == NULL && "notified by a store, and following one");
    cache_clear(cache);
    cache->is_reported = false;
    cache->load_until = revision;
    cache->reported_from = cache_load_revision(compacted_revision, revision);
    cache->revision = cache->reported_from;
    cache->known_from = cache->reported_from + 1;
}

static void reported_change(void *arg, const struct store_change *change)
{
    struct cache *cache = arg;

    if (change->item.revision <= cache->reported_from) {
        cache_item_take(cache, change);
        return;
    }
    assert(change->item.revision >= cache->revision);
    if (change->item.revision > cache->revision) {
        cache_revision_end(cache);
        cache->revision = change->item.revision;
    }
    (void)cache_change_take(cache, change);
}

static void reported_end(void *arg)
{
    struct cache *cache = arg;

    assert(cache->revision <= cache->load_until);
    cache_revision_end(cache);
    cache->revision = cache->load_until;
    cache->is_reported = true;
}

struct store_reading cache_reading(struct cache *cache)
{
    return (struct store_reading){ reported_begin, reported_change, reported_end, cache };
}

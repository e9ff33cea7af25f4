#include "rate_limit.h"

#include "base/mem.h"

#include <assert.h>
#include <pthread.h>

enum { REGIONS_MAX = 64, REGION_BYTES = 48, HALVED_MS = 60000, ARENA_BYTES = 1024 * 1024 };

/* The content of a bucket is in millionths of a request, so per_1000s is the amount that is added
 * per millisecond. */
enum { UNIT = 1000000 };

struct rate_bucket {
    uint64_t content;
    uint64_t filled_at_ms;
    uint64_t halved_until_ms;
    uint64_t closed_until_ms;
    bool is_used;
};

struct rate_region {
    char name[REGION_BYTES];
    size_t length;
    struct rate_bucket *buckets;
};

struct rate_limit {
    struct arena *arena;
    const struct rate_kind *kinds;
    size_t kind_count;
    pthread_mutex_t mutex; /* protects the members below */
    struct rate_region regions[REGIONS_MAX];
    size_t region_count;
};

struct rate_limit *rate_limit_new(const struct rate_kind *kinds, size_t count)
{
    struct arena *arena = arena_new_small(ARENA_BYTES);
    struct rate_limit *limit = arena_one(arena, struct rate_limit);

    assert(count > 0 && count <= 64);
    limit->arena = arena;
    limit->kinds = kinds;
    limit->kind_count = count;
    (void)pthread_mutex_init(&limit->mutex, NULL);
    return limit;
}

void rate_limit_free(struct rate_limit *limit)
{
    if (limit != NULL) {
        (void)pthread_mutex_destroy(&limit->mutex);
        arena_free(limit->arena);
    }
}

/* Returns the bucket, filled up to the present time. Called with the mutex locked. */
static struct rate_bucket *rate_bucket_get(struct rate_limit *limit, struct text region,
                                           size_t kind, uint64_t now_ms)
{
    const struct rate_kind *rates = &limit->kinds[kind];
    struct rate_region *found = NULL;
    struct rate_bucket *bucket;
    uint64_t most = (uint64_t)rates->burst * UNIT;
    uint64_t rate = rates->per_1000s;

    assert(kind < limit->kind_count);
    for (size_t i = 0; i < limit->region_count && found == NULL; i++) {
        struct text name = { limit->regions[i].name, limit->regions[i].length };

        if (text_is_equal(name, text_slice(region, 0, REGION_BYTES))) {
            found = &limit->regions[i];
        }
    }
    if (found == NULL && limit->region_count == REGIONS_MAX) {
        found = &limit->regions[REGIONS_MAX - 1];
    } else if (found == NULL) {
        found = &limit->regions[limit->region_count++];
        found->length = region.length < REGION_BYTES ? region.length : REGION_BYTES;
        memcpy(found->name, region.length == 0 ? "" : region.data, found->length);
        found->buckets = arena_array(limit->arena, struct rate_bucket, limit->kind_count);
    }
    bucket = &found->buckets[kind];
    if (!bucket->is_used) {
        *bucket = (struct rate_bucket){ .content = most, .filled_at_ms = now_ms, .is_used = true };
    }
    if (now_ms > bucket->filled_at_ms) {
        uint64_t passed = now_ms - bucket->filled_at_ms;

        rate = now_ms < bucket->halved_until_ms ? (rate + 1) / 2 : rate;
        passed = passed > most ? most : passed;
        bucket->content += passed * rate;
        bucket->content = bucket->content > most ? most : bucket->content;
        bucket->filled_at_ms = now_ms;
    }
    return bucket;
}

uint64_t rate_limit_take(struct rate_limit *limit, struct text region, size_t kind, bool is_change,
                         uint64_t now_ms)
{
    const struct rate_kind *rates = &limit->kinds[kind];
    uint64_t needed = (uint64_t)(is_change ? 1 : 1 + rates->reserved) * UNIT;
    struct rate_bucket *bucket;
    uint64_t wait_ms = 0;

    assert(rates->per_1000s > 0 && rates->burst > rates->reserved);
    (void)pthread_mutex_lock(&limit->mutex);
    bucket = rate_bucket_get(limit, region, kind, now_ms);
    if (now_ms < bucket->closed_until_ms) {
        wait_ms = bucket->closed_until_ms - now_ms;
    } else if (bucket->content >= needed) {
        bucket->content -= UNIT;
    } else {
        uint64_t rate =
            now_ms < bucket->halved_until_ms ? (rates->per_1000s + 1) / 2 : rates->per_1000s;

        wait_ms = (needed - bucket->content + rate - 1) / rate;
    }
    (void)pthread_mutex_unlock(&limit->mutex);
    return wait_ms;
}

void rate_limit_on_throttled(struct rate_limit *limit, struct text region, size_t kind,
                             uint64_t retry_after_ms, uint64_t now_ms)
{
    struct rate_bucket *bucket;

    (void)pthread_mutex_lock(&limit->mutex);
    bucket = rate_bucket_get(limit, region, kind, now_ms);
    bucket->halved_until_ms = now_ms + HALVED_MS;
    if (now_ms + retry_after_ms > bucket->closed_until_ms) {
        bucket->closed_until_ms = now_ms + retry_after_ms;
    }
    (void)pthread_mutex_unlock(&limit->mutex);
}

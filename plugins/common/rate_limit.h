#ifndef COMMON_RATE_LIMIT_H
#define COMMON_RATE_LIMIT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* public names start with: rate_ */

/* Token buckets, one for each region and kind of call. The time is an argument in ms of any
 * monotonic clock, so that tests can set it. Several threads may use the buckets. */
struct rate_limit;

/* A kind of call. */
struct rate_kind {
    unsigned per_1000s; /* number of requests per 1000 s: 2000 means two per second */
    unsigned burst;
    unsigned reserved; /* requests of a burst that are reserved for changes */
};

/* Creates the buckets. The kinds are not copied and must live as long as the result. */
struct rate_limit *rate_limit_new(const struct rate_kind *kinds, size_t count);

/* Frees the buckets. NULL is allowed. */
void rate_limit_free(struct rate_limit *limit);

/* Takes one request from a bucket. Returns 0 if it may be sent now. Otherwise nothing is taken, and
 * the result is the number of milliseconds until the next attempt. Only 64 regions have separate
 * buckets; further regions share one bucket. */
uint64_t rate_limit_take(struct rate_limit *limit, struct text region, size_t kind, bool is_change,
                         uint64_t now_ms);

/* Handles that the provider has throttled a call of this kind: halves the rate of the kind for one
 * minute, and permits no request of this kind for retry_after_ms. */
void rate_limit_on_throttled(struct rate_limit *limit, struct text region, size_t kind,
                             uint64_t retry_after_ms, uint64_t now_ms);

#endif

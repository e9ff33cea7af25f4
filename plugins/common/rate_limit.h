#ifndef COMMON_RATE_LIMIT_H
#define COMMON_RATE_LIMIT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* public names start with: rate_ */

/* Token buckets, one for each region and kind of call. The time is an argument, so that a test can
 * choose it. Any monotonic clock in milliseconds may be used. Several threads may use the
 * buckets. */
struct rate_limit;

/* A kind of call. */
struct rate_kind {
    unsigned per_1000s; /* number of requests per 1000 s: 2000 means two per second */
    unsigned burst;
    unsigned reserved; /* requests of a burst that are reserved for changes */
};

/* Creates the buckets. The kinds are borrowed and must live as long as the result. */
struct rate_limit *rate_limit_new(const struct rate_kind *kinds, size_t count);

/* Free it. NULL is allowed. */
void rate_limit_free(struct rate_limit *limit);

/* Takes one request from a bucket. Returns 0 if it may be sent now. Otherwise nothing is taken, and
 * the result is the number of milliseconds until the next attempt. Above 64 regions, the rest share
 * one bucket. */
uint64_t rate_limit_take(struct rate_limit *limit, struct text region, size_t kind, bool is_change,
                         uint64_t now_ms);

/* The provider has throttled a call of this kind. Its rate is halved for one minute, and no request
 * of this kind is sent for retry_after_ms. */
void rate_limit_on_throttled(struct rate_limit *limit, struct text region, size_t kind,
                             uint64_t retry_after_ms, uint64_t now_ms);

#endif

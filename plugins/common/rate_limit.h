#ifndef COMMON_RATE_LIMIT_H
#define COMMON_RATE_LIMIT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* names: rate_ */

/* Token buckets, one for each region and kind of call. The time is an argument, so that a test can
 * choose it; any monotonic clock in milliseconds. Several threads may use them. */
struct rate_limit;

/* A kind of call. */
struct rate_kind {
    unsigned per_1000s; /* requests per 1000 s: 2000 are two per second */
    unsigned burst;
    unsigned reserved; /* of the burst, for calls that change something */
};

/* The kinds are borrowed and must live as long. */
struct rate_limit *rate_limit_new(const struct rate_kind *kinds, size_t count);

/* Free it. NULL is allowed. */
void rate_limit_free(struct rate_limit *limit);

/* Take one request. Returns 0 if it may be sent now, or the milliseconds after which to ask again;
 * nothing was taken then. More than 64 regions share one bucket. */
uint64_t rate_limit_take(struct rate_limit *limit, struct text region, size_t kind, bool is_change,
                         uint64_t now_ms);

/* The provider throttled such a call: the rate is halved for one minute, and no such request is
 * sent for retry_after_ms. */
void rate_limit_on_throttled(struct rate_limit *limit, struct text region, size_t kind,
                             uint64_t retry_after_ms, uint64_t now_ms);

#endif

#ifndef REEVE_API_REQUEST_METRICS_H
#define REEVE_API_REQUEST_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "api/request/route.h"

/* What is counted of requests. */

enum { METRICS_ROUTES = 128, METRICS_STATUSES = 24, METRICS_STEPS = 7 };

struct metrics {
    uint64_t answers[METRICS_ROUTES + 1][METRICS_STATUSES + 1]; /* the last of each: any other */
    uint64_t steps[METRICS_STEPS]; /* answered within 0.1 ms, 1 ms, ... 10 s, or later */
    uint64_t sum_ns;
};

/* Count an answer; route NULL: there was none. A stream counts when it begins. */
void metrics_count(struct metrics *metrics, const struct route *route, unsigned status,
                   uint64_t took_ns);

#endif

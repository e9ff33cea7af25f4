#ifndef REEVE_BASE_TIME_H
#define REEVE_BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* Points in time as RFC 3339 texts in UTC, and as numbers: milliseconds since 1970, without leap
 * seconds. The present time comes from a clock (sys/clock.h). */

/* The range of the format: the years 0000 to 9999. */
#define TIME_MIN_MS (-INT64_C(62167219200000))
#define TIME_MAX_MS INT64_C(253402300799999)

/* `2026-11-21T10:00:00.123Z` and its NUL. */
enum { TIME_TEXT_BYTES = 25 };

/* Write a time, always with milliseconds, so that sorting the texts sorts the times. A time outside
 * of TIME_MIN_MS to TIME_MAX_MS is clamped. */
void time_format(int64_t time_ms, char out[static TIME_TEXT_BYTES]);

/* Parse a date-time of RFC 3339 with any offset and 0 to 9 digits of a second, of which three are
 * used. `t`, `z`, and a space in place of `T` are accepted. A leap second counts as the second
 * after it. Returns false and leaves *out_ms unchanged for any other text, for a day that does not
 * exist, and for a time out of range. */
MUST_CHECK bool time_parse(struct text text, int64_t *out_ms);

/* Return the earlier of two times of any clock; 0 means no time. */
static inline uint64_t time_earlier(uint64_t a_ms, uint64_t b_ms)
{
    return a_ms == 0 || (b_ms != 0 && b_ms < a_ms) ? b_ms : a_ms;
}

#endif

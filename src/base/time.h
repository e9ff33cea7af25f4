#ifndef REEVE_BASE_TIME_H
#define REEVE_BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* Points in time as everybody writes them, RFC 3339 in UTC, and as code counts them: milliseconds
 * since 1970, without leap seconds. What time it is now is asked of a clock (sys/clock.h). */

/* The years 0000 to 9999, which are all that the format can write. */
#define TIME_MIN_MS (-INT64_C(62167219200000))
#define TIME_MAX_MS INT64_C(253402300799999)

/* `2026-11-21T10:00:00.123Z` and its NUL. */
enum { TIME_TEXT_BYTES = 25 };

/* Write a time, always with three digits of a second: sorting the texts sorts the times. What lies
 * outside of TIME_MIN_MS to TIME_MAX_MS is written as the nearest that does not. */
void time_format(int64_t time_ms, char out[static TIME_TEXT_BYTES]);

/* Read a date-time of RFC 3339: any offset, 0 to 9 digits of a second (those behind the third are cut
 * off); `t`, `z` and a blank in place of `T` are taken. A leap second is the second after it. False
 * leaves *out_ms alone: it is something else, names no day of the calendar, or is out of range. */
MUST_CHECK bool time_parse(struct text text, int64_t *out_ms);

/* The earlier one of two moments of any clock, of which 0 is none. */
static inline uint64_t time_earlier(uint64_t a_ms, uint64_t b_ms)
{
    return a_ms == 0 || (b_ms != 0 && b_ms < a_ms) ? b_ms : a_ms;
}

#endif

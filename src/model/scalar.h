#ifndef REEVE_MODEL_SCALAR_H
#define REEVE_MODEL_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* Values with units (FILE.md section 8). Each function returns false and leaves *out unchanged if
 * the text is not valid, or if the value does not fit into 64 bits. */

/* Parse a size: `20GiB`, `500MB`, without a blank: B kB MB GB TB KiB MiB GiB TiB. A bare number
 * counts `unit` (NULL: bare numbers are rejected). */
MUST_CHECK bool scalar_parse_size(struct text text, const char *unit, uint64_t *out_bytes);

/* `1h30m`: ms s m h d, each at most once, from large to small. No bare number: zero is `0s`. */
MUST_CHECK bool scalar_parse_duration(struct text text, uint64_t *out_ms);

/* A count, or a percentage of a whole. */
struct scalar_share {
    uint32_t value;
    bool is_percent;
};

/* Parse a share: `3` or `34%` (0 to 100). */
MUST_CHECK bool scalar_parse_share(struct text text, struct scalar_share *out);

/* Convert a share of `whole` to a number. Percentages are rounded up, to at least 1; 0% is 0. */
uint32_t scalar_share_of(struct scalar_share share, uint32_t whole);

#endif

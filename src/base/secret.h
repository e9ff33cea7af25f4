#ifndef REEVE_BASE_SECRET_H
#define REEVE_BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Bytes that must not be seen: a password, a token, a key. The type keeps them from what prints: no
 * function of err, log, JSON or buf takes one, and a log field of it is written as ***. Borrowed, as
 * struct text is; whoever owns the bytes wipes them. */
struct secret {
    const char *data;
    size_t length;
};

/* Bytes that somebody else owns, from now on a secret. */
struct secret secret_from(struct text bytes);

/* Its bytes, for the one place that needs them. Every call of this is worth a look in review. */
struct text secret_reveal(struct secret secret);

/* Same bytes? Takes as long for every two of the same length, so that an answer tells nothing about
 * where they differ; the length itself is no secret. */
bool secret_is_equal(struct secret a, struct secret b);

/* Overwrite memory that held a secret; no compiler leaves this out. */
void secret_wipe(void *data, size_t bytes);

#endif

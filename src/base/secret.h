#ifndef REEVE_BASE_SECRET_H
#define REEVE_BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Bytes that must not be shown: a password, a token, a key. The type keeps secrets out of output:
 * no function of err, log, JSON or buf accepts one, and a log field with one is written as ***.
 * Borrowed like struct text; the owner of the bytes wipes them. */
struct secret {
    const char *data;
    size_t length;
};

/* Mark bytes as a secret. Borrows them. */
struct secret secret_from(struct text bytes);

/* Return the bytes, for code that cannot do without them. Every call must be checked in review. */
struct text secret_reveal(struct secret secret);

/* True if both have the same bytes. The time depends only on the length, so that it does not show
 * where they differ; the length itself is not a secret. */
bool secret_is_equal(struct secret a, struct secret b);

/* Overwrite memory that held a secret. The compiler does not remove this. */
void secret_wipe(void *data, size_t bytes);

#endif

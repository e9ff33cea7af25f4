#ifndef REEVE_FETCH_FETCH_H
#define REEVE_FETCH_FETCH_H

#include "fetch/target.h"

/* public names start with: fetch_ */

/* Executes a fetch order: follows redirects until it has the bytes with the expected digest, and
 * validates each URL like the first one. If the order has a file, it reads that file instead.
 * `authorities` and `out` are as in transfer_new. Texts of the answer live in the arena. */
void fetch_run(struct arena *arena, const struct fetch_order *order, struct fetch_resolver resolver,
               const char *authorities, int out, struct fetch_answer *answer);

#endif

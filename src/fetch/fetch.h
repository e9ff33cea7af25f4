#ifndef REEVE_FETCH_FETCH_H
#define REEVE_FETCH_FETCH_H

#include "fetch/target.h"

/* names: fetch_ */

/* All of one order: from its address over redirects, each judged like the first, to bytes whose digest is right. Or a file
 * that is open already. `authorities` and `out` as of a transfer. Texts of the answer live in the arena. */
void fetch_run(struct arena *arena, const struct fetch_order *order, struct fetch_resolver resolver,
               const char *authorities, int out, struct fetch_answer *answer);

#endif

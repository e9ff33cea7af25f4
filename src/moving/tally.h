#ifndef REEVE_MOVING_TALLY_H
#define REEVE_MOVING_TALLY_H

#include "base/mem.h"
#include "state/dump.h"

/* public names start with: tally_ */

/* Counts and digests of the content of a store, for each kind of object, while it is passed on.
 * They do not depend on the order, so those of a store and of its copy are equal. */
struct tally;

/* Creates a tally that passes the content on to `inner`; NULL: only counts. */
struct tally *tally_new(const struct store_dump_sink *inner);

/* Frees it. NULL is allowed. */
void tally_free(struct tally *tally);

struct store_dump_sink tally_sink(struct tally *tally);

/* Returns the number of objects that exist, and of events. */
uint64_t tally_objects(const struct tally *tally);
uint64_t tally_events(const struct tally *tally);

/* Succeeds if both have seen the same content. Fails with R0594, which names the first kind that
 * differs. */
MUST_CHECK bool tally_compare(const struct tally *store, const struct tally *copy, struct err *err);

#endif

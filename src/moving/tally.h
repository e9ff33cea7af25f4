#ifndef REEVE_MOVING_TALLY_H
#define REEVE_MOVING_TALLY_H

#include "base/mem.h"
#include "state/dump.h"

/* public names start with: tally_ */

/* Computes counts and digests of the content of a store, for each kind of object, while the content
 * is dumped. They do not depend on the order, so those of a store and of its copy are equal. */
struct tally;

/* Creates a tally that passes the content on to `inner`; NULL: the content is only counted. */
struct tally *tally_new(const struct store_dump_sink *inner);

/* Frees a tally. NULL is allowed. */
void tally_free(struct tally *tally);

struct store_dump_sink tally_sink(struct tally *tally);

/* tally_objects returns the number of existing objects, tally_events the number of events. */
uint64_t tally_objects(const struct tally *tally);
uint64_t tally_events(const struct tally *tally);

/* Fails with R0594 if the two tallies have not seen the same content; the error has the first kind
 * that differs. */
MUST_CHECK bool tally_compare(const struct tally *store, const struct tally *copy, struct err *err);

#endif

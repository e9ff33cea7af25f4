#ifndef REEVE_STORE_MEMORY_H
#define REEVE_STORE_MEMORY_H

#include "state/store.h"

/* names: memory_ store_ */

/* How a memory store misbehaves, for tests and the simulator. All zero: it does not. */
struct memory_faults {
    uint64_t (*random)(void *arg); /* where its luck comes from; NULL = none of the below */
    void *random_arg;
    unsigned late_max;         /* an answer comes up to so many runs late, later ones may pass it,
                                 but never one that touches a key of its own */
    unsigned unknown_permille; /* of transactions: the answer is UNKNOWN, whatever happened */
    unsigned lost_permille;    /* of those UNKNOWN: how many did not happen */
};

/* A store in memory, whose contents die with it. Single-threaded; store_run makes everything happen.
 * `incarnation` is 16 bytes that name this life of it. */
struct store *memory_open(const unsigned char incarnation[16]);

/* Change how it misbehaves from now on. The store must be a memory store. */
void memory_set_faults(struct store *store, const struct memory_faults *faults);

#endif

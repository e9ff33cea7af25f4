#ifndef REEVE_STORE_MEMORY_H
#define REEVE_STORE_MEMORY_H

#include "state/store.h"

/* public names start with: memory_ store_ */

/* Faults that a memory store simulates, for tests and the simulator. All zero: no faults. */
struct memory_faults {
    uint64_t (*random)(void *arg); /* random numbers; NULL: no faults */
    void *random_arg;
    /* An answer is delayed by at most this many runs. Later answers may overtake it, except those
     * about the same keys. */
    unsigned late_max;
    /* number of transactions per 1000 that are answered with UNKNOWN, with or without effect */
    unsigned unknown_permille;
    unsigned lost_permille; /* number of these transactions per 1000 that have no effect */
};

/* Opens a store in memory. Its content is lost when it is closed. It is single-threaded; all
 * callbacks run in store_run. `incarnation` has 16 bytes. */
struct store *memory_open(const unsigned char incarnation[16]);

/* Changes the faults. The store must be a memory store. */
void memory_set_faults(struct store *store, const struct memory_faults *faults);

#endif

#ifndef REEVE_NODES_PORT_SWEEPS_H
#define REEVE_NODES_PORT_SWEEPS_H

#include "sys/loop.h"

/* Asks which addresses of a range accept connections to a port, at most 100 a second for the whole
 * process. Nothing is sent to them. Ranges are swept one after the other. */
struct port_sweeps;

enum {
    PORT_SWEEP_ADDRESSES = 64,  /* of a range */
    PORT_SWEEP_SPACING_MS = 10, /* between two addresses */
    PORT_SWEEPS_WAITING = 8,    /* ranges that wait for their turn */
};

/* Makes none; NULL if the loop has no room for its timer. */
struct port_sweeps *port_sweeps_new(struct loop *loop);

/* are_alive has an entry for each address of the range. NULL: the manager is stopping. */
typedef void port_sweep_done(void *arg, const bool *are_alive);

/* Sweep `count` IPv4 addresses from `first` on. `done` is called once, in a later turn of the loop.
 * False: too many ranges wait; `done` is not called. */
MUST_CHECK bool port_sweeps_start(struct port_sweeps *sweeps, uint32_t first, size_t count,
                                  uint16_t port, port_sweep_done *done, void *arg);

/* Ends all of them. NULL is allowed. */
void port_sweeps_free(struct port_sweeps *sweeps);

#endif

#ifndef REEVE_NODES_PORT_SWEEPS_H
#define REEVE_NODES_PORT_SWEEPS_H

#include "sys/loop.h"

/* Finds the addresses of a range that accept connections to a port. It probes at most 100 addresses
 * a second for the whole process, and sends no data to them. Ranges are probed one after the
 * other. */
struct port_sweeps;

enum {
    PORT_SWEEP_ADDRESSES = 64,  /* maximum number of addresses in a range */
    PORT_SWEEP_SPACING_MS = 10, /* time between two addresses, in ms */
    PORT_SWEEPS_WAITING = 8,    /* maximum number of waiting ranges */
};

/* Creates the sweeps; NULL if the loop has no free slot for their timer. */
struct port_sweeps *port_sweeps_new(struct loop *loop);

/* are_alive has an entry for each address of the range. NULL: the manager is stopping. */
typedef void port_sweep_done(void *arg, const bool *are_alive);

/* Probes `count` IPv4 addresses from `first` on. `done` is called once, in a later iteration of the
 * loop. Returns false if too many ranges wait; `done` is then not called. */
MUST_CHECK bool port_sweeps_start(struct port_sweeps *sweeps, uint32_t first, size_t count,
                                  uint16_t port, port_sweep_done *done, void *arg);

/* Ends all sweeps. NULL is allowed. */
void port_sweeps_free(struct port_sweeps *sweeps);

#endif

#ifndef REEVE_NODES_PORT_PROBES_H
#define REEVE_NODES_PORT_PROBES_H

#include "sys/dial.h"

/* Tests whether machines accept connections to a port. It sends no data to them. */
struct port_probes;

struct port_probes *port_probes_new(struct loop *loop);

typedef void port_probe_done(void *arg, bool is_alive);

/* Begins to connect to a numeric address. `done` is called once, in a later iteration of the
 * loop. */
void port_probes_start(struct port_probes *probes, struct text address, uint16_t port,
                       port_probe_done *done, void *arg);

/* Ends all probes, with the result not alive. NULL is allowed. */
void port_probes_free(struct port_probes *probes);

#endif

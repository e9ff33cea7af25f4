#ifndef LOCAL_NETWORK_H
#define LOCAL_NETWORK_H

#include "machine.h"
#include "work.h"

#include <stdbool.h>
#include <stdint.h>

/* The network of the machines: a bridge, in the host's network namespace or in a separate named
 * namespace. Each machine has a network namespace, kept by a bind mount (machines/ID/net), with a
 * link pair into the bridge. The namespace is created before the machine's first process, and is
 * kept when the machine restarts. */

/* Sets up the network of this machine. Existing parts are kept. */
int32_t network_attach(struct work *work, const struct machine *machine);

/* Removes the machine's network. Missing parts are not an error. */
int32_t network_detach(struct work *work, const char *id);

/* Removes the bridge and the namespace if no machine has an address. */
int32_t network_end(struct work *work);

/* Returns the path of the machine's network namespace. */
const char *network_path(struct work *work, const char *id);

#endif

#ifndef LOCAL_NETWORK_H
#define LOCAL_NETWORK_H

#include "machine.h"
#include "work.h"

#include <stdbool.h>
#include <stdint.h>

/* The network of the machines: a bridge, in the host's network namespace or in a separate named
 * one. Each machine has a network namespace, kept by a bind mount (machines/ID/net), with a link
 * pair into the bridge. It exists before the machine's first process runs and remains across
 * restarts of the machine. */

/* Sets up everything for this machine; existing parts remain. */
int32_t network_attach(struct work *work, const struct machine *machine);

/* Removes the machine's part; missing parts are not an error. */
int32_t network_detach(struct work *work, const char *id);

/* Removes the bridge and the namespace if no machine has an address any more. */
int32_t network_end(struct work *work);

/* Returns the path of the machine's network namespace. */
const char *network_path(struct work *work, const char *id);

#endif

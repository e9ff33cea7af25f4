#ifndef LOCAL_NETWORK_H
#define LOCAL_NETWORK_H

#include "machine.h"
#include "work.h"

#include <stdbool.h>
#include <stdint.h>

/* The network of the machines: a bridge, in the host's network namespace or in a named one of our own, and for
 * each machine a network namespace that is kept by a bind mount (machines/ID/net) with a pair of links into the
 * bridge. It stands before the machine's first process runs and stays while the machine is started anew. */

/* All of it, for this machine; what is there already stays. */
int32_t network_attach(struct work *work, const struct machine *machine);

/* The machine's part ends. What is not there is right. */
int32_t network_detach(struct work *work, const char *id);

/* The bridge, and the namespace, if no machine has an address any more. */
int32_t network_end(struct work *work);

/* Where the machine's network namespace is kept. */
const char *network_path(struct work *work, const char *id);

#endif

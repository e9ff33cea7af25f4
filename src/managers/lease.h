#ifndef REEVE_MANAGERS_LEASE_H
#define REEVE_MANAGERS_LEASE_H

#include "base/mem.h"
#include "codec/doc.h"
#include "records/fleet.h"
#include "state/cache.h"

/* The lease of a cluster: the session that may act on it. Its revision is the epoch, which every
 * transaction for the cluster compares. */

/* Returns the lease of a cluster; NULL: there is none. */
const struct cache_object *lease_find(const struct cache *cache,
                                      const struct fleet_cluster *cluster);

/* Returns the content of a lease. NULL: there is no lease, or it cannot be parsed. */
const struct doc *lease_read(struct arena *arena, const struct cache_object *lease);

/* Returns the session that a lease names; empty: none. */
struct text lease_session(const struct doc *lease);

/* True if the lease of a cluster that still needs passes names the session. */
bool lease_is_named(const struct cache *cache, struct fleet *fleet, struct text session);

#endif

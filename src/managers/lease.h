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

/* Returns the bytes of a lease. ahead: the cluster's clock minus that of the holder. manager: the
 * id of the holder's manager; empty: this process is the only manager of its store. */
struct text lease_format(struct arena *arena, int64_t ahead, struct text clock, struct text manager,
                         struct text session);

/* True if the cluster has machines that exist on one host only, as those of the plugins `file`,
 * `local` and `sim` do, and its lease was last held by another manager. To this manager's plugin
 * such machines look as if they had ended, and it would create them a second time. */
bool lease_is_bound_elsewhere(const struct fleet_cluster *cluster, const struct doc *lease,
                              struct text manager);

/* True if the lease of a cluster that still needs passes names the session. */
bool lease_is_named(const struct cache *cache, struct fleet *fleet, struct text session);

#endif

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

/* Returns the session in a lease; empty: none. */
struct text lease_session(const struct doc *lease);

/* Return other members of a lease: the manager that holds it, or held it last; the manager to which
 * it is handed over; the reason why the session got it, or why it was handed over. Empty: none. */
struct text lease_manager(const struct doc *lease);
struct text lease_next(const struct doc *lease);
struct text lease_reason(const struct doc *lease);

/* Returns since when the session has the lease, by the wall clock of its holder, for display; 0:
 * unknown. */
int64_t lease_since_wall_ms(const struct doc *lease);

/* The content of a lease. Members that are empty or 0 are left out. */
struct lease_content {
    int64_t ahead;       /* the cluster's clock minus that of the holder */
    struct text clock;   /* the boot of the holder's machine */
    struct text manager; /* id of the holder's manager; empty: it is the only one of its store */
    struct text session; /* empty: the lease is handed over */
    struct text next;    /* id of the manager to which it is handed over */
    struct text reason;
    int64_t since_wall_ms;
};

/* Returns the bytes of a lease. */
struct text lease_format(struct arena *arena, const struct lease_content *content);

/* True if machines of a plugin exist on one host only. */
bool lease_is_host_plugin(struct text plugin);

/* True if the cluster has machines that exist on one host only, and whose records do not contain
 * the host, because an earlier version without `at` in records created them. */
bool lease_is_bound(const struct fleet_cluster *cluster);

/* The same if the lease of the cluster was last held by another manager. The plugin of this manager
 * would treat such machines as ended, and create them a second time. */
bool lease_is_bound_elsewhere(const struct fleet_cluster *cluster, const struct doc *lease,
                              struct text manager);

/* True if the session holds the lease of a cluster that still needs passes. */
bool lease_is_named(const struct cache *cache, struct fleet *fleet, struct text session);

#endif

#ifndef REEVE_MANAGERS_LEASE_H
#define REEVE_MANAGERS_LEASE_H

#include "base/mem.h"
#include "codec/doc.h"
#include "records/fleet.h"
#include "state/cache.h"

/* The lease of a cluster: the session that may act on the cluster. The revision of the lease is the
 * epoch, which every transaction for the cluster compares. */

/* Returns the lease of a cluster; NULL: there is none. */
const struct cache_object *lease_find(const struct cache *cache,
                                      const struct fleet_cluster *cluster);

/* Returns the content of a lease. NULL: there is no lease, or it cannot be parsed. */
const struct doc *lease_read(struct arena *arena, const struct cache_object *lease);

/* Returns the session in a lease; empty: there is none. */
struct text lease_session(const struct doc *lease);

/* Return other fields of a lease: the manager that holds it, or held it last; the manager to which
 * it is handed over; the reason why the session got it, or why it was handed over. Empty: the field
 * is not set. */
struct text lease_manager(const struct doc *lease);
struct text lease_next(const struct doc *lease);
struct text lease_reason(const struct doc *lease);

/* Returns since when the session has the lease, by the wall clock of its holder, for display; 0:
 * unknown. */
int64_t lease_since_wall_ms(const struct doc *lease);

/* The content of a lease. Fields that are empty or 0 are omitted. */
struct lease_content {
    int64_t ahead;     /* the cluster's clock minus the clock of the holder, in ms */
    struct text clock; /* identifies the boot of the holder's machine */
    /* id of the manager that holds the lease; empty: it is the only manager of its store */
    struct text manager;
    struct text session; /* session of the holder; empty: the lease is handed over */
    struct text next;    /* id of the manager to which the lease is handed over */
    struct text reason;
    int64_t since_wall_ms;
};

/* Returns the bytes of a lease. */
struct text lease_format(struct arena *arena, const struct lease_content *content);

/* True if each machine of the plugin exists on the host of one manager only. */
bool lease_is_host_plugin(struct text plugin);

/* True if the cluster has machines that exist on one host only and whose records do not contain
 * that host. An earlier version, without `at` in records, created them. */
bool lease_is_bound(const struct fleet_cluster *cluster);

/* True if lease_is_bound is true and another manager was the last lease holder. The plugin of this
 * manager would treat the machines of the cluster as ended, and create them a second time. */
bool lease_is_bound_elsewhere(const struct fleet_cluster *cluster, const struct doc *lease,
                              struct text manager);

/* True if the session holds the lease of any cluster that still needs passes. */
bool lease_is_named(const struct cache *cache, struct fleet *fleet, struct text session);

#endif

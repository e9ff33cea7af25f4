#ifndef REEVE_MANAGERS_LEASING_H
#define REEVE_MANAGERS_LEASING_H

#include "base/mem.h"
#include "codec/doc.h"
#include "managers/assignment.h"
#include "state/cache.h"

/* The part of the controller that handles leases (src/leases). It is declared here, because
 * src/leases depends on the reconcilers, and the reconcilers call these functions. */
struct control;
struct reconciler;
struct leases;

/* Open and free the leases of a controller. */
struct leases *leases_open(struct control *control);
void leases_free(struct leases *leases);

/* Return this manager's data about the sessions of other managers; NULL: this manager is the only
 * one. */
struct roster *leases_roster(const struct leases *leases);
struct managers *leases_managers(const struct leases *leases);
struct assignment *leases_assignment(const struct leases *leases);

/* Send the heartbeat of this manager's session, check the sessions of other managers, and hand over
 * the leases that are due. Returns false if the session is not valid, so that no work may begin. */
bool leases_run(struct leases *leases, uint64_t now);

/* True if this manager does the work that concerns the whole store: it has the lease of
 * housekeeping, or is the only manager. */
bool leases_is_housekeeper(const struct leases *leases);

/* Send the changed leases of this iteration. */
void leases_flush(struct leases *leases);

/* Return the time of the next call of leases_run, by now_ms. */
uint64_t leases_due(const struct leases *leases);

/* Put the known state of managers and leases into a map: {items, assigned, unassigned, waiting,
 * clusters}. Only `clusters` exists if this manager is the only one. */
void leases_show(struct leases *leases, struct arena *arena, const struct managers_query *query,
                 struct doc_builder *builder);

/* True if the session is valid as far as this manager can know (roster_is_alive). */
bool leases_is_alive(const struct leases *leases);

/* Continue a pass with the lease of its cluster; `said` is the content of the lease. If this
 * session holds the lease, the pass lists its providers. Otherwise the lease is taken first, or the
 * pass ends. */
void leases_settle(struct reconciler *reconciler, const struct cache_object *lease,
                   const struct doc *said);

/* Continue a pass after its lease was committed and is visible in the cache. */
void leases_taken(struct reconciler *reconciler);

/* Called at the end of a pass: record which plugins work on this manager. */
void leases_pass_note(struct reconciler *reconciler);

/* Called before outcomes are written. If this session lost the lease and acquired it again after
 * the lease was last read, the epoch is set to the new one. */
void leases_epoch_renew(struct reconciler *reconciler, const struct cache_object *lease);

/* The state of a reconciler that concerns its lease. */
struct leasing {
    struct reconciler *next; /* the next reconciler with a lease to hand over */
    char to[64];             /* id of the manager to which the cluster is handed over */
    char reason[160];
    uint64_t since_ms;
    uint64_t wait_ms; /* time until the lease is checked again; 0: the usual time */
    bool is_leaving;  /* the cluster is being handed over, so no pass begins */
    bool is_sent;     /* the hand-over is being committed */
};

#endif

#ifndef REEVE_MANAGERS_LEASING_H
#define REEVE_MANAGERS_LEASING_H

#include "base/mem.h"
#include "codec/doc.h"
#include "managers/assignment.h"
#include "state/cache.h"

/* The part of the controller that deals with leases (src/leases). It is declared here because the
 * reconcilers, on which it depends, call it. */
struct control;
struct reconciler;
struct leases;

/* Open and free the leases of a controller. */
struct leases *leases_open(struct control *control);
void leases_free(struct leases *leases);

/* Return this manager's data about the other managers; NULL: it is the only one. */
struct roster *leases_roster(const struct leases *leases);
struct managers *leases_managers(const struct leases *leases);
struct assignment *leases_assignment(const struct leases *leases);

/* Keep the session of this manager alive, check those of the others, and hand over the due leases.
 * False: the session is not valid, so that nothing may begin. */
bool leases_run(struct leases *leases, uint64_t now);

/* True if this manager does the work on the whole store: it has the lease of housekeeping, or is
 * the only manager. */
bool leases_is_housekeeper(const struct leases *leases);

/* Send the changed leases of this iteration. */
void leases_flush(struct leases *leases);

/* The time of the next call of leases_run, by now_ms. */
uint64_t leases_due(const struct leases *leases);

/* Put the known state of managers and leases into a map: {items, assigned, unassigned, waiting,
 * clusters}. Only `clusters` exists if this manager is the only one. */
void leases_show(struct leases *leases, struct arena *arena, const struct managers_query *query,
                 struct doc_builder *builder);

/* True if the session is valid as far as this manager can know (roster_is_alive). */
bool leases_is_alive(const struct leases *leases);

/* Continue a pass with the lease of its cluster; `said` is the content of the lease. The pass lists
 * its providers if this session holds the lease. Otherwise the lease is taken first, or the pass
 * ends. */
void leases_settle(struct reconciler *reconciler, const struct cache_object *lease,
                   const struct doc *said);

/* Continue a pass after its lease was committed and is visible in the cache. */
void leases_taken(struct reconciler *reconciler);

/* Called at the end of a pass: note which plugins work at this manager. */
void leases_pass_note(struct reconciler *reconciler);

/* Called before outcomes are written. If this session has lost the lease and won it again since it
 * was last read, the epoch is set anew. */
void leases_epoch_renew(struct reconciler *reconciler, const struct cache_object *lease);

/* The state of a reconciler about its lease. */
struct leasing {
    struct reconciler *next; /* the next reconciler with a lease to hand over */
    char to[64];             /* id of the manager that gets the cluster */
    char reason[160];
    uint64_t since_ms;
    uint64_t wait_ms; /* until the lease is judged again; 0: the usual time */
    bool is_leaving;  /* No pass begins, because the cluster is handed over. */
    bool is_sent;     /* The hand-over is being committed. */
};

#endif

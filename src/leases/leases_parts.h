#ifndef REEVE_LEASES_LEASES_PARTS_H
#define REEVE_LEASES_LEASES_PARTS_H

#include "managers/leasing.h"
#include "reconcile/control_parts.h"

/* private to src/leases */
/* public names start with: leases_ lease_writes_ handover_ housekeeping_ */

/* ---- writes (lease_writes.c) ---- */

/* Changed leases that are committed together. */
struct lease_writes;

struct lease_write {
    struct text key;
    uint64_t revision; /* revision that the key must have for the write */
    struct text value;
    struct store_event event; /* without a body there is no event */
    store_done *done;         /* called once, unless the store is closed first */
    void *arg;
};

/* Creates the queue of writes. Nothing is sent while *is_stopped is true. The flag must outlive the
 * writes. */
struct lease_writes *lease_writes_new(struct store *store, const bool *is_stopped);
void lease_writes_free(struct lease_writes *writes);

/* Queues a change. Its texts are copied. */
void lease_writes_put(struct lease_writes *writes, const struct lease_write *write);

/* Sends the queued changes, up to LEASE_WRITES_BATCH of them in a transaction. If a batch is
 * rejected, each half of it is sent again. */
void lease_writes_flush(struct lease_writes *writes);

enum { LEASE_WRITES_BATCH = 60 };

/* ---- the leases of a controller ---- */

struct leases {
    struct arena *memory;
    struct control *control;
    struct roster *roster; /* NULL: this manager is the only one */
    struct managers *managers;
    struct assignment *assignment;
    struct lease_writes *writes;
    struct reconciler *leaving; /* reconcilers whose clusters are being handed over */
    uint64_t due_ms;
    uint64_t swept_ms;         /* when keys of ended sessions were last removed */
    uint64_t ends;             /* number of ended sessions about which reconcilers were notified */
    uint64_t housekeeping_ms;  /* when the lease of housekeeping was last checked */
    bool is_housekeeper;       /* this manager has the lease of housekeeping */
    bool is_housekeeping_sent; /* the lease of housekeeping is being written */
    bool was_alive;
    /* The session has had no heartbeat for so long that another manager may hold its leases. */
    bool is_silent;
};

/* Begins to hand a cluster over (handover.c). Implements assignment_options.leave. */
void handover_begin(void *arg, struct fleet_cluster *cluster, struct text next, struct text reason);

/* Continues all hand-overs. Returns the time of the next call. */
uint64_t handover_run(struct leases *leases, uint64_t now);

/* Checks the lease of housekeeping when it is due (housekeeping.c). Returns the time of the next
 * call. */
uint64_t housekeeping_run(struct leases *leases, uint64_t now);

/* Returns the id of the manager that has the lease of housekeeping, or had it last; empty: no
 * manager ever had it. */
struct text housekeeping_manager(const struct leases *leases, struct arena *arena);

#endif

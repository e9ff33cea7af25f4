#ifndef REEVE_MANAGERS_ASSIGNMENT_H
#define REEVE_MANAGERS_ASSIGNMENT_H

#include "managers/managers.h"
#include "records/fleet.h"

/* Decides which leases this manager takes and hands over (docs/spec/MANAGERS.md section 4). A
 * decision is only a proposal: a lease is changed by a transaction that compares its key. All calls
 * are on the loop thread.
 *
 * Time windows: a free lease is taken after the wait of plan/assign.h. A plugin that has failed for
 * ASSIGNMENT_INABILITY_MS is reported as unavailable. Clusters move for balance when the load has
 * been uneven for ASSIGNMENT_UNEVEN_MS. `times` divides the last two. */
struct assignment;

enum {
    ASSIGNMENT_INABILITY_MS = 60000,
    ASSIGNMENT_UNEVEN_MS = 60000,
    ASSIGNMENT_BALANCE_MS = 600000, /* minimum time between two moves of one cluster for balance */
    ASSIGNMENT_BALANCE_PER_S = 20,  /* maximum number of moves for balance per second */
    /* time after a hand-over during which only the chosen manager may take the lease */
    ASSIGNMENT_NEXT_MS = 2000
};

struct assignment_options {
    struct cache *cache;
    struct fleet *fleet;
    struct roster *roster;
    struct managers *managers;
    uint64_t (*now_ms)(void *arg);
    /* Called when the lease of a cluster has become free. */
    void (*freed)(void *arg, struct fleet_cluster *cluster);
    /* Called to hand a cluster over to the manager with the id `next`. The callee reports the end
     * of the hand-over with assignment_left. Texts are valid during the call. */
    void (*leave)(void *arg, struct fleet_cluster *cluster, struct text next, struct text reason);
    void *arg;
    struct text manager; /* id of this manager */
    struct text session;
    uint32_t times; /* divisor of the time windows; 1 in production */
};

struct assignment *assignment_new(const struct assignment_options *options);

/* Frees the assignment, before the record cache and the object cache. NULL is allowed. */
void assignment_free(struct assignment *assignment);

/* Checks the leases and the managers again if they may have changed, and hands clusters over.
 * Returns the time of the next call. */
uint64_t assignment_run(struct assignment *assignment);

/* What this manager does about the lease of a cluster that is free or that another session
 * holds. */
enum assignment_answer {
    ASSIGNMENT_TAKE,
    ASSIGNMENT_WAIT, /* the lease is free; check again after wait_ms */
    ASSIGNMENT_HELD, /* the holder's process has not ended */
};

struct assignment_verdict {
    enum assignment_answer answer;
    uint64_t wait_ms;
    struct text why; /* reason for display; lives in the arena */
};

/* Decides about the lease (NULL: there is none) of a cluster whose specification was read
 * (fleet_wanted). */
struct assignment_verdict assignment_judge(struct assignment *assignment, struct arena *arena,
                                           struct fleet_cluster *cluster, const struct doc *lease);

/* assignment_reason returns how the lease came to this manager, for display. assignment_former
 * returns the name of the manager that had the lease before; empty: no manager had it. */
struct text assignment_reason(const struct assignment *assignment, struct arena *arena,
                              const struct doc *lease);
struct text assignment_former(const struct assignment *assignment, const struct doc *lease);

/* Returns the id of the manager that should have the leases for which no plugins are needed; empty:
 * no manager can have them. */
struct text assignment_next(const struct assignment *assignment, struct text id);

/* Called when this manager has taken the free lease of a cluster. */
void assignment_taken(struct assignment *assignment, struct fleet_cluster *cluster,
                      const struct doc *former);

/* Called when the hand-over of a cluster is committed or was abandoned. */
void assignment_left(struct assignment *assignment, struct fleet_cluster *cluster);

/* Called when a pass for a cluster of the tenant has used this plugin. `problem` is the reason why
 * the plugin does not work on this manager; empty: it works. */
void assignment_plugin_note(struct assignment *assignment, struct text tenant, struct text plugin,
                            struct text problem);

/* The number of existing clusters with and without a live lease holder, and counters of leases that
 * this manager took. */
struct assignment_counts {
    uint64_t assigned;
    uint64_t unassigned;
    uint64_t taken;    /* number of leases that this manager took over from another manager */
    uint64_t taken_ms; /* sum of the times, in ms, for which these leases were free */
};
struct assignment_counts assignment_counts(const struct assignment *assignment);

/* True if no live manager holds the cluster. */
bool assignment_is_free(const struct assignment *assignment, const struct fleet_cluster *cluster);

/* One cluster for display. */
struct assignment_row {
    struct fleet_cluster *cluster;
    struct text manager; /* name of the lease holder; empty: the cluster is unassigned */
    struct text reason;
    int64_t since_wall_ms; /* since when the holder has the lease */
    uint64_t free_ms;      /* how long the cluster has been unassigned, in ms */
    bool is_assigned;
};
struct assignment_row assignment_show(struct assignment *assignment, struct arena *arena,
                                      struct fleet_cluster *cluster);

#endif

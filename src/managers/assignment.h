#ifndef REEVE_MANAGERS_ASSIGNMENT_H
#define REEVE_MANAGERS_ASSIGNMENT_H

#include "managers/managers.h"
#include "records/fleet.h"

/* Decides which leases this manager takes and hands over (docs/spec/MANAGERS.md section 4). It only
 * proposes: a lease changes by a compare of its key. All calls are on the loop thread.
 *
 * Windows: a free lease is taken after the wait of plan/assign.h; a plugin that has failed for
 * ASSIGNMENT_INABILITY_MS is reported as unavailable; clusters move for balance once the load has
 * been uneven for ASSIGNMENT_UNEVEN_MS. `times` divides the last two. */
struct assignment;

enum {
    ASSIGNMENT_INABILITY_MS = 60000,
    ASSIGNMENT_UNEVEN_MS = 60000,
    ASSIGNMENT_BALANCE_MS = 600000, /* between two moves of one cluster for balance */
    ASSIGNMENT_BALANCE_PER_S = 20,  /* moves for balance */
    ASSIGNMENT_NEXT_MS = 2000 /* time in which a lease may be taken only by the manager to which it
                               * was handed over */
};

struct assignment_options {
    struct cache *cache;
    struct fleet *fleet;
    struct roster *roster;
    struct managers *managers;
    uint64_t (*now_ms)(void *arg);
    /* Called when the lease of a cluster has become free. */
    void (*freed)(void *arg, struct fleet_cluster *cluster);
    /* This manager hands a cluster over to the manager with the id `next`; assignment_left ends
     * that. Texts are valid during the call. */
    void (*leave)(void *arg, struct fleet_cluster *cluster, struct text next, struct text reason);
    void *arg;
    struct text manager; /* id of this manager */
    struct text session;
    uint32_t times; /* divisor of the windows; 1 in production */
};

struct assignment *assignment_new(const struct assignment_options *options);

/* Frees it, before the fleet and the cache. NULL is allowed. */
void assignment_free(struct assignment *assignment);

/* Checks the leases and the managers again if they may have changed, and hands clusters over.
 * Returns when to call it again. */
uint64_t assignment_run(struct assignment *assignment);

/* The action of this manager on the lease of a cluster that another session holds, or that is
 * free. */
enum assignment_answer {
    ASSIGNMENT_TAKE,
    ASSIGNMENT_WAIT, /* the lease is free; check again after wait_ms */
    ASSIGNMENT_HELD, /* the process of its holder has not ended */
};

struct assignment_verdict {
    enum assignment_answer answer;
    uint64_t wait_ms;
    struct text why; /* for display; lives in the arena */
};

/* Decides about the lease (NULL: there is none) of a cluster for which the specification was read
 * (fleet_wanted). */
struct assignment_verdict assignment_judge(struct assignment *assignment, struct arena *arena,
                                           struct fleet_cluster *cluster, const struct doc *lease);

/* assignment_reason returns for display how the lease came to this manager. assignment_former
 * returns the name of the manager that had it before; empty: no manager had it. */
struct text assignment_reason(const struct assignment *assignment, struct arena *arena,
                              const struct doc *lease);
struct text assignment_former(const struct assignment *assignment, const struct doc *lease);

/* Returns the id of the manager that should have the leases that need no plugins; empty: no manager
 * can have them. */
struct text assignment_next(const struct assignment *assignment, struct text id);

/* Called when this manager has taken the free lease of a cluster. */
void assignment_taken(struct assignment *assignment, struct fleet_cluster *cluster,
                      const struct doc *former);

/* Called when the hand-over of a cluster is committed or was abandoned. */
void assignment_left(struct assignment *assignment, struct fleet_cluster *cluster);

/* Called when a pass over a cluster of the tenant has used this plugin. `problem` is the reason why
 * it does not work here; empty: it works. */
void assignment_plugin_note(struct assignment *assignment, struct text tenant, struct text plugin,
                            struct text problem);

/* Numbers of existing clusters with and without a live lease holder, and of take-overs by this
 * manager. */
struct assignment_counts {
    uint64_t assigned;
    uint64_t unassigned;
    uint64_t taken;    /* number of leases that this manager took over from another one */
    uint64_t taken_ms; /* sum of the times for which they were free */
};
struct assignment_counts assignment_counts(const struct assignment *assignment);

/* True if no live manager holds the cluster. */
bool assignment_is_free(const struct assignment *assignment, const struct fleet_cluster *cluster);

/* One cluster for display. */
struct assignment_row {
    struct fleet_cluster *cluster;
    struct text manager; /* name of the holder; empty: it is unassigned */
    struct text reason;
    int64_t since_wall_ms; /* since when the holder has the lease */
    uint64_t free_ms;      /* how long it has been unassigned */
    bool is_assigned;
};
struct assignment_row assignment_show(struct assignment *assignment, struct arena *arena,
                                      struct fleet_cluster *cluster);

#endif

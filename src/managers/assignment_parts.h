#ifndef REEVE_MANAGERS_ASSIGNMENT_PARTS_H
#define REEVE_MANAGERS_ASSIGNMENT_PARTS_H

#include "base/limits.h"
#include "base/macros.h"
#include "base/map.h"
#include "managers/assignment.h"
#include "managers/lease.h"
#include "plan/assign.h"

/* private to src/managers */
/* public names start with: assignment_ */

enum {
    ASSIGNMENT_SESSIONS_MAX = 65536,
    ASSIGNMENT_MANAGERS_MAX = 64,
    ASSIGNMENT_NAME_BYTES = 64,
    ASSIGNMENT_PLUGINS = 64,
    ASSIGNMENT_PLUGIN_BYTES = 320,
    ASSIGNMENT_LOOK_MS = 200, /* minimum time between two checks of all leases */
    /* minimum time between two changes of the load in the manager's status */
    ASSIGNMENT_LOAD_MS = 10000,
    ASSIGNMENT_AGAIN_MS = 1000, /* time until a lease that no manager may take is checked again */
    ASSIGNMENT_BLIND_MS = 200,  /* the same interval while this manager is not fresh */
    ASSIGNMENT_STEP_MS = 1000,  /* longest waiting time until a lease is checked again */
    /* time after which a plugin that failed on this manager is tried again */
    ASSIGNMENT_FORGET_MS = 600000
};

/* A session that holds a lease. */
struct assignment_session {
    struct assignment_session *next;
    char name[ASSIGNMENT_NAME_BYTES];
    size_t row; /* index of its manager; SIZE_MAX: its process has ended */
};

/* The lease of one cluster. */
struct assignment_cluster {
    const struct assignment_session *holder; /* session that holds the lease; NULL: none */
    /* id of the manager to which the lease is handed over */
    char next[ASSIGNMENT_NAME_BYTES];
    /* revision of the lease that was read; 0: there is no lease */
    uint64_t revision;
    bool is_read;
    uint64_t free_since_ms; /* since when the lease is free; 0: it is held */
    /* when the cluster was moved to or from this manager for balance; 0: never */
    uint64_t balanced_ms;
    bool is_leaving; /* this manager is handing the cluster over */
};

/* A plugin that does not work on this manager. */
struct assignment_plugin {
    char name[ASSIGNMENT_PLUGIN_BYTES]; /* TENANT/PLUGIN; empty: the entry is free */
    uint64_t since_ms;
    uint64_t seen_ms;
};

struct assignment {
    struct arena *memory;
    struct assignment_options options;
    struct pool *clusters;
    struct map sessions; /* sessions by name */
    struct cache_watch *watch;
    struct assignment_plugin plugins[ASSIGNMENT_PLUGINS];
    struct assignment_counts counts;
    uint64_t free_load; /* load of the clusters that no live manager holds */
    uint64_t looked_ms;
    uint64_t load_ms; /* when the reported load was set */
    uint64_t load_clusters;
    uint64_t load_machines;
    uint64_t uneven_since_ms; /* since when the load of this manager is too high; 0: it is not */
    uint64_t balanced_ms;     /* when the budget of moves was refilled last */
    uint64_t balance_left;    /* remaining budget of moves, in thousandths */
    bool is_dirty;
};

static inline uint64_t assignment_now(const struct assignment *assignment)
{
    return assignment->options.now_ms(assignment->options.arg);
}

/* True if any part of the cluster exists, so that it needs a manager. */
static inline bool assignment_is_existing(const struct fleet_cluster *cluster)
{
    return cluster->is_there || cluster->count > 0;
}

static inline uint64_t assignment_load(const struct fleet_cluster *cluster)
{
    return PLAN_ASSIGN_CLUSTER_LOAD + cluster->count;
}

/* ---- ability (assignment_able.c) ---- */

/* Return the first plugin that a cluster needs and a manager cannot use, or the key of the store
 * that the manager lacks; empty: the manager can have the cluster. */
struct text assignment_missing(const struct assignment *assignment, const struct managers_row *row,
                               const struct fleet_cluster *cluster);

/* Return the id of a manager whose host has machines of the cluster and to which a manager has no
 * link; empty: there is none. */
struct text assignment_unreached(const struct assignment *assignment,
                                 const struct managers_row *row,
                                 const struct fleet_cluster *cluster);

/* The managers that can share clusters, as input of the planner. */
struct assignment_view {
    struct plan_assign_manager managers[ASSIGNMENT_MANAGERS_MAX];
    struct plan_assign assign;
    size_t here; /* index of this manager; SIZE_MAX: it does not take part */
    size_t able;
};

void assignment_view_make(const struct assignment *assignment, const struct fleet_cluster *cluster,
                          struct assignment_view *out);

/* Return the name of a manager; its id if the name is unknown. */
struct text assignment_name_of(const struct assignment *assignment, struct text id);

/* Return the reason why no live manager can have a cluster. */
struct text assignment_unable_why(const struct assignment *assignment, struct arena *arena,
                                  const struct fleet_cluster *cluster);

/* ---- moves (assignment_move.c) ---- */

/* Hand over the clusters that this manager may not keep, and clusters that other managers should
 * have for balance. */
void assignment_move(struct assignment *assignment, const struct managers_row *here, uint64_t now);

/* Forgets plugins that failed and have not been used on this manager for a while, so that they are
 * tried again. */
void assignment_plugins_forget(struct assignment *assignment, uint64_t now);

#endif

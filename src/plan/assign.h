#ifndef REEVE_PLAN_ASSIGN_H
#define REEVE_PLAN_ASSIGN_H

#include "base/text.h"

/* Proposes which manager holds the lease of a cluster (docs/spec/MANAGERS.md section 4), by
 * rendezvous hashing with a load limit. The same input gives the same answer at every manager,
 * regardless of the order of the managers. This is only a proposal: the owner of the lease key in
 * the store reconciles the cluster. */

/* Load is counted in sixteenths of a cluster: a cluster counts as 16 machines. */
enum { PLAN_ASSIGN_CLUSTER_LOAD = 16 };

/* A live manager that is not being drained. */
struct plan_assign_manager {
    struct text id;
    uint64_t load; /* load of the clusters whose leases it holds or will get */
    bool is_able;  /* true if it has every plugin and key that the cluster needs */
};

/* The managers that share the clusters. */
struct plan_assign {
    const struct plan_assign_manager *managers;
    size_t count;
    uint64_t free_load; /* load of the clusters that no manager holds */
};

/* Returns the rank for a cluster of the manager with this index: 1 is the first choice. Returns 0
 * if the manager is not able, or if it is skipped because its load is above 1.15 times the mean of
 * the able managers. */
unsigned plan_assign_rank(const struct plan_assign *assign, struct text cluster, size_t manager);

/* Returns how many milliseconds the manager waits before it takes the free lease of a cluster. At
 * rank 1: 0. At other ranks: half a second times the rank, at most 10 seconds. If the manager is
 * skipped: 10 seconds. UINT64_MAX: the manager cannot reconcile this cluster. */
uint64_t plan_assign_wait_ms(const struct plan_assign *assign, struct text cluster, size_t manager);

/* Returns the index of the first choice for a cluster. SIZE_MAX: no manager is able. */
size_t plan_assign_next(const struct plan_assign *assign, struct text cluster);

/* True if the manager with this index should hand over clusters: its load is above 1.15 times the
 * mean of the able managers, or it has the most load while another one is below 0.85 times the
 * mean. */
bool plan_assign_is_uneven(const struct plan_assign *assign, size_t manager);

/* Returns the index of the manager to which manager `from` should hand over a cluster with this
 * load, so that the load is spread better. SIZE_MAX: the cluster does not move, because `from` has
 * no reason to, or because no other suitable manager would have less load than `from` has
 * now. */
size_t plan_assign_balance(const struct plan_assign *assign, struct text cluster, size_t from,
                           uint64_t load);

#endif

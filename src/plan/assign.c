#include "plan/assign.h"

#include <assert.h>

/* public names start with: plan_assign_ */

/* Every manager that can reconcile the cluster gets a score for it, computed only from the id of
 * the manager and the id of the cluster. The manager with the highest score has rank 1. When a
 * manager joins or leaves, only the clusters for which it has the highest score move. */

/* A manager is skipped if its load is above LIMIT_PARTS / MEAN_PARTS of the mean load, and is
 * filled up if its load is below LEAST_PARTS / MEAN_PARTS of it. */
enum { LIMIT_PARTS = 115, LEAST_PARTS = 85, MEAN_PARTS = 100, RANK_MS = 500, LAST_MS = 10000 };

/* Compute the score, with the finalizer of SplitMix64. Without it, similar ids would get similar
 * scores. */
static uint64_t plan_assign_score(struct text cluster, struct text manager)
{
    uint64_t score = text_hash(manager, text_hash(TEXT("\n"), text_hash(cluster, 0)));

    score = (score ^ (score >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    score = (score ^ (score >> 27)) * UINT64_C(0x94d049bb133111eb);
    return score ^ (score >> 31);
}

/* True if manager a comes before manager b for a cluster. Equal scores are decided by the ids. */
static bool plan_assign_is_before(const struct plan_assign *assign, struct text cluster, size_t a,
                                  size_t b)
{
    uint64_t of_a = plan_assign_score(cluster, assign->managers[a].id);
    uint64_t of_b = plan_assign_score(cluster, assign->managers[b].id);

    return of_a != of_b ? of_a > of_b
                        : text_compare(assign->managers[a].id, assign->managers[b].id) < 0;
}

/* Returns the load of all able managers and of the free clusters. */
static uint64_t plan_assign_total(const struct plan_assign *assign, size_t *out_count)
{
    uint64_t total = assign->free_load;

    *out_count = 0;
    for (size_t i = 0; i < assign->count; i++) {
        total += assign->managers[i].is_able ? assign->managers[i].load : 0;
        *out_count += assign->managers[i].is_able ? 1 : 0;
    }
    return total;
}

static bool plan_assign_is_above(const struct plan_assign *assign, size_t manager)
{
    size_t count;
    uint64_t total = plan_assign_total(assign, &count);

    assert(manager < assign->count);
    return assign->managers[manager].is_able &&
           assign->managers[manager].load * count * MEAN_PARTS > total * LIMIT_PARTS;
}

/* True if a manager has so little load that the heaviest one should give it some. */
static bool plan_assign_is_below(const struct plan_assign *assign, size_t manager)
{
    size_t count;
    uint64_t total = plan_assign_total(assign, &count);

    return assign->managers[manager].is_able &&
           assign->managers[manager].load * count * MEAN_PARTS < total * LEAST_PARTS;
}

static bool plan_assign_is_candidate(const struct plan_assign *assign, size_t manager)
{
    return assign->managers[manager].is_able && !plan_assign_is_above(assign, manager);
}

unsigned plan_assign_rank(const struct plan_assign *assign, struct text cluster, size_t manager)
{
    unsigned rank = 1;

    assert(manager < assign->count);
    if (!plan_assign_is_candidate(assign, manager)) {
        return 0;
    }
    for (size_t i = 0; i < assign->count; i++) {
        rank += i != manager && plan_assign_is_candidate(assign, i) &&
                        plan_assign_is_before(assign, cluster, i, manager)
                    ? 1
                    : 0;
    }
    return rank;
}

uint64_t plan_assign_wait_ms(const struct plan_assign *assign, struct text cluster, size_t manager)
{
    unsigned rank = plan_assign_rank(assign, cluster, manager);

    if (rank == 0) {
        return assign->managers[manager].is_able ? LAST_MS : UINT64_MAX;
    }
    if (rank == 1) {
        return 0;
    }
    return (uint64_t)rank * RANK_MS < LAST_MS ? (uint64_t)rank * RANK_MS : LAST_MS;
}

/* True if manager a has less load than manager b, or the same load and the higher score. */
static bool plan_assign_is_lighter(const struct plan_assign *assign, struct text cluster, size_t a,
                                   size_t b)
{
    uint64_t of_a = assign->managers[a].load;
    uint64_t of_b = assign->managers[b].load;

    return of_a != of_b ? of_a < of_b : plan_assign_is_before(assign, cluster, a, b);
}

/* Returns the able manager with the lowest load; SIZE_MAX if no manager is able. */
static size_t plan_assign_lightest(const struct plan_assign *assign, struct text cluster)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < assign->count; i++) {
        if (assign->managers[i].is_able &&
            (found == SIZE_MAX || plan_assign_is_lighter(assign, cluster, i, found))) {
            found = i;
        }
    }
    return found;
}

/* True if no able manager has more load. */
static bool plan_assign_is_heaviest(const struct plan_assign *assign, size_t manager)
{
    for (size_t i = 0; i < assign->count; i++) {
        if (assign->managers[i].is_able &&
            assign->managers[i].load > assign->managers[manager].load) {
            return false;
        }
    }
    return assign->managers[manager].is_able;
}

bool plan_assign_is_uneven(const struct plan_assign *assign, size_t manager)
{
    if (plan_assign_is_above(assign, manager)) {
        return true;
    }
    for (size_t i = 0; i < assign->count; i++) {
        if (plan_assign_is_below(assign, i)) {
            return plan_assign_is_heaviest(assign, manager);
        }
    }
    return false;
}

size_t plan_assign_next(const struct plan_assign *assign, struct text cluster)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < assign->count; i++) {
        if (plan_assign_is_candidate(assign, i) &&
            (found == SIZE_MAX || plan_assign_is_before(assign, cluster, i, found))) {
            found = i;
        }
    }
    return found;
}

size_t plan_assign_balance(const struct plan_assign *assign, struct text cluster, size_t from,
                           uint64_t load)
{
    size_t to = plan_assign_lightest(assign, cluster);

    if (!plan_assign_is_uneven(assign, from) || to == SIZE_MAX || to == from ||
        assign->managers[to].load + load >= assign->managers[from].load) {
        return SIZE_MAX;
    }
    return to;
}

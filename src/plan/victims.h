#ifndef REEVE_PLAN_VICTIMS_H
#define REEVE_PLAN_VICTIMS_H

#include "base/mem.h"
#include "plan/world.h"

/* public names start with: plan_victim */

/* The order in which members are removed when a group shrinks (M24). The controller and the preview
 * for operators both use it, so that they give the same result. */

/* Removal order, lowest value first: machines that do not serve come before machines that do. */
enum plan_readiness {
    PLAN_READINESS_ASKED_FOR, /* requested, not listed yet */
    PLAN_READINESS_WAITING,   /* exists, does not serve yet */
    PLAN_READINESS_FAILED,
    PLAN_READINESS_UNHEALTHY,
    PLAN_READINESS_UNREACHABLE,
    PLAN_READINESS_STARTING, /* no successful probe since the machine was created or rebooted */
    PLAN_READINESS_SERVING,
    PLAN_READINESS_COUNT,
};

/* Return a name for display: "creating", "failed", "unhealthy", "unreachable", "starting" or
 * "healthy". */
const char *plan_readiness_name(enum plan_readiness readiness);

/* True if a member is known to be worse than a healthy one: failed, unhealthy or unreachable. */
bool plan_readiness_is_bad(enum plan_readiness readiness);

/* Return the readiness of an ACTIVE machine by its present state. It depends neither on how long
 * the machine is in that state nor on the group's reaction to it (G22). */
enum plan_readiness plan_victim_readiness(const struct plan_record *record);

/* True if an ACTIVE machine has been unhealthy, unreachable or failed for so long that it is
 * removed before members that serve. False during maintenance, because an operator is working on
 * the machine. */
bool plan_victim_is_failing(const struct plan_group *group, const struct plan_record *record,
                            uint64_t now_ms);

/* A member that may be removed: it is alive and not protected. */
struct plan_victim {
    const struct plan_record *record;
    enum plan_readiness readiness;
    size_t place; /* the caller's index of the candidate */
    bool is_taken;
};

/* All candidates of one group. */
struct plan_victims {
    struct plan_victim *items;
    size_t count;
    struct plan_choice choice; /* the choice whose zones count */
    uint32_t max_skew;
    /* Number of members in each zone of the choice, including members that may not be removed. The
     * caller counts them with plan_victims_count(). */
    size_t *zone_counts;
    size_t first; /* all items before this index were already taken */
};

/* Sorts the candidates and allocates the counters of zones in the arena. `group` is NULL if the
 * specification no longer contains the group. */
struct plan_victims plan_victims_make(struct arena *arena, const struct plan_group *group,
                                      struct plan_victim *items, size_t count);

/* Counts a member, whether it is a candidate or not. Call it for all members before the first is
 * taken. */
void plan_victims_count(struct plan_victims *victims, const struct plan_record *record);

/* Takes the next candidate; NULL if there is none. Members that an operator selected and members
 * that are not in service come first, then members of zones from which `balance` permits a removal.
 * `may_go` is called before a candidate is taken and may exclude it; NULL permits all. */
struct plan_victim *
plan_victims_next(struct plan_victims *victims,
                  bool (*may_go)(const void *arg, const struct plan_victim *one), const void *arg);

#endif

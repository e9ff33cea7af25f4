#ifndef REEVE_PLAN_VICTIMS_H
#define REEVE_PLAN_VICTIMS_H

#include "base/mem.h"
#include "plan/world.h"

/* names: plan_victim */

/* Who goes when a group shrinks (M24). The controller chooses by it, and whoever asks people beforehand shows what it says: one
 * order, so that the two do not differ. */

/* How readily a machine goes, lowest first: what does not serve before what does. */
enum plan_readiness {
    PLAN_READINESS_ASKED_FOR, /* nobody has seen it yet */
    PLAN_READINESS_WAITING,   /* it is there, and does not serve yet */
    PLAN_READINESS_FAILED,
    PLAN_READINESS_UNHEALTHY,
    PLAN_READINESS_UNREACHABLE,
    PLAN_READINESS_SERVING,
    PLAN_READINESS_COUNT,
};

/* For people: "creating", "failed", "unhealthy", "unreachable" or "healthy". */
const char *plan_readiness_name(enum plan_readiness readiness);

/* That of an ACTIVE machine, by how it is now, however long and whatever the group does about it (G22). */
enum plan_readiness plan_victim_readiness(const struct plan_record *record);

/* Is an ACTIVE machine sick, unreachable or failed for so long that it goes before those that serve? */
bool plan_victim_is_failing(const struct plan_group *group, const struct plan_record *record,
                            uint64_t now_ms);

/* One that may be chosen: alive, and not protected. */
struct plan_victim {
    const struct plan_record *record;
    enum plan_readiness readiness;
    size_t place; /* whatever the caller calls it by */
    bool is_taken;
};

/* All of one group. */
struct plan_victims {
    struct plan_victim *items;
    size_t count;
    struct plan_choice choice; /* whose zones count */
    uint32_t max_skew;
    size_t *
        zone_counts; /* members of each of its zones, also of those that may not go; the caller counts them */
    size_t first; /* those before it are taken */
};

/* Bring them in order, and make room for the counts of zones. A group that is not wanted any more is NULL. */
struct plan_victims plan_victims_make(struct arena *arena, const struct plan_group *group,
                                      struct plan_victim *items, size_t count);

/* Count one that stays or may go, before anybody is taken. */
void plan_victims_count(struct plan_victims *victims, const struct plan_record *record);

/* The next one that goes, which is taken; NULL: nobody may. Those that somebody named and those that do not serve come first,
 * then those whose zone can spare one. `may_go` is asked before; NULL: all may. */
struct plan_victim *
plan_victims_next(struct plan_victims *victims,
                  bool (*may_go)(const void *arg, const struct plan_victim *one), const void *arg);

#endif

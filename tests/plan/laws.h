#ifndef REEVE_TESTS_PLAN_LAWS_H
#define REEVE_TESTS_PLAN_LAWS_H

#include "plan/compute.h"

/* The properties that hold for every decision in every world. */
struct laws {
    struct arena *arena;
    struct plan_world world; /* has at most 64 records, rows and quarantines each */
    struct plan_limits limits;
};

/* Returns the law that is broken in this world, as text. NULL: none. */
const char *laws_broken(const struct laws *laws);

/* Returns the decisions in a world, one per line. */
struct text laws_plan_lines(const struct laws *laws, const struct plan_world *world);

#endif

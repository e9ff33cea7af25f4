#ifndef REEVE_TESTS_PLAN_LAWS_H
#define REEVE_TESTS_PLAN_LAWS_H

#include "plan/compute.h"

/* What holds for every decision, whatever the world. */
struct laws {
    struct arena *arena;
    struct plan_world world; /* of at most 64 records, rows and quarantines each */
    struct plan_limits limits;
};

/* The law that this world breaks, in words; NULL: none. */
const char *laws_broken(const struct laws *laws);

/* What is decided in a world, a line each. */
struct text laws_plan_lines(const struct laws *laws, const struct plan_world *world);

#endif

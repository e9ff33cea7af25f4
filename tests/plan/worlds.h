#ifndef REEVE_TESTS_PLAN_WORLDS_H
#define REEVE_TESTS_PLAN_WORLDS_H

#include "laws.h"

/* Where a world comes from. The bytes may be none; the state must not be 0. */
struct luck {
    uint64_t state;
    const uint8_t *data;
    size_t size;
};

/* Fill in world and limits; laws->arena is given. */
void worlds_draw(struct laws *laws, struct luck *luck);

/* Print what a person needs to make a case of it. */
void worlds_show(const struct plan_world *world);

#endif

#ifndef REEVE_TESTS_PLAN_WORLDS_H
#define REEVE_TESTS_PLAN_WORLDS_H

#include "laws.h"

/* The source of a world. There may be no bytes; the state must not be 0. */
struct luck {
    uint64_t state;
    const uint8_t *data;
    size_t size;
};

/* Fills `world` and `limits` of `laws`. The caller sets laws->arena. */
void worlds_draw(struct laws *laws, struct luck *luck);

/* Prints the data that is needed to write a case for this world. */
void worlds_show(const struct plan_world *world);

#endif

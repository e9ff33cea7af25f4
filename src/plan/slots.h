#ifndef REEVE_PLAN_SLOTS_H
#define REEVE_PLAN_SLOTS_H

#include "base/mem.h"
#include "model/decode.h"

/* Stretches of slots, by number: which members a group has, and which come and go. */

/* From `first` up to but not including `end`; first == end is no slot. */
struct slots {
    uint64_t first;
    uint64_t end;
};

/* What one stretch has that another lacks: a stretch below it and one above it, either may be none. */
struct slots_rest {
    struct slots below;
    struct slots above;
};

/* The slots of a group; NULL: none. */
struct slots slots_of(const struct group *group);

/* How many there are. */
uint64_t slots_count(struct slots slots);

/* `own` without `others`. */
struct slots_rest slots_without(struct slots own, struct slots others);

/* How many there are in both parts. */
uint64_t slots_rest_count(struct slots_rest rest);

/* The members as people write sets of them, `web-[0-1], web-[5-6]`; empty for none. */
struct text slots_rest_format(struct arena *arena, const struct group *group,
                              struct slots_rest rest);

#endif

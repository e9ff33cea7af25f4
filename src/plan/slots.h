#ifndef REEVE_PLAN_SLOTS_H
#define REEVE_PLAN_SLOTS_H

#include "base/mem.h"
#include "model/decode.h"

/* Ranges of slots, by number: the members of a group, and the differences of two ranges. */

/* From `first` up to but not including `end`; empty if first == end. */
struct slots {
    uint64_t first;
    uint64_t end;
};

/* The rest of a range after another range is removed: the part below that range and the part above
 * it. Either may be empty. */
struct slots_rest {
    struct slots below;
    struct slots above;
};

/* Return the slots of a group; empty for NULL. */
struct slots slots_of(const struct group *group);

/* Return the number of slots. */
uint64_t slots_count(struct slots slots);

/* Return the slots of `own` that are not in `others`. */
struct slots_rest slots_without(struct slots own, struct slots others);

/* Return the number of slots in both parts. */
uint64_t slots_rest_count(struct slots_rest rest);

/* Format the members as a set in display notation, `web-[0-1], web-[5-6]`; empty for none. The text
 * lives in the arena. */
struct text slots_rest_format(struct arena *arena, const struct group *group,
                              struct slots_rest rest);

#endif

#ifndef REEVE_CLI_CHANGE_PLAN_PARTS_H
#define REEVE_CLI_CHANGE_PLAN_PARTS_H

#include "base/mem.h"
#include "codec/doc.h"

/* One line of a difference: a value, or a part of a list of maps. old or new is NULL where there was or is none. */
struct plan_part {
    struct text path;
    const struct doc *old;
    const struct doc *new;
    struct text origin;
};

/* The lines of changes[]. Two lists of maps (stages, volumes) that are alike but for some entries, or but for what one
 * has after the other, are shown by what differs: bootstrap[1].bundle. Of two long texts that
 * begin alike nobody sees
 * the difference. All else stays whole. */
const struct plan_part *plan_parts(struct arena *arena, const struct doc *changes,
                                   size_t *out_count);

#endif

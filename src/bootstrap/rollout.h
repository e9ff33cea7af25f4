#ifndef REEVE_BOOTSTRAP_ROLLOUT_H
#define REEVE_BOOTSTRAP_ROLLOUT_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* public names start with: bootstrap_rollout_ */

/* The rollout of changed stages to members of a group that have been in service (G15). Pure. The
 * members of a rollout, their order and their batches are decided once, when the rollout is
 * created. bootstrap/batches.h decides when each batch starts. */

/* A member that needs the changed stages: its completed stage digest chain is not the desired
 * one. */
struct bootstrap_rollout_member {
    uint64_t slot;
    bool is_out; /* it is already out of service */
};

/* Numbers of members, from the setting `rollout` of the group. */
struct bootstrap_rollout_policy {
    size_t canary;
    size_t batch;
};

struct bootstrap_rollout_batches {
    size_t *order; /* indexes of the members: those out of service first, then by slot */
    uint32_t *ends;
    size_t batch_count;
    size_t canaries; /* number of canary batches: 0 or 1 */
};

/* Divide the members into batches; count is at least 1. *out lives in the arena. */
void bootstrap_rollout_arrange(struct arena *arena, const struct bootstrap_rollout_member *members,
                               size_t count, const struct bootstrap_rollout_policy *policy,
                               struct bootstrap_rollout_batches *out);

#endif

#ifndef REEVE_PACING_PACING_H
#define REEVE_PACING_PACING_H

#include "bootstrap/rollout.h"
#include "records/fleet.h"
#include "state/batches.h"

/* The batches of one rollout in place: /TENANT/Pacing/CLUSTER/PATH/base, canonical JSON. A change
 * with batch flags writes it in its transaction, and the next change of the group's stages replaces
 * or deletes it. It applies only to the stages of that change. */
#define PACING_KIND "Pacing"

/* Values that are 0 were not requested. */
struct pacing {
    struct text chain; /* stage digest chain after the change */
    uint64_t batch;
    uint64_t canary;
    uint64_t max_fail;
    uint64_t bake_ms;
    uint64_t pause_ms;
};

struct text pacing_format(struct arena *arena, const struct pacing *pacing);

/* Parse a request. Texts live in the arena or in the bytes. Returns false if the bytes are
 * invalid. */
MUST_CHECK bool pacing_parse(struct arena *arena, struct text bytes, struct pacing *out);

/* Returns the policy of the group, tightened by the request: fewer members at the same time, more
 * canaries, fewer failures, longer pauses. `requested` may be NULL. */
struct pacing pacing_policy(const struct fleet_group *group, const struct pacing *requested);

/* Returns the policy of a job about members of the group. For a rollout of the desired stages, the
 * request stored for these stages tightens the policy. */
struct pacing pacing_find(struct arena *arena, const struct cache *cache,
                          const struct fleet_cluster *cluster, const struct fleet_group *group,
                          bool is_rollout);

/* Divide members into the batches of a policy. This sets the machines of *request from `tokens`,
 * which has one token for each member, and the limits of the job. The order and the ends of batches
 * are set as by bootstrap_rollout_arrange. All memory is in the arena. */
void pacing_arrange(struct arena *arena, const struct pacing *policy,
                    const struct bootstrap_rollout_member *members, const struct text *tokens,
                    size_t count, struct batches *request);

#endif

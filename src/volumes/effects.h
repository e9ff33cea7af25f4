#ifndef REEVE_VOLUMES_EFFECTS_H
#define REEVE_VOLUMES_EFFECTS_H

#include "change/change.h"

/* public names start with: volumes_ */

/* The effects of a change on volumes (decision 0174), for its plan and its events. */

struct volumes_effects {
    struct arena *arena;
    const struct cache *cache;
    struct text tenant;
    const struct model_plugins *plugins; /* NULL: the traits of plugins are unknown */
    uint64_t retain_ms; /* how long a volume without a machine is kept, in ms; 0: unknown */
};

/* Add the effects on volumes to each group of the plan, and their numbers to each cluster and to
 * change->volumes:
 *
 *     "volumes": {"delete": {"count": 2, "names": "db-[0-1]-scratch"}, "keep": {...}}
 *
 * `delete` has the volumes that are deleted with their machines. `keep` has those that remain
 * without a machine, with `forMs` if their time is limited. `attach` has those that the next
 * machine of their slot gets, and `create` new ones. The plan must already have the names of its
 * machines. Everything that is added lives in the arena. */
void volumes_effects_report(const struct volumes_effects *effects, struct change *change);

#endif

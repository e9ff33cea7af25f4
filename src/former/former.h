#ifndef REEVE_FORMER_FORMER_H
#define REEVE_FORMER_FORMER_H

#include "records/fleet.h"

/* The stages that the members of a group had before the latest change: /TENANT/Former/CLUSTER/PATH/
 * base, canonical JSON. The change of a group with `onFail: revert` writes it. It refers to bundles
 * in the same way as stages, so that the bundles are kept. */
#define FORMER_KIND "Former"

/* Format the stages of the group, with those of members that have their own variables. */
struct text former_format(struct arena *arena, const struct fleet_group *group);

/* Parse the stages. *out is the group `like` with these stages, and borrows everything else from
 * `like`. Texts live in the arena or in the bytes. Returns false if the bytes are invalid. */
MUST_CHECK bool former_parse(struct arena *arena, struct text bytes, const struct fleet_group *like,
                             struct fleet_group *out);

#endif

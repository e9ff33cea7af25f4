#ifndef REEVE_FORMER_FORMER_H
#define REEVE_FORMER_FORMER_H

#include "records/fleet.h"

/* The stages that the members of a group had before the latest change: /TENANT/Former/CLUSTER/PATH/
 * base, canonical JSON. The change of a group with `onFail: revert` writes it. It refers to bundles
 * in the same format as current stages, so that these bundles are not removed as unused. */
#define FORMER_KIND "Former"

/* Format the stages of the group, including the stages of members that have their own variables. */
struct text former_format(struct arena *arena, const struct fleet_group *group);

/* Parse the stages. *out is a copy of the group `like` with these stages; its other members point
 * into `like`. Texts live in the arena or in the bytes. Returns false if the bytes are invalid. */
MUST_CHECK bool former_parse(struct arena *arena, struct text bytes, const struct fleet_group *like,
                             struct fleet_group *out);

#endif

#ifndef REEVE_RECORDS_FLEET_PARTS_H
#define REEVE_RECORDS_FLEET_PARTS_H

#include "records/fleet.h"

/* private to src/records src/query src/service */
/* public names start with: fleet_ */

/* Internal parts of fleet.h. */

/* Read the groups, the name and the problem of a cluster from the cache (fleet_groups.c). */
void fleet_wanted_read(const struct cache *cache, struct fleet_cluster *cluster);

#endif

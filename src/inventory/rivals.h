#ifndef REEVE_INVENTORY_RIVALS_H
#define REEVE_INVENTORY_RIVALS_H

#include "inventory/inventory.h"
#include "records/fleet.h"

/* public names start with: rivals_ */

/* Groups that allocate machines of the inventory automatically: they have the plugin `inventory`,
 * autoCommission and free slots. A machine that matches two such groups is allocated to neither
 * (C18). */
struct rivals {
    struct inventory_wanted *items; /* `name` is the name of the group: CLUSTER/GROUP */
    size_t count;
};

/* Read all such groups of a tenant except the one in `wanted`. NULL: there are none. Texts point
 * into the record cache and are valid until its clusters are read again. */
struct rivals rivals_read(struct arena *arena, const struct fleet *fleet, struct text tenant,
                          const struct inventory_wanted *wanted);

#endif

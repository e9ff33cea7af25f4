#ifndef REEVE_INVENTORY_RIVALS_H
#define REEVE_INVENTORY_RIVALS_H

#include "inventory/inventory.h"
#include "records/fleet.h"

/* public names start with: rivals_ */

/* The groups that would take machines of the inventory automatically: they have the plugin
 * `inventory`, autoCommission and free slots. A machine that two of them would take is taken by
 * neither (C18). */
struct rivals {
    struct inventory_wanted *items; /* `name` is the name of the group: CLUSTER/GROUP */
    size_t count;
};

/* Read all such groups of a tenant except the one in `wanted`. NULL: there are none. Texts borrow
 * from the record cache until its clusters are read again. */
struct rivals rivals_read(struct arena *arena, const struct fleet *fleet, struct text tenant,
                          const struct inventory_wanted *wanted);

#endif

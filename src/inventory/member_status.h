#ifndef REEVE_INVENTORY_MEMBER_STATUS_H
#define REEVE_INVENTORY_MEMBER_STATUS_H

#include "model/lifecycle.h"
#include "records/node_state.h"
#include "records/record.h"

/* public names start with: member_status_ */

/* The status of a member (LIFECYCLE.md section 4). A member has no stored status: its record and
 * its node state say what happens to it, and whether it was in maintenance before.
 *
 * cancelled: the member is being destroyed, or returned to the inventory. maintenance: an operator
 * has drained it, or stages that changed after it was in service are running or have failed.
 * provisioning: it has never been in service. allocated: all other members. *out_prev is set to the
 * status before this one. */
enum lifecycle_status member_status_of(const struct record *record, const struct node_state *state,
                                       enum lifecycle_status *out_prev);

#endif

#include "inventory/member_status.h"

/* public names start with: member_status_ */

/* True if the member has been in service. A group without stages stores no node state; its members
 * are in service as soon as their probe has succeeded. */
static bool member_status_has_served(const struct plan_record *record,
                                     const struct node_state *state)
{
    return state->has_served || (record->state != PLAN_RECORD_CREATE && !record->is_starting &&
                                 record->failed_since_ms == 0);
}

enum lifecycle_status member_status_of(const struct record *record, const struct node_state *state,
                                       enum lifecycle_status *out_prev)
{
    bool has_served = member_status_has_served(&record->plan, state);

    if (record->plan.state == PLAN_RECORD_DELETE) {
        *out_prev = has_served ? LIFECYCLE_STATUS_ALLOCATED : LIFECYCLE_STATUS_PROVISIONING;
        return LIFECYCLE_STATUS_CANCELLED;
    }
    if (state->lifecycle.drain != NODE_DRAIN_NONE) {
        *out_prev = LIFECYCLE_STATUS_ALLOCATED;
        return LIFECYCLE_STATUS_MAINTENANCE;
    }
    if (!has_served) {
        *out_prev = LIFECYCLE_STATUS_UNALLOCATED;
        return LIFECYCLE_STATUS_PROVISIONING;
    }
    if (record->plan.failed_since_ms > 0 || text_has_prefix(state->step, TEXT("stage-"))) {
        *out_prev = LIFECYCLE_STATUS_ALLOCATED;
        return LIFECYCLE_STATUS_MAINTENANCE;
    }
    *out_prev = state->was_maintained || state->lifecycle.wall_ms > 0
                    ? LIFECYCLE_STATUS_MAINTENANCE
                    : LIFECYCLE_STATUS_PROVISIONING;
    return LIFECYCLE_STATUS_ALLOCATED;
}

#include "inventory/inventory.h"

/* public names start with: inventory_ commission_ */

/* Checks whether a machine may be commissioned, and whether it may leave its group. */

MUST_CHECK static bool commission_is_free(const struct discovered *row,
                                          const struct inventory_commission *wanted,
                                          struct err *err)
{
    bool is_own = text_is_equal(row->claim.cluster, wanted->cluster) &&
                  text_is_equal(row->claim.group, wanted->group);

    if (row->claim.token.length > 0 && (is_own || !wanted->is_move)) {
        err_set(err, CODE_R0822, "machine '%.*s' is a member already, as %.*s", TEXT_ARG(row->name),
                TEXT_ARG(row->claim.name));
        return is_own
                   ? err_hint(err, "the machine is in this group already")
                   : err_hint(
                         err,
                         "to move the machine to this group: reeve commission %.*s -g CLUSTER/%.*s --move",
                         TEXT_ARG(row->id), TEXT_ARG(wanted->group));
    }
    if (row->reserved.cluster.length > 0 &&
        (!text_is_equal(row->reserved.cluster, wanted->cluster) ||
         !text_is_equal(row->reserved.group, wanted->group))) {
        err_set(err, CODE_R0827, "machine '%.*s' is reserved for group %.*s", TEXT_ARG(row->name),
                TEXT_ARG(row->reserved.group));
        return err_hint(err, "reeve discover free %.*s ends the reservation", TEXT_ARG(row->id));
    }
    return true;
}

MUST_CHECK static bool commission_has_status(const struct discovered *row, struct err *err)
{
    if (row->cleanup.since_ms > 0) {
        err_set(err, CODE_R0822,
                "machine '%.*s' was unreachable when it left %.*s, and its cleanup is pending",
                TEXT_ARG(row->name), TEXT_ARG(row->cleanup.member));
        return err_hint(err, "reeve cleans the machine up automatically when it can be reached");
    }
    if (row->claim.token.length > 0 ||
        lifecycle_may_move(row->status, LIFECYCLE_STATUS_PROVISIONING)) {
        return true;
    }
    err_set(err, CODE_R0822, "machine '%.*s' is %s, and cannot be provisioned", TEXT_ARG(row->name),
            lifecycle_status_name(row->status));
    return row->status == LIFECYCLE_STATUS_INCOMPLETE
               ? err_hint(err, "the name or the address of the machine is not known yet")
               : false;
}

MUST_CHECK static bool commission_is_there(const struct discovered *row, struct err *err)
{
    if (row->state != LIFECYCLE_STATE_DISCOVERED) {
        err_set(err, CODE_R0842, "machine '%.*s' is not present: its state is %s",
                TEXT_ARG(row->name), lifecycle_state_name(row->state));
        return err_hint(err,
                        "commission the machine when it is back; reeve discover shows its state");
    }
    if (row->conditions[LIFECYCLE_CONDITION_FLAPPING].since_ms > 0) {
        err_set(err, CODE_R0842, "machine '%.*s' is flapping: %.*s", TEXT_ARG(row->name),
                TEXT_ARG(row->conditions[LIFECYCLE_CONDITION_FLAPPING].reason));
        return err_hint(err, "the machine can be commissioned after two minutes without a change");
    }
    return true;
}

MUST_CHECK static bool commission_is_one(const struct discovered *row,
                                         const struct inventory_commission *wanted, struct err *err)
{
    if (row->conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms == 0 || wanted->is_by_id) {
        return true;
    }
    err_set(err, CODE_R0826, "machine '%.*s' is a duplicate: %.*s", TEXT_ARG(row->name),
            TEXT_ARG(row->conditions[LIFECYCLE_CONDITION_DUPLICATE].reason));
    return err_hint(err, "if this is the right machine, name it by its id: %.*s",
                    TEXT_ARG(row->id));
}

/* An image is installed on machines that have booted from the network, and on no others: their
 * disks are overwritten. A machine that is adopted keeps its system. */
MUST_CHECK static bool commission_has_system(const struct discovered *row,
                                             const struct inventory_commission *wanted,
                                             struct err *err)
{
    bool is_booted = row->netboot.boot.length > 0;

    if (is_booted == (wanted->image.length > 0) || (wanted->is_adoption && !is_booted)) {
        return true;
    }
    if (is_booted) {
        err_set(err, CODE_R0856,
                "machine '%.*s' has booted from the network and has no system, and group '%.*s' "
                "names no image",
                TEXT_ARG(row->name), TEXT_ARG(wanted->group));
        return err_hint(err, "set `image` of the group; reeve get images lists the images");
    }
    err_set(err, CODE_R0856,
            "group '%.*s' installs image %.*s, and machine '%.*s' has not booted from the network",
            TEXT_ARG(wanted->group), TEXT_ARG(wanted->image), TEXT_ARG(row->name));
    return err_hint(err, "start the machine from the network, or name a group without `image`");
}

MUST_CHECK static bool commission_approve(struct arena *arena, struct discovered *row,
                                          const struct inventory_commission *wanted,
                                          struct err *err)
{
    struct text shown = discovered_fingerprint(arena, row);

    if (wanted->fingerprint.length == 0
            ? discovered_is_approved(row)
            : wanted->can_approve && text_is_equal(wanted->fingerprint, shown)) {
        if (wanted->fingerprint.length > 0) {
            row->approved_by = wanted->by;
            row->approved_key = shown;
            row->approved_ms = wanted->now_ms;
        }
        return true;
    }
    if (shown.length == 0) {
        err_set(err, CODE_R0837, "the host key of machine '%.*s' is not known",
                TEXT_ARG(row->name));
        return err_hint(err,
                        "the manager reads the key automatically when the machine can be reached");
    }
    if (wanted->fingerprint.length > 0 && wanted->can_approve) {
        err_set(err, CODE_R0837, "machine '%.*s' has the host key %.*s, not %.*s",
                TEXT_ARG(row->name), TEXT_ARG(shown), TEXT_ARG(wanted->fingerprint));
    } else {
        err_set(err, CODE_R0837, "the host key %.*s of machine '%.*s' is not approved",
                TEXT_ARG(shown), TEXT_ARG(row->name));
    }
    return err_hint(
        err,
        "an operator of the tenant can approve the key: reeve discover approve %.*s=FINGERPRINT",
        TEXT_ARG(row->id));
}

bool inventory_commission(struct arena *arena, struct discovered *row,
                          const struct inventory_commission *wanted, struct err *err)
{
    if (!commission_is_free(row, wanted, err) || !commission_is_there(row, err) ||
        !commission_has_status(row, err) || !commission_is_one(row, wanted, err) ||
        !commission_has_system(row, wanted, err) || !commission_approve(arena, row, wanted, err)) {
        return false;
    }
    row->reserved = (struct discovered_reservation){ .cluster = wanted->cluster,
                                                     .group = wanted->group,
                                                     .by = wanted->by,
                                                     .at_ms = wanted->now_ms,
                                                     .is_sized = row->reserved.is_sized,
                                                     .is_adopted = wanted->is_adoption };
    /* an operator retries the commission, so the earlier failure is cleared */
    row->conditions[LIFECYCLE_CONDITION_FAILED] = (struct discovered_mark){ 0 };
    row->is_ignored = false;
    return true;
}

bool inventory_leave_check(struct arena *arena, const struct cache_object *object,
                           struct text token, struct err *err)
{
    struct discovered row;

    if (!discovered_read(arena, object, &row) || !text_is_equal(row.claim.token, token) ||
        row.state != LIFECYCLE_STATE_DISAPPEARED) {
        return true;
    }
    err_set(err, CODE_R0842, "machine '%.*s' is away, so %.*s cannot be cleaned up",
            TEXT_ARG(row.name), TEXT_ARG(row.claim.name));
    return err_hint(err,
                    "repeat it when the machine is back, or: reeve decommission CLUSTER/%.*s "
                    "--absent cleans it up when it returns",
                    TEXT_ARG(row.claim.name));
}

#include "power/power.h"

/* public names start with: power_ */

/* What an order needs next.
 *
 * A step begins with a look at the state: a machine that has the wanted state needs no command. A
 * command is repeated if the state has not changed for POWER_AGAIN_MS, because BMCs drop commands
 * while they are busy. */

enum { POWER_AGAIN_MS = 20 * 1000, POWER_LOOK_MS = 2000 };

bool power_fault_is_final(enum power_fault fault)
{
    return fault == POWER_FAULT_LOGIN || fault == POWER_FAULT_PRIVILEGE ||
           fault == POWER_FAULT_CERTIFICATE || fault == POWER_FAULT_TOOL ||
           fault == POWER_FAULT_SECRET;
}

/* Moves the order to the step after the present one. False: there is none. */
static bool power_step_end(struct power_order *order)
{
    if (order->step == POWER_STEP_ON || order->action == POWER_ACTION_OFF) {
        *order = (struct power_order){ 0 };
        return false;
    }
    order->step++;
    return true;
}

bool power_decide(struct power *power, bool is_fresh, uint64_t sent_ms, uint64_t now_ms,
                  struct power_next *out)
{
    struct power_order *order = &power->order;
    enum power_state wanted = order->step == POWER_STEP_ON ? POWER_STATE_ON : POWER_STATE_OFF;

    *out = (struct power_next){ 0 };
    if (order->step == POWER_STEP_BOOT) {
        if (sent_ms == 0) {
            out->call = POWER_CALL_BOOT;
            return true;
        }
        out->is_moved = true;
        return power_step_end(order);
    }
    if (is_fresh && power->state == wanted) {
        out->is_moved = true;
        return power_step_end(order);
    }
    if (is_fresh && (sent_ms == 0 || now_ms - sent_ms >= POWER_AGAIN_MS)) {
        out->call = wanted == POWER_STATE_ON ? POWER_CALL_ON : POWER_CALL_OFF;
        return true;
    }
    /* the state is read again some time after the command */
    out->wait_ms = sent_ms == 0 ? 0 : POWER_LOOK_MS;
    return true;
}

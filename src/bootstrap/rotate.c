#include "bootstrap/bootstrap.h"

#include <assert.h>

/* REST_MS: how long the old authority is trusted after the new one signs. Certificates for manual
 * logins are valid for five minutes, so the old authority is trusted until the last of them has
 * expired. PATIENCE_MS: how long the rotation waits for unreachable machines. */
enum { REST_MS = 6 * 60 * 1000, PATIENCE_MS = 24 * 60 * 60 * 1000 };

/* True if the member has the keys or certificates of the phase. A member whose machine is being
 * created trusts the authorities that were trusted when the machine was requested. */
static bool is_rotate_reported(const struct bootstrap_member *member)
{
    return member->has_keys && member->trust.length > 0 &&
           text_is_equal(member->trust, member->trust_given);
}

static uint64_t until(uint64_t age_ms, uint64_t end_ms)
{
    return age_ms >= end_ms ? 0 : end_ms - age_ms;
}

void bootstrap_rotate(const struct bootstrap_world *world,
                      const struct bootstrap_rotation *rotation, struct bootstrap_turn *out)
{
    uint64_t rest_ms = rotation->phase == ROTATION_SIGNS ? until(rotation->age_ms, REST_MS) : 0;
    uint64_t patience_ms = until(rotation->age_ms, PATIENCE_MS);

    *out = (struct bootstrap_turn){ 0 };
    if (rotation->phase == ROTATION_STEADY || rotation->phase == ROTATION_MADE) {
        out->is_due = rotation->phase == ROTATION_MADE || rotation->is_requested;
        return;
    }
    for (size_t i = world->count; i-- > 0;) {
        const struct bootstrap_member *member = &world->members[i];

        if (member->is_made && !member->is_going && !is_rotate_reported(member)) {
            out->waiting++;
            out->first = i;
        }
    }
    out->is_due = rest_ms == 0 && (out->waiting == 0 || patience_ms == 0);
    out->in_ms = out->is_due ? 0 : out->waiting == 0 ? rest_ms : patience_ms;
    assert(out->is_due || out->in_ms > 0);
}

#include "base/buf.h"
#include "plan/compute.h"

#include <assert.h>

/* public names start with: plan_ */

/* Returns the length in bytes of the age text that begins at `at`, such as " for 16 min", including
 * a comma before it. Returns 0 if no age text begins there. */
static size_t age_length(struct text fact, size_t at)
{
    size_t length = text_has_prefix(text_slice(fact, at, 1), TEXT(",")) ? 1 : 0;
    size_t digits;

    if (!text_has_prefix(text_slice(fact, at + length, 5), TEXT(" for "))) {
        return 0;
    }
    length += 5;
    digits = length;
    while (at + length < fact.length && fact.data[at + length] >= '0' &&
           fact.data[at + length] <= '9') {
        length++;
    }
    return length > digits && text_has_prefix(text_slice(fact, at + length, 5), TEXT(" min:"))
               ? length + 4
               : 0;
}

static struct text without_ages(struct arena *arena, struct text fact)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t at = 0; at < fact.length;) {
        size_t age = age_length(fact, at);

        if (age == 0) {
            buf_add(&buf, text_slice(fact, at, 1));
            at++;
        } else {
            at += age;
        }
    }
    return buf_text(&buf);
}

struct text plan_hold_lasting(struct arena *arena, const struct plan_hold *hold)
{
    size_t of;

    if (hold->rule == PLAN_RULE_unlisted || hold->rule == PLAN_RULE_stuck ||
        hold->rule == PLAN_RULE_in_doubt || hold->rule == PLAN_RULE_host_unreachable) {
        return without_ages(arena, hold->fact);
    }
    if (hold->rule != PLAN_RULE_bake) {
        return hold->fact;
    }
    of = text_find_byte(hold->fact, 'o');
    assert(text_has_prefix(text_slice(hold->fact, of, 3), TEXT("of ")) && "so much of so much");
    return arena_printf(arena, "for %.*s", TEXT_ARG(text_slice(hold->fact, of + 3, SIZE_MAX)));
}

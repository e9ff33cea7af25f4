/* The stored part of a hold's fact: it contains nothing that is wrong a minute later. */
#include "plan/compute.h"

#include "base/limits.h"
#include "base/macros.h"
#include "unit.h"

static void test_no_age_is_kept(void **state)
{
    static const struct {
        enum plan_rule rule;
        const char *fact;
        const char *kept;
    } cases[] = {
        { PLAN_RULE_unlisted,
          "aws, for 0 min: it does not answer; gcd, for 33 min: the listing is incomplete; unmanaged: 2 "
          "machines",
          "aws: it does not answer; gcd: the listing is incomplete; unmanaged: 2 machines" },
        { PLAN_RULE_unlisted, "aws: only sim is here", "aws: only sim is here" },
        { PLAN_RULE_unlisted, "aws, for 9 min: wait for 5 min, for ever",
          "aws: wait for 5 min, for ever" },
        { PLAN_RULE_unlisted, "aws, for 9 min: for", "aws: for" },
        { PLAN_RULE_stuck, "2 machines, i-b for 50 min: no definite answer",
          "2 machines, i-b: no definite answer" },
        { PLAN_RULE_bake, "0 s of 600 s", "for 600 s" },
        { PLAN_RULE_refused, "1 machine: full for 9 min: later",
          "1 machine: full for 9 min: later" },
        { PLAN_RULE_paused, "observation continues", "observation continues" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct plan_hold hold = { .rule = cases[i].rule, .fact = text_from(cases[i].fact) };

        assert_text(plan_hold_lasting(arena, &hold), cases[i].kept);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_age_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

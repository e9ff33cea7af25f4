/* Guards of the reconciler whose state lives in the engine (SAFETY.md 5). */

#include "engine/lab.h"

#include "plan/compute.h"

#include <stdio.h>
#include <string.h>

static bool has_hold(enum plan_rule rule)
{
    struct text prefix = TEXT("/default/Hold/");
    const char *name = plan_rule_name(rule);

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL &&
            memmem(cache_id(object).data, cache_id(object).length, name, strlen(name)) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- self-suspicion (G17) ---- */

static void apply_probed(unsigned size, const char *max_unhealthy)
{
    char yaml[400];

    snprintf(yaml, sizeof(yaml),
             "version: '1'\nname: shop\ngroups: {web: {size: %u, onUnreachable: replace, "
             "replaceAfter: 1m, maxUnhealthy: %s, health: {probe: {tcp: 80, every: 1s, timeout: "
             "500ms, fail: 3}}, " SIM "}}\n",
             size, max_unhealthy);
    apply(yaml);
}

/* maxUnhealthy allows all of it, and yet nothing goes: it is the manager that is cut off. */
static void test_a_manager_that_is_cut_off_replaces_nothing(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    assert_int_equal(running(), 4);
    lab.cut = 3;
    pass_time(60 * MINUTE);
    assert_int_equal(events_of("machine.condemned"), 0);
    assert_int_equal(running(), 4);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    assert_int_equal(events_of("hold.began"), 2); /* and that machines are unreachable */
    lab.cut = 0;
    pass_time(3 * MINUTE);
    assert_int_equal(holds_count(), 0); /* by itself */
    assert_int_equal(events_of("machine.condemned"), 0);
}

/* One of four is not most of them. */
static void test_one_machine_that_is_lost_is_replaced(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 1;
    pass_time(10 * MINUTE);
    assert_false(has_hold(PLAN_RULE_self_suspicion));
    assert_true(events_of("machine.condemned") > 0);
}

/* The hold opens when half of the machines answer again; the others are judged as ever. */
static void test_suspicion_ends_when_half_answer_again(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 4;
    pass_time(10 * MINUTE);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    lab.cut = 3;
    pass_time(10 * MINUTE);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    assert_int_equal(events_of("machine.condemned"), 0);
    lab.cut = 2;
    pass_time(10 * MINUTE);
    assert_false(has_hold(PLAN_RULE_self_suspicion));
    assert_true(events_of("machine.condemned") > 0);
}

/* An operator's approval covers this observation, and not the next one (G20). */
static void test_approved_suspicion_is_not_approved_again(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(10 * MINUTE);
    assert_int_equal(events_of("machine.condemned"), 0);
    assert_true(hold_answer(SERVICE_WORD_APPROVE, "shop", PLAN_RULE_self_suspicion));
    pass_time(5 * MINUTE);
    assert_true(events_of("machine.condemned") > 0);
    lab.cut = 0;
    pass_time(60 * MINUTE);
    assert_int_equal(holds_count(), 0);
    assert_int_equal(running(), 4);
    {
        size_t destroyed = events_of("machine.condemned");

        lab.cut = 3;
        pass_time(60 * MINUTE);
        assert_true(has_hold(PLAN_RULE_self_suspicion));
        assert_int_equal(events_of("machine.condemned"), destroyed);
    }
}

/* Another manager that begins while the network is cut suspects itself by its first probes. */
static void test_a_manager_that_starts_anew_suspects_itself(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(20 * 1000);
    life_anew();
    pass_time(60 * MINUTE);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    assert_int_equal(events_of("machine.condemned"), 0);
}

/* Another manager takes the cluster over and reaches all of it: what the first one found of its own network is no evidence. */
static void test_what_another_manager_did_not_reach_is_probed_first(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(60 * MINUTE);
    lab.cut = 0;
    life_anew();
    pass_time(60 * MINUTE);
    assert_int_equal(holds_count(), 0);
    assert_int_equal(events_of("machine.condemned"), 0);
}

/* What the provider says still counts: a machine that is gone is made again. */
static void test_suspicion_leaves_the_provider_its_say(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(5 * MINUTE);
    sim_end(lab.cloud, any_machine());
    pass_time(20 * MINUTE);
    assert_int_equal(running(), 4);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_manager_that_is_cut_off_replaces_nothing,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_one_machine_that_is_lost_is_replaced, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_suspicion_ends_when_half_answer_again, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_approved_suspicion_is_not_approved_again, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_manager_that_starts_anew_suspects_itself,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_what_another_manager_did_not_reach_is_probed_first,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_suspicion_leaves_the_provider_its_say, setup_nodes,
                                        teardown),
    };

    return cmocka_run_group_tests_name("guards", tests, NULL, NULL);
}

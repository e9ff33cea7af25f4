/* Changed stages reach members that have been in service by rollout slots (decision 0110): the controller that grants them, with nodes
 * that are made here. */

#include "engine/fake_nodes.h"

#include <string.h>

enum { NODES = 4, SOON = 20 * 1000, BAKE = 20 * 1000 };

/* Cluster shop, group web, with a policy of rollout and one stage with this argument. */
static void apply_rolled(unsigned size, const char *argument, const char *rollout)
{
    apply(arena_string(lab.arena,
                       arena_printf(lab.arena,
                                    "version: '1'\nname: shop\ngroups: {web: {size: %u, " SIM
                                    ", rollout: {%s}, bootstrap: [{bundle: 'base@sha256:" DIGEST
                                    "', args: [%s]}]}}\n",
                                    size, rollout, argument)));
}

static const char careful[] = "surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1";

static void nodes_make(const char *rollout)
{
    apply_rolled(NODES, "a", rollout);
    tend_time(SOON);
    assert_int_equal(fake.staged, NODES); /* members that have never been in service need no slot */
    assert_true(cluster_says("\"ready\":4"));
    assert_int_equal(count_of("Batches"), 0);
}

static bool job_says(const char *words)
{
    return any_says("Job", words);
}

/* ---- tests ---- */

static void test_one_broken_canary_keeps_three_untouched(void **state)
{
    (void)state;
    nodes_make(careful);
    fake.bad = "web-0";
    apply_rolled(NODES, "b", careful);
    tend_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    assert_true(job_says("\"verb\":\"rollout\""));
    assert_true(job_says("\"state\":\"held\""));
    assert_true(job_says("\"failedNodes\":\"web-0\""));
    assert_int_equal(count_of("Batches"), 1);
    assert_true(any_says("Hold", "\"rule\":\"rollout\""));
    assert_true(any_says(
        "Hold",
        "\"fact\":\"web-0 stage-0 base failed with exit code 3; 3 of 4 have not started\""));
    assert_true(job_says("\"state\":\"waiting\"")); /* the job of the change */
    life_anew();
    tend_time(MINUTE);
    assert_int_equal(events_of("hold.began"), 1); /* another manager holds it as well */
    assert_int_equal(events_of("hold.ended"), 0);
}

static void test_the_canary_bakes_and_others_follow_one_by_one(void **state)
{
    (void)state;
    nodes_make(careful);
    apply_rolled(NODES, "b", careful);
    tend_time(BAKE / 2);
    assert_int_equal(fake.staged, NODES + 1);
    fake.slow = "web-2";
    tend_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 3); /* web-1 is done, and web-3 waits for web-2 */
    fake.slow = NULL;
    tend_time(SOON);
    assert_int_equal(fake.staged, NODES + 4);
    assert_true(job_says("\"state\":\"done\""));
    assert_int_equal(count_of("Batches"), 0);
    tend_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
}

static void test_the_default_is_one_canary(void **state)
{
    (void)state;
    nodes_make("surge: 1");
    fake.slow = "web-0";
    apply_rolled(NODES, "b", "surge: 1");
    tend_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    fake.slow = NULL;
    tend_time(MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
}

static void test_managers_that_die_all_the_time_resume_the_same_rollout(void **state)
{
    (void)state;
    nodes_make(careful);
    apply_rolled(NODES, "b", careful);
    for (int i = 0; i < 300; i++) {
        tend_time(300);
        life_anew();
    }
    tend_time(2 * MINUTE);
    assert_true(job_says("\"state\":\"done\""));
    assert_int_equal(fake.known_count, NODES);       /* each node had its slot once */
    assert_int_equal(events_of("job.began"), 2 + 1); /* those of both changes, and the rollout's */
    assert_int_equal(count_of("Batches"), 0);
}

static void test_managers_that_die_all_the_time_stop_at_the_canary(void **state)
{
    (void)state;
    nodes_make(careful);
    fake.bad = "web-0";
    apply_rolled(NODES, "b", careful);
    for (int i = 0; i < 100; i++) {
        tend_time(300);
        life_anew();
    }
    tend_time(2 * MINUTE);
    assert_true(job_says("\"state\":\"held\""));
    assert_int_equal(fake.known_count, 0); /* a run that fails notes nothing */
    assert_true(job_says("\"waiting\":3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_broken_canary_keeps_three_untouched, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_canary_bakes_and_others_follow_one_by_one,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_default_is_one_canary, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_managers_that_die_all_the_time_resume_the_same_rollout,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_managers_that_die_all_the_time_stop_at_the_canary,
                                        nodes_setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

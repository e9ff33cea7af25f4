/* Simulations of files with the production planner and engine, on a simulated clock. */
#include "unit.h"

#include "base/limits.h"
#include "codec/yaml.h"
#include "simulation/simulation.h"

enum { MINUTE = 60 * 1000, HOUR = 60 * MINUTE, FAULTS = 8 };

#define SHOP                                                         \
    "version: '1'\nname: shop\ngroups:\n"                            \
    "  db: {size: 3, image: x, resourcePlugin: {name: openstack}}\n" \
    "  web: {size: 4, image: x, zones: [a, b], resourcePlugin: {name: aws}}\n"

struct run {
    struct arena *arena;
    struct simulation_result result;
    struct err_list errors;
    bool is_run;
};

/* Runs one simulation with these faults. */
static struct run run(const char *yaml, uint64_t seed, const char *const *words)
{
    struct run run = { .arena = arena_new(LIMIT_WORK_ARENA_BYTES) };
    struct simulation_fault *faults = arena_array(run.arena, struct simulation_fault, FAULTS);
    struct origin *origin = arena_one(run.arena, struct origin);
    struct model_set *set = arena_one(run.arena, struct model_set);
    struct simulation_options options = {
        .set = set, .faults = faults, .duration_ms = HOUR, .seed = seed
    };
    struct yaml_docs docs;
    struct err err;

    err_list_init(&run.errors, run.arena);
    assert_true(yaml_parse_tolerant(run.arena, arena_text(run.arena, text_from(yaml)), origin,
                                    &docs, &run.errors, &err));
    model_set_init(set, run.arena, &run.errors);
    for (size_t i = 0; i < docs.count; i++) {
        model_set_add(set, &docs.items[i]);
    }
    model_set_resolve(set);
    assert_int_equal(run.errors.errors, 0);
    for (; words != NULL && words[options.fault_count] != NULL; options.fault_count++) {
        assert_true(options.fault_count < FAULTS);
        assert_true(simulation_fault_parse(text_from(words[options.fault_count]), HOUR,
                                           &faults[options.fault_count], &err));
    }
    run.is_run = simulation_run(run.arena, &options, &run.result, &run.errors);
    return run;
}

#define FAULTS_OF(...) ((const char *const[]){ __VA_ARGS__, NULL })

static uint64_t made(const struct run *run)
{
    uint64_t count = 0;

    for (size_t i = 0; i < run->result.group_count; i++) {
        count += run->result.groups[i].made;
    }
    return count;
}

static void test_what_is_wanted_is_made(void **state)
{
    struct run one = run(SHOP, 1, NULL);

    (void)state;
    assert_true(one.is_run && one.result.is_whole);
    assert_int_equal(one.result.group_count, 2);
    assert_text(one.result.groups[0].path, "db");
    assert_text(one.result.groups[1].plugin, "aws");
    assert_int_equal(one.result.groups[0].ready, 3);
    assert_int_equal(one.result.groups[1].ready, 4);
    assert_int_equal(made(&one), 7);
    arena_free(one.arena);
}

static void test_what_dies_is_made_again(void **state)
{
    struct run one = run(SHOP, 1, FAULTS_OF("death@10m=2", "stop@30m"));

    (void)state;
    assert_true(one.result.is_whole);
    assert_int_equal(made(&one), 10);
    for (size_t i = 0; i < 2; i++) {
        assert_true(one.result.struck[i].has_harm && one.result.struck[i].is_healed);
        assert_true(one.result.struck[i].healed_ms > 0);
    }
    assert_int_equal(one.result.struck[0].struck, 2);
    arena_free(one.arena);
}

static void test_all_luck_at_once(void **state)
{
    struct run one = run(SHOP, 3,
                         FAULTS_OF("mass-death@5m", "outage@6m+3m", "capacity@10m+5m=aws",
                                   "throttled@16m", "unanswered@16m", "manager-killed@17m",
                                   "list-lies@20m+2m", "list-partial@22m+3m"));

    (void)state;
    assert_true(one.is_run && one.result.is_whole);
    assert_true(one.result.refused > 0 && one.result.unanswered > 0);
    arena_free(one.arena);
}

static void test_what_is_held_is_reported(void **state)
{
    struct run one = run(SHOP, 1, FAULTS_OF("foreign@10m=2"));

    (void)state;
    assert_false(one.result.is_whole);
    assert_int_equal(one.result.hold_count, 1);
    assert_text(one.result.holds[0].rule, "foreign");
    assert_text(one.result.holds[0].cluster, "shop");
    assert_true(one.result.holds[0].since_ms >= 10 * MINUTE);
    arena_free(one.arena);
}

static void test_an_approved_brake_lets_go(void **state)
{
    struct run held = run(SHOP, 1, FAULTS_OF("mass-death@10m=100"));
    struct run approved = run(SHOP, 1, FAULTS_OF("mass-death@10m=100", "approve@10m40s"));

    (void)state;
    assert_true(approved.result.struck[1].struck > 0);
    assert_true(approved.result.is_whole && held.result.is_whole);
    arena_free(held.arena);
    arena_free(approved.arena);
}

static void test_a_dead_manager_approves_nothing(void **state)
{
    struct run one =
        run(SHOP, 1, FAULTS_OF("mass-death@10m=100", "manager-killed@11m+5m", "approve@12m"));

    (void)state;
    assert_int_equal(one.result.struck[2].struck, 0);
    assert_true(one.result.is_whole);
    arena_free(one.arena);
}

/* Two overlapping faults that kill the manager count as one. */
static void test_a_manager_dies_once_at_a_time(void **state)
{
    struct run one = run(SHOP, 1, FAULTS_OF("manager-killed@10m+5m", "manager-killed@12m+10m"));

    (void)state;
    assert_true(one.result.is_whole);
    assert_int_equal(made(&one), 7);
    arena_free(one.arena);
}

static void test_a_run_may_end_without_a_manager(void **state)
{
    struct run one = run(SHOP, 1, FAULTS_OF("manager-killed@10m+2h", "death@11m"));

    (void)state;
    assert_false(one.result.is_whole);
    assert_true(one.result.struck[1].has_harm && !one.result.struck[1].is_healed);
    arena_free(one.arena);
}

static void test_the_same_seed_is_the_same_run(void **state)
{
    struct run one = run(SHOP, 5, FAULTS_OF("death@10m=3", "list-partial@15m"));
    struct run two = run(SHOP, 5, FAULTS_OF("death@10m=3", "list-partial@15m"));

    (void)state;
    assert_int_equal(one.result.passes, two.result.passes);
    assert_int_equal(one.result.event_count, two.result.event_count);
    for (size_t i = 0; i < one.result.event_count; i++) {
        assert_int_equal(one.result.events[i].at_ms, two.result.events[i].at_ms);
        assert_true(text_is_equal(one.result.events[i].group, two.result.events[i].group));
    }
    arena_free(one.arena);
    arena_free(two.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_wanted_is_made),
        cmocka_unit_test(test_what_dies_is_made_again),
        cmocka_unit_test(test_all_luck_at_once),
        cmocka_unit_test(test_what_is_held_is_reported),
        cmocka_unit_test(test_an_approved_brake_lets_go),
        cmocka_unit_test(test_a_dead_manager_approves_nothing),
        cmocka_unit_test(test_a_manager_dies_once_at_a_time),
        cmocka_unit_test(test_a_run_may_end_without_a_manager),
        cmocka_unit_test(test_the_same_seed_is_the_same_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

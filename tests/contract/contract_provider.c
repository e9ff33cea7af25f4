/* Tests a driver against the contract of records/provider.h. Usage: contract_provider DRIVER HOST
 * PLUGINS. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "base/limits.h"
#include "plugin_env.h"
#include "provider/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURNS_MAX = 4000, TURN_MS = 10, MANY = 520 };

#define CLUSTER       "t/shop"
#define OTHER_CLUSTER "t/shop2"

static const struct driver *driver;
static const char *host_path;
static const char *plugins_path;

/* ---- drivers ---- */

struct fixture {
    struct asking asking; /* must be first */
    bool is_closed;
    struct sim_cloud *cloud;
    uint64_t now_ms;
    struct plugin_env *env;
};

struct driver {
    const char *name;
    const char *plugin; /* name of the plugin; NULL: the driver is in this process */
    void (*open)(struct fixture *fixture);
    void (*turn)(struct fixture *fixture);
    void (*close)(struct fixture *fixture);
};

static uint64_t sim_now(void *arg)
{
    return ((const struct fixture *)arg)->now_ms;
}

/* Delays the effect and the answer of half of the calls, so that calls overlap. */
static struct sim_fate sim_fate(void *arg, enum sim_call call, struct text cluster)
{
    (void)arg;
    (void)call;
    (void)cluster;
    return (struct sim_fate){ .effect_ms = 3, .answer_ms = 7 };
}

static void sim_open(struct fixture *fixture)
{
    fixture->now_ms = 1000;
    fixture->cloud = sim_cloud_new(
        (struct sim_options){ .now_ms = sim_now, .fate = sim_fate, .arg = fixture, .boot_ms = 50 });
    fixture->asking.provider = sim_provider_new(fixture->cloud);
}

static void sim_turn(struct fixture *fixture)
{
    fixture->now_ms++;
    provider_run(fixture->asking.provider);
}

static void sim_close(struct fixture *fixture)
{
    sim_cloud_free(fixture->cloud);
}

static void hosted_start(struct fixture *fixture)
{
    fixture->env = plugin_env_open(host_path, plugins_path, hosted_patience_hastened(1));
    fixture->asking.provider = plugin_env_find(fixture->env, "t", driver->plugin);
}

static void hosted_turn(struct fixture *fixture)
{
    plugin_env_turn(fixture->env, TURN_MS);
}

static void hosted_end(struct fixture *fixture)
{
    plugin_env_close(fixture->env);
}

static const struct driver drivers[] = {
    { "simulator", NULL, sim_open, sim_turn, sim_close },
    { "file", "file", hosted_start, hosted_turn, hosted_end },
    { "sim", "sim", hosted_start, hosted_turn, hosted_end },
};

static const struct driver *driver_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++) {
        if (strcmp(drivers[i].name, name) == 0) {
            return &drivers[i];
        }
    }
    return NULL;
}

/* Closes the provider. A hosted provider is closed by its plugin registry. */
static void fixture_end(struct fixture *fixture)
{
    if (!fixture->is_closed) {
        fixture->is_closed = true;
        if (fixture->env == NULL) {
            provider_close(fixture->asking.provider);
        } else {
            plugins_close(fixture->env->plugins);
        }
    }
}

static void turn(struct asking *asking)
{
    driver->turn((struct fixture *)asking);
}

static int setup(void **state)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct fixture *fixture = arena_one(arena, struct fixture);

    fixture->asking.arena = arena;
    fixture->asking.turn = turn;
    driver->open(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    fixture_end(fixture);
    driver->close(fixture);
    arena_free(fixture->asking.arena);
    return 0;
}

/* ---- cases ---- */

static void assert_tags(const struct provider_tags *got, const struct provider_tags *wanted)
{
    assert_true(text_is_equal(got->cluster, wanted->cluster));
    assert_true(text_is_equal(got->life, wanted->life));
    assert_true(text_is_equal(got->group, wanted->group));
    assert_int_equal(got->slot, wanted->slot);
    assert_true(text_is_equal(got->token, wanted->token));
    assert_true(text_is_equal(got->mac, wanted->mac));
}

static void test_a_cluster_without_machines_lists_none_and_says_that_these_are_all(void **state)
{
    assert_int_equal(asking_listed(*state, CLUSTER)->answer.count, 0);
}

static void test_what_was_made_is_listed_and_found_with_its_tags(void **state)
{
    struct fixture *fixture = *state;
    struct provider_tags tags = asking_tags(fixture->asking.arena, CLUSTER, 7);
    struct text id = asking_created(&fixture->asking, CLUSTER, 7);
    struct reply *listing = asking_listed(&fixture->asking, CLUSTER);
    const struct provider_row *row = asking_found(&fixture->asking, CLUSTER, id);

    assert_int_equal(listing->answer.count, 1);
    assert_non_null(asking_row(listing, id));
    assert_non_null(row);
    assert_tags(&listing->answer.rows[0].tags, &tags);
    assert_tags(&row->tags, &tags);
}

static void test_what_was_made_runs_in_the_end(void **state)
{
    struct fixture *fixture = *state;
    struct text id = asking_created(&fixture->asking, CLUSTER, 1);

    for (int turn = 0; asking_found(&fixture->asking, CLUSTER, id)->state != PLAN_ROW_RUNNING;
         turn++) {
        assert_true(turn < TURNS_MAX);
        assert_int_equal(asking_found(&fixture->asking, CLUSTER, id)->state, PLAN_ROW_PENDING);
    }
    assert_int_equal(asking_row(asking_listed(&fixture->asking, CLUSTER), id)->state,
                     PLAN_ROW_RUNNING);
}

static void test_the_same_token_is_the_same_machine(void **state)
{
    struct fixture *fixture = *state;
    struct text id = asking_created(&fixture->asking, CLUSTER, 3);

    assert_true(text_is_equal(asking_created(&fixture->asking, CLUSTER, 3), id));
    assert_int_equal(asking_listed(&fixture->asking, CLUSTER)->answer.count, 1);
    assert_false(text_is_equal(asking_created(&fixture->asking, CLUSTER, 4), id));
    assert_int_equal(asking_listed(&fixture->asking, CLUSTER)->answer.count, 2);
}

static void test_the_same_token_is_the_same_machine_twice_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct reply *replies[6];

    for (size_t i = 0; i < ARRAY_COUNT(replies); i++) {
        replies[i] = asking_create(&fixture->asking, CLUSTER, 5);
    }
    for (size_t i = 0; i < ARRAY_COUNT(replies); i++) {
        asking_wait(&fixture->asking, replies[i]);
        assert_int_equal(replies[i]->outcome, OUTCOME_OK);
        assert_true(text_is_equal(replies[i]->answer.id, replies[0]->answer.id));
    }
    assert_int_equal(asking_listed(&fixture->asking, CLUSTER)->answer.count, 1);
}

static void test_what_was_destroyed_is_not_there_and_may_be_destroyed_again(void **state)
{
    struct fixture *fixture = *state;
    struct text id = asking_created(&fixture->asking, CLUSTER, 1);
    struct text other = asking_created(&fixture->asking, CLUSTER, 2);

    asking_destroyed(&fixture->asking, CLUSTER, id);
    assert_null(asking_found(&fixture->asking, CLUSTER, id));
    assert_null(asking_row(asking_listed(&fixture->asking, CLUSTER), id));
    asking_destroyed(&fixture->asking, CLUSTER, id);
    assert_non_null(asking_found(&fixture->asking, CLUSTER, other));
    assert_int_equal(asking_listed(&fixture->asking, CLUSTER)->answer.count, 1);
}

static void test_what_never_was_is_not_found_and_is_destroyed_well(void **state)
{
    static const char *const ids[] = { "file-nobody", "nobody",       "../shop2",
                                       ".",           "i-0123456789", "file-../../x" };
    struct fixture *fixture = *state;
    struct text mine = asking_created(&fixture->asking, CLUSTER, 1);

    for (size_t i = 0; i < ARRAY_COUNT(ids); i++) {
        assert_null(asking_found(&fixture->asking, CLUSTER, text_from(ids[i])));
        asking_destroyed(&fixture->asking, CLUSTER, text_from(ids[i]));
    }
    assert_non_null(asking_found(&fixture->asking, CLUSTER, mine));
}

static void test_machines_of_another_cluster_are_neither_seen_nor_touched(void **state)
{
    struct fixture *fixture = *state;
    struct text id = asking_created(&fixture->asking, CLUSTER, 1);

    assert_int_equal(asking_listed(&fixture->asking, OTHER_CLUSTER)->answer.count, 0);
    assert_null(asking_found(&fixture->asking, OTHER_CLUSTER, id));
    asking_destroyed(&fixture->asking, OTHER_CLUSTER, id);
    assert_non_null(asking_found(&fixture->asking, CLUSTER, id));
    asking_created(&fixture->asking, OTHER_CLUSTER, 2);
    assert_int_equal(asking_listed(&fixture->asking, CLUSTER)->answer.count, 1);
    assert_int_equal(asking_listed(&fixture->asking, OTHER_CLUSTER)->answer.count, 1);
}

static void test_a_long_listing_is_whole_and_names_each_once(void **state)
{
    struct fixture *fixture = *state;
    struct reply **replies = arena_array(fixture->asking.arena, struct reply *, MANY);
    struct reply *listing;

    for (unsigned i = 0; i < MANY; i++) {
        replies[i] = asking_create(&fixture->asking, CLUSTER, i + 1);
    }
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(asking_wait(&fixture->asking, replies[i])->outcome, OUTCOME_OK);
    }
    listing = asking_listed(&fixture->asking, CLUSTER);
    assert_int_equal(listing->answer.count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        assert_non_null(asking_row(listing, replies[i]->answer.id));
    }
}

static void test_nothing_has_changed_is_said_of_a_mark_alone(void **state)
{
    struct fixture *fixture = *state;
    struct text id = asking_created(&fixture->asking, CLUSTER, 1);
    struct text mark;
    struct reply *again;

    for (int turn = 0; asking_found(&fixture->asking, CLUSTER, id)->state != PLAN_ROW_RUNNING;
         turn++) {
        assert_true(turn < TURNS_MAX);
    }
    mark = asking_listed(&fixture->asking, CLUSTER)->answer.mark;
    again = asking_wait(&fixture->asking, asking_list(&fixture->asking, CLUSTER, mark));
    assert_int_equal(again->outcome, OUTCOME_OK);
    assert_int_equal(again->answer.is_same, mark.length > 0);
    assert_int_equal(again->answer.count, mark.length > 0 ? 0 : 1);
    asking_created(&fixture->asking, CLUSTER, 2);
    again = asking_wait(&fixture->asking, asking_list(&fixture->asking, CLUSTER, mark));
    assert_false(again->answer.is_same);
    assert_int_equal(again->answer.count, 2);
}

static void test_labels_and_starts_anew_where_the_traits_say_so(void **state)
{
    struct fixture *fixture = *state;
    const struct provider *provider = fixture->asking.provider;
    struct text id = asking_created(&fixture->asking, CLUSTER, 1);

    if (provider->traits.can_label) {
        assert_non_null(provider->driver->label);
        assert_int_equal(
            asking_change(&fixture->asking, CLUSTER, id, "{\"labels\":{\"a\":\"b\"}}")->outcome,
            OUTCOME_OK);
    }
    if (provider->traits.can_reboot) {
        assert_non_null(provider->driver->reboot);
        assert_int_equal(asking_change(&fixture->asking, CLUSTER, id, NULL)->outcome, OUTCOME_OK);
        assert_non_null(asking_found(&fixture->asking, CLUSTER, id));
    }
}

static void test_a_reported_caller_may_call_again(void **state)
{
    struct fixture *fixture = *state;
    struct reply *first = asking_create(&fixture->asking, CLUSTER, 1);

    first->then = asking_reply(&fixture->asking);
    first->cluster_then = CLUSTER;
    asking_wait(&fixture->asking, first);
    assert_false(first->then->has_come);
    asking_wait(&fixture->asking, first->then);
    assert_int_equal(first->then->answer.count, 1);
}

static void test_nothing_is_due_when_nothing_is_under_way(void **state)
{
    struct fixture *fixture = *state;

    asking_created(&fixture->asking, CLUSTER, 1);
    asking_listed(&fixture->asking, CLUSTER);
    for (int turn = 0; provider_due(fixture->asking.provider) != UINT64_MAX; turn++) {
        assert_true(turn < TURNS_MAX);
        driver->turn(fixture);
    }
    assert_int_equal(provider_run(fixture->asking.provider), 0);
    asking_list(&fixture->asking, CLUSTER, TEXT(""));
    assert_true(provider_due(fixture->asking.provider) < UINT64_MAX);
}

static void test_closing_ends_every_call_once(void **state)
{
    struct fixture *fixture = *state;
    struct reply *replies[20];

    asking_created(&fixture->asking, CLUSTER, 1);
    for (unsigned i = 0; i < ARRAY_COUNT(replies); i++) {
        replies[i] = i % 3 == 0   ? asking_create(&fixture->asking, CLUSTER, 10 + i)
                     : i % 3 == 1 ? asking_list(&fixture->asking, CLUSTER, TEXT(""))
                                  : asking_find(&fixture->asking, CLUSTER, TEXT("file-nobody"));
    }
    fixture_end(fixture);
    for (size_t i = 0; i < ARRAY_COUNT(replies); i++) {
        assert_true(replies[i]->has_come);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest cases[] = {
        CASE(test_a_cluster_without_machines_lists_none_and_says_that_these_are_all),
        CASE(test_what_was_made_is_listed_and_found_with_its_tags),
        CASE(test_what_was_made_runs_in_the_end),
        CASE(test_the_same_token_is_the_same_machine),
        CASE(test_the_same_token_is_the_same_machine_twice_at_once),
        CASE(test_what_was_destroyed_is_not_there_and_may_be_destroyed_again),
        CASE(test_what_never_was_is_not_found_and_is_destroyed_well),
        CASE(test_machines_of_another_cluster_are_neither_seen_nor_touched),
        CASE(test_a_long_listing_is_whole_and_names_each_once),
        CASE(test_nothing_has_changed_is_said_of_a_mark_alone),
        CASE(test_labels_and_starts_anew_where_the_traits_say_so),
        CASE(test_a_reported_caller_may_call_again),
        CASE(test_nothing_is_due_when_nothing_is_under_way),
        CASE(test_closing_ends_every_call_once),
    };

    if (argc != 4 || driver_find(argv[1]) == NULL) {
        fprintf(stderr, "use: contract_provider sim|file|hosted HOST PLUGINS\n");
        return 2;
    }
    driver = driver_find(argv[1]);
    host_path = argv[2];
    plugins_path = argv[3];
    return cmocka_run_group_tests_name(driver->name, cases, NULL, NULL);
}

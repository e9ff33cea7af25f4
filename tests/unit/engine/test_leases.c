/* Which of several managers takes the lease of a cluster, the batches in which leases are written,
 * and the data about managers in the store. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "codec/json.h"
#include "leases/leases_parts.h"
#include "managers/lease.h"
#include "store/memory.h"

enum {
    RING = 4096,
    BEAT = 1000,
    FRESH = 3000,
    TTL = 15000,
    STEP = 100,
    MANAGERS = 3,
    CLUSTERS = 60,
    ALL = 7,
    MINUTE = 60000
};

struct one {
    struct fleet *fleet;
    struct roster *roster;
    struct managers *managers;
    struct assignment *assignment;
    unsigned number;
};

static struct lab {
    struct store *store;
    struct cache *cache;
    struct one ones[MANAGERS];
    uint64_t now_ms;
    int64_t wall_ms;
    unsigned moved;
    unsigned moved_in_second;
    uint64_t moved_second;
    char reason[160];
} lab;

static uint64_t leases_test_now(void *arg)
{
    (void)arg;
    return lab.now_ms;
}

static int64_t leases_test_wall(void *arg)
{
    (void)arg;
    return lab.wall_ms + (int64_t)lab.now_ms;
}

static void leases_test_ignored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

static void leases_test_put(const char *key, const char *value)
{
    struct store_op op = { .key = text_from(key),
                           .value = text_from(value),
                           .is_delete = value[0] == '\0' };

    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, leases_test_ignored,
              NULL);
}

static void leases_test_lease(struct arena *arena, const struct fleet_cluster *cluster,
                              const struct lease_content *content)
{
    leases_test_put(arena_string(arena, arena_printf(arena, "/default/Lease/%.*s/status",
                                                     TEXT_ARG(cluster->id))),
                    arena_string(arena, lease_format(arena, content)));
}

static void leases_test_freed(void *arg, struct fleet_cluster *cluster)
{
    (void)arg;
    (void)cluster;
}

/* Hands the cluster over immediately. */
static void leases_test_leave(void *arg, struct fleet_cluster *cluster, struct text next,
                              struct text reason)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct one *one = arg;

    if (lab.now_ms / 1000 != lab.moved_second) {
        lab.moved_second = lab.now_ms / 1000;
        lab.moved_in_second = 0;
    }
    lab.moved_in_second++;
    lab.moved++;
    snprintf(lab.reason, sizeof(lab.reason), "%.*s", TEXT_ARG(reason));
    leases_test_lease(arena, cluster,
                      &(struct lease_content){ .manager = arena_printf(arena, "m%u", one->number),
                                               .next = next,
                                               .reason = reason });
    assignment_left(one->assignment, cluster);
}

static void cluster_ignored(void *arg, struct fleet_cluster *cluster)
{
    (void)arg;
    (void)cluster;
}

static void one_open(unsigned number)
{
    static const struct roster_plugin plugins[] = { { .name = TEXT("aws") } };
    struct one *one = &lab.ones[number];
    char id[8];
    char session[8];
    struct roster_manager manager = { .plugins = plugins, .plugin_count = 1 };

    snprintf(id, sizeof(id), "m%u", number);
    snprintf(session, sizeof(session), "s%u", number);
    manager.id = text_from(id);
    manager.name = text_from(id);
    one->number = number;
    one->fleet = fleet_new(lab.cache, cluster_ignored, NULL);
    one->roster = roster_new(&(struct roster_options){ .store = lab.store,
                                                       .cache = lab.cache,
                                                       .now_ms = leases_test_now,
                                                       .wall_ms = leases_test_wall,
                                                       .session = text_from(session),
                                                       .manager = manager,
                                                       .clock = text_from(id),
                                                       .beat_ms = BEAT,
                                                       .fresh_ms = FRESH,
                                                       .ttl_ms = TTL });
    one->managers = managers_new(&(struct managers_options){ .store = lab.store,
                                                             .cache = lab.cache,
                                                             .roster = one->roster,
                                                             .wall_ms = leases_test_wall,
                                                             .manager = manager,
                                                             .session = text_from(session),
                                                             .clock = text_from(id) });
    one->assignment = assignment_new(&(struct assignment_options){ .cache = lab.cache,
                                                                   .fleet = one->fleet,
                                                                   .roster = one->roster,
                                                                   .managers = one->managers,
                                                                   .now_ms = leases_test_now,
                                                                   .freed = leases_test_freed,
                                                                   .leave = leases_test_leave,
                                                                   .arg = one,
                                                                   .manager = manager.id,
                                                                   .session = text_from(session),
                                                                   .times = 1 });
}

static void turn(void)
{
    store_run(lab.store);
    cache_run(lab.cache);
    for (unsigned i = 0; i < MANAGERS; i++) {
        if (lab.ones[i].fleet != NULL) {
            fleet_run(lab.ones[i].fleet);
        }
    }
}

/* Takes every lease that the manager may take now. */
static void one_take(struct one *one)
{
    struct fleet_cluster *cluster = NULL;

    while ((cluster = fleet_next(one->fleet, cluster)) != NULL) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        const struct doc *lease = lease_read(arena, lease_find(lab.cache, cluster));
        char session[8];

        snprintf(session, sizeof(session), "s%u", one->number);
        if (text_is(lease_session(lease), session)) {
            continue;
        }
        if (assignment_judge(one->assignment, arena, cluster, lease).answer == ASSIGNMENT_TAKE) {
            assignment_taken(one->assignment, cluster, lease);
            leases_test_lease(
                arena, cluster,
                &(struct lease_content){ .manager = arena_printf(arena, "m%u", one->number),
                                         .reason = lease_reason(lease),
                                         .session = text_from(session) });
        }
    }
    turn();
}

/* Time passes; only the managers of the mask run. */
static void leases_test_pass(uint64_t ms, unsigned mask)
{
    for (uint64_t end = lab.now_ms + ms; lab.now_ms < end; lab.now_ms += STEP) {
        for (unsigned i = 0; i < MANAGERS; i++) {
            if ((mask & (1u << i)) != 0) {
                turn();
                roster_run(lab.ones[i].roster);
                turn();
                assignment_run(lab.ones[i].assignment);
                turn();
                one_take(&lab.ones[i]);
            }
        }
    }
    turn();
}

static unsigned held(unsigned number)
{
    struct fleet_cluster *cluster = NULL;
    unsigned count = 0;
    char session[8];

    snprintf(session, sizeof(session), "s%u", number);
    while ((cluster = fleet_next(lab.ones[0].fleet, cluster)) != NULL) {
        AUTO(arena) arena = arena_new(SIZE_MAX);

        count += text_is(lease_session(lease_read(arena, lease_find(lab.cache, cluster))), session);
    }
    return count;
}

static int leases_test_begin(void **state)
{
    static const unsigned char incarnation[16] = { 1 };

    (void)state;
    lab = (struct lab){ .now_ms = 1000000, .wall_ms = INT64_C(1700000000000) };
    lab.store = memory_open(incarnation);
    lab.cache = cache_new(lab.store, RING);
    turn();
    turn();
    assert_int_equal(cache_state(lab.cache), CACHE_READY);
    for (unsigned i = 0; i < MANAGERS; i++) {
        one_open(i);
    }
    for (unsigned i = 0; i < CLUSTERS; i++) {
        char key[64];

        snprintf(key, sizeof(key), "/default/Cluster/c%u/spec", i);
        leases_test_put(key, "{}");
    }
    turn();
    return 0;
}

static int leases_test_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MANAGERS; i++) {
        assignment_free(lab.ones[i].assignment);
        fleet_free(lab.ones[i].fleet);
    }
    cache_free(lab.cache);
    store_close(lab.store);
    for (unsigned i = 0; i < MANAGERS; i++) {
        managers_free(lab.ones[i].managers);
        roster_free(lab.ones[i].roster);
    }
    return 0;
}

static void drain_set(unsigned number, bool is_draining)
{
    char key[64];

    snprintf(key, sizeof(key), "/_/Manager/m%u/spec", number);
    leases_test_put(key, is_draining ? "{\"drain\":true}" : "");
}

static void clusters_are_shared_within_the_limit(void **state)
{
    (void)state;
    leases_test_pass(2 * BEAT, ALL);
    for (unsigned i = 0; i < MANAGERS; i++) {
        assert_in_range(held(i), 1, CLUSTERS / MANAGERS * 115 / 100 + 1);
    }
    assert_int_equal(held(0) + held(1) + held(2), CLUSTERS);
    assert_int_equal(lab.moved, 0);
}

static void a_live_manager_keeps_its_leases_and_a_silent_one_loses_them(void **state)
{
    unsigned before;

    (void)state;
    leases_test_pass(2 * BEAT, ALL);
    before = held(2);
    assert_int_equal(managers_find(lab.ones[0].managers, TEXT("m2"))->state, MANAGERS_LIVE);
    leases_test_pass(FRESH + BEAT, 3);
    assert_int_equal(managers_find(lab.ones[0].managers, TEXT("m2"))->state, MANAGERS_SILENT);
    leases_test_pass(TTL - FRESH - 3 * BEAT, 3);
    assert_int_equal(held(2), before);
    leases_test_pass(4 * BEAT, 3);
    assert_int_equal(held(2), 0);
    assert_int_equal(held(0) + held(1), CLUSTERS);
    assert_int_equal(managers_find(lab.ones[0].managers, TEXT("m2"))->state, MANAGERS_ENDED);
    lab.wall_ms += MANAGERS_GONE_MS;
    leases_test_pass(2 * BEAT, 3);
    assert_int_equal(managers_find(lab.ones[1].managers, TEXT("m2"))->state, MANAGERS_GONE);
    leases_test_pass(2 * BEAT, ALL); /* the manager is back */
    assert_int_equal(managers_find(lab.ones[1].managers, TEXT("m2"))->state, MANAGERS_LIVE);
}

static void a_drain_hands_everything_over_and_takes_nothing(void **state)
{
    (void)state;
    leases_test_pass(2 * BEAT, ALL);
    drain_set(0, true);
    leases_test_pass(3 * BEAT, ALL);
    assert_int_equal(held(0), 0);
    assert_int_equal(held(1) + held(2), CLUSTERS);
    assert_string_equal(lab.reason, "drain of m0");
    assert_int_equal(managers_find(lab.ones[1].managers, TEXT("m0"))->state, MANAGERS_DRAINED);
    drain_set(0, false);
    leases_test_pass(3 * BEAT, ALL);
    assert_int_equal(managers_find(lab.ones[1].managers, TEXT("m0"))->state, MANAGERS_LIVE);
}

static void the_last_manager_keeps_its_clusters_though_it_drains(void **state)
{
    (void)state;
    leases_test_pass(2 * BEAT, ALL);
    for (unsigned i = 0; i < MANAGERS; i++) {
        drain_set(i, true);
    }
    leases_test_pass(5 * BEAT, ALL);
    assert_int_equal(held(0) + held(1) + held(2), CLUSTERS);
}

static void uneven_load_is_balanced_after_a_minute_and_not_twice(void **state)
{
    unsigned moved;

    (void)state;
    leases_test_pass(2 * BEAT, 3); /* the third one joins later */
    assert_int_equal(held(0) + held(1), CLUSTERS);
    leases_test_pass(50 * BEAT, ALL);
    assert_int_equal(held(2), 0);
    leases_test_pass(20 * BEAT, ALL);
    assert_in_range(held(2), CLUSTERS / MANAGERS * 70 / 100, CLUSTERS / MANAGERS * 115 / 100 + 1);
    assert_in_range(lab.moved, 1, CLUSTERS / MANAGERS + CLUSTERS / 10);
    assert_memory_equal(lab.reason, "balance: ", strlen("balance: "));
    moved = lab.moved;
    leases_test_pass(5 * MINUTE, ALL);
    assert_int_equal(lab.moved, moved);
}

static void a_blind_manager_moves_nothing(void **state)
{
    unsigned before;

    (void)state;
    leases_test_pass(2 * BEAT, ALL);
    before = held(1);
    lab.now_ms += 10 * TTL; /* all managers were suspended */
    assignment_run(lab.ones[0].assignment);
    one_take(&lab.ones[0]);
    assert_int_equal(held(1), before);
}

static void a_plugin_that_fails_for_a_minute_is_reported_and_tried_again(void **state)
{
    struct assignment *assignment = lab.ones[0].assignment;

    (void)state;
    leases_test_pass(2 * BEAT, ALL);
    assignment_plugin_note(assignment, TEXT("default"), TEXT("aws/ops"), TEXT("no answer"));
    leases_test_pass(MINUTE - BEAT, ALL);
    assert_int_equal(managers_find(lab.ones[1].managers, TEXT("m0"))->lack_count, 0);
    leases_test_pass(2 * BEAT, ALL);
    assignment_plugin_note(assignment, TEXT("default"), TEXT("aws/ops"), TEXT("no answer"));
    leases_test_pass(3 * BEAT, ALL);
    assert_int_equal(managers_find(lab.ones[1].managers, TEXT("m0"))->lack_count, 1);
    assert_true(text_is(managers_find(lab.ones[1].managers, TEXT("m0"))->lacks[0].plugin,
                        "default/aws/ops"));
    leases_test_pass(10 * MINUTE + 3 * BEAT, ALL);
    assert_int_equal(managers_find(lab.ones[1].managers, TEXT("m0"))->lack_count, 0);
}

static void noted(void *arg)
{
    *(bool *)arg = true;
}

static void a_manager_that_left_long_ago_is_gone(void **state)
{
    bool is_left = false;

    (void)state;
    leases_test_pass(2 * BEAT, ALL);
    roster_leave(lab.ones[2].roster, noted, &is_left);
    leases_test_pass(2 * BEAT, 3);
    assert_true(is_left);
    assert_int_equal(managers_find(lab.ones[0].managers, TEXT("m2"))->state, MANAGERS_ENDED);
    assert_int_equal(held(2), 0);
    lab.wall_ms += MANAGERS_GONE_MS;
    leases_test_pass(2 * BEAT, 3);
    assert_int_equal(managers_find(lab.ones[0].managers, TEXT("m2"))->state, MANAGERS_GONE);
}

/* ---- batches ---- */

enum { WRITES = 150, LOST = 77 };

struct writes_lab {
    unsigned good;
    unsigned lost;
};

static void write_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct writes_lab *writes = arg;

    (void)answer;
    writes->good += outcome == OUTCOME_OK;
    writes->lost += outcome == OUTCOME_REFUSED;
}

static void of_a_refused_batch_only_the_lost_leases_are_refused(void **state)
{
    bool is_stopped = false;
    struct lease_writes *queue = lease_writes_new(lab.store, &is_stopped);
    struct writes_lab writes = { 0 };
    char key[64];

    (void)state;
    snprintf(key, sizeof(key), "/default/Lease/w%u/status", (unsigned)LOST);
    leases_test_put(key, "{}"); /* another manager was faster */
    turn();
    for (unsigned i = 0; i < WRITES; i++) {
        struct lease_write write = { .value = TEXT("{\"session\":\"s0\"}"),
                                     .done = write_reported,
                                     .arg = &writes };

        snprintf(key, sizeof(key), "/default/Lease/w%u/status", i);
        write.key = text_from(key);
        lease_writes_put(queue, &write);
    }
    lease_writes_flush(queue);
    for (unsigned i = 0; i < 20; i++) {
        turn();
    }
    assert_int_equal(writes.good, WRITES - 1);
    assert_int_equal(writes.lost, 1);
    lease_writes_free(queue);
}

int main(void)
{
#define LEASES_TEST(name) cmocka_unit_test_setup_teardown(name, leases_test_begin, leases_test_end)
    const struct CMUnitTest tests[] = {
        LEASES_TEST(clusters_are_shared_within_the_limit),
        LEASES_TEST(a_live_manager_keeps_its_leases_and_a_silent_one_loses_them),
        LEASES_TEST(a_drain_hands_everything_over_and_takes_nothing),
        LEASES_TEST(the_last_manager_keeps_its_clusters_though_it_drains),
        LEASES_TEST(uneven_load_is_balanced_after_a_minute_and_not_twice),
        LEASES_TEST(a_blind_manager_moves_nothing),
        LEASES_TEST(a_plugin_that_fails_for_a_minute_is_reported_and_tried_again),
        LEASES_TEST(a_manager_that_left_long_ago_is_gone),
        LEASES_TEST(of_a_refused_batch_only_the_lost_leases_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The sessions of managers that share a store: freshness, and the ways in which a process ends. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "managers/roster.h"
#include "store/memory.h"

enum { RING = 4096, BEAT = 1000, FRESH = 3000, TTL = 15000, STEP = 100 };

static struct lab {
    struct store *store;
    struct cache *cache;
    struct roster *rosters[2];
    uint64_t now_ms;
    unsigned asked;
    bool is_refused;
} lab;

static uint64_t roster_test_now(void *arg)
{
    (void)arg;
    return lab.now_ms;
}

static void roster_test_refuses(void *arg, struct text address, bool is_here, roster_refused *done,
                                void *done_arg)
{
    (void)arg;
    assert_true(text_is(address, "10.0.0.1:7443") && !is_here);
    lab.asked++;
    done(done_arg, lab.is_refused);
}

static struct roster *roster_test_new(const char *session, const char *manager, const char *clock)
{
    return roster_new(&(struct roster_options){
        .store = lab.store,
        .cache = lab.cache,
        .now_ms = roster_test_now,
        .refuses = roster_test_refuses,
        .session = text_from(session),
        .manager = { .id = text_from(manager), .address = TEXT("10.0.0.1:7443") },
        .clock = text_from(clock),
        .beat_ms = BEAT,
        .fresh_ms = FRESH,
        .ttl_ms = TTL });
}

/* Time passes; only the managers of the mask run. */
static void roster_test_pass(uint64_t ms, unsigned mask)
{
    for (uint64_t end = lab.now_ms + ms; lab.now_ms < end; lab.now_ms += STEP) {
        for (unsigned i = 0; i < 2; i++) {
            store_run(lab.store);
            cache_run(lab.cache);
            if ((mask & (1u << i)) != 0 && lab.rosters[i] != NULL) {
                roster_run(lab.rosters[i]);
            }
        }
    }
    store_run(lab.store);
    cache_run(lab.cache);
}

static int roster_test_begin(void **state)
{
    static const unsigned char incarnation[16] = { 1 };

    (void)state;
    lab = (struct lab){ .now_ms = 1000000 };
    lab.store = memory_open(incarnation);
    lab.cache = cache_new(lab.store, RING);
    roster_test_pass(STEP, 0);
    assert_int_equal(cache_state(lab.cache), CACHE_READY);
    lab.rosters[0] = roster_test_new("one", "m1", "boot-1");
    lab.rosters[1] = roster_test_new("two", "m2", "boot-2");
    roster_test_pass(2 * BEAT, 3);
    return 0;
}

static int roster_test_end(void **state)
{
    (void)state;
    cache_free(lab.cache);
    store_close(lab.store);
    roster_free(lab.rosters[0]);
    roster_free(lab.rosters[1]);
    return 0;
}

static bool has_one_ended(void)
{
    return roster_has_ended(lab.rosters[1], TEXT("one"));
}

static void silence_ends_a_session_after_its_time(void **state)
{
    (void)state;
    assert_true(roster_is_fresh(lab.rosters[0]) && roster_is_fresh(lab.rosters[1]));
    assert_false(has_one_ended());
    roster_test_pass(TTL - 2 * BEAT, 2);
    assert_false(has_one_ended());
    assert_int_equal(roster_ends(lab.rosters[1]), 0);
    roster_test_pass(4 * BEAT, 2);
    assert_true(has_one_ended());
    assert_int_equal(roster_ends(lab.rosters[1]), 1);
}

static void a_host_that_refuses_ends_a_session_that_misses_heartbeats(void **state)
{
    (void)state;
    lab.is_refused = true;
    roster_test_pass(5 * BEAT, 3);
    assert_int_equal(lab.asked, 0); /* it sends heartbeats */
    roster_test_pass(4 * BEAT, 2);
    assert_true(has_one_ended());
}

static void a_manager_that_was_blind_begins_to_count_anew(void **state)
{
    (void)state;
    roster_test_pass(TTL, 2);
    roster_test_pass(10 * TTL, 0); /* both managers are suspended */
    assert_false(has_one_ended());
    assert_false(roster_is_fresh(lab.rosters[1]));
    assert_false(roster_is_alive(lab.rosters[1]));
    assert_true(roster_is_stale(lab.rosters[1]));
    roster_test_pass(2 * BEAT, 3);
    assert_true(roster_is_fresh(lab.rosters[1]));
    assert_false(has_one_ended());
}

static void noted(void *arg)
{
    *(bool *)arg = true;
}

static void an_orderly_end_is_seen_at_once(void **state)
{
    bool is_left = false;

    (void)state;
    roster_leave(lab.rosters[0], noted, &is_left);
    roster_test_pass(2 * STEP, 2);
    assert_true(is_left && has_one_ended());
    assert_false(roster_is_alive(lab.rosters[0]));
}

static void a_new_process_of_a_manager_ends_the_former_one(void **state)
{
    (void)state;
    roster_free(lab.rosters[1]);
    lab.rosters[1] =
        /* a process of the same boot; its lock proves that the earlier process has ended */
        roster_test_new("three", "m1", "boot-1");
    roster_test_pass(STEP * 5, 2);
    assert_true(has_one_ended());
    roster_free(lab.rosters[1]);
    lab.rosters[1] = roster_test_new("four", "m1", "boot-3");
    roster_test_pass(FRESH - BEAT, 2);
    assert_false(has_one_ended()); /* a copy of the data folder may run on another machine */
    roster_test_pass(2 * BEAT, 2);
    assert_true(has_one_ended());
}

static void removed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void a_session_that_others_removed_begins_anew(void **state)
{
    struct store_op op = { .key = TEXT("/_/Session/one/status"), .is_delete = true };

    (void)state;
    roster_test_pass(STEP, 3);
    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, removed, NULL);
    roster_test_pass(BEAT + STEP, 1);
    assert_false(roster_is_alive(lab.rosters[0]));
    roster_test_pass(2 * BEAT, 1);
    assert_true(roster_is_alive(lab.rosters[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(silence_ends_a_session_after_its_time, roster_test_begin,
                                        roster_test_end),
        cmocka_unit_test_setup_teardown(a_host_that_refuses_ends_a_session_that_misses_heartbeats,
                                        roster_test_begin, roster_test_end),
        cmocka_unit_test_setup_teardown(a_manager_that_was_blind_begins_to_count_anew,
                                        roster_test_begin, roster_test_end),
        cmocka_unit_test_setup_teardown(an_orderly_end_is_seen_at_once, roster_test_begin,
                                        roster_test_end),
        cmocka_unit_test_setup_teardown(a_new_process_of_a_manager_ends_the_former_one,
                                        roster_test_begin, roster_test_end),
        cmocka_unit_test_setup_teardown(a_session_that_others_removed_begins_anew,
                                        roster_test_begin, roster_test_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

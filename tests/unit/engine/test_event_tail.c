/* A follower of events receives each event once and in order, from any start position and at any
 * speed, while other followers come and go. The test compares this with its list of the events. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "state/event_tail.h"
#include "store/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING = 4096,
    EVENTS_MAX = 60000,
    READERS = 12,
    ROUNDS = 6000,
    TOGETHER = 5,
    OLD = 400,
    TENANTS = 2
};

static const char *const tenants[TENANTS] = { "default", "lab" };

/* The written events in their order; the name of an event is its index. */
struct written {
    uint64_t revision;
    unsigned tenant;
};

struct follower {
    struct event_reader *reader;
    unsigned tenant;
    /* index of the next event for this follower, or of an earlier event of another tenant */
    size_t next;
    size_t woken;
};

struct fixture {
    struct store *store;
    struct cache *cache;
    struct event_tail *tail;
    struct written *written;
    size_t count;
    uint64_t random;
    struct follower followers[READERS];
};

static struct fixture fixture;

static unsigned below(unsigned bound)
{
    fixture.random = fixture.random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(fixture.random >> 33) % bound;
}

static uint64_t luck(void *arg)
{
    (void)arg;
    return below(UINT32_MAX);
}

static void turn(void)
{
    store_run(fixture.store);
    cache_run(fixture.cache);
    event_tail_run(fixture.tail);
}

static void turns(int count)
{
    for (int i = 0; i < count; i++) {
        turn();
    }
}

static int setup(void **state)
{
    (void)state;
    fixture = (struct fixture){ .random = 7 };
    fixture.written = calloc(EVENTS_MAX, sizeof(*fixture.written));
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    fixture.cache = cache_new(fixture.store, RING);
    fixture.tail = event_tail_new(fixture.store, fixture.cache);
    turns(20);
    assert_int_equal(cache_state(fixture.cache), CACHE_READY);
    return 0;
}

static void leave(struct follower *follower)
{
    if (follower->reader != NULL) {
        event_reader_close(follower->reader);
    }
    *follower = (struct follower){ 0 };
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < READERS; i++) {
        leave(&fixture.followers[i]);
    }
    cache_free(fixture.cache);
    store_close(fixture.store);
    event_tail_free(fixture.tail);
    free(fixture.written);
    return 0;
}

static void is_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    size_t count = (size_t)(uintptr_t)arg;

    assert_int_equal(outcome, OUTCOME_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(fixture.written[fixture.count].revision, 0);
        fixture.written[fixture.count++].revision = answer->revision;
    }
}

/* Writes some events of one tenant in one transaction. */
static void write_some(size_t count, unsigned tenant)
{
    struct store_event events[LIMIT_STORE_TXN_OPERATIONS];
    char bodies[LIMIT_STORE_TXN_OPERATIONS][32];
    char cluster[32];
    struct store_op op = { .key = TEXT("/default/Thing/one/spec"), .value = TEXT("{}") };
    char value[32];
    size_t before = fixture.count;

    snprintf(cluster, sizeof(cluster), "%s/c%u", tenants[tenant], below(3));
    snprintf(value, sizeof(value), "{\"a\":%zu}", before);
    op.value = text_from(value);
    for (size_t i = 0; i < count; i++) {
        fixture.written[before + i].tenant = tenant;
        snprintf(bodies[i], sizeof(bodies[i]), "{\"n\":%zu}", before + i);
        events[i] = (struct store_event){ .cluster = text_from(cluster),
                                          .body = text_from(bodies[i]),
                                          .time_ms = 1000 };
    }
    store_txn(
        fixture.store,
        &(struct store_txn){ .ops = &op, .op_count = 1, .events = events, .event_count = count },
        is_written, (void *)(uintptr_t)count); /* NOLINT(performance-no-int-to-ptr) */
    while (fixture.count < before + count) {
        turn();
    }
}

static void ready(void *arg)
{
    ((struct follower *)arg)->woken++;
}

/* Starts a follower after a revision, which may be in the future. */
static void come(struct follower *follower, uint64_t after)
{
    *follower = (struct follower){ .tenant = below(TENANTS) };
    while (follower->next < fixture.count && fixture.written[follower->next].revision <= after) {
        follower->next++;
    }
    follower->reader = event_reader_open(fixture.tail, text_from(tenants[follower->tenant]), after,
                                         ready, follower);
}

static size_t next_of(const struct follower *follower, size_t place)
{
    while (place < fixture.count && fixture.written[place].tenant != follower->tenant) {
        place++;
    }
    return place;
}

/* Takes at most `most` events and checks that each is the next one. Returns their number. */
static size_t take(struct follower *follower, size_t most)
{
    size_t taken = 0;

    while (taken < most) {
        uint64_t whole;
        struct blob *json = event_reader_take(follower->reader, &whole);
        size_t place = next_of(follower, follower->next);
        size_t after = next_of(follower, place + 1);
        const char *name;

        if (json == NULL) {
            break;
        }
        assert_true(place < fixture.count);
        name = strstr(json->data, "\"n\":");
        assert_non_null(name);
        assert_int_equal(strtoul(name + 4, NULL, 10), place);
        assert_int_equal(whole, after == fixture.count || fixture.written[after].revision !=
                                                              fixture.written[place].revision
                                    ? fixture.written[place].revision
                                    : 0);
        blob_free(json);
        follower->next = place + 1;
        taken++;
    }
    return taken;
}

/* Takes all remaining events of the follower, and checks that none is missing. */
static void take_all(struct follower *follower)
{
    for (int quiet = 0; quiet < 40;) {
        turn();
        quiet = take(follower, SIZE_MAX) == 0 ? quiet + 1 : 0;
    }
    assert_int_equal(next_of(follower, follower->next), fixture.count);
}

static void test_everybody_is_reported_everything_once(void **state)
{
    struct memory_faults faults = { .random = luck, .late_max = 4 };

    (void)state;
    /* a follower that starts before the end of these events reads separate pages */
    while (fixture.count < OLD) {
        write_some(TOGETHER, below(TENANTS));
    }
    memory_set_faults(fixture.store, &faults);
    for (int round = 0; round < ROUNDS; round++) {
        struct follower *follower = &fixture.followers[below(READERS)];

        if (below(3) == 0 && fixture.count + TOGETHER < EVENTS_MAX) {
            write_some(1 + below(TOGETHER), below(TENANTS));
        }
        if (follower->reader == NULL) {
            come(follower, below(below(2) == 0 ? OLD / TOGETHER
                                               : (unsigned)cache_revision(fixture.cache) + 1));
            if (below(2) == 0) { /* and ends while its page is being read */
                turn();
                leave(follower);
            }
        } else if (below(60) == 0) {
            leave(follower);
        } else {
            (void)take(follower, below(7));
        }
        turns((int)below(3));
    }
    for (size_t i = 0; i < READERS; i++) {
        if (fixture.followers[i].reader != NULL) {
            take_all(&fixture.followers[i]);
        }
    }
}

static void test_who_does_not_read_for_long_misses_nothing(void **state)
{
    struct follower *slow = &fixture.followers[0];
    struct follower *quick = &fixture.followers[1];

    (void)state;
    slow->reader = event_reader_open(fixture.tail, TEXT("default"), 0, ready, slow);
    quick->reader = event_reader_open(fixture.tail, TEXT("default"), 0, ready, quick);
    turns(20);
    assert_int_equal(take(slow, 1), 0);
    write_some(3, 0);
    turns(20);
    /* two events of the queue, where another event of the same revision remains */
    assert_int_equal(take(slow, 2), 2);
    while (fixture.count < 2u * LIMIT_EVENT_TAIL + 1000) {
        write_some(100, 0);
        turns(6);
        (void)take(quick, SIZE_MAX);
    }
    take_all(quick);
    take_all(slow);
    assert_true(quick->woken > 100);
}

static void test_nobody_reads_and_nothing_is_read(void **state)
{
    struct follower *late = &fixture.followers[0];

    (void)state;
    write_some(2, 0);
    turns(20);
    come(late, cache_revision(fixture.cache));
    late->tenant = 0;
    event_reader_close(late->reader);
    late->reader = event_reader_open(fixture.tail, TEXT("default"), cache_revision(fixture.cache),
                                     ready, late);
    turns(20);
    assert_int_equal(take(late, SIZE_MAX), 0);
    write_some(2, 1);
    turns(20);
    assert_int_equal(take(late, SIZE_MAX), 0);
    write_some(1, 0);
    turns(20);
    assert_int_equal(take(late, SIZE_MAX), 1);
    assert_true(late->woken > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_everybody_is_reported_everything_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_does_not_read_for_long_misses_nothing, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_nobody_reads_and_nothing_is_read, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

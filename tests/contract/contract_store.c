/* Tests a driver against the contract of state/store.h. Usage: contract_store DRIVER. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "state/store.h"
#include "etcd_env.h"
#include "store/memory.h"
#include "sqlite/sqlite.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 20000 };

static const char *driver_name;

/* ---- asking and waiting ---- */

struct reply {
    struct arena *arena;
    bool has_come;
    bool call_has_returned;
    enum outcome outcome;
    struct store_answer answer;
};

struct fixture {
    struct store *store;
    struct arena *arena;
};

static void reply_keep(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reply *reply = arg;
    struct store_item *items = arena_array(reply->arena, struct store_item, answer->count);
    struct store_event *events = arena_array(reply->arena, struct store_event, answer->count);

    assert_true(reply->call_has_returned);
    assert_false(reply->has_come);
    reply->has_come = true;
    reply->outcome = outcome;
    reply->answer = *answer;
    for (size_t i = 0; answer->items != NULL && i < answer->count; i++) {
        items[i] = answer->items[i];
        items[i].key = arena_text(reply->arena, answer->items[i].key);
        items[i].value = arena_text(reply->arena, answer->items[i].value);
    }
    for (size_t i = 0; answer->events != NULL && i < answer->count; i++) {
        events[i] = answer->events[i];
        events[i].cluster = arena_text(reply->arena, answer->events[i].cluster);
        events[i].body = arena_text(reply->arena, answer->events[i].body);
    }
    reply->answer.items = items;
    reply->answer.events = events;
}

static void store_turn(struct store *store)
{
    int descriptor = store_descriptor(store);

    if (descriptor >= 0) {
        poll(&(struct pollfd){ .fd = descriptor, .events = POLLIN }, 1, WAIT_MS);
    }
    store_run(store);
}

static struct reply *reply_new(struct fixture *fixture)
{
    struct reply *reply = arena_one(fixture->arena, struct reply);

    reply->arena = fixture->arena;
    return reply;
}

static struct reply *reply_wait(struct fixture *fixture, struct reply *reply)
{
    reply->call_has_returned = true;
    for (int turn = 0; !reply->has_come && turn < 1000; turn++) {
        store_turn(fixture->store);
    }
    assert_true(reply->has_come);
    return reply;
}

static struct reply *txn(struct fixture *fixture, struct store_txn txn)
{
    struct reply *reply = reply_new(fixture);

    store_txn(fixture->store, &txn, reply_keep, reply);
    return reply_wait(fixture, reply);
}

static struct reply *put(struct fixture *fixture, const char *key, const char *value)
{
    struct store_op op = { .key = text_from(key), .value = text_from(value) };

    return txn(fixture, (struct store_txn){ .ops = &op, .op_count = 1 });
}

static struct reply *drop(struct fixture *fixture, const char *key)
{
    struct store_op op = { .key = text_from(key), .is_delete = true };

    return txn(fixture, (struct store_txn){ .ops = &op, .op_count = 1 });
}

static struct reply *list(struct fixture *fixture, struct store_range range)
{
    struct reply *reply = reply_new(fixture);

    store_list(fixture->store, &range, reply_keep, reply);
    return reply_wait(fixture, reply);
}

static struct reply *get_at(struct fixture *fixture, const char *key, uint64_t revision)
{
    struct reply *reply = reply_new(fixture);

    store_get(fixture->store, text_from(key), revision, reply_keep, reply);
    return reply_wait(fixture, reply);
}

static struct reply *events_after(struct fixture *fixture, const char *cluster, uint64_t number,
                                  size_t limit)
{
    struct reply *reply = reply_new(fixture);

    store_events(fixture->store, text_from(cluster), number, limit, reply_keep, reply);
    return reply_wait(fixture, reply);
}

static struct reply *compact(struct fixture *fixture, uint64_t revision)
{
    struct reply *reply = reply_new(fixture);

    store_compact(fixture->store, revision, reply_keep, reply);
    return reply_wait(fixture, reply);
}

static struct reply *history(struct fixture *fixture, const char *key)
{
    struct reply *reply = reply_new(fixture);

    store_history(fixture->store, text_from(key), reply_keep, reply);
    return reply_wait(fixture, reply);
}

static void assert_text(struct text got, const char *wanted)
{
    if (!text_is(got, wanted)) {
        print_error("got '%.*s', wanted '%s'\n", TEXT_ARG(got), wanted);
    }
    assert_true(text_is(got, wanted));
}

static uint64_t revision_of(struct fixture *fixture)
{
    struct store_status status;

    store_status(fixture->store, &status);
    return status.revision;
}

/* ---- watching ---- */

struct seen {
    struct arena *arena;
    struct store_change changes[256];
    uint64_t revisions[256]; /* revision of each change */
    size_t count;
    size_t calls;
    enum store_watch_state state;
    uint64_t last_revision;
};

static void seen_keep(void *arg, enum store_watch_state state, uint64_t revision,
                      const struct store_change *changes, size_t count)
{
    struct seen *seen = arg;

    assert_int_equal(seen->state, STORE_WATCH_CHANGES);
    /* the report only states that nothing changed up to this revision */
    if (state == STORE_WATCH_CHANGES && count == 0) {
        assert_true(revision > seen->last_revision);
        seen->last_revision = revision;
        return;
    }
    seen->state = state;
    seen->calls++;
    if (state != STORE_WATCH_CHANGES) {
        assert_int_equal(count, 0);
        return;
    }
    assert_true(revision > seen->last_revision);
    seen->last_revision = revision;
    for (size_t i = 0; i < count; i++) {
        struct store_change *change = &seen->changes[seen->count];

        assert_true(seen->count < ARRAY_COUNT(seen->changes));
        seen->revisions[seen->count++] = revision;
        *change = changes[i];
        change->item.key = arena_text(seen->arena, changes[i].item.key);
        change->item.value = arena_text(seen->arena, changes[i].item.value);
        assert_int_equal(change->item.revision, revision);
    }
}

static void seen_wait(struct fixture *fixture, const struct seen *seen, size_t count)
{
    for (int turn = 0; seen->count < count && turn < 1000; turn++) {
        store_turn(fixture->store);
    }
    assert_int_equal(seen->count, count);
}

/* ---- cases ---- */

static void test_an_empty_store_is_at_revision_0_and_lists_nothing(void **state)
{
    struct reply *reply = list(*state, (struct store_range){ .prefix = TEXT("/") });

    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(reply->answer.revision, 0);
    assert_int_equal(reply->answer.count, 0);
    assert_false(reply->answer.has_more);
}

static void test_what_was_put_is_read_with_its_revisions(void **state)
{
    struct reply *first = put(*state, "/t/cluster/a/spec", "one");
    struct reply *second = put(*state, "/t/cluster/a/spec", "two");
    struct reply *got = get_at(*state, "/t/cluster/a/spec", 0);

    assert_int_equal(first->outcome, OUTCOME_OK);
    assert_int_equal(first->answer.revision, 1);
    assert_int_equal(second->answer.revision, 2);
    assert_int_equal(got->answer.count, 1);
    assert_text(got->answer.items[0].value, "two");
    assert_int_equal(got->answer.items[0].create_revision, 1);
    assert_int_equal(got->answer.items[0].revision, 2);
    assert_int_equal(got->answer.revision, 2);
}

static void test_a_key_is_not_found_by_a_part_of_its_name(void **state)
{
    put(*state, "/t/cluster/ab/spec", "one");
    assert_int_equal(get_at(*state, "/t/cluster/a", 0)->answer.count, 0);
    assert_int_equal(get_at(*state, "/t/cluster/ab/spec", 0)->answer.count, 1);
}

static void test_an_older_revision_is_read_as_it_was(void **state)
{
    put(*state, "/a", "one");
    put(*state, "/b", "two");
    drop(*state, "/a");
    assert_text(get_at(*state, "/a", 2)->answer.items[0].value, "one");
    assert_int_equal(get_at(*state, "/a", 3)->answer.count, 0);
    assert_int_equal(get_at(*state, "/b", 1)->answer.count, 0);
    assert_int_equal(
        list(*state, (struct store_range){ .prefix = TEXT("/"), .at_revision = 2 })->answer.count,
        2);
}

static void test_a_revision_that_does_not_exist_yet_is_refused(void **state)
{
    struct reply *reply;

    put(*state, "/a", "one");
    reply = get_at(*state, "/a", 2);
    assert_int_equal(reply->outcome, OUTCOME_REFUSED);
    assert_int_equal(reply->answer.err.code, CODE_R0503);
}

static void test_compares_hold_or_nothing_happens(void **state)
{
    struct store_compare compares[2] = { { TEXT("/a"), 0 }, { TEXT("/b"), 0 } };
    struct store_op ops[2] = { { .key = TEXT("/a"), .value = TEXT("1") },
                               { .key = TEXT("/b"), .value = TEXT("2") } };
    struct store_event event = { .cluster = TEXT("t/a"), .body = TEXT("{}") };
    struct store_txn both = { compares, 2, ops, 2, &event, 1 };
    struct reply *reply = txn(*state, both);

    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(reply->answer.revision, 1);
    drop(*state, "/a");
    reply = txn(*state, both);
    assert_int_equal(reply->outcome, OUTCOME_REFUSED);
    assert_int_equal(reply->answer.err.code, CODE_R0502);
    assert_int_equal(reply->answer.failed_compare, 1);
    assert_int_equal(get_at(*state, "/a", 0)->answer.count, 0);
    assert_int_equal(events_after(*state, "t/a", 0, 0)->answer.count, 1);
    compares[1].revision = 1;
    assert_int_equal(txn(*state, both)->outcome, OUTCOME_OK);
    assert_int_equal(revision_of(*state), 3);
}

static void test_all_changes_of_a_transaction_have_one_revision(void **state)
{
    struct store_op ops[3] = { { .key = TEXT("/a"), .value = TEXT("1") },
                               { .key = TEXT("/b"), .value = TEXT("2") },
                               { .key = TEXT("/c"), .is_delete = true } };
    struct reply *got;

    put(*state, "/c", "old");
    txn(*state, (struct store_txn){ .ops = ops, .op_count = 3 });
    got = list(*state, (struct store_range){ .prefix = TEXT("/") });
    assert_int_equal(got->answer.count, 2);
    assert_int_equal(got->answer.items[0].revision, 2);
    assert_int_equal(got->answer.items[1].revision, 2);
}

static void test_a_transaction_without_effect_takes_no_revision(void **state)
{
    struct reply *reply;

    put(*state, "/a", "1");
    reply = drop(*state, "/never");
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(reply->answer.revision, 1);
    reply = txn(*state, (struct store_txn){ 0 });
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(revision_of(*state), 1);
}

static void test_a_key_that_is_made_again_begins_anew(void **state)
{
    put(*state, "/a", "1");
    drop(*state, "/a");
    put(*state, "/a", "2");
    assert_int_equal(get_at(*state, "/a", 0)->answer.items[0].create_revision, 3);
    assert_int_equal(get_at(*state, "/a", 1)->answer.items[0].create_revision, 1);
}

static void test_values_may_be_empty_or_hold_any_byte(void **state)
{
    struct store_op ops[2] = { { .key = TEXT("/empty") },
                               { .key = TEXT("/nul\0key"), .value = TEXT("a\0b\xff") } };
    struct reply *got;

    txn(*state, (struct store_txn){ .ops = ops, .op_count = 2 });
    got = list(*state, (struct store_range){ .prefix = TEXT("/") });
    assert_int_equal(got->answer.count, 2);
    assert_int_equal(got->answer.items[0].value.length, 0);
    assert_true(text_is_equal(got->answer.items[1].key, TEXT("/nul\0key")));
    assert_true(text_is_equal(got->answer.items[1].value, TEXT("a\0b\xff")));
}

static void test_lists_are_in_byte_order_and_go_on_after_a_key(void **state)
{
    static const char *const keys[] = { "/k/b", "/k/a", "/k/a/x", "/j/z", "/k/\xc3\xa4", "/l/a" };
    struct reply *page;

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        put(*state, keys[i], keys[i]);
    }
    page = list(*state, (struct store_range){ .prefix = TEXT("/k/"), .limit = 2 });
    assert_int_equal(page->answer.count, 2);
    assert_true(page->answer.has_more);
    assert_text(page->answer.items[0].key, "/k/a");
    assert_text(page->answer.items[1].key, "/k/a/x");
    page = list(*state,
                (struct store_range){ .prefix = TEXT("/k/"), .after = TEXT("/k/a/x"), .limit = 2 });
    assert_int_equal(page->answer.count, 2);
    assert_false(page->answer.has_more);
    assert_text(page->answer.items[1].key, "/k/\xc3\xa4");
}

static void test_limits_are_refused_before_anything_happens(void **state)
{
    struct fixture *fixture = *state;
    struct store_op *ops = arena_array(fixture->arena, struct store_op, 129);
    char *value = arena_alloc(fixture->arena, LIMIT_STORE_VALUE_BYTES + 1);
    struct store_op big = { .key = TEXT("/big"), .value = { value, LIMIT_STORE_VALUE_BYTES } };
    struct reply *reply;

    for (size_t i = 0; i < 129; i++) {
        ops[i].key = arena_printf(fixture->arena, "/k%zu", i);
    }
    reply = txn(fixture, (struct store_txn){ .ops = ops, .op_count = 129 });
    assert_int_equal(reply->outcome, OUTCOME_REFUSED);
    assert_int_equal(reply->answer.err.code, CODE_R0504);
    reply = txn(fixture, (struct store_txn){ .ops = ops, .op_count = 128 });
    assert_int_equal(reply->outcome, OUTCOME_OK);
    reply = txn(fixture, (struct store_txn){ .ops = &big, .op_count = 1 });
    assert_int_equal(reply->outcome, OUTCOME_OK);
    big.value.length++;
    reply = txn(fixture, (struct store_txn){ .ops = &big, .op_count = 1 });
    assert_int_equal(reply->answer.err.code, CODE_R0504);
    ops[1].key = ops[0].key;
    reply = txn(fixture, (struct store_txn){ .ops = ops, .op_count = 2 });
    assert_int_equal(reply->answer.err.code, CODE_R0504);
    assert_int_equal(revision_of(fixture), 2);
}

static void test_a_watch_reports_every_change_of_its_prefix_in_order(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .arena = fixture->arena };
    struct store_op ops[3] = { { .key = TEXT("/w/a"), .value = TEXT("1") },
                               { .key = TEXT("/x/a"), .value = TEXT("1") },
                               { .key = TEXT("/w/b"), .value = TEXT("1") } };
    struct store_watch *watch;

    put(fixture, "/w/old", "0");
    watch = store_watch(fixture->store, TEXT("/w/"), 1, seen_keep, &seen);
    assert_int_equal(seen.calls, 0);
    txn(fixture, (struct store_txn){ .ops = ops, .op_count = 3 });
    put(fixture, "/x/b", "2");
    drop(fixture, "/w/a");
    seen_wait(fixture, &seen, 4);
    assert_text(seen.changes[0].item.key, "/w/old");
    assert_int_equal(seen.revisions[1], 2);
    assert_int_equal(seen.revisions[2], 2);
    assert_true(seen.changes[3].is_delete);
    assert_int_equal(seen.revisions[3], 4);
    store_watch_close(fixture->store, watch);
    put(fixture, "/w/c", "3");
    assert_int_equal(seen.count, 4);
}

/* A watch that follows changes and a later watch over the same revisions report the same
 * changes. */
static void test_a_watch_reports_the_same_at_once_and_later(void **state)
{
    struct fixture *fixture = *state;
    struct seen at_once = { .arena = fixture->arena };
    struct seen later = { .arena = fixture->arena };
    struct store_op both[3] = { { .key = TEXT("/w/a"), .value = TEXT("3") },
                                { .key = TEXT("/w/none"), .is_delete = true },
                                { .key = TEXT("/w/b"), .value = TEXT("1") } };
    struct store_watch *first = store_watch(fixture->store, TEXT("/w/"), 1, seen_keep, &at_once);
    struct store_watch *second;

    put(fixture, "/w/a", "1");
    seen_wait(fixture, &at_once, 1);
    put(fixture, "/w/a", "2");
    drop(fixture, "/w/a");
    seen_wait(fixture, &at_once, 3);
    txn(fixture, (struct store_txn){ .ops = both, .op_count = 3 });
    put(fixture, "/w/a", "");
    seen_wait(fixture, &at_once, 6);
    second = store_watch(fixture->store, TEXT("/w/"), 1, seen_keep, &later);
    seen_wait(fixture, &later, 6);
    for (size_t i = 0; i < 6; i++) {
        const struct store_item *one = &at_once.changes[i].item;
        const struct store_item *other = &later.changes[i].item;

        assert_true(text_is_equal(one->key, other->key) && text_is_equal(one->value, other->value));
        assert_int_equal(one->create_revision, other->create_revision);
        assert_int_equal(one->revision, other->revision);
        assert_int_equal(at_once.changes[i].is_delete, later.changes[i].is_delete);
        assert_int_equal(at_once.revisions[i], later.revisions[i]);
    }
    assert_int_equal(at_once.changes[1].item.create_revision, 1);
    assert_int_equal(at_once.changes[5].item.create_revision, 4);
    store_watch_close(fixture->store, first);
    store_watch_close(fixture->store, second);
}

static void revision_is_whole(void *arg, enum store_watch_state state, uint64_t revision,
                              const struct store_change *changes, size_t count)
{
    struct seen *seen = arg;

    assert_int_equal(state, STORE_WATCH_CHANGES);
    if (count == 0) {
        return;
    }
    assert_int_equal(revision, seen->last_revision + 1);
    assert_int_equal(count, 100);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(changes[i].item.revision, revision);
        assert_int_equal(changes[i].item.value.length, 2000);
    }
    seen->last_revision = revision;
    seen->count++;
}

static void test_a_watch_reports_each_revision_whole_however_much_there_is(void **state)
{
    enum { OPS = 100, REVISIONS = 30, BYTES = 2000 };
    struct fixture *fixture = *state;
    struct seen seen = { .arena = fixture->arena };
    struct store_op ops[OPS];
    struct store_watch *watch;

    for (unsigned i = 0; i < OPS; i++) {
        ops[i] = (struct store_op){ .key = arena_printf(fixture->arena, "/w/%u", i),
                                    .value = { arena_alloc(fixture->arena, BYTES), BYTES } };
    }
    for (unsigned i = 0; i < REVISIONS; i++) {
        txn(fixture, (struct store_txn){ .ops = ops, .op_count = OPS });
    }
    watch = store_watch(fixture->store, TEXT("/w/"), 1, revision_is_whole, &seen);
    seen_wait(fixture, &seen, REVISIONS);
    store_watch_close(fixture->store, watch);
}

static void test_a_watch_resumes_without_gap_or_double(void **state)
{
    struct fixture *fixture = *state;
    struct seen first = { .arena = fixture->arena };
    struct seen second = { .arena = fixture->arena };
    struct store_watch *watch = store_watch(fixture->store, TEXT("/"), 1, seen_keep, &first);

    for (int i = 0; i < 10; i++) {
        put(fixture, "/a", "x");
    }
    seen_wait(fixture, &first, 10);
    store_watch_close(fixture->store, watch);
    for (int i = 0; i < 10; i++) {
        put(fixture, "/a", "y");
    }
    watch = store_watch(fixture->store, TEXT("/"), first.last_revision + 1, seen_keep, &second);
    seen_wait(fixture, &second, 10);
    assert_int_equal(second.revisions[0], 11);
    assert_int_equal(second.revisions[9], 20);
    store_watch_close(fixture->store, watch);
}

static void test_compaction_forgets_the_past_and_says_so(void **state)
{
    struct fixture *fixture = *state;
    struct seen late = { .arena = fixture->arena };
    struct seen running = { .arena = fixture->arena };
    struct store_watch *watch;
    struct reply *reply;

    put(fixture, "/a", "1");
    put(fixture, "/a", "2");
    put(fixture, "/b", "3");
    watch = store_watch(fixture->store, TEXT("/"), 4, seen_keep, &running);
    assert_int_equal(compact(fixture, 3)->outcome, OUTCOME_OK);
    reply = get_at(fixture, "/a", 2);
    assert_int_equal(reply->outcome, OUTCOME_REFUSED);
    assert_int_equal(reply->answer.err.code, CODE_R0503);
    assert_text(get_at(fixture, "/a", 3)->answer.items[0].value, "2");
    assert_text(get_at(fixture, "/b", 0)->answer.items[0].value, "3");
    store_watch(fixture->store, TEXT("/"), 2, seen_keep, &late);
    for (int turn = 0; late.calls == 0 && turn < 1000; turn++) {
        store_turn(fixture->store);
    }
    assert_int_equal(late.state, STORE_WATCH_COMPACTED);
    put(fixture, "/c", "4");
    seen_wait(fixture, &running, 1);
    store_watch_close(fixture->store, watch);
}

static void test_the_last_100_revisions_of_a_spec_survive_compaction(void **state)
{
    struct fixture *fixture = *state;
    struct reply *reply;

    for (int i = 0; i < 130; i++) {
        put(fixture, "/t/cluster/a/spec", arena_printf(fixture->arena, "%d", i).data);
        put(fixture, "/t/cluster/a/status", "s");
    }
    compact(fixture, revision_of(fixture));
    reply = history(fixture, "/t/cluster/a/spec");
    assert_int_equal(reply->answer.count, LIMIT_STORE_HISTORY);
    assert_text(reply->answer.items[0].value, "129");
    assert_text(reply->answer.items[99].value, "30");
    assert_int_equal(history(fixture, "/t/cluster/a/status")->answer.count, 1);
    assert_int_equal(history(fixture, "/never")->answer.count, 0);
}

static void test_a_history_knows_when_a_key_began_and_ended(void **state)
{
    static const struct {
        const char *value;
        uint64_t created;
        uint64_t revision;
    } wanted[] = {
        { "three", 4, 5 }, { "again", 4, 4 }, { "", 1, 3 }, { "two", 1, 2 }, { "one", 1, 1 }
    };
    struct reply *reply;

    put(*state, "/t/cluster/a/spec", "one");
    put(*state, "/t/cluster/a/spec", "two");
    drop(*state, "/t/cluster/a/spec");
    drop(*state, "/t/cluster/a/spec"); /* this delete changes nothing */
    put(*state, "/t/cluster/a/spec", "again");
    put(*state, "/t/cluster/a/spec", "three");
    compact(*state, 5);
    put(*state, "/t/cluster/ab/spec", "another");
    reply = history(*state, "/t/cluster/a/spec");
    assert_int_equal(reply->answer.count, ARRAY_COUNT(wanted));
    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
        assert_text(reply->answer.items[i].value, wanted[i].value);
        assert_int_equal(reply->answer.items[i].revision, wanted[i].revision);
        assert_int_equal(reply->answer.items[i].create_revision, wanted[i].created);
        assert_text(reply->answer.items[i].key, "/t/cluster/a/spec");
    }
}

/* All calls begin before the first is answered, and all use the same counter. */
static void test_events_of_calls_under_way_at_once_have_no_gap(void **state)
{
    enum { CALLS = 50 };
    struct fixture *fixture = *state;
    struct reply *replies[CALLS];
    struct reply *found;

    for (unsigned i = 0; i < CALLS; i++) {
        struct store_event event = { .cluster = i % 5 == 0 ? TEXT("t/b") : TEXT("t/a"),
                                     .body = TEXT("x") };

        replies[i] = reply_new(fixture);
        store_txn(fixture->store, &(struct store_txn){ .events = &event, .event_count = 1 },
                  reply_keep, replies[i]);
        replies[i]->call_has_returned = true;
    }
    for (unsigned i = 0; i < CALLS; i++) {
        assert_int_equal(reply_wait(fixture, replies[i])->outcome, OUTCOME_OK);
    }
    found = events_after(fixture, "t/a", 0, 0);
    assert_int_equal(found->answer.count, CALLS / 5 * 4);
    assert_int_equal(found->answer.events[found->answer.count - 1].number, CALLS / 5 * 4);
    assert_int_equal(events_after(fixture, "", 0, 0)->answer.count, CALLS);
}

static struct reply *events_before(struct fixture *fixture, const char *cluster, uint64_t number,
                                   size_t limit)
{
    struct reply *reply = reply_new(fixture);

    store_events_before(fixture->store, text_from(cluster), number, limit, reply_keep, reply);
    return reply_wait(fixture, reply);
}

static struct reply *event_put(struct fixture *fixture, const char *cluster, const char *body,
                               uint64_t time_ms)
{
    struct store_event event = { .cluster = text_from(cluster),
                                 .body = text_from(body),
                                 .time_ms = time_ms };

    return txn(fixture, (struct store_txn){ .events = &event, .event_count = 1 });
}

static void test_events_are_numbered_per_cluster_without_gap(void **state)
{
    struct store_event events[3] = { { .cluster = TEXT("t/a"), .body = TEXT("a1") },
                                     { .cluster = TEXT("t/b"), .body = TEXT("b1") },
                                     { .cluster = TEXT("t/a"), .body = TEXT("a2") } };
    struct reply *reply;

    reply = txn(*state, (struct store_txn){ .events = events, .event_count = 3 });
    assert_int_equal(reply->answer.revision, 1);
    event_put(*state, "t/a", "a3", 5);
    reply = events_after(*state, "t/a", 0, 0);
    assert_int_equal(reply->answer.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(reply->answer.events[i].number, i + 1);
    }
    assert_int_equal(reply->answer.events[2].revision, 2);
    assert_int_equal(reply->answer.events[2].time_ms, 5);
    assert_text(reply->answer.events[1].body, "a2");
    reply = events_after(*state, "t/a", 1, 1);
    assert_int_equal(reply->answer.count, 1);
    assert_true(reply->answer.has_more);
    assert_text(reply->answer.events[0].body, "a2");
    reply = events_after(*state, "", 1, 0);
    assert_int_equal(reply->answer.count, 1);
    assert_text(reply->answer.events[0].body, "a3");
}

static void check_events(const struct reply *reply, const char *bodies, bool has_more)
{
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(reply->answer.count, strlen(bodies));
    for (size_t i = 0; i < reply->answer.count; i++) {
        assert_int_equal(reply->answer.events[i].body.data[0], bodies[i]);
    }
    assert_true(reply->answer.has_more == has_more);
}

/* The bodies of the events are letters, in the order of writing. */
static void test_the_newest_events_are_read_from_their_end(void **state)
{
    struct store_event events[3] = { { .cluster = TEXT("t/a"), .body = TEXT("c") },
                                     { .cluster = TEXT("t/b"), .body = TEXT("d") },
                                     { .cluster = TEXT("t/a"), .body = TEXT("e") } };
    struct fixture *fixture = *state;
    uint64_t middle;

    check_events(events_before(fixture, "", 0, 3), "", false);
    check_events(events_before(fixture, "t/a", 0, 3), "", false);
    event_put(fixture, "t/a", "a", 1);
    event_put(fixture, "t/b", "b", 2);
    middle =
        txn(fixture, (struct store_txn){ .events = events, .event_count = 3 })->answer.revision;
    event_put(fixture, "t/a", "f", 3);
    check_events(events_before(fixture, "", 0, 2), "ef", true);
    check_events(events_before(fixture, "", 0, 6), "abcdef", false);
    check_events(events_before(fixture, "", 0, 0), "abcdef", false);
    check_events(events_before(fixture, "", middle, 1), "b", true);
    check_events(events_before(fixture, "", middle, 5), "ab", false);
    check_events(events_before(fixture, "", middle + 1, 4), "bcde", true);
    check_events(events_before(fixture, "", 1, 5), "", false);
    check_events(events_before(fixture, "t/a", 0, 2), "ef", true);
    check_events(events_before(fixture, "t/a", 0, 4), "acef", false);
    check_events(events_before(fixture, "t/a", 4, 2), "ce", true);
    check_events(events_before(fixture, "t/a", 3, 9), "ac", false);
    check_events(events_before(fixture, "t/a", 1, 9), "", false);
    check_events(events_before(fixture, "t/b", 99, 1), "d", true);
}

static void test_dropped_events_leave_the_numbers_going_on(void **state)
{
    struct fixture *fixture = *state;
    struct reply *reply = reply_new(fixture);

    for (int i = 0; i < 10; i++) {
        event_put(fixture, "t/a", "x", (uint64_t)(100 + i));
    }
    event_put(fixture, "t/b", "old", 1);
    store_events_drop(fixture->store, 105, 1000, reply_keep, reply);
    reply_wait(fixture, reply);
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(events_after(fixture, "t/a", 0, 0)->answer.count, 5);
    assert_int_equal(events_after(fixture, "t/b", 0, 0)->answer.count, 1);
    assert_false(events_before(fixture, "t/a", 0, 5)->answer.has_more);
    assert_int_equal(events_before(fixture, "t/a", 0, 9)->answer.count, 5);
    reply = reply_new(fixture);
    store_events_drop(fixture->store, 0, 2, reply_keep, reply);
    reply_wait(fixture, reply);
    event_put(fixture, "t/a", "next", 200);
    reply = events_after(fixture, "t/a", 10, 0);
    assert_int_equal(reply->answer.count, 1);
    assert_int_equal(reply->answer.events[0].number, 11);
}

/* Compares thousands of random transactions with a model that is too simple to be wrong. */
static void test_random_histories_agree_with_a_naive_model(void **state)
{
    enum { KEYS = 20, STEPS = 3000 };
    struct fixture *fixture = *state;
    uint64_t revisions[KEYS] = { 0 };
    unsigned values[KEYS] = { 0 };
    uint64_t seed = 12345;
    uint64_t revision = 0;

    for (unsigned step = 1; step <= STEPS; step++) {
        struct arena_mark mark = arena_mark(fixture->arena);
        unsigned key;
        bool guesses_right;
        struct store_compare compare;
        struct store_op op;
        struct reply *reply;

        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        key = (unsigned)(seed >> 33) % KEYS;
        guesses_right = (seed >> 40) % 4 != 0;
        compare.key = arena_printf(fixture->arena, "/k/%02u", key);
        compare.revision = guesses_right ? revisions[key] : revisions[key] + 1;
        op = (struct store_op){ .key = compare.key,
                                .value = arena_printf(fixture->arena, "%u", step),
                                .is_delete = (seed >> 45) % 3 == 0 };
        reply = txn(fixture, (struct store_txn){ &compare, 1, &op, 1, NULL, 0 });
        assert_int_equal(reply->outcome, guesses_right ? OUTCOME_OK : OUTCOME_REFUSED);
        if (guesses_right && !(op.is_delete && revisions[key] == 0)) {
            revision++;
            revisions[key] = op.is_delete ? 0 : revision;
            values[key] = step;
        }
        assert_int_equal(revision_of(fixture), revision);
        arena_rewind(fixture->arena, mark);
    }
    for (unsigned key = 0; key < KEYS; key++) {
        struct reply *got = get_at(fixture, arena_printf(fixture->arena, "/k/%02u", key).data, 0);

        assert_int_equal(got->answer.count, revisions[key] != 0);
        if (revisions[key] != 0) {
            assert_text(got->answer.items[0].value,
                        arena_printf(fixture->arena, "%u", values[key]).data);
            assert_int_equal(got->answer.items[0].revision, revisions[key]);
        }
    }
}

/* ---- faults on demand: the memory driver alone ---- */

static uint64_t luck(void *arg)
{
    uint64_t *seed = arg;

    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed >> 33;
}

static void test_the_memory_driver_answers_late_lost_and_unknown_on_demand(void **state)
{
    enum { CALLS = 500 };
    struct fixture *fixture = *state;
    uint64_t seed = 7;
    struct memory_faults faults = { luck, &seed, 10, 300, 500 };
    struct reply *replies[CALLS];
    unsigned unknown = 0;
    unsigned passed = 0;
    unsigned happened = 0;
    uint64_t highest = 0;

    if (strcmp(driver_name, "memory") != 0) {
        return;
    }
    memory_set_faults(fixture->store, &faults);
    for (unsigned i = 0; i < CALLS; i++) {
        struct store_op op = { .key = arena_printf(fixture->arena, "/k/%03u", i) };

        replies[i] = reply_new(fixture);
        store_txn(fixture->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, reply_keep,
                  replies[i]);
        replies[i]->call_has_returned = true;
        store_run(fixture->store);
        passed += i > 0 && replies[i]->has_come && !replies[i - 1]->has_come;
    }
    for (unsigned i = 0; i < CALLS; i++) {
        reply_wait(fixture, replies[i]);
        unknown += replies[i]->outcome == OUTCOME_UNKNOWN;
    }
    memory_set_faults(fixture->store, &(struct memory_faults){ 0 });
    for (unsigned i = 0; i < CALLS; i++) {
        struct reply *got = get_at(fixture, arena_printf(fixture->arena, "/k/%03u", i).data, 0);

        if (replies[i]->outcome == OUTCOME_OK) {
            assert_int_equal(got->answer.count, 1);
            assert_true(replies[i]->answer.revision > highest);
            highest = replies[i]->answer.revision;
        } else {
            happened += got->answer.count == 1;
        }
    }
    assert_true(passed > 0);
    assert_in_range(unknown, CALLS / 10, CALLS / 2);
    assert_in_range(happened, 1, unknown - 1);
}

/* ---- drivers ---- */

static const unsigned char incarnation[17] = "0123456789abcdef";
static char folder[64];

static bool open_memory(struct store **out, struct err *err)
{
    (void)err;
    *out = memory_open(incarnation);
    return true;
}

static bool open_sqlite(struct store **out, struct err *err)
{
    snprintf(folder, sizeof(folder), "/tmp/contract-store-XXXXXX");
    return mkdtemp(folder) != NULL && sqlite_open(folder, incarnation, out, err);
}

/* Opens a store in etcd. Each test case has a separate key prefix. */
static bool open_etcd(struct store **out, struct err *err)
{
    static unsigned cases;
    char prefix[64];

    snprintf(prefix, sizeof(prefix), "/contract/%d/%u/", (int)getpid(), ++cases);
    return etcd_env_open(prefix, incarnation, out, err);
}

/* Closes the store, and checks that no files remain. */
static void close_sqlite(void)
{
    static const char *const names[] = { "store.db",      "store.db-wal",   "store.db-shm",
                                         "store.db-note", "store.db-audit", "store.lock" };
    char path[128];

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static const struct driver {
    const char *name;
    bool (*open)(struct store **out, struct err *err);
    void (*close)(void); /* NULL: closing the store is sufficient */
} drivers[] = {
    { "memory", open_memory, NULL },
    { "sqlite", open_sqlite, close_sqlite },
    { "etcd", open_etcd, NULL },
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

static int setup(void **state)
{
    static struct fixture fixture;
    struct err err = { 0 };

    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    *state = &fixture;
    if (!driver_find(driver_name)->open(&fixture.store, &err)) {
        print_error("%s: %s\n", driver_name, err.text);
        return 1;
    }
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    const struct driver *driver = driver_find(driver_name);

    store_close(fixture->store);
    arena_free(fixture->arena);
    if (driver->close != NULL) {
        driver->close();
    }
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest cases[] = {
        CASE(test_an_empty_store_is_at_revision_0_and_lists_nothing),
        CASE(test_what_was_put_is_read_with_its_revisions),
        CASE(test_a_key_is_not_found_by_a_part_of_its_name),
        CASE(test_an_older_revision_is_read_as_it_was),
        CASE(test_a_revision_that_does_not_exist_yet_is_refused),
        CASE(test_compares_hold_or_nothing_happens),
        CASE(test_all_changes_of_a_transaction_have_one_revision),
        CASE(test_a_transaction_without_effect_takes_no_revision),
        CASE(test_a_key_that_is_made_again_begins_anew),
        CASE(test_values_may_be_empty_or_hold_any_byte),
        CASE(test_lists_are_in_byte_order_and_go_on_after_a_key),
        CASE(test_limits_are_refused_before_anything_happens),
        CASE(test_a_watch_reports_every_change_of_its_prefix_in_order),
        CASE(test_a_watch_reports_the_same_at_once_and_later),
        CASE(test_a_watch_reports_each_revision_whole_however_much_there_is),
        CASE(test_a_watch_resumes_without_gap_or_double),
        CASE(test_compaction_forgets_the_past_and_says_so),
        CASE(test_the_last_100_revisions_of_a_spec_survive_compaction),
        CASE(test_a_history_knows_when_a_key_began_and_ended),
        CASE(test_events_of_calls_under_way_at_once_have_no_gap),
        CASE(test_events_are_numbered_per_cluster_without_gap),
        CASE(test_the_newest_events_are_read_from_their_end),
        CASE(test_dropped_events_leave_the_numbers_going_on),
        CASE(test_random_histories_agree_with_a_naive_model),
        CASE(test_the_memory_driver_answers_late_lost_and_unknown_on_demand),
    };

    if (argc != 2 || driver_find(argv[1]) == NULL) {
        fprintf(stderr, "use: contract_store memory|sqlite|etcd\n");
        return 2;
    }
    driver_name = argv[1];
    return cmocka_run_group_tests_name(driver_name, cases, NULL, NULL);
}

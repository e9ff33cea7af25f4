/* Claims of the plugin inventory with a store in memory: no machine is claimed twice (I29), and a
 * listing is never outdated. Requirements: C17, C18, C27. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "inventory/inventory.h"
#include "reconcile/control_parts.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum { RING = 1024, MANAGERS = 2 };

/* Two managers that share a store, each with a separate cache. */
static struct {
    struct arena *arena;
    struct store *store;
    struct cache *caches[MANAGERS];
    struct inventory *inventories[MANAGERS];
    int64_t now_ms;
} fixture;

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return ++fixture.now_ms;
}

static void wake(void *arg)
{
    (void)arg;
}

static void settle(void)
{
    for (int i = 0; i < 50; i++) {
        store_run(fixture.store);
        for (size_t j = 0; j < MANAGERS; j++) {
            cache_run(fixture.caches[j]);
            inventory_run(fixture.inventories[j]);
        }
    }
}

static int setup(void **state)
{
    (void)state;
    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    fixture.now_ms = INT64_C(1795643220000);
    for (size_t i = 0; i < MANAGERS; i++) {
        fixture.caches[i] = cache_new(fixture.store, RING);
        fixture.inventories[i] = inventory_new(&(struct inventory_options){
            fixture.store, fixture.caches[i], wall_ms, wake, 1, NULL, NULL });
    }
    settle();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < MANAGERS; i++) {
        inventory_close(fixture.inventories[i]);
        cache_free(fixture.caches[i]);
    }
    store_close(fixture.store);
    for (size_t i = 0; i < MANAGERS; i++) {
        inventory_free(fixture.inventories[i]);
    }
    arena_free(fixture.arena);
    return 0;
}

/* ---- rows ---- */

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINyEHrZWDlmP9CXYeLcOG2MmD9UYRxIEBlXlejMwVG2i"

static void on_stored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void row_put(const char *id, const char *cluster, const char *group)
{
    struct discovered row = { .id = text_from(id),
                              .name = text_from(id),
                              .address = TEXT("10.0.0.4"),
                              .host_key = TEXT(KEY),
                              .approved_by = TEXT("ana"),
                              .status = LIFECYCLE_STATUS_UNALLOCATED,
                              .reserved = { .cluster = text_from(cluster),
                                            .group = text_from(group),
                                            .at_ms = ++fixture.now_ms } };
    struct store_op op;

    row.approved_key = discovered_fingerprint(fixture.arena, &row);
    discovered_state_set(&row, LIFECYCLE_STATE_DISCOVERED, 1);
    op = (struct store_op){ .key = discovered_key(fixture.arena, TEXT("t"), row.id),
                            .value = discovered_format(fixture.arena, &row) };
    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, on_stored, NULL);
    settle();
}

static struct discovered row_get(const char *id)
{
    struct discovered row;

    assert_true(discovered_read(
        fixture.arena,
        cache_find(fixture.caches[0], TEXT("t"), TEXT(DISCOVERED_KIND), text_from(id)), &row));
    return row;
}

/* ---- calls ---- */

struct reply {
    unsigned count;
    enum outcome outcome;
    enum provider_fault fault;
    char id[32];
    char message[200];
    size_t rows;
    bool is_same;
    char mark[64];
};

static void replied(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    struct reply *reply = arg;

    reply->count++;
    reply->outcome = outcome;
    reply->fault = answer->fault;
    reply->rows = answer->count;
    reply->is_same = answer->is_same;
    snprintf(reply->id, sizeof(reply->id), "%.*s",
             TEXT_ARG(answer->rows != NULL && answer->count > 0 ? answer->rows[0].id : answer->id));
    snprintf(reply->message, sizeof(reply->message), "%.*s", TEXT_ARG(answer->message));
    snprintf(reply->mark, sizeof(reply->mark), "%.*s", TEXT_ARG(answer->mark));
}

static struct provider *provider_of(size_t manager)
{
    return inventory_provider(fixture.inventories[manager], TEXT("t"));
}

static void create_of(size_t manager, const char *token, const char *group, const char *name,
                      const char *more, struct reply *reply)
{
    struct intent intent = { .token = text_from(token), .cluster = TEXT("t/c1") };
    struct provider_request request = {
        .tags = { .cluster = TEXT("t/c1"),
                  .life = TEXT("life"),
                  .group = text_from(group),
                  .slot = 3,
                  .token = text_from(token),
                  .mac = TEXT("mac") },
        .name = text_from(name),
        .more = text_from(more),
    };

    provider_create(provider_of(manager), &intent, &request, replied, reply);
}

static void create(size_t manager, const char *token, const char *group, struct reply *reply)
{
    create_of(manager, token, group, "web-3", "{}", reply);
}

static void destroy(size_t manager, const char *token, const char *id, struct reply *reply)
{
    struct intent intent = { .state = PLAN_RECORD_DELETE,
                             .token = text_from(token),
                             .id = text_from(id),
                             .cluster = TEXT("t/c1"),
                             .reason = TEXT("size") };

    provider_destroy(provider_of(manager), &intent, replied, reply);
}

static struct reply list(size_t manager, const char *known)
{
    struct reply reply = { 0 };

    provider_list(provider_of(manager), TEXT("t/c1"), text_from(known), replied, &reply);
    settle();
    assert_int_equal(reply.count, 1);
    assert_int_equal(reply.outcome, OUTCOME_OK);
    return reply;
}

/* ---- rows that wait ---- */

static struct discovered waiting_row(const char *id, const char *address)
{
    struct discovered row = { .id = text_from(id),
                              .name = text_from(id),
                              .address = text_from(address),
                              .host_key = TEXT(KEY),
                              .facts = TEXT("{\"cpu\":8}"),
                              .status = LIFECYCLE_STATUS_UNALLOCATED };

    discovered_state_set(&row, LIFECYCLE_STATE_DISCOVERED, 1);
    return row;
}

static void waiting_put(const struct discovered *row)
{
    struct store_op op = { .key = discovered_key(fixture.arena, TEXT("t"), row->id),
                           .value = discovered_format(fixture.arena, row) };

    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, on_stored, NULL);
    settle();
}

/* Returns the id of the machine that a member gets; empty: none. */
static const char *taken(const char *token, const char *name, const char *more)
{
    static struct reply reply;

    reply = (struct reply){ 0 };
    create_of(0, token, "web", name, more, &reply);
    settle();
    assert_int_equal(reply.count, 1);
    return reply.outcome == OUTCOME_OK ? reply.id : "";
}

/* ---- tests ---- */

static void nothing_is_taken_unasked(void **state)
{
    struct discovered row = waiting_row("m-000001", "10.0.0.4");

    (void)state;
    row.approved_by = TEXT("ana");
    row.approved_key = discovered_fingerprint(fixture.arena, &row);
    waiting_put(&row);
    assert_string_equal(taken("t1", "web-0", "{}"), "");
    assert_string_equal(taken("t2", "web-0", "{\"autoCommission\":\"off\"}"), "");
    assert_string_equal(taken("t3", "web-0", "{\"autoCommission\":\"listed\"}"), "m-000001");
}

static void a_network_takes_its_machines_alone(void **state)
{
    struct discovered row = waiting_row("m-000001", "10.0.1.4");

    (void)state;
    waiting_put(&row);
    assert_string_equal(taken("t1", "web-0", "{\"autoCommission\":\"listed\"}"), "");
    assert_string_equal(taken("t2", "web-0", "{\"autoCommission\":\"10.0.0.0/24\"}"), "");
    assert_string_equal(taken("t3", "web-0", "{\"autoCommission\":\"10.0.0.0/23\"}"), "m-000001");
    assert_true(text_is(row_get("m-000001").approved_by, "autoCommission"));
}

static void a_selector_reads_facts_that_are_known(void **state)
{
#define NET "{\"autoCommission\":\"10.0.0.0/8\",\"match\":"
    struct discovered row = waiting_row("m-000001", "10.0.1.4");

    (void)state;
    waiting_put(&row);
    assert_string_equal(taken("t1", "web-0", NET "\"cpu>=16\"}"), "");
    assert_string_equal(taken("t2", "web-0", NET "\"mem>=1\"}"), "");
    assert_string_equal(taken("t3", "web-0", NET "\"cpu>=8\"}"), "m-000001");
}

static void machines_that_do_not_fit_are_left_alone(void **state)
{
    static const struct {
        enum lifecycle_condition condition;
        bool is_ignored;
        enum lifecycle_status status;
        enum lifecycle_state state;
    } rows[] = {
        { LIFECYCLE_CONDITION_FAILED, false, LIFECYCLE_STATUS_UNALLOCATED,
          LIFECYCLE_STATE_DISCOVERED },
        { LIFECYCLE_CONDITION_DUPLICATE, false, LIFECYCLE_STATUS_UNALLOCATED,
          LIFECYCLE_STATE_DISCOVERED },
        { LIFECYCLE_CONDITION_FLAPPING, false, LIFECYCLE_STATUS_UNALLOCATED,
          LIFECYCLE_STATE_DISCOVERED },
        { LIFECYCLE_CONDITION_COUNT, true, LIFECYCLE_STATUS_UNALLOCATED,
          LIFECYCLE_STATE_DISCOVERED },
        { LIFECYCLE_CONDITION_COUNT, false, LIFECYCLE_STATUS_DECOMMISSIONED,
          LIFECYCLE_STATE_DISCOVERED },
        { LIFECYCLE_CONDITION_COUNT, false, LIFECYCLE_STATUS_INCOMPLETE,
          LIFECYCLE_STATE_DISCOVERED },
        { LIFECYCLE_CONDITION_COUNT, false, LIFECYCLE_STATUS_UNALLOCATED,
          LIFECYCLE_STATE_DISAPPEARED },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *id = arena_string(fixture.arena, arena_printf(fixture.arena, "m-00000%zu", i));
        struct discovered row = waiting_row(id, "10.0.1.4");

        row.state = rows[i].state;
        row.status = rows[i].status;
        row.is_ignored = rows[i].is_ignored;
        if (rows[i].condition < LIFECYCLE_CONDITION_COUNT) {
            row.conditions[rows[i].condition].since_ms = 1;
        }
        waiting_put(&row);
    }
    {
        struct discovered fresh = waiting_row("m-000009", "10.0.1.4");

        fresh.state_since_ms = fixture.now_ms;
        waiting_put(&fresh);
    }
    assert_string_equal(taken("t1", "web-0", "{\"autoCommission\":\"10.0.0.0/8\"}"), "");
}

static void a_pinned_slot_takes_its_machine(void **state)
{
#define PINS                                                                      \
    "{\"autoCommission\":\"listed\",\"members\":{\"web-1\":{\"serial\":\"CZ1\"}," \
    "\"web-2\":{\"mac\":\"52:54:00:aa:bb:01\"}}}"
    struct discovered first = waiting_row("m-000001", "10.0.1.1");
    struct discovered second = waiting_row("m-000002", "10.0.1.2");

    (void)state;
    first.serial = TEXT("CZ1");
    second.macs[0] = TEXT("52:54:00:aa:bb:01");
    second.mac_count = 1;
    waiting_put(&first);
    waiting_put(&second);
    assert_string_equal(taken("t0", "web-0", PINS), ""); /* both machines belong to other members */
    assert_string_equal(taken("t2", "web-2", PINS), "m-000002");
    assert_string_equal(taken("t1", "web-1", PINS), "m-000001");
}

static void a_reserved_machine_is_claimed_and_returned(void **state)
{
    struct reply reply = { 0 };
    struct reply listed;

    (void)state;
    row_put("m-000001", "c1", "web");
    create(0, "t1", "web", &reply);
    assert_int_equal(reply.count, 0);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_OK);
    assert_string_equal(reply.id, "m-000001");
    listed = list(1, "");
    assert_int_equal(listed.rows, 1);
    assert_true(list(0, listed.mark).is_same);
    assert_true(text_is(row_get("m-000001").claim.name, "web-3"));
    destroy(1, "t1", "m-000001", &reply);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_OK);
    assert_int_equal(list(0, listed.mark).rows, 0);
    assert_int_equal(row_get("m-000001").status, LIFECYCLE_STATUS_DECOMMISSIONED);
}

static void a_repeated_create_has_the_same_machine(void **state)
{
    struct reply first = { 0 };
    struct reply again = { 0 };

    (void)state;
    row_put("m-000001", "c1", "web");
    row_put("m-000002", "c1", "web");
    /* two managers make both calls at the same time */
    create(0, "t1", "web", &first);
    create(1, "t1", "web", &again);
    settle();
    assert_int_equal(first.outcome, OUTCOME_OK);
    assert_string_equal(first.id, again.id);
    assert_int_equal(list(0, "").rows, 1);
}

static void two_records_have_two_machines(void **state)
{
    struct reply a = { 0 };
    struct reply b = { 0 };
    struct reply c = { 0 };

    (void)state;
    row_put("m-000001", "c1", "web");
    row_put("m-000002", "c1", "web");
    create(0, "t1", "web", &a);
    create(1, "t2", "web", &b);
    create(0, "t3", "web", &c);
    settle();
    assert_int_equal(a.count + b.count + c.count, 3);
    assert_int_equal(list(0, "").rows, 2);
    assert_int_equal(
        (a.outcome == OUTCOME_OK) + (b.outcome == OUTCOME_OK) + (c.outcome == OUTCOME_OK), 2);
    if (a.outcome == OUTCOME_OK && b.outcome == OUTCOME_OK) {
        assert_string_not_equal(a.id, b.id);
        assert_int_equal(c.fault, PROVIDER_FAULT_CAPACITY);
    }
}

static void nothing_suitable_says_what_helps(void **state)
{
    struct reply reply = { 0 };

    (void)state;
    row_put("m-000001", "c2", "web");
    row_put("m-000002", "c1", "db");
    create(0, "t1", "web", &reply);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_REFUSED);
    assert_int_equal(reply.fault, PROVIDER_FAULT_CAPACITY);
    assert_non_null(strstr(reply.message, "reeve commission NODE"));
}

/* The machine was returned and claimed again: a late call of the former record must not affect
 * it. */
static void a_late_destroy_ends_no_other_claim(void **state)
{
    struct reply reply = { 0 };

    (void)state;
    row_put("m-000001", "c1", "web");
    create(0, "t1", "web", &reply);
    settle();
    destroy(0, "t1", "m-000001", &reply);
    settle();
    row_put("m-000001", "c1", "web");
    create(0, "t2", "web", &reply);
    settle();
    destroy(1, "t1", "m-000001", &reply);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_OK);
    assert_true(text_is(row_get("m-000001").claim.token, "t2"));
}

/* I27: the machine must have the approved host key. */
static void a_reserved_machine_needs_its_approved_key(void **state)
{
    struct discovered row = waiting_row("m-000001", "10.0.0.4");
    struct reply reply = { 0 };

    (void)state;
    row.reserved = (struct discovered_reservation){ .cluster = TEXT("c1"), .group = TEXT("web") };
    row.approved_by = TEXT("ana");
    row.approved_key = TEXT("SHA256:another");
    waiting_put(&row);
    create(0, "t1", "web", &reply);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_REFUSED);
    assert_non_null(strstr(reply.message, "is reserved for group web, but its host key is not "
                                          "approved"));
    row.approved_key = discovered_fingerprint(fixture.arena, &row);
    row.cleanup.since_ms = 1; /* the machine is not used before its cleanup (I30) */
    waiting_put(&row);
    create(0, "t2", "web", &reply);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_REFUSED);
    row.cleanup.since_ms = 0;
    waiting_put(&row);
    create(0, "t3", "web", &reply);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_OK);
}

/* A permitted network approves the first host key in advance, but no other key later. */
static void another_key_than_the_approved_one_is_not_taken(void **state)
{
    struct discovered row = waiting_row("m-000001", "10.0.0.4");

    (void)state;
    row.approved_by = TEXT("autoCommission");
    row.approved_key = TEXT("SHA256:another");
    waiting_put(&row);
    assert_string_equal(taken("t1", "web-0", "{\"autoCommission\":\"10.0.0.0/24\"}"), "");
    row.approved_key = discovered_fingerprint(fixture.arena, &row);
    waiting_put(&row);
    assert_string_equal(taken("t2", "web-0", "{\"autoCommission\":\"10.0.0.0/24\"}"), "m-000001");
}

/* The machine may have disappeared between the command and the end of its record. */
static void a_machine_that_is_away_is_cleaned_up_later(void **state)
{
    struct reply reply = { 0 };
    struct discovered row;

    (void)state;
    row_put("m-000001", "c1", "web");
    create(0, "t1", "web", &reply);
    settle();
    row = row_get("m-000001");
    discovered_state_set(&row, LIFECYCLE_STATE_DISAPPEARED, 2);
    waiting_put(&row);
    destroy(0, "t1", "m-000001", &reply);
    settle();
    assert_int_equal(reply.outcome, OUTCOME_OK);
    assert_true(text_is(row_get("m-000001").cleanup.token, "t1"));
    assert_true(row_get("m-000001").conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING].since_ms > 0);
}

static void a_closed_plugin_answers_everything(void **state)
{
    struct reply reply = { 0 };

    (void)state;
    row_put("m-000001", "c1", "web");
    create(0, "t1", "web", &reply);
    inventory_close(fixture.inventories[0]);
    assert_int_equal(reply.count, 1);
    assert_int_equal(reply.outcome, OUTCOME_UNKNOWN);
    settle();
    assert_int_equal(reply.count, 1);
}

int main(void)
{
#define TEST_OF(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST_OF(a_reserved_machine_is_claimed_and_returned),
        TEST_OF(a_repeated_create_has_the_same_machine),
        TEST_OF(two_records_have_two_machines),
        TEST_OF(nothing_suitable_says_what_helps),
        TEST_OF(a_late_destroy_ends_no_other_claim),
        TEST_OF(a_reserved_machine_needs_its_approved_key),
        TEST_OF(another_key_than_the_approved_one_is_not_taken),
        TEST_OF(a_machine_that_is_away_is_cleaned_up_later),
        TEST_OF(a_closed_plugin_answers_everything),
        TEST_OF(nothing_is_taken_unasked),
        TEST_OF(a_network_takes_its_machines_alone),
        TEST_OF(a_selector_reads_facts_that_are_known),
        TEST_OF(machines_that_do_not_fit_are_left_alone),
        TEST_OF(a_pinned_slot_takes_its_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

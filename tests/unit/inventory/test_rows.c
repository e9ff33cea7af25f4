/* Rows of the inventory: their form, their limits, the table of statuses, and which of them may be
 * commissioned.
 * Requirements: C2, C26. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "inventory/inventory.h"

#include <string.h>

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINyEHrZWDlmP9CXYeLcOG2MmD9UYRxIEBlXlejMwVG2i"

static struct arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct discovered row_make(void)
{
    struct discovered row = {
        .id = TEXT("m-3fa2c1"),
        .name = TEXT("node4-0"),
        .status = LIFECYCLE_STATUS_UNALLOCATED,
        .prev_status = LIFECYCLE_STATUS_INCOMPLETE,
        .status_since_ms = 1795643220029,
        .why = TEXT("seen by serf"),
        .address = TEXT("10.91.0.14"),
        .port = 2222,
        .user = TEXT("ops"),
        .serial = TEXT("CZ1234"),
        .macs = { TEXT("52:54:00:aa:bb:01") },
        .mac_count = 1,
        .host_key = TEXT(KEY),
        .facts = TEXT("{\"arch\":\"x86_64\",\"cpu\":8}"),
        .read_ms = 1795643300000,
        .read_fault = TEXT("ops is not accepted with the key 'base'"),
        .source_count = 1,
        .cleanup = { .cluster = TEXT("c1"), .token = TEXT("t0"), .since_ms = 1795643400000 },
    };

    row.sources[0] = (struct discovered_source){ .kind = TEXT("serf"),
                                                 .name = TEXT("node4"),
                                                 .address = TEXT("10.91.0.14"),
                                                 .tags = TEXT("{\"NodeLabel\":\"node4\"}"),
                                                 .since_ms = 1795643220029,
                                                 .seen_ms = 1795643260000 };
    row.conditions[LIFECYCLE_CONDITION_FAILED] =
        (struct discovered_mark){ 1795643500000, TEXT("stage-1 web: exit 7") };
    discovered_state_set(&row, LIFECYCLE_STATE_DISCOVERED, 1795643220029);
    return row;
}

static struct discovered parsed(struct text bytes)
{
    struct discovered row;
    struct err err;

    assert_true(discovered_parse(arena, TEXT("m-3fa2c1"), bytes, &row, &err));
    return row;
}

static void a_row_is_what_was_written(void **state)
{
    struct discovered row = row_make();
    struct text bytes = discovered_format(arena, &row);
    struct discovered read = parsed(bytes);

    (void)state;
    assert_true(text_is_equal(discovered_format(arena, &read), bytes));
    assert_true(text_is(read.name, "node4-0") && text_is(read.serial, "CZ1234"));
    assert_true(text_is(read.sources[0].tags, "{\"NodeLabel\":\"node4\"}"));
    assert_int_equal(read.status, LIFECYCLE_STATUS_UNALLOCATED);
    assert_int_equal(read.conditions[LIFECYCLE_CONDITION_FAILED].since_ms, 1795643500000);
    row.claim = (struct discovered_claim){ .cluster = TEXT("c1"),
                                           .token = TEXT("t1"),
                                           .group = TEXT("web"),
                                           .slot = 7,
                                           .name = TEXT("web-7"),
                                           .labels = TEXT("{\"labels\":{}}"),
                                           .is_released = true };
    bytes = discovered_format(arena, &row);
    read = parsed(bytes);
    assert_true(text_is_equal(discovered_format(arena, &read), bytes));
    assert_int_equal(read.claim.slot, 7);
    assert_true(read.claim.is_released);
    /* the status of a claimed machine is that of its node */
    assert_null(memmem(bytes.data, bytes.length, "\"status\"", 8));
}

static void a_damaged_row_is_rejected(void **state)
{
    static const char *const damaged[] = { "", "[]", "{}", "{\"state\":\"gone\"}",
                                           "{\"state\":\"discovered\",\"prevState\":\"unknown\"}" };
    struct discovered row;
    struct err err;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(damaged); i++) {
        assert_false(discovered_parse(arena, TEXT("m-1"), text_from(damaged[i]), &row, &err));
    }
}

static void a_status_changes_by_the_table_alone(void **state)
{
    (void)state;
    assert_true(lifecycle_may_move(LIFECYCLE_STATUS_UNALLOCATED, LIFECYCLE_STATUS_PROVISIONING));
    assert_true(lifecycle_may_move(LIFECYCLE_STATUS_DECOMMISSIONED, LIFECYCLE_STATUS_PROVISIONING));
    assert_false(lifecycle_may_move(LIFECYCLE_STATUS_UNALLOCATED, LIFECYCLE_STATUS_ALLOCATED));
    assert_false(lifecycle_may_move(LIFECYCLE_STATUS_CANCELLED, LIFECYCLE_STATUS_ALLOCATED));
    for (size_t i = 0; i < LIFECYCLE_STATUS_COUNT; i++) {
        enum lifecycle_status status = (enum lifecycle_status)i;

        assert_false(lifecycle_may_move(status, status));
        assert_true(lifecycle_status_parse(text_from(lifecycle_status_name(status)), &status));
        assert_int_equal(status, i);
    }
}

/* ---- commission ---- */

static enum code commissioned(struct discovered *row, const char *fingerprint, bool can_approve)
{
    struct inventory_commission wanted = { .cluster = TEXT("c1"),
                                           .group = TEXT("web"),
                                           .fingerprint = text_from(fingerprint),
                                           .can_approve = can_approve,
                                           .by = TEXT("ana"),
                                           .now_ms = 5 };
    struct err err = { 0 };

    return inventory_commission(arena, row, &wanted, &err) ? (enum code)0 : err.code;
}

static void only_an_approved_key_is_logged_in_to(void **state)
{
    struct discovered row = row_make();
    struct text own = discovered_fingerprint(arena, &row);

    (void)state;
    row.cleanup.since_ms = 0;
    assert_int_equal(commissioned(&row, "", true), CODE_R0837);
    assert_int_equal(commissioned(&row, "SHA256:other", true), CODE_R0837);
    /* a user of one cluster approves nothing, but may take what is approved */
    assert_int_equal(commissioned(&row, arena_string(arena, own), false), CODE_R0837);
    assert_int_equal(commissioned(&row, arena_string(arena, own), true), 0);
    assert_true(text_is(row.approved_by, "ana") && text_is(row.reserved.group, "web"));
    assert_int_equal(row.conditions[LIFECYCLE_CONDITION_FAILED].since_ms, 0);
    assert_int_equal(commissioned(&row, "", false), 0);
    /* an approval covers one key */
    row.host_key =
        TEXT("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    assert_int_equal(commissioned(&row, "", true), CODE_R0837);
}

static void a_machine_must_qualify(void **state)
{
    struct discovered row = row_make();

    (void)state;
    row.approved_by = TEXT("ana");
    row.approved_key = discovered_fingerprint(arena, &row);
    assert_int_equal(commissioned(&row, "", true), CODE_R0822); /* its cleanup is pending */
    row.cleanup.since_ms = 0;
    row.status = LIFECYCLE_STATUS_INCOMPLETE;
    assert_int_equal(commissioned(&row, "", true), CODE_R0822);
    row.status = LIFECYCLE_STATUS_DECOMMISSIONED;
    row.state = LIFECYCLE_STATE_DISAPPEARED;
    assert_int_equal(commissioned(&row, "", true), CODE_R0842);
    row.state = LIFECYCLE_STATE_DISCOVERED;
    row.conditions[LIFECYCLE_CONDITION_FLAPPING].since_ms = 1;
    assert_int_equal(commissioned(&row, "", true), CODE_R0842);
    row.conditions[LIFECYCLE_CONDITION_FLAPPING].since_ms = 0;
    row.conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms = 1;
    assert_int_equal(commissioned(&row, "", true), CODE_R0826);
    row.conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms = 0;
    row.reserved = (struct discovered_reservation){ .cluster = TEXT("c2"), .group = TEXT("web") };
    assert_int_equal(commissioned(&row, "", true), CODE_R0827);
    row.reserved = (struct discovered_reservation){ 0 };
    row.claim.token = TEXT("t");
    assert_int_equal(commissioned(&row, "", true), CODE_R0822);
    row.claim.token = TEXT("");
    assert_int_equal(commissioned(&row, "", true), 0);
}

static void facts_of_a_node_become_those_of_its_row(void **state)
{
    AUTO(arena) memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text kept =
        inventory_facts(memory, TEXT("{\"architecture\":\"x86_64\",\"cpus\":8,\"hostname\":\"a\","
                                     "\"memory_kib\":2097152,\"os\":\"Debian\"}"));

    (void)state;
    assert_true(
        text_is(kept, "{\"arch\":\"x86_64\",\"cpu\":8,\"memory\":\"2048MiB\",\"os\":\"Debian\"}"));
    assert_int_equal(inventory_facts(memory, TEXT("{\"hostname\":\"a\"}")).length, 0);
    assert_int_equal(inventory_facts(memory, TEXT("{")).length, 0);
    assert_int_equal(inventory_facts(memory, TEXT("")).length, 0);
}

int main(void)
{
#define TEST_OF(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_a_node_become_those_of_its_row),
        TEST_OF(a_row_is_what_was_written),
        TEST_OF(a_damaged_row_is_rejected),
        TEST_OF(a_status_changes_by_the_table_alone),
        TEST_OF(only_an_approved_key_is_logged_in_to),
        TEST_OF(a_machine_must_qualify),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

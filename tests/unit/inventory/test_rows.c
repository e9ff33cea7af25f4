/* Rows of the inventory: their format, their limits, the table of statuses, and which of them may
 * be commissioned. Requirements: C2, C26. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "inventory/inventory.h"
#include "inventory/member_status.h"
#include "inventory/traits.h"

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
    /* the status of a claimed machine is not stored in the row, because it is that of its node */
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
    /* a user of one cluster cannot approve a host key, but may use an approved machine */
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
        traits_facts_make(memory,
                          TEXT("{\"architecture\":\"x86_64\",\"cpus\":8,\"hostname\":\"a\","
                               "\"memory_kib\":2097152,\"os\":\"Debian\"}"),
                          TEXT(""));

    (void)state;
    assert_true(
        text_is(kept, "{\"arch\":\"x86_64\",\"cpu\":8,\"memory\":\"2048MiB\",\"os\":\"Debian\"}"));
    assert_int_equal(traits_facts_make(memory, TEXT("{\"hostname\":\"a\"}"), TEXT("")).length, 0);
    assert_int_equal(traits_facts_make(memory, TEXT("{"), TEXT("")).length, 0);
    assert_int_equal(traits_facts_make(memory, TEXT(""), TEXT("")).length, 0);
}

/* Hardware facts that only a login can read are kept when a member reports other facts (C1). */
static void facts_of_the_hardware_are_kept(void **state)
{
    AUTO(arena) memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text former = traits_facts_make(
        memory,
        TEXT(
            "{\"cpus\":8,\"disks\":12,\"storage_kib\":104857600,\"gpus\":2,"
            "\"gpu_model\":\"10de:20b0\",\"firmware\":\"uefi\",\"firmware_version\":\"ACME 1.2\"}"),
        TEXT(""));

    (void)state;
    assert_true(text_is(former, "{\"cpu\":8,\"disks\":12,\"firmware\":\"uefi\","
                                "\"firmwareVersion\":\"ACME 1.2\",\"gpu\":2,"
                                "\"gpuModel\":\"10de:20b0\",\"storage\":\"102400MiB\"}"));
    assert_true(text_is(traits_facts_make(memory, TEXT("{\"cpus\":4,\"gpus\":0}"), former),
                        "{\"cpu\":4,\"disks\":12,\"firmware\":\"uefi\","
                        "\"firmwareVersion\":\"ACME 1.2\",\"gpuModel\":\"10de:20b0\","
                        "\"storage\":\"102400MiB\"}"));
}

static bool is_row_matched(struct arena *memory, const struct discovered *row, const char *words)
{
    struct selector selector;
    struct err err;

    assert_true(selector_parse(memory, text_from(words), &selector, &err));
    return traits_row_matches(memory, row, &selector);
}

static void a_selector_reads_fields_facts_and_tags(void **state)
{
    AUTO(arena) memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct discovered row = {
        .id = TEXT("m-000001"),
        .name = TEXT("node4-0"),
        .serial = TEXT("CZ1234"),
        .status = LIFECYCLE_STATUS_UNALLOCATED,
        .facts = TEXT("{\"cpu\":8,\"disks\":12,\"memory\":\"262144MiB\"}"),
        .sources = { { .kind = TEXT("manual") },
                     { .kind = TEXT("serf"), .tags = TEXT("{\"rack\":\"r1\",\"cpu\":\"1\"}") } },
        .source_count = 2,
    };
    static const char *const met[] = {
        "mem>=256Gi", "memory>200Gi",  "disks>=12,rack in (r1,r2)",
        "!gpu",       "serial=CZ1234", "status=unallocated,name=node4-0",
        "cpu=8"
    };
    static const char *const unmet[] = { "mem>=257Gi", "gpu", "rack=r2", "cpu=1", "cpus=8" };
    struct doc facts;
    struct text value;
    struct err err;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(met); i++) {
        assert_true(is_row_matched(memory, &row, met[i]));
    }
    for (size_t i = 0; i < ARRAY_COUNT(unmet); i++) {
        assert_false(is_row_matched(memory, &row, unmet[i]));
    }
    /* a node reports its facts under other names */
    assert_true(json_parse(memory, TEXT("{\"cpus\":4,\"memory_kib\":2048}"), NULL, &facts, &err));
    assert_true(traits_fact_find(memory, &facts, TEXT("mem"), &value) && text_is(value, "2048KiB"));
    assert_true(traits_fact_find(memory, &facts, TEXT("cpu"), &value) && text_is(value, "4"));
    assert_true(traits_fact_find(memory, &facts, TEXT("memory_kib"), &value));
    assert_false(traits_fact_find(memory, &facts, TEXT("arch"), &value));
}

/* After a failed upgrade the status is maintenance, but not after a failed commission (C2, C25). */
static void the_status_of_a_member_follows_its_record(void **state)
{
    static const struct {
        struct plan_record plan;
        struct node_state node;
        enum lifecycle_status status;
        enum lifecycle_status prev;
    } cases[] = {
        { { .state = PLAN_RECORD_CREATE },
          { .step = TEXT("") },
          LIFECYCLE_STATUS_PROVISIONING,
          LIFECYCLE_STATUS_UNALLOCATED },
        { { .state = PLAN_RECORD_ACTIVE, .is_starting = true },
          { .step = TEXT("stage-0") },
          LIFECYCLE_STATUS_PROVISIONING,
          LIFECYCLE_STATUS_UNALLOCATED },
        { { .state = PLAN_RECORD_ACTIVE, .is_starting = true, .failed_since_ms = 1 },
          { .step = TEXT("failed") },
          LIFECYCLE_STATUS_PROVISIONING,
          LIFECYCLE_STATUS_UNALLOCATED },
        { { .state = PLAN_RECORD_ACTIVE },
          { .has_served = true, .step = TEXT("bootstrapped") },
          LIFECYCLE_STATUS_ALLOCATED,
          LIFECYCLE_STATUS_PROVISIONING },
        { { .state = PLAN_RECORD_ACTIVE },
          { .has_served = true, .step = TEXT("stage-1") },
          LIFECYCLE_STATUS_MAINTENANCE,
          LIFECYCLE_STATUS_ALLOCATED },
        { { .state = PLAN_RECORD_ACTIVE, .failed_since_ms = 1 },
          { .has_served = true, .step = TEXT("failed") },
          LIFECYCLE_STATUS_MAINTENANCE,
          LIFECYCLE_STATUS_ALLOCATED },
        { { .state = PLAN_RECORD_ACTIVE },
          { .has_served = true, .lifecycle = { .drain = NODE_DRAIN_DONE, .wall_ms = 1 } },
          LIFECYCLE_STATUS_MAINTENANCE,
          LIFECYCLE_STATUS_ALLOCATED },
        { { .state = PLAN_RECORD_ACTIVE },
          { .has_served = true, .lifecycle = { .wall_ms = 1 } },
          LIFECYCLE_STATUS_ALLOCATED,
          LIFECYCLE_STATUS_MAINTENANCE },
        { { .state = PLAN_RECORD_ACTIVE },
          { .has_served = true, .was_maintained = true, .step = TEXT("bootstrapped") },
          LIFECYCLE_STATUS_ALLOCATED,
          LIFECYCLE_STATUS_MAINTENANCE },
        { { .state = PLAN_RECORD_DELETE },
          { .has_served = true },
          LIFECYCLE_STATUS_CANCELLED,
          LIFECYCLE_STATUS_ALLOCATED },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct record record = { .plan = cases[i].plan };
        enum lifecycle_status prev;

        assert_int_equal(member_status_of(&record, &cases[i].node, &prev), cases[i].status);
        assert_int_equal(prev, cases[i].prev);
        assert_true(lifecycle_may_move(prev, cases[i].status));
    }
}

int main(void)
{
#define TEST_OF(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_a_node_become_those_of_its_row),
        cmocka_unit_test(facts_of_the_hardware_are_kept),
        cmocka_unit_test(a_selector_reads_fields_facts_and_tags),
        cmocka_unit_test(the_status_of_a_member_follows_its_record),
        TEST_OF(a_row_is_what_was_written),
        TEST_OF(a_damaged_row_is_rejected),
        TEST_OF(a_status_changes_by_the_table_alone),
        TEST_OF(only_an_approved_key_is_logged_in_to),
        TEST_OF(a_machine_must_qualify),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

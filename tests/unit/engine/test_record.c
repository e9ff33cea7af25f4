/* Machine records with every text at its maximum length stay below the limit of a record. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "records/node_state.h"
#include "records/record.h"
#include "model/check.h"

#include <string.h>

enum { GROUP_PATH_BYTES = LIMIT_GROUP_NESTING * (LIMIT_GROUP_NAME_BYTES + 1) - 1 };

/* Returns a text of this length. */
static struct text filled(struct arena *arena, size_t length)
{
    char *bytes = arena_alloc(arena, length + 1);

    memset(bytes, 'w', length);
    bytes[length] = '\0';
    return (struct text){ bytes, length };
}

/* Returns the largest record. The comment of each text names the check that limits it. */
static struct record fullest(struct arena *arena)
{
    return (struct record){
        .plan = {
            .token = TEXT("t"),
            .group = filled(arena, GROUP_PATH_BYTES),          /* check_group_path */
            .generation = record_replaced_generation(arena, filled(arena, 16)),
            .id = filled(arena, LIMIT_MACHINE_ID_BYTES),       /* call_ended, row_excess */
            .labels = filled(arena, 16),
            .zone = filled(arena, LIMIT_ROW_ZONE_BYTES),       /* check_zone, row_excess */
            .state = PLAN_RECORD_ACTIVE,
            .slot = UINT32_MAX,
            .created_ms = INT64_MAX,
            .active_ms = INT64_MAX,
            .condemned_ms = INT64_MAX,
            .call_after_ms = INT64_MAX,
            .failing_since_ms = INT64_MAX,
            .failed_since_ms = INT64_MAX,
            .drifted_since_ms = INT64_MAX,
            .maintenance_since_ms = INT64_MAX,
            .unreachable_since_ms = INT64_MAX,
            .rebooted_ms = INT64_MAX,
            .doubt_ms = INT64_MAX,
            .losses = UINT32_MAX,
            .refusals = UINT32_MAX,
            .failures = UINT32_MAX,
            .is_answered = true,
            .is_protected = true,
            .is_starting = true,
        },
        /* PLUGIN/ACCOUNT */
        .plugin = filled(arena, LIMIT_GROUP_NAME_BYTES + 1 + LIMIT_CLUSTER_NAME_BYTES),
        .image = record_sentence(arena, filled(arena, LIMIT_RECORD_BYTES)),
        .name = filled(arena, LIMIT_MEMBER_NAME_BYTES),        /* naming.c */
        .life = filled(arena, 64),
        .reason = filled(arena, 64),                           /* the name of a rule */
        .fault = PROVIDER_FAULT_CAPACITY,
        .address = filled(arena, LIMIT_ROW_ADDRESS_BYTES),     /* row_excess */
        .user = filled(arena, LIMIT_ROW_USER_BYTES),           /* row_excess */
        .reboot_by = record_sentence(arena, filled(arena, LIMIT_RECORD_BYTES)),
        .reboot_number = UINT64_MAX / 4,
        /* boot_apply cuts the text to this length */
        .boot = filled(arena, LIMIT_RECORD_CAUSE_BYTES),
        /* shorter in a row; an accepted or observed key has this length */
        .host_key = filled(arena, LIMIT_RECORD_TEXT_BYTES),
        .alarm = record_sentence(arena, filled(arena, LIMIT_RECORD_BYTES)),
        .shown = filled(arena, LIMIT_RECORD_TEXT_BYTES),       /* key_apply */
        .cause = record_sentence(arena, filled(arena, LIMIT_RECORD_BYTES)),
        .port = UINT16_MAX,
        .is_outdated = true,
        .is_asked = true,
        .is_blocked = true,
        .pass = INT64_MAX,
        .made_wall_ms = INT64_MAX,
        .silent_wall_ms = INT64_MAX,
    };
}

static void test_a_record_with_every_text_at_its_bound_is_within_the_limit(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct record record = fullest(arena);
    struct text bytes = record_format(arena, &record);
    struct record again;
    struct err err;

    (void)state;
    assert_true(bytes.length <= LIMIT_RECORD_RESOURCE_BYTES);
    assert_true(record_parse(arena, record.plan.token, bytes, &again, &err));
    assert_true(text_is_equal(record_format(arena, &again), bytes));
    assert_true(text_is_equal(again.shown, record.shown) &&
                text_is_equal(again.plan.zone, record.plan.zone));
}

/* Texts from probes, providers and nodes, with any bytes, are cut where they are received. */
static void test_words_of_strangers_are_cut_to_a_sentence(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char bytes[2 * LIMIT_RECORD_CAUSE_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)(i * 37);
    }
    for (size_t length = 0; length <= sizeof(bytes); length += 7) {
        struct text cut = record_sentence(arena, (struct text){ bytes, length });

        assert_true(cut.length <= LIMIT_RECORD_CAUSE_BYTES && record_is_sentence(cut));
    }
}

/* Longer values in a file are refused, because records and node facts have no room for them. */
static void test_zones_and_owners_have_bounds(void **state)
{
    static const char *const bad[] = { "", "eu west", "a\"b", "a\\b", "z\xc3\xbcrich", "a\n" };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct err err;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        assert_false(check_zone(text_from(bad[i]), &err));
        assert_int_equal(err.code, CODE_R0310);
    }
    assert_true(check_zone(filled(arena, LIMIT_ROW_ZONE_BYTES), &err));
    assert_false(check_zone(filled(arena, LIMIT_ROW_ZONE_BYTES + 1), &err));
    assert_true(check_owner(filled(arena, LIMIT_OWNER_BYTES), &err));
    assert_true(check_owner(TEXT("team \xc3\xbc, room 4"), &err));
    assert_false(check_owner(filled(arena, LIMIT_OWNER_BYTES + 1), &err));
}

/* Returns the largest node state, with these facts and `many` stages that were started, marked and
 * timed. */
static struct node_state fullest_node(struct arena *arena, struct text facts, size_t many)
{
    struct buf once;
    struct buf took;

    buf_init(&once, arena);
    buf_init(&took, arena);
    for (size_t i = 0; i < many; i++) {
        buf_printf(&once, "%s%zu %.*s", i == 0 ? "" : ",", i, LIMIT_GROUP_NAME_BYTES,
                   filled(arena, LIMIT_GROUP_NAME_BYTES).data);
        buf_printf(&took, "%s%zu %u %lld", i == 0 ? "" : ",", i, UINT32_MAX, (long long)INT64_MAX);
    }
    return (struct node_state){
        .name = filled(arena, LIMIT_MEMBER_NAME_BYTES),
        .keys = { .host = filled(arena, LIMIT_RECORD_TEXT_BYTES),
                  .root = filled(arena, LIMIT_RECORD_TEXT_BYTES),
                  .user = filled(arena, LIMIT_RECORD_TEXT_BYTES) },
        .host_key = UINT32_MAX,
        .trust_given = filled(arena, 64),
        .facts = facts,
        .facts_given = filled(arena, 64),
        .chain_done = filled(arena, 16),
        .chain_failed = filled(arena, 16),
        .job = filled(arena, 64),
        .retry = filled(arena, 64),
        .step = filled(arena, 16),
        .why = filled(arena, LIMIT_RECORD_BYTES),
        .stage = filled(arena, LIMIT_GROUP_NAME_BYTES),
        .once = buf_text(&once),
        .took = buf_text(&took),
        .blocked_why = filled(arena, LIMIT_RECORD_BYTES),
        .baseline = filled(arena, 64),
        .boot = filled(arena, LIMIT_RECORD_CAUSE_BYTES),
        .verified = { .verdict = NODE_VERDICT_DRIFTED,
                      .cause = NODE_VERIFY_RETURN,
                      .is_hook = true,
                      .wall_ms = INT64_MAX,
                      .since_ms = INT64_MAX,
                      .at_ms = INT64_MAX,
                      .files = TEXT("/a: content\n/b c: mode, owner"),
                      .file_count = 7 },
        .verify_job = filled(arena, 16),
        .is_uncorrected = true,
        .is_away = true,
        .was_maintained = true,
    };
}

static void test_the_state_of_a_node_with_its_facts_has_room(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct node_state node;
    struct node_state again;
    struct text bytes;
    struct buf facts;
    struct err err;

    (void)state;
    buf_init(&facts, arena);
    buf_add_string(&facts, "{");
    for (char key = 'a'; key < 'a' + 13;
         key++) { /* facts_read: five known facts and eight facts of the node, 255 bytes each */
        buf_printf(&facts, "%s\"%c%s\":\"%.*s\"", key == 'a' ? "" : ",", key,
                   "_as_long_as_memory_kib", LIMIT_OWNER_BYTES,
                   filled(arena, LIMIT_OWNER_BYTES).data);
    }
    buf_add_string(&facts, "}");
    node = fullest_node(arena, buf_text(&facts), LIMIT_GROUP_ITEMS);
    bytes = node_state_format(arena, &node);
    assert_true(bytes.length <= LIMIT_STORE_VALUE_BYTES / 4);
    assert_true(node_state_parse(arena, bytes, &again, &err));
    assert_true(text_is_equal(again.facts, node.facts));
    assert_int_equal(again.why.length, LIMIT_RECORD_CAUSE_BYTES);
    assert_true(again.is_uncorrected && again.is_away && again.was_maintained &&
                again.verified.is_hook);
    assert_int_equal(again.verified.verdict, NODE_VERDICT_DRIFTED);
    assert_int_equal(again.verified.cause, NODE_VERIFY_RETURN);
    assert_int_equal(again.verified.file_count, 7);
    assert_true(text_is_equal(again.verified.files, node.verified.files));
    assert_true(text_is_equal(again.boot, node.boot));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_a_record_with_every_text_at_its_bound_is_within_the_limit),
        cmocka_unit_test(test_words_of_strangers_are_cut_to_a_sentence),
        cmocka_unit_test(test_zones_and_owners_have_bounds),
        cmocka_unit_test(test_the_state_of_a_node_with_its_facts_has_room),
    };

    return cmocka_run_group_tests_name("engine/record", cases, NULL, NULL);
}

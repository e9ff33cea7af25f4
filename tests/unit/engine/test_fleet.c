/* The machines in the record cache: the index of their tokens, and the records to which they
 * refer. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "records/fleet.h"
#include "records/fleet_index.h"
#include "records/record.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 300, STEPS = 20000, NAMES = 600, NAME_BYTES = 8 };

struct world {
    char names[NAMES][NAME_BYTES];
    struct text rows[ROWS];
    size_t count;
    uint32_t luck;
};

static struct text token_of(const void *rows, size_t row)
{
    return ((const struct text *)rows)[row];
}

static uint32_t draw(struct world *world, size_t below)
{
    world->luck = world->luck * 1103515245 + 12345;
    return (world->luck >> 8) % (uint32_t)below;
}

/* Finds the row of a token by a linear search, as the reference. */
static size_t row_of(const struct world *world, struct text token)
{
    for (size_t i = 0; i < world->count; i++) {
        if (text_is_equal(world->rows[i], token)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Removes a row as the record cache does: the last row takes its place. */
static void row_end(struct world *world, struct fleet_index *index, size_t row)
{
    size_t last = world->count - 1;

    fleet_index_remove(index, world->rows, token_of, world->rows[row]);
    if (row != last) {
        fleet_index_move(index, world->rows, token_of, world->rows[last], row);
        world->rows[row] = world->rows[last];
    }
    world->count--;
}

static void test_an_index_says_what_a_search_says(void **state)
{
    static struct world world = { .luck = 7 };
    struct fleet_index index = { 0 };

    (void)state;
    for (int i = 0; i < NAMES; i++) {
        snprintf(world.names[i], sizeof(world.names[i]), "t%d", i);
    }
    assert_true(fleet_index_find(&index, world.rows, token_of, TEXT("t1")) == SIZE_MAX);
    for (int step = 0; step < STEPS; step++) {
        struct text token = text_from(world.names[draw(&world, NAMES)]);
        size_t row = row_of(&world, token);

        assert_true(fleet_index_find(&index, world.rows, token_of, token) == row);
        if (row == SIZE_MAX && world.count < ROWS) {
            world.rows[world.count] = token;
            fleet_index_put(&index, world.rows, token_of, world.count++);
        } else if (row != SIZE_MAX && draw(&world, 3) > 0) {
            row_end(&world, &index, row);
        }
        assert_int_equal(index.count, world.count);
        assert_true(index.count * 2 <= index.room);
    }
    while (world.count > 0) {
        row_end(&world, &index, draw(&world, world.count));
    }
    for (int i = 0; i < NAMES; i++) {
        assert_true(fleet_index_find(&index, world.rows, token_of, text_from(world.names[i])) ==
                    SIZE_MAX);
    }
    fleet_index_fini(&index);
}

/* Sets every field, so that reading fields in the wrong order would be noticed. */
static void test_a_record_is_read_as_it_was_written(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct record record = {
        .plan = { .token = TEXT("t"),
                  .group = TEXT("web"),
                  .slot = 3,
                  .generation = TEXT("g"),
                  .id = TEXT("sim-1"),
                  .state = PLAN_RECORD_ACTIVE,
                  .created_ms = 1,
                  .active_ms = 2,
                  .condemned_ms = 4,
                  .is_answered = true,
                  .is_protected = true,
                  .call_after_ms = 5,
                  .failing_since_ms = 6,
                  .rebooted_ms = 7,
                  .losses = 8,
                  .labels = TEXT("l"),
                  .zone = TEXT("z"),
                  .fault = PLAN_FAULT_SHORT,
                  .refusals = 9,
                  .doubt_ms = 10,
                  .failures = 11 },
        .plugin = TEXT("sim"),
        .name = TEXT("web-3"),
        .life = TEXT("f00d"),
        .reason = TEXT("size"),
        .fault = PROVIDER_FAULT_QUOTA,
        .address = TEXT("192.0.2.1"),
        .user = TEXT("admin"),
        .host_key = TEXT("ssh-ed25519 AAAA"),
        .port = 2222,
        .alarm = TEXT("it shows another one"),
        .shown = TEXT("ssh-ed25519 CCCC"),
        .pass = 12,
        .made_wall_ms = UINT32_MAX,
        .silent_wall_ms = UINT32_MAX,
    };
    struct text bytes = record_format(arena, &record);
    struct blob *blob = blob_new(bytes);
    struct blob *key = blob_new(TEXT("/acme/Resource/c/t"));
    struct fleet_machine machine = { .bytes = blob, .key = key, .token = 17 };
    struct record again;
    struct err err;

    (void)state;
    assert_true(record_parse(arena, TEXT("t"), blob_text(blob), &again, &err));
    assert_string_equal(record_format(arena, &again).data, bytes.data);
    fleet_machine_pack(&machine, &again); /* and after packing and unpacking */
    again.plugin = fleet_machine_plugin(&machine);
    again.life = fleet_machine_life(&machine);
    again.host_key = fleet_machine_host_key(&machine);
    fleet_machine_unpack(&machine, &again.plan);
    assert_true(text_is(again.plan.token, "t"));
    assert_string_equal(record_format(arena, &again).data, bytes.data);
    assert_int_equal(again.plan.fault, PLAN_FAULT_SHORT);
    assert_non_null(strstr(bytes.data, "\"callAfter\":5"));
    assert_non_null(strstr(bytes.data, "\"zone\":\"z\""));
    blob_free(blob);
    blob_free(key);
}

static struct text letters(struct arena *arena, size_t count)
{
    char *out = arena_alloc(arena, count + 1);

    memset(out, 'x', count);
    out[count] = '\0';
    return (struct text){ out, count };
}

/* The plugin reports the longest address and zone, the owner has the longest key, and the machine
 * shows another key of maximum length. */
static void test_a_record_with_all_that_it_may_have_fits(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    uint64_t late_ms = UINT64_C(10000000000000);
    const struct record record = {
        .plan = { .token = TEXT("t"),
                  .group = letters(arena, LIMIT_GROUP_NESTING * (LIMIT_GROUP_NAME_BYTES + 1) - 1),
                  .slot = late_ms,
                  .generation = letters(arena, 64),
                  .id = letters(arena, LIMIT_MACHINE_ID_BYTES),
                  .state = PLAN_RECORD_ACTIVE,
                  .created_ms = late_ms,
                  .active_ms = late_ms,
                  .condemned_ms = late_ms,
                  .is_answered = true,
                  .is_protected = true,
                  .is_starting = true,
                  .call_after_ms = late_ms,
                  .doubt_ms = late_ms,
                  .failing_since_ms = late_ms,
                  .unreachable_since_ms = late_ms,
                  .failed_since_ms = late_ms,
                  .rebooted_ms = late_ms,
                  .losses = UINT32_MAX,
                  .refusals = UINT32_MAX,
                  .failures = UINT32_MAX,
                  .labels = letters(arena, 64),
                  .zone = letters(arena, LIMIT_RECORD_TEXT_BYTES) },
        .plugin = letters(arena, 64),
        .name = letters(arena, LIMIT_MEMBER_NAME_BYTES),
        .life = letters(arena, 64),
        .reason = letters(arena, 32),
        .fault = PROVIDER_FAULT_TRANSIENT,
        .address = letters(arena, LIMIT_RECORD_TEXT_BYTES),
        .user = letters(arena, LIMIT_ROW_USER_BYTES),
        .host_key = letters(arena, LIMIT_RECORD_TEXT_BYTES),
        .port = UINT16_MAX,
        .alarm = letters(arena, LIMIT_RECORD_CAUSE_BYTES),
        .shown = letters(arena, LIMIT_RECORD_TEXT_BYTES),
        .cause = letters(arena, LIMIT_RECORD_CAUSE_BYTES),
        .pass = late_ms,
        .made_wall_ms = (int64_t)late_ms,
        .silent_wall_ms = (int64_t)late_ms,
    };
    struct record again;
    struct err err;

    (void)state;
    assert_true(
        record_parse(arena, record.plan.token, record_format(arena, &record), &again, &err));
    assert_true(text_is_equal(again.shown, record.shown));
}

/* The provider's login data is used. If the provider does not report a known host key, the known
 * key is kept. */
static void test_how_a_machine_is_reached_is_its_providers_word(void **state)
{
    struct provider_row row = { .address = TEXT("192.0.2.2"),
                                .user = TEXT("admin"),
                                .host_key = TEXT("ssh-ed25519 BBBB"),
                                .port = 22 };
    struct record record = { .host_key = TEXT("ssh-ed25519 AAAA"),
                             .alarm = TEXT("another one"),
                             .shown = TEXT("ssh-ed25519 BBBB") };

    (void)state;
    record_reach_take(&record, &row);
    assert_true(text_is(record.host_key, "ssh-ed25519 BBBB"));
    assert_true(text_is(record.address, "192.0.2.2") && text_is(record.user, "admin"));
    assert_int_equal(record.port, 22);
    assert_int_equal(record.alarm.length + record.shown.length, 0);
    record.alarm = TEXT("another one");
    row.host_key = TEXT("");
    record_reach_take(&record, &row);
    assert_true(text_is(record.host_key, "ssh-ed25519 BBBB"));
    assert_true(text_is(record.alarm, "another one"));
}

/* A record must have all its texts within its bytes, because only the bytes are kept. */
static void test_a_record_whose_texts_are_not_in_its_bytes_is_refused(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    static const char good[] = "{\"group\":\"web\",\"incarnation\":\"f\",\"plugin\":\"sim\","
                               "\"slot\":1,\"state\":\"create\"}";
    static const char escaped[] =
        "{\"group\":\"w\\u0065b\",\"incarnation\":\"f\",\"plugin\":\"sim\","
        "\"slot\":1,\"state\":\"create\"}";
    struct record record;
    struct err err;

    (void)state;
    assert_true(record_parse(arena, TEXT("t"), text_from(good), &record, &err));
    assert_false(record_parse(arena, TEXT("t"), text_from(escaped), &record, &err));
    assert_int_equal(err.code, CODE_R0554);
    assert_false(record_parse(arena, TEXT("t"), TEXT("[1]"), &record, &err));
    assert_false(record_parse(arena, TEXT(""), text_from(good), &record, &err));
}

/* Fields that are changed in place (A12): out of the generation, into the digest of the labels. */
static void test_fields_in_place_are_sent_with_the_labels(void **state)
{
    static const struct text paths[] = { TEXT("securityGroups"),
                                         TEXT("resourceProperties.profile") };
    struct arena *arena = arena_new(1 << 20);
    struct text generations[3];
    struct text digests[3];
    static const char *const properties[] = {
        "{\"image\":\"a\"}",
        "{\"image\":\"a\",\"securityGroups\":[\"web\"]}",
        "{\"image\":\"a\",\"resourceProperties\":{\"profile\":\"p\",\"size\":\"b\"}}",
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct fleet_choice choice = { .plugin = TEXT("aws/a"),
                                       .generation = TEXT("old"),
                                       .properties = text_from(properties[i]) };
        struct fleet_group group = { .labels = TEXT("{\"owner\":\"me\"}"),
                                     .choices = &choice,
                                     .choice_count = 1 };

        group.plan.labels = TEXT("of the labels alone");
        fleet_choice_reduce(arena, &group, 0, paths, 2, true);
        generations[i] = group.plan.generation;
        digests[i] = group.plan.labels;
        assert_true(text_is(choice.former, "old"));
        fleet_choice_reduce(arena, &group, 0, paths, 2, true);
        assert_true(text_is_equal(group.plan.generation, generations[i]));
        assert_string_equal(
            arena_string(arena, fleet_labels_of(arena, &group, TEXT("aws/a"), generations[i])),
            i == 0 ? "{\"fields\":{},\"owner\":\"me\"}"
            : i == 1
                ? "{\"fields\":{\"securityGroups\":[\"web\"]},\"owner\":\"me\"}"
                : "{\"fields\":{\"resourceProperties\":{\"profile\":\"p\"}},\"owner\":\"me\"}");
        assert_true(text_is_equal(fleet_labels_of(arena, &group, TEXT("gcd/a"), generations[i]),
                                  group.labels));
    }
    assert_true(text_is_equal(generations[0], generations[1]));
    assert_false(text_is_equal(generations[0], generations[2]));
    assert_true(text_is(digests[0], "of the labels alone"));
    assert_false(text_is_equal(digests[0], digests[1]));
    assert_false(text_is_equal(digests[1], digests[2]));
    arena_free(arena);
}

/* A plugin without the call `label`: the labels do not change. */
static void test_fields_that_are_not_sent_change_no_labels(void **state)
{
    static const struct text paths[] = { TEXT("match") };
    struct arena *arena = arena_new(1 << 20);
    struct fleet_choice choice = { .plugin = TEXT("inventory"),
                                   .generation = TEXT("old"),
                                   .properties = TEXT("{\"match\":\"x\"}") };
    struct fleet_group group = { .labels = TEXT("{}"), .choices = &choice, .choice_count = 1 };

    (void)state;
    group.plan.labels = TEXT("-");
    fleet_choice_reduce(arena, &group, 0, paths, 1, false);
    assert_true(text_is(group.plan.labels, "-") && !text_is(choice.generation, "old"));
    assert_true(text_is(fleet_labels_of(arena, &group, TEXT("inventory"), TEXT("")), "{}"));
    arena_free(arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_index_says_what_a_search_says),
        cmocka_unit_test(test_a_record_is_read_as_it_was_written),
        cmocka_unit_test(test_how_a_machine_is_reached_is_its_providers_word),
        cmocka_unit_test(test_a_record_with_all_that_it_may_have_fits),
        cmocka_unit_test(test_a_record_whose_texts_are_not_in_its_bytes_is_refused),
        cmocka_unit_test(test_fields_in_place_are_sent_with_the_labels),
        cmocka_unit_test(test_fields_that_are_not_sent_change_no_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

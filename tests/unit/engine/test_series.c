/* Tokens of machines are numbered, so that tokens that the store has recorded can be distinguished
 * from all others (G18). */

#include "unit.h"

#include "base/limits.h"
#include "state/revoked.h"
#include "records/series.h"

#include <stdio.h>

static const unsigned char first[SERIES_BYTES] = { 1, 2, 3, 4, 5, 6 };
static const unsigned char second[SERIES_BYTES] = { 1, 2, 3, 4, 5, 7 };
static const unsigned char luck[SERIES_BYTES] = { 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa };

static struct text token_of(struct arena *arena, const unsigned char *series, uint32_t number)
{
    char token[SERIES_TOKEN_TEXT];

    series_token_format(series, number, luck, token);
    return arena_text(arena, text_from(token));
}

static void test_a_store_knows_the_numbers_that_it_recorded(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct counters counters = { 0 };

    (void)state;
    assert_false(series_has(&counters, token_of(arena, first, 1)));
    series_note(arena, &counters, first, 2, 100);
    assert_true(series_has(&counters, token_of(arena, first, 1)));
    assert_true(series_has(&counters, token_of(arena, first, 2)));
    assert_false(series_has(&counters, token_of(arena, first, 3)));
    assert_false(series_has(&counters, token_of(arena, second, 1)));
    assert_false(series_has(&counters, token_of(arena, first, 0)));
    series_note(arena, &counters, first, UINT32_MAX - 1, 200);
    assert_true(series_has(&counters, token_of(arena, first, 70000)));
}

/* Tokens of former versions, and tokens invented by a provider. */
static void test_a_token_of_no_series_is_not_known(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    static const char *const tokens[] = { "", "x", "0102030405060000000",
                                          "010203040506000000X1ffeeddccbbaa",
                                          "010203040506000000010ffeeddccbbaa9" };
    struct counters counters = { 0 };

    (void)state;
    series_note(arena, &counters, first, 9, 100);
    for (size_t i = 0; i < ARRAY_COUNT(tokens); i++) {
        assert_false(series_has(&counters, text_from(tokens[i])));
    }
}

static void test_numbers_are_read_back(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct counters counters = { 0 };
    struct counters read;
    struct err err;

    (void)state;
    series_note(arena, &counters, second, 3, 200);
    series_note(arena, &counters, first, 5, 100);
    counters.is_life_held = true;
    assert_true(counters_parse(arena, counters_format(arena, &counters), &read, &err));
    assert_true(read.is_life_held && read.series_count == 2);
    assert_true(series_has(&read, token_of(arena, first, 5)));
    assert_false(series_has(&read, token_of(arena, second, 4)));
}

/* If there are too many series, the least recently used series is dropped. */
static void test_the_oldest_series_gives_way(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct counters counters = { 0 };
    unsigned char series[SERIES_BYTES] = { 0 };

    (void)state;
    series_note(arena, &counters, first, 1, 1);
    series_note(arena, &counters, second, 1, 2);
    for (size_t i = 0; i < LIMIT_CONTROL_SERIES - 1; i++) {
        series[0] = 0x80;
        series[1] = (unsigned char)i;
        series_note(arena, &counters, series, 1, 10 + i);
    }
    assert_int_equal(counters.series_count, LIMIT_CONTROL_SERIES);
    assert_false(series_has(&counters, token_of(arena, first, 1)));
    assert_true(series_has(&counters, token_of(arena, second, 1)));
    assert_true(series_has(&counters, token_of(arena, series, 1)));
}

/* Otherwise, keys of a replacement machine would be refused as revoked. */
static void test_keys_of_one_slot_have_names_of_their_own(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text name = TEXT("web-1");

    (void)state;
    assert_false(text_is_equal(revoked_id(arena, name, token_of(arena, first, 1)),
                               revoked_id(arena, name, token_of(arena, first, 2))));
    assert_false(text_is_equal(revoked_id(arena, name, token_of(arena, first, 1)),
                               revoked_id(arena, name, token_of(arena, second, 1))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_store_knows_the_numbers_that_it_recorded),
        cmocka_unit_test(test_a_token_of_no_series_is_not_known),
        cmocka_unit_test(test_numbers_are_read_back),
        cmocka_unit_test(test_the_oldest_series_gives_way),
        cmocka_unit_test(test_keys_of_one_slot_have_names_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Windows and fields of budgets (N10, decision 0158). Tickets: tests/e2e/test_budgets.py. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "budget/budget.h"
#include "codec/json.h"

/* Monday 2026-11-30 00:00 UTC */
#define MONDAY INT64_C(1795996800000)

enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

static bool parse(struct arena *arena, const char *json, struct budget *out)
{
    const struct doc *field;
    struct doc doc;
    struct err err;

    assert_true(json_parse(arena, text_from(json), NULL, &doc, &err));
    return budget_parse(arena, &doc, out, &field, &err);
}

static void test_windows_are_those_of_the_days(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct budget budget;

    (void)state;
    assert_true(
        parse(arena,
              "{\"selector\":\"zone=a\",\"maxUnavailable\":2,\"windows\":[{\"days\":[\"mon\","
              "\"sun\"],\"from\":\"08:00\",\"to\":\"17:30\"}]}",
              &budget));
    assert_int_equal(budget.max, 2);
    assert_false(budget_is_open(&budget, MONDAY));
    assert_true(budget_is_open(&budget, MONDAY + 8 * HOUR_MS));
    assert_true(budget_is_open(&budget, MONDAY + 17 * HOUR_MS + 29 * MINUTE_MS));
    assert_false(budget_is_open(&budget, MONDAY + 17 * HOUR_MS + 30 * MINUTE_MS));
    assert_false(budget_is_open(&budget, MONDAY + 32 * HOUR_MS));
    assert_true(budget_is_open(&budget, MONDAY - 12 * HOUR_MS)); /* this is a Sunday */
}

static void test_a_window_may_end_on_the_next_day(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct budget budget;

    (void)state;
    assert_true(parse(arena,
                      "{\"selector\":\"a\",\"maxUnavailable\":1,\"windows\":[{\"days\":[\"sun\"],"
                      "\"from\":\"22:00\",\"to\":\"06:00\"}]}",
                      &budget));
    assert_false(budget_is_open(&budget, MONDAY - 3 * HOUR_MS));
    assert_true(budget_is_open(&budget, MONDAY - 2 * HOUR_MS));
    assert_true(budget_is_open(&budget, MONDAY + 6 * HOUR_MS - 1));
    assert_false(budget_is_open(&budget, MONDAY + 6 * HOUR_MS));
}

static void test_without_windows_it_is_always_open(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct budget budget;

    (void)state;
    assert_true(parse(arena, "{\"selector\":\"a\",\"maxUnavailable\":0}", &budget));
    assert_true(budget_is_open(&budget, MONDAY));
    assert_true(parse(arena, "{\"selector\":\"a\",\"windows\":[{}]}", &budget));
    assert_true(budget_is_open(&budget, MONDAY + 5 * HOUR_MS));
}

static void test_faults_are_refused(void **state)
{
    static const char *const faults[] = {
        "{\"selector\":\"a=\"}",
        "{\"selector\":\"a\",\"windows\":{}}",
        "{\"selector\":\"a\",\"windows\":[{\"days\":[\"funday\"]}]}",
        "{\"selector\":\"a\",\"windows\":[{\"days\":[]}]}",
        "{\"selector\":\"a\",\"windows\":[{\"from\":\"8:00\"}]}",
        "{\"selector\":\"a\",\"windows\":[{\"from\":\"08:60\"}]}",
        "{\"selector\":\"a\",\"windows\":[{\"from\":\"08:00\",\"to\":\"08:00\"}]}",
        "{\"selector\":\"a\",\"windows\":[{\"until\":\"08:00\"}]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct budget budget;

        assert_false(parse(arena, faults[i], &budget));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_are_those_of_the_days),
        cmocka_unit_test(test_a_window_may_end_on_the_next_day),
        cmocka_unit_test(test_without_windows_it_is_always_open),
        cmocka_unit_test(test_faults_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rate limits with a simulated clock. */
#include "unit.h"

#include "rate_limit.h"

enum { RUN, READ };

static const struct rate_kind kinds[] = {
    [RUN] = { .per_1000s = 2000, .burst = 5 },
    [READ] = { .per_1000s = 1000, .burst = 10, .reserved = 4 },
};

static unsigned take_all(struct rate_limit *limit, size_t kind, bool is_change, uint64_t now_ms)
{
    unsigned count = 0;

    while (rate_limit_take(limit, TEXT("eu"), kind, is_change, now_ms) == 0) {
        count++;
    }
    return count;
}

static void burst_then_rate(void **state)
{
    struct rate_limit *limit = rate_limit_new(kinds, ARRAY_COUNT(kinds));

    (void)state;
    assert_int_equal(take_all(limit, RUN, true, 1000), 5);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), RUN, true, 1000), 500);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), RUN, true, 1499), 1);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), RUN, true, 1500), 0);
    assert_int_equal(take_all(limit, RUN, true, 3500), 4);
    assert_int_equal(take_all(limit, RUN, true, 10000000), 5);
    /* another region has a separate rate limit */
    assert_int_equal(rate_limit_take(limit, TEXT("us"), RUN, true, 10000000), 0);
    rate_limit_free(limit);
}

static void part_is_reserved_for_changes(void **state)
{
    struct rate_limit *limit = rate_limit_new(kinds, ARRAY_COUNT(kinds));

    (void)state;
    assert_int_equal(take_all(limit, READ, false, 1000), 6);
    assert_int_equal(take_all(limit, READ, true, 1000), 4);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), READ, false, 1000), 5000);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), READ, true, 1000), 1000);
    rate_limit_free(limit);
}

static void throttling_halves_the_rate(void **state)
{
    struct rate_limit *limit = rate_limit_new(kinds, ARRAY_COUNT(kinds));

    (void)state;
    (void)take_all(limit, RUN, true, 1000);
    rate_limit_on_throttled(limit, TEXT("eu"), RUN, 3000, 1000);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), RUN, true, 1000), 3000);
    assert_int_equal(take_all(limit, RUN, true, 4000), 3);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), RUN, true, 4000), 1000);
    assert_int_equal(take_all(limit, RUN, true, 61000), 5);
    assert_int_equal(rate_limit_take(limit, TEXT("eu"), RUN, true, 61000), 500);
    rate_limit_free(limit);
}

static void regions_are_bounded(void **state)
{
    struct rate_limit *limit = rate_limit_new(kinds, ARRAY_COUNT(kinds));

    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        int length = snprintf(name, sizeof(name), "r%u", i);
        struct text region = { name, (size_t)length };

        assert_true(rate_limit_take(limit, region, RUN, true, 1000 + i) <= 500);
    }
    rate_limit_free(limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(burst_then_rate),
        cmocka_unit_test(part_is_reserved_for_changes),
        cmocka_unit_test(throttling_halves_the_rate),
        cmocka_unit_test(regions_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

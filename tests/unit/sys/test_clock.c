#include "sys/clock.h"

#include <time.h>

#include "unit.h"

static void test_the_clocks_of_the_system_go_on(void **state)
{
    struct clock clock = clock_system();
    uint64_t before_ns = clock_monotonic_ns(clock);
    int64_t now_ms = clock_wall_ms(clock);

    (void)state;
    while (clock_monotonic_ns(clock) == before_ns) {
    }
    assert_true(clock_monotonic_ns(clock) > before_ns);
    assert_true(clock_monotonic_ms(clock) >= before_ns / 1000000);
    assert_true(now_ms / 1000 >= (int64_t)time(NULL) - 60);
    assert_true(now_ms / 1000 <= (int64_t)time(NULL) + 60);
}

static void test_a_current_clock_moves_only_by_process(void **state)
{
    struct clock_fake fake = { .monotonic_ns = 5000000, .wall_ms = 1000 };
    struct clock clock = clock_fake_port(&fake);

    (void)state;
    assert_int_equal(clock_monotonic_ms(clock), 5);
    clock_fake_advance(&fake, 20);
    assert_int_equal(clock_monotonic_ns(clock), 25000000);
    assert_int_equal(clock_wall_ms(clock), 1020);
    fake.wall_ms = -1; /* the date is set back */
    assert_int_equal(clock_wall_ms(clock), -1);
    assert_int_equal(clock_monotonic_ms(clock), 25);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_the_clocks_of_the_system_go_on),
        cmocka_unit_test(test_a_current_clock_moves_only_by_process),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}

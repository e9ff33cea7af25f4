#include "codec/number.h"

#include "codec.h"

static const char *in_json(const char *spelling)
{
    static char out[100];
    struct number number;
    size_t used = 0;

    number_to_json(text_from(spelling), &number);
    for (size_t i = 0; i < number.part_count; i++) {
        memcpy(out + used, number.parts[i].data, number.parts[i].length);
        used += number.parts[i].length;
    }
    out[used] = '\0';
    return out;
}

static void every_spelling_has_one_in_json(void **state)
{
    static const char *const cases[][2] = {
        { "0", "0" },
        { "-0", "-0" },
        { "+0", "0" },
        { "007", "7" },
        { "-007", "-7" },
        { "000", "0" },
        { "+1", "1" },
        { "0x1F", "31" },
        { "0xff", "255" },
        { "0x0", "0" },
        { "0o17", "15" },
        { "0o0", "0" },
        { "1.10", "1.10" },
        { ".5", "0.5" },
        { "-.5", "-0.5" },
        { "+.5", "0.5" },
        { "5.", "5.0" },
        { "5.e3", "5.0e3" },
        { "1e5", "1e5" },
        { "1E+05", "1E+05" },
        { "001.500e-3", "1.500e-3" },
        { "0.0", "0.0" },
        { "00.5", "0.5" },
        { "0x7fffffffffffffff", "9223372036854775807" },
        { "0o777777777777777777777", "9223372036854775807" },
        { "123456789012345678901234567890.5", "123456789012345678901234567890.5" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_string_equal(in_json(cases[i][0]), cases[i][1]);
    }
}

static void sixty_four_bits_are_the_bound(void **state)
{
    static const char *const fit[] = { "0",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "+9223372036854775807",
                                       "0x7fffffffffffffff",
                                       "0x0000000000000000000001",
                                       "0o777777777777777777777" };
    static const char *const wide[] = { "9223372036854775808",      "-9223372036854775809",
                                        "+9223372036854775808",     "0x8000000000000000",
                                        "0o1000000000000000000000", "0xffffffffffffffffffff" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fit); i++) {
        assert_true(number_fits_int64(text_from(fit[i])));
    }
    for (size_t i = 0; i < ARRAY_COUNT(wide); i++) {
        assert_false(number_fits_int64(text_from(wide[i])));
    }
}

static void hexadecimal_beyond_64_bits(void)
{
    struct number number;

    number_to_json(TEXT("0x8000000000000000"), &number);
}

static void what_does_not_fit_is_never_written(void **state)
{
    (void)state;
    assert_true(unit_aborts(hexadecimal_beyond_64_bits));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_has_one_in_json),
        cmocka_unit_test(sixty_four_bits_are_the_bound),
        cmocka_unit_test(what_does_not_fit_is_never_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

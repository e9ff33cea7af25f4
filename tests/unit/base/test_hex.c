#include "base/hex.h"

#include "unit.h"

static void bytes_become_two_digits_each(void **state)
{
    AUTO(arena) arena = arena_new(1 << 16);

    (void)state;
    assert_text(hex_format(arena, TEXT("")), "");
    assert_text(hex_format(arena, TEXT("\x01\x7f\xa0\xff")), "017fa0ff");
    assert_text(hex_format(arena, (struct text){ "a\0b", 3 }), "610062");
}

static void every_byte_comes_back(void **state)
{
    AUTO(arena) arena = arena_new(1 << 16);
    char bytes[256];
    char back[256];
    struct text digits;

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)i;
    }
    digits = hex_format(arena, (struct text){ bytes, sizeof(bytes) });
    assert_int_equal(digits.length, 2 * sizeof(bytes));
    assert_true(hex_is(digits));
    hex_parse(digits, back);
    assert_memory_equal(back, bytes, sizeof(bytes));
}

static void only_pairs_of_lower_case_digits_are_hexadecimal(void **state)
{
    static const struct {
        struct text text;
        bool is_hex;
    } cases[] = { { TEXT(""), true },         { TEXT("0123456789abcdef"), true },
                  { TEXT("0"), false },       { TEXT("abc"), false },
                  { TEXT("AB"), false },      { TEXT("0x"), false },
                  { TEXT("0g"), false },      { TEXT("0/"), false },
                  { TEXT("0:"), false },      { TEXT("0`"), false },
                  { TEXT(" 0"), false },      { TEXT("0\0"), false },
                  { TEXT("\xc3\xa9"), false } };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_int_equal(hex_is(cases[i].text), cases[i].is_hex);
    }
}

static void parse_an_odd_number_of_digits(void)
{
    char out[2];

    hex_parse(TEXT("012"), out);
}

static void parse_other_letters(void)
{
    char out[2];

    hex_parse(TEXT("0G"), out);
}

static void digits_that_were_not_checked_are_caught(void **state)
{
    (void)state;
    assert_true(unit_aborts(parse_an_odd_number_of_digits));
    assert_true(unit_aborts(parse_other_letters));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_two_digits_each),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(only_pairs_of_lower_case_digits_are_hexadecimal),
        cmocka_unit_test(digits_that_were_not_checked_are_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

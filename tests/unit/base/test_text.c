#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void a_string_is_a_text(void **state)
{
    (void)state;
    assert_text(text_from("abc"), "abc");
    assert_text(text_from(""), "");
    assert_text(text_from(NULL), "");
    assert_text(TEXT("abc"), "abc");
}

static void a_slice_is_cut_to_what_is_there(void **state)
{
    struct text text = TEXT("abcdef");

    (void)state;
    assert_text(text_slice(text, 1, 2), "bc");
    assert_text(text_slice(text, 4, 100), "ef");
    assert_text(text_slice(text, 0, SIZE_MAX), "abcdef");
    assert_text(text_slice(text, 6, 1), "");
    assert_text(text_slice(text, SIZE_MAX, SIZE_MAX), "");
}

static void texts_compare_by_bytes(void **state)
{
    (void)state;
    assert_true(text_is_equal(TEXT("ab"), TEXT("ab")));
    assert_true(text_is_equal(TEXT(""), (struct text){ 0 }));
    assert_false(text_is_equal(TEXT("ab"), TEXT("abc")));
    assert_false(text_is_equal(TEXT("ab"), TEXT("ac")));
    assert_true(text_is(TEXT("ab"), "ab"));
    assert_false(text_is(TEXT("ab"), "a"));
    assert_int_equal(text_compare(TEXT("a"), TEXT("a")), 0);
    assert_int_equal(text_compare(TEXT(""), TEXT("")), 0);
    assert_true(text_compare(TEXT("a"), TEXT("b")) < 0);
    assert_true(text_compare(TEXT("ab"), TEXT("a")) > 0);
    assert_true(text_compare(TEXT(""), TEXT("a")) < 0);
    assert_true(text_compare(TEXT("z"), TEXT("\xc3\xa9")) < 0);
}

static void prefixes_and_suffixes_are_seen(void **state)
{
    (void)state;
    assert_true(text_has_prefix(TEXT("abc"), TEXT("ab")));
    assert_true(text_has_prefix(TEXT("abc"), TEXT("")));
    assert_false(text_has_prefix(TEXT("abc"), TEXT("b")));
    assert_false(text_has_prefix(TEXT("a"), TEXT("ab")));
    assert_true(text_has_suffix(TEXT("abc"), TEXT("bc")));
    assert_true(text_has_suffix(TEXT("abc"), TEXT("")));
    assert_false(text_has_suffix(TEXT("abc"), TEXT("b")));
    assert_false(text_has_suffix(TEXT("c"), TEXT("bc")));
}

static void a_byte_is_found_or_not(void **state)
{
    (void)state;
    assert_int_equal(text_find_byte(TEXT("abcb"), 'b'), 1);
    assert_true(text_find_byte(TEXT("abcb"), 'x') == SIZE_MAX);
    assert_true(text_find_byte(TEXT(""), 'x') == SIZE_MAX);
}

static void blanks_at_both_ends_are_trimmed(void **state)
{
    (void)state;
    assert_text(text_trim(TEXT(" \t\r\n a b \n")), "a b");
    assert_text(text_trim(TEXT(" \t")), "");
    assert_text(text_trim(TEXT("")), "");
    assert_text(text_trim(TEXT("a")), "a");
}

static void escape_sequences_of_a_terminal_are_measured(void **state)
{
    static const struct {
        struct text text;
        size_t at;
        size_t length;
    } cases[] = {
        { TEXT("\033[0m"), 0, 4 },
        { TEXT("a\033[1;31mb"), 1, 7 },
        { TEXT("\033[Kabc"), 0, 3 },
        { TEXT("\033[?25l"), 0, 6 },
        { TEXT("\033[1;3"), 0, 5 }, /* the text ends within the escape code */
        { TEXT("\033["), 0, 2 },
        { TEXT("\033"), 0, 0 },
        { TEXT("\033]0;title"), 0, 0 },
        { TEXT("a[0m"), 0, 0 },
        { TEXT(""), 0, 0 },
        { TEXT("\033[0m"), 4, 0 },
        { TEXT("\033[0m"), SIZE_MAX, 0 },
        { TEXT("\033[1\nm"), 0, 4 }, /* a control byte ends the escape code, as a letter does */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_int_equal(text_escape_length(cases[i].text, cases[i].at), cases[i].length);
    }
}

static void integers_are_read_up_to_64_bits(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        { "0", 0 },
        { "-0", 0 },
        { "007", 7 },
        { "-42", -42 },
        { "9223372036854775807", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "00000000000000000000000000000000001", 1 },
    };
    static const char *const bad[] = { "",
                                       "-",
                                       "+1",
                                       "1 ",
                                       " 1",
                                       "1a",
                                       "--1",
                                       "1.",
                                       "0x1",
                                       "9223372036854775808",
                                       "-9223372036854775809",
                                       "99999999999999999999" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        int64_t value = 1;

        assert_true(text_parse_int64(text_from(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        int64_t value = 77;

        assert_false(text_parse_int64(text_from(bad[i]), &value));
        assert_int_equal(value, 77);
    }
}

static void an_address_of_ipv4_is_parsed(void **state)
{
    static const char *const bad[] = { "",         "1.2.3",    "1.2.3.4.5",  "1.2.3.256",
                                       "01.2.3.4", "1.2.3.-4", "1.2.3.0004", "1..2.3",
                                       "1.2.3.4 ", "a.2.3.4" };
    uint32_t address = 7;

    (void)state;
    assert_true(text_parse_v4(TEXT("10.0.255.1"), &address));
    assert_int_equal(address, 0x0a00ff01);
    assert_true(text_parse_v4(TEXT("255.255.255.255"), &address));
    assert_int_equal(address, UINT32_MAX);
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        assert_false(text_parse_v4(text_from(bad[i]), &address));
    }
    assert_int_equal(address, UINT32_MAX);
}

static void the_first_byte_that_is_no_utf8_is_found(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        size_t bad; /* offset of the first invalid byte; SIZE_MAX: none */
    } cases[] = {
        { "", 0, SIZE_MAX },
        { "abc", 3, SIZE_MAX },
        { "a\0c", 3, 1 },
        { "12345678\0", 9, 8 },
        { "1234567\0", 8, 7 },
        { "0123456789abcdef\xff", 17, 16 },
        { "01234567\x7f"
          "89abcde",
          16, SIZE_MAX },
        { "\xc3\xa9", 2, SIZE_MAX },
        { "a\xc3", 2, 1 },
        { "\xc3(", 2, 0 },
        { "\xa9", 1, 0 },
        { "\xc0\x80", 2, 0 },     /* overlong NUL */
        { "\xc1\xbf", 2, 0 },     /* overlong */
        { "\xe0\x9f\xbf", 3, 0 }, /* overlong */
        { "\xe0\xa0\x80", 3, SIZE_MAX },
        { "\xe2\x82\xac", 3, SIZE_MAX },
        { "\xe2\x82", 2, 0 },
        { "\xe2\x82(", 3, 0 },
        { "\xed\x9f\xbf", 3, SIZE_MAX },
        { "\xed\xa0\x80", 3, 0 },     /* surrogate */
        { "\xf0\x8f\xbf\xbf", 4, 0 }, /* overlong */
        { "\xf0\x9f\x98\x80", 4, SIZE_MAX },
        { "\xf0\x9f\x98", 3, 0 },
        { "\xf4\x8f\xbf\xbf", 4, SIZE_MAX },
        { "\xf4\x90\x80\x80", 4, 0 }, /* above U+10FFFF */
        { "\xf5\x80\x80\x80", 4, 0 },
        { "1234567\xc3\xa9\xff", 10, 9 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct text text = { cases[i].text, cases[i].length };

        assert_true(text_find_bad_utf8(text) == cases[i].bad);
    }
}

static void code_points_are_counted(void **state)
{
    (void)state;
    assert_int_equal(text_count_points(TEXT("")), 0);
    assert_int_equal(text_count_points(TEXT("abc")), 3);
    assert_int_equal(text_count_points(TEXT("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")), 3);
    assert_int_equal(text_count_points(TEXT("\xff\xc3")), 2);
}

static void what_needs_no_escape_is_counted(void **state)
{
    char text[40];

    (void)state;
    assert_true(text_is_visible(TEXT(" a~")) && text_is_visible(TEXT("")));
    assert_false(text_is_visible(TEXT("a\t")) || text_is_visible(TEXT("\x7f")) ||
                 text_is_visible(TEXT("\xc3\xa9")));
    assert_true(text_is_ascii(TEXT("")));
    assert_true(text_is_ascii(TEXT("0123456\x7f\n")));
    assert_false(text_is_ascii(TEXT("01234567\xc3\xa9")));
    assert_false(text_is_ascii(TEXT("\xc3\xa9"
                                    "0123456")));
    assert_false(text_is_ascii(TEXT("012345678\0")));
    assert_int_equal(text_count_unescaped(TEXT("")), 0);
    assert_int_equal(text_count_unescaped(TEXT("abc")), 3);
    for (size_t length = 1; length < sizeof(text); length++) {
        for (size_t i = 0; i < length; i++) {
            static const char specials[] = { '"', '\\', '\n', '\0', '\x1f', '\x01' };

            for (size_t j = 0; j < sizeof(specials); j++) {
                /* a letter, or a continuation byte of UTF-8 */
                memset(text, j % 2 == 0 ? 'x' : '\xbc', sizeof(text));
                text[i] = specials[j];
                assert_int_equal(text_count_unescaped((struct text){ text, length }), i);
            }
            text[i] = ' ';
            assert_int_equal(text_count_unescaped((struct text){ text, length }), length);
        }
    }
    assert_int_equal(text_count_unescaped(TEXT("!#[]^\x7f ~01234567")), 16);
}

static void a_hash_depends_on_every_byte_and_the_seed(void **state)
{
    (void)state;
    assert_true(text_hash(TEXT("a"), 0) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(text_hash(TEXT("foobar"), 0) == UINT64_C(0x85944171f73967e8));
    assert_true(text_hash(TEXT("foobar"), 1) != text_hash(TEXT("foobar"), 2));
    assert_true(text_hash(TEXT(""), 5) == 5);
}

static void numbers_become_digits(void **state)
{
    static const unsigned char bytes[] = { 0x00, 0x0f, 0xa0, 0xff };
    char room[20];
    char hex[2 * sizeof(bytes) + 1];

    (void)state;
    assert_true(text_is(text_digits(0, room), "0"));
    assert_true(text_is(text_digits(1020, room), "1020"));
    assert_true(text_is(text_digits(UINT64_MAX, room), "18446744073709551615"));
    text_format_hex(bytes, sizeof(bytes), hex);
    assert_string_equal(hex, "000fa0ff");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_is_a_text),
        cmocka_unit_test(a_slice_is_cut_to_what_is_there),
        cmocka_unit_test(an_address_of_ipv4_is_parsed),
        cmocka_unit_test(texts_compare_by_bytes),
        cmocka_unit_test(prefixes_and_suffixes_are_seen),
        cmocka_unit_test(a_byte_is_found_or_not),
        cmocka_unit_test(blanks_at_both_ends_are_trimmed),
        cmocka_unit_test(escape_sequences_of_a_terminal_are_measured),
        cmocka_unit_test(integers_are_read_up_to_64_bits),
        cmocka_unit_test(the_first_byte_that_is_no_utf8_is_found),
        cmocka_unit_test(code_points_are_counted),
        cmocka_unit_test(what_needs_no_escape_is_counted),
        cmocka_unit_test(a_hash_depends_on_every_byte_and_the_seed),
        cmocka_unit_test(numbers_become_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

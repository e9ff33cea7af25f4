#include "codec/source.h"

#include "codec.h"

static void a_place_counts_lines_and_code_points(void **state)
{
    struct text bytes = TEXT("a\n\xc3\xa9\xe2\x82\xac"
                             "b\r\n\nc");
    static const struct {
        size_t offset;
        uint32_t line;
        uint32_t column;
    } cases[] = { { 0, 1, 1 }, { 1, 1, 2 },  { 2, 2, 1 },  { 4, 2, 2 }, { 7, 2, 3 },
                  { 8, 2, 4 }, { 10, 3, 1 }, { 11, 4, 1 }, { 12, 4, 2 } };
    struct source_cursor cursor = { 0 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct place place = source_place(bytes, cases[i].offset, 3, &file_origin);
        struct place next = source_place_next(&cursor, bytes, cases[i].offset, 3, &file_origin);

        assert_int_equal(place.line, cases[i].line);
        assert_int_equal(place.column, cases[i].column);
        assert_int_equal(place.length, 3);
        assert_int_equal(place.source, 1);
        assert_int_equal(place_compare(place, next), 0);
    }
    assert_int_equal(source_place_next(&cursor, bytes, 2, 1, &file_origin).line, 2);
    assert_int_equal(source_place_next(&cursor, bytes, 0, 1, NULL).line, 1);
    assert_int_equal(source_number(NULL), 0);
}

static void lines_end_before_their_line_end(void **state)
{
    struct text bytes = TEXT("ab\r\ncd\nef");

    (void)state;
    assert_int_equal(source_line_bytes(bytes, 0, bytes.length), 2);
    assert_int_equal(source_line_bytes(bytes, 1, bytes.length), 1);
    assert_int_equal(source_line_bytes(bytes, 4, bytes.length), 2);
    assert_int_equal(source_line_bytes(bytes, 7, bytes.length), 2);
    assert_int_equal(source_line_bytes(bytes, 7, 8), 1);
    assert_int_equal(source_line_bytes(bytes, 9, 9), 0);
}

static void what_is_found_is_named(void **state)
{
    static const char *const cases[][2] = {
        { "", "the end of the text" },
        { "\n", "the end of the line" },
        { "\r\n", "the end of the line" },
        { "\t", "a tab" },
        { " x", "a blank" },
        { "'x'", "a single quote" },
        { "\x01", "the control character U+0001" },
        { "\x7f", "the control character U+007F" },
        { "}", "'}'" },
        { "a", "'a'" },
        { "\xc3\xa9 x", "'\xc3\xa9'" },
        { "truth,", "'truth'" },
        { "-1.5e+3]", "'-1.5e+3'" },
        { "abcdefghijklmnopqrstuvwx", "'abcdefghijklmnopqrstuvwx'" },
        { "abcdefghijklmnopqrstuvwxyz", "'abcdefghijklmnopqrstuvwx...'" },
        { "abcdefghijklmnopqrstuvw\xc3\xa9z", "'abcdefghijklmnopqrstuvw...'" },
    };
    char found[SOURCE_FOUND_BYTES];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_string_equal(source_found(text_from(cases[i][0]), 0, found), cases[i][1]);
    }
}

static void code_points_become_utf8(void **state)
{
    static const struct {
        unsigned point;
        const char *bytes;
    } cases[] = { { 'a', "a" },
                  { 0xe9, "\xc3\xa9" },
                  { 0x7ff, "\xdf\xbf" },
                  { 0x800, "\xe0\xa0\x80" },
                  { 0xffff, "\xef\xbf\xbf" },
                  { 0x10000, "\xf0\x90\x80\x80" },
                  { 0x10ffff, "\xf4\x8f\xbf\xbf" } };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char out[5] = "";

        assert_int_equal(source_point_put(out, cases[i].point), strlen(cases[i].bytes));
        assert_string_equal(out, cases[i].bytes);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_counts_lines_and_code_points),
        cmocka_unit_test(lines_end_before_their_line_end),
        cmocka_unit_test(what_is_found_is_named),
        cmocka_unit_test(code_points_become_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "cli/term/glyph.h"

#include "case.h"

static struct text written(struct arena *arena, struct text text)
{
    struct buf buf;

    buf_init(&buf, arena);
    glyph_write_text(&buf, text);
    return buf_text(&buf);
}

static void test_what_steers_a_terminal_is_made_visible(void **state)
{
    assert_text(written(*state, TEXT("a\x1b[31mb")), "a\\x1b[31mb");
    assert_text(written(*state, TEXT("bell\a del\x7f")), "bell\\x07 del\\x7f");
    assert_text(written(*state, TEXT("c1 \xc2\x9b")), "c1 \\x9b");
    assert_text(written(*state, TEXT("a\r\nb")), "a\\x0d\\x0ab");
    assert_text(written(*state, TEXT("a\tb")), "a\tb");
}

static void test_what_turns_the_direction_is_made_visible(void **state)
{
    assert_text(written(*state, TEXT("x\xe2\x80\xaey")), "x\\u202ey");
    assert_text(written(*state, TEXT("x\xe2\x81\xa6y")), "x\\u2066y");
}

static void test_broken_utf8_is_made_visible(void **state)
{
    assert_text(written(*state, TEXT("\xff\xfe")), "\\xff\\xfe");
    assert_text(written(*state, TEXT("\xc3")), "\\xc3");                   /* truncated */
    assert_text(written(*state, TEXT("\xc0\xaf")), "\\xc0\\xaf");          /* overlong */
    assert_text(written(*state, TEXT("\xed\xa0\x80")), "\\xed\\xa0\\x80"); /* surrogate */
    assert_text(written(*state, TEXT("\xf4\x90\x80\x80")), "\\xf4\\x90\\x80\\x80");
}

static void test_letters_pass_unchanged(void **state)
{
    assert_text(written(*state, TEXT("Zürich 東京 \xf0\x9f\x98\x80")),
                "Zürich 東京 \xf0\x9f\x98\x80");
}

static void test_columns(void **state)
{
    (void)state;
    assert_int_equal(glyph_text_columns(TEXT("abc")), 3);
    assert_int_equal(glyph_text_columns(TEXT("ü")), 1);
    assert_int_equal(glyph_text_columns(TEXT("e\xcc\x81")), 1); /* e with a combining acute */
    assert_int_equal(glyph_text_columns(TEXT("東京")), 4);
    assert_int_equal(glyph_text_columns(TEXT("\xf0\x9f\x98\x80")), 2);
    assert_int_equal(glyph_text_columns(TEXT("\x1b")), 4);
    assert_int_equal(glyph_text_columns(TEXT("\xe2\x80\xae")), 6);
}

static void test_columns_are_what_is_written(void **state)
{
    for (uint32_t point = 1; point < 0x300; point++) {
        struct buf buf;

        if (point == '\t') {
            continue;
        }
        buf_init(&buf, *state);
        glyph_write(&buf, point);
        assert_int_equal(text_count_points(buf_text(&buf)), glyph_columns(point));
    }
}

static void test_next_walks_every_byte(void **state)
{
    struct text text = TEXT("a\xc3\xbc\xff\xe6\x9d\xb1");
    size_t at = 0;

    (void)state;
    assert_int_equal(glyph_next(text, &at), 'a');
    assert_int_equal(glyph_next(text, &at), 0xfc);
    assert_int_equal(glyph_next(text, &at), 0xdcff);
    assert_int_equal(glyph_next(text, &at), 0x6771);
    assert_int_equal(at, text.length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_what_steers_a_terminal_is_made_visible),
        CASE(test_what_turns_the_direction_is_made_visible),
        CASE(test_broken_utf8_is_made_visible),
        CASE(test_letters_pass_unchanged),
        CASE(test_columns),
        CASE(test_columns_are_what_is_written),
        CASE(test_next_walks_every_byte),
    };

    return cmocka_run_group_tests_name("cli/glyph", tests, NULL, NULL);
}

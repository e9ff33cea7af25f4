#include "cli/term/wrap.h"

#include "case.h"

static struct text wrapped(struct arena *arena, const char *text, size_t indent, size_t columns,
                           bool is_begun)
{
    struct buf buf;

    buf_init(&buf, arena);
    wrap_write(&buf, text_from(text), indent, columns, is_begun);
    return buf_text(&buf);
}

static void test_breaks_between_words(void **state)
{
    assert_text(wrapped(*state, "one two three", 2, 9, false), "  one two\n  three\n");
    assert_text(wrapped(*state, "one two three", 2, 9, true), "one two\n  three\n");
}

static void test_long_words_stay_whole(void **state)
{
    assert_text(wrapped(*state, "a incomprehensible b", 0, 5, false), "a\nincomprehensible\nb\n");
}

static void test_line_ends_of_the_text_stay(void **state)
{
    assert_text(wrapped(*state, "a b\nc", 1, 40, false), " a b\n c\n");
}

static void test_empty_text_is_an_empty_line(void **state)
{
    assert_text(wrapped(*state, "", 0, 40, false), "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_breaks_between_words),
        CASE(test_long_words_stay_whole),
        CASE(test_line_ends_of_the_text_stay),
        CASE(test_empty_text_is_an_empty_line),
    };

    return cmocka_run_group_tests_name("cli/wrap", tests, NULL, NULL);
}

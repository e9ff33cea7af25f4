#include "cli/term/fold.h"

#include "case.h"

static struct text folded(struct arena *arena, const char *text, size_t columns, size_t hang)
{
    struct text once;
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, text);
    fold_lines(arena, &buf, 0, columns, hang);
    once = arena_text(arena, buf_text(&buf));
    fold_lines(arena, &buf, 0, columns, hang);
    assert_true(text_is_equal(once, buf_text(&buf))); /* folding again changes nothing */
    return once;
}

static void test_no_bound_changes_nothing(void **state)
{
    assert_text(folded(*state, "one two  three \n\n four", 0, 0), "one two  three \n\n four");
    assert_text(folded(*state, "one two\n\nthree ", 7, 0), "one two\n\nthree ");
}

static void test_goes_on_a_little_further_in(void **state)
{
    assert_text(folded(*state, "one two three four", 10, 0), "one two\n  three\n  four");
    assert_text(folded(*state, "  one two three\nx", 10, 0), "  one two\n    three\nx");
}

static void test_goes_on_below_the_last_column(void **state)
{
    assert_text(folded(*state, "why   one two three\n", 14, 0), "why   one two\n      three\n");
    /* a column that starts in the right half leaves too little room */
    assert_text(folded(*state, "a longer   one two\n", 16, 0), "a longer   one\n  two\n");
}

static void test_goes_on_behind_its_mark(void **state)
{
    assert_text(folded(*state, "  ! one two three", 11, 0), "  ! one two\n    three");
    assert_text(folded(*state, "  - \x1b[31mone two\x1b[0m three", 11, 0),
                "  - \x1b[31mone two\x1b[0m\n    three");
    assert_text(folded(*state, "-12 one two", 8, 0), "-12 one\n  two");
}

static void test_branches_go_on(void **state)
{
    assert_text(folded(*state, "  |- one two", 9, 0), "  |- one\n  |  two");
    assert_text(folded(*state, "  `- one two", 9, 0), "  `- one\n     two");
    assert_text(folded(*state, "  \u251c\u2500 one two", 9, 0),
                "  \u251c\u2500 one\n  \u2502  two");
    assert_text(folded(*state, "  \u2514\u2500 one two", 9, 0), "  \u2514\u2500 one\n     two");
}

static void test_long_words_stay_whole(void **state)
{
    assert_text(folded(*state, "a incomprehensible b", 5, 0), "a\nincomprehensible\n  b");
    /* a word that fits only further to the left is put there */
    assert_text(folded(*state, "why   a sevensev b", 12, 0), "why   a\n    sevensev\n      b");
}

static void test_columns_are_those_of_the_terminal(void **state)
{
    assert_text(folded(*state, "\u6f22\u5b57 \u6f22\u5b57", 8, 0), "\u6f22\u5b57\n  \u6f22\u5b57");
    assert_text(folded(*state, "\u00fc\u00fc\u00fc \u00fc\u00fc\u00fc", 7, 0),
                "\u00fc\u00fc\u00fc \u00fc\u00fc\u00fc");
    assert_text(folded(*state, "\x1b[1mone\x1b[0m two", 7, 0), "\x1b[1mone\x1b[0m two");
}

static void test_what_stands_before_stays(void **state)
{
    struct buf buf;

    buf_init(&buf, *state);
    buf_add_string(&buf, "one two three\nfour five six");
    fold_lines(*state, &buf, 14, 9, 0);
    assert_text(buf_text(&buf), "one two three\nfour five\n  six");
}

static void test_a_hang_that_is_reported(void **state)
{
    assert_text(folded(*state, "   hint: one two", 12, 9), "   hint: one\n         two");
}

static void test_rows(void **state)
{
    (void)state;
    assert_int_equal(fold_rows(TEXT("one\n\nthree\n"), 3), 4);
    assert_int_equal(fold_rows(TEXT("\x1b[2A\x1b[Jone\n"), 3), 1);
    assert_int_equal(fold_rows(TEXT(""), 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_no_bound_changes_nothing),
        CASE(test_goes_on_a_little_further_in),
        CASE(test_goes_on_below_the_last_column),
        CASE(test_goes_on_behind_its_mark),
        CASE(test_branches_go_on),
        CASE(test_long_words_stay_whole),
        CASE(test_columns_are_those_of_the_terminal),
        CASE(test_what_stands_before_stays),
        CASE(test_a_hang_that_is_reported),
        CASE(test_rows),
    };

    return cmocka_run_group_tests_name("cli/fold", tests, NULL, NULL);
}

#include "cli/term/source.h"

#include "case.h"

static void line_is(void **state, struct source_set *set, uint16_t number, uint32_t line,
                    const char *wanted)
{
    struct text text;

    assert_true(source_line(set, number, line, &text));
    assert_text(text, wanted);
}

static void test_numbers_count_from_one(void **state)
{
    struct source_set set;

    source_set_init(&set, *state);
    assert_null(source_name(&set, 1));
    assert_int_equal(source_set_next(&set), 1);
    for (uint16_t i = 1; i < 40; i++) {
        assert_int_equal(source_set_add(&set, "x", TEXT("")), i);
    }
    assert_string_equal(source_name(&set, 39), "x");
    assert_null(source_name(&set, 0));
    assert_null(source_name(&set, 40));
}

static void test_lines(void **state)
{
    struct source_set set;
    struct text text;

    source_set_init(&set, *state);
    source_set_add(&set, "a", TEXT("one\r\n\nthree\rstill three"));
    line_is(state, &set, 1, 1, "one");
    line_is(state, &set, 1, 2, "");
    line_is(state, &set, 1, 3, "three\rstill three"); /* for codec, a single CR is not a line end */
    assert_false(source_line(&set, 1, 4, &text));
    assert_false(source_line(&set, 1, 0, &text));
    assert_false(source_line(&set, 2, 1, &text));
    assert_false(source_line(&set, 0, 1, &text));
}

static void test_line_behind_the_last_line_end(void **state)
{
    struct source_set set;
    struct text text;

    source_set_init(&set, *state);
    source_set_add(&set, "a", TEXT("one\n"));
    line_is(state, &set, 1, 2, ""); /* the line of errors about an unexpected end of the text */
    assert_false(source_line(&set, 1, 3, &text));
}

static void test_empty_text_has_one_line(void **state)
{
    struct source_set set;

    source_set_init(&set, *state);
    source_set_add(&set, "a", TEXT(""));
    line_is(state, &set, 1, 1, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_numbers_count_from_one),
        CASE(test_lines),
        CASE(test_line_behind_the_last_line_end),
        CASE(test_empty_text_has_one_line),
    };

    return cmocka_run_group_tests_name("cli/source", tests, NULL, NULL);
}

#include "cli/term/style.h"

#include "case.h"

static const struct style_facts terminal = {
    .is_terminal = true, .columns = 100, .term = "xterm", .locale = "en_US.UTF-8"
};

static void test_colour_on_a_terminal(void **state)
{
    struct style_facts facts = terminal;

    (void)state;
    assert_true(style_decide(&facts).is_color);
    facts.term = "dumb";
    assert_false(style_decide(&facts).is_color);
    facts.term = NULL;
    assert_false(style_decide(&facts).is_color);
    facts = terminal;
    facts.is_terminal = false;
    assert_false(style_decide(&facts).is_color);
}

static void test_no_color_wins_over_force_and_the_flag_over_both(void **state)
{
    struct style_facts facts = terminal;

    (void)state;
    facts.no_color = "";
    assert_true(style_decide(&facts).is_color); /* an empty variable counts as unset */
    facts.no_color = "1";
    assert_false(style_decide(&facts).is_color);
    facts.clicolor_force = "1";
    assert_false(style_decide(&facts).is_color);
    facts.color_flag = "always";
    assert_true(style_decide(&facts).is_color);
    facts.color_flag = "auto";
    assert_false(style_decide(&facts).is_color);
    facts = terminal;
    facts.color_flag = "never";
    assert_false(style_decide(&facts).is_color);
}

static void test_force_off_a_terminal(void **state)
{
    struct style_facts facts = { .clicolor_force = "1" };

    (void)state;
    assert_true(style_decide(&facts).is_color);
    facts.clicolor_force = "0";
    assert_false(style_decide(&facts).is_color);
}

static void test_utf8_only_where_the_locale_says_so(void **state)
{
    struct style_facts facts = terminal;

    (void)state;
    assert_true(style_decide(&facts).is_utf8);
    facts.locale = "C.utf8";
    assert_true(style_decide(&facts).is_utf8);
    facts.locale = "C";
    assert_false(style_decide(&facts).is_utf8);
    facts.locale = NULL;
    assert_false(style_decide(&facts).is_utf8);
    facts = terminal;
    facts.is_ascii = true;
    assert_false(style_decide(&facts).is_utf8);
}

static void test_columns(void **state)
{
    struct style_facts facts = terminal;

    (void)state;
    assert_int_equal(style_decide(&facts).columns, 100);
    facts.columns = 0;
    assert_int_equal(style_decide(&facts).columns, 80);
    facts.columns_text = "132";
    assert_int_equal(style_decide(&facts).columns, 132);
    facts.columns_text = "none";
    assert_int_equal(style_decide(&facts).columns, 80);
    facts.columns_text = "-5";
    assert_int_equal(style_decide(&facts).columns, 80);
    facts.columns = 3;
    assert_int_equal(style_decide(&facts).columns, 20);
    facts.is_terminal = false;
    assert_int_equal(style_decide(&facts).columns, 0);
}

static void test_colours_are_written_only_with_colour(void **state)
{
    struct style with = { .is_color = true };
    struct style without = { 0 };
    struct buf buf;

    buf_init(&buf, *state);
    for (int color = 0; color < STYLE_COLOR_COUNT; color++) {
        style_add(&without, &buf, (enum style_color)color, "x");
    }
    assert_null(strchr(buf_text(&buf).data, '\x1b'));
    style_add(&with, &buf, STYLE_ERROR, "x");
    assert_non_null(strstr(buf_text(&buf).data, "\x1b[1;31mx\x1b[0m"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_colour_on_a_terminal),
        CASE(test_no_color_wins_over_force_and_the_flag_over_both),
        CASE(test_force_off_a_terminal),
        CASE(test_utf8_only_where_the_locale_says_so),
        CASE(test_columns),
        CASE(test_colours_are_written_only_with_colour),
    };

    return cmocka_run_group_tests_name("cli/style", tests, NULL, NULL);
}

#include "cli/term/report.h"

#include "case.h"
#include "cli/term/glyph.h"
#include "codec/doc.h"

static const struct style plain = { 0 };
static const struct style narrow = { .is_terminal = true, .columns = 40 };

struct reporting {
    struct source_set sources;
    struct err_list errors;
    struct report report;
};

static struct reporting *reporting_new(struct arena *arena, const struct style *style,
                                       struct text bytes)
{
    struct reporting *reporting = arena_one(arena, struct reporting);

    source_set_init(&reporting->sources, arena);
    source_set_add(&reporting->sources, "a.yaml", bytes);
    err_list_init(&reporting->errors, arena);
    reporting->report =
        (struct report){ .arena = arena, .sources = &reporting->sources, .style = style };
    return reporting;
}

static struct place at(uint32_t line, uint32_t column, uint32_t length)
{
    return (struct place){ .source = 1, .line = line, .column = column, .length = length };
}

static struct text report_text(struct reporting *reporting)
{
    struct buf buf;

    buf_init(&buf, reporting->report.arena);
    report_write(&reporting->report, &reporting->errors, &buf);
    return buf_text(&buf);
}

static void snippet_is(void **state, const struct style *style, struct text bytes,
                       struct place place, const char *wanted)
{
    struct reporting *reporting = reporting_new(*state, style, bytes);
    struct buf buf;

    buf_init(&buf, *state);
    report_write_snippet(&reporting->report, place, &buf);
    assert_text(buf_text(&buf), wanted);
}

static void test_whole_form(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT("name: x\nweb:\n  szie: 3\n"));
    struct err *err = err_list_set(&r->errors, at(3, 3, 4), CODE_R0301, "unknown field 'szie'");

    err_hint(err, "did you mean 'size'?");
    err_note(err, "the first one is here");
    err->note_place = at(1, 1, 4);
    assert_text(report_text(r), "a.yaml:3:3: error[R0301]: unknown field 'szie'\n"
                                "    2 | web:\n"
                                "    3 |   szie: 3\n"
                                "      |   ^^^^\n"
                                "   note: a.yaml:1:1: the first one is here\n"
                                "   hint: did you mean 'size'?\n");
}

static void test_error_without_a_place(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT(""));

    err_list_set(&r->errors, (struct place){ 0 }, CODE_R0001, "reeve has no verb 'x'");
    assert_text(report_text(r), "reeve: error[R0001]: reeve has no verb 'x'\n");
}

static void test_hint_of_several_lines_is_set_in(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT(""));

    err_hint(err_list_set(&r->errors, (struct place){ 0 }, CODE_R0001, "x"), "one\ntwo");
    assert_text(report_text(r), "reeve: error[R0001]: x\n   hint: one\n         two\n");
}

/* Messages are folded to the width. The quoted line of the file is cut, and never folded. */
static void test_a_narrow_terminal_folds_what_is_said(void **state)
{
    struct reporting *r = reporting_new(*state, &narrow, TEXT("name: x\nweb:\n  szie: 3\n"));
    struct err *err =
        err_list_set(&r->errors, at(3, 3, 4), CODE_R0301, "unknown field 'szie' in a group");

    err_hint(err, "did you mean 'size'? all fields are told by\nreeve explain cluster");
    assert_text(report_text(r), "a.yaml:3:3: error[R0301]: unknown field\n"
                                "    'szie' in a group\n"
                                "    2 | web:\n"
                                "    3 |   szie: 3\n"
                                "      |   ^^^^\n"
                                "   hint: did you mean 'size'? all fields\n"
                                "         are told by\n"
                                "         reeve explain cluster\n");
}

static void test_sorted_by_place_with_a_line_between(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT("a\nb\n"));

    err_list_set(&r->errors, at(2, 1, 1), CODE_R0301, "second");
    err_list_warn(&r->errors, at(1, 1, 1), CODE_R0302, "first");
    assert_text(report_text(r), "a.yaml:1:1: warning[R0302]: first\n"
                                "    1 | a\n"
                                "      | ^\n"
                                "\n"
                                "a.yaml:2:1: error[R0301]: second\n"
                                "    2 | b\n"
                                "      | ^\n");
}

static void test_sibling_before_is_not_shown(void **state)
{
    snippet_is(state, &plain, TEXT("  a: 1\n  b: 2\n"), at(2, 6, 1),
               "    2 |   b: 2\n"
               "      |      ^\n");
    snippet_is(state, &plain, TEXT("# remark\n  b: 2\n"), at(2, 6, 1),
               "    2 |   b: 2\n"
               "      |      ^\n");
}

static void test_tabs_move_both_lines_alike(void **state)
{
    snippet_is(state, &plain, TEXT("a:\t\tb: c"), at(1, 5, 1),
               "    1 | a:\t\tb: c\n"
               "      |   \t\t^\n");
}

static void test_wide_and_combining_letters(void **state)
{
    snippet_is(state, &plain, TEXT("東京: x"), at(1, 5, 1),
               "    1 | 東京: x\n"
               "      |       ^\n");
    snippet_is(state, &plain, TEXT("東京: x"), at(1, 1, 2),
               "    1 | 東京: x\n"
               "      | ^^^^\n");
    snippet_is(state, &plain, TEXT("e\xcc\x81: x"), at(1, 5, 1),
               "    1 | e\xcc\x81: x\n"
               "      |    ^\n");
}

static void test_control_characters_are_visible_and_counted(void **state)
{
    snippet_is(state, &plain, TEXT("a\x1b[0m: x"), at(1, 8, 1),
               "    1 | a\\x1b[0m: x\n"
               "      |           ^\n");
}

static void test_caret_behind_the_end(void **state)
{
    snippet_is(state, &plain, TEXT("a:"), at(1, 3, 1),
               "    1 | a:\n"
               "      |   ^\n");
    snippet_is(state, &plain, TEXT("a:"), at(1, 90, 4),
               "    1 | a:\n"
               "      |   ^\n");
    snippet_is(state, &plain, TEXT(""), at(1, 1, 0),
               "    1 | \n"
               "      | ^\n");
}

static void test_span_ends_with_its_line(void **state)
{
    snippet_is(state, &plain, TEXT("abc\ndef"), at(1, 2, 50),
               "    1 | abc\n"
               "      |  ^^\n");
}

static void test_long_line_is_a_window_around_the_caret(void **state)
{
    snippet_is(state, &narrow,
               TEXT("0123456789012345678901234567890123456789012345678901234567890"), at(1, 31, 2),
               "    1 | ...34567890123456789012345678...\n"
               "      |           ^^\n");
    snippet_is(state, &narrow,
               TEXT("0123456789012345678901234567890123456789012345678901234567890"), at(1, 1, 3),
               "    1 | 01234567890123456789012345678...\n"
               "      | ^^^\n");
    snippet_is(state, &narrow,
               TEXT("0123456789012345678901234567890123456789012345678901234567890"), at(1, 61, 1),
               "    1 | ...3456789012345678901234567890\n"
               "      |                               ^\n");
}

/* For every line and place, the output is not wider than the terminal, and the caret is visible. */
static void test_window_always_fits(void **state)
{
    struct text line =
        TEXT("ab東京\t\x1b cdefghijklmnopqrstuvwxyz東京東京東京東京東京東京東京東京!\t\t\t....."
             "....................................");

    for (uint32_t column = 1; column < 110; column++) {
        for (uint32_t length = 0; length < 120; length += 17) {
            struct reporting *r = reporting_new(*state, &narrow, line);
            struct text rest;
            struct buf buf;

            buf_init(&buf, *state);
            report_write_snippet(&r->report, at(1, column, length), &buf);
            rest = buf_text(&buf);
            assert_non_null(strchr(rest.data, '^'));
            while (rest.length > 0) {
                size_t end = text_find_byte(rest, '\n');

                assert_true(glyph_text_columns(text_slice(rest, 0, end)) <= 40);
                rest = text_slice(rest, end + 1, rest.length);
            }
        }
    }
}

static void test_twenty_are_shown_and_the_rest_counted(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT("x"));
    struct text text;

    for (int i = 0; i < 70; i++) {
        err_list_set(&r->errors, at(1, 1, 1), CODE_R0301, "error %d", i);
    }
    r->report.more = "reeve validate -o json";
    text = report_text(r);
    assert_non_null(strstr(text.data, "error 19\n"));
    assert_null(strstr(text.data, "error 20\n"));
    assert_non_null(
        strstr(text.data, "\n... and 50 more errors; reeve validate -o json shows the first 50\n"));
}

static void test_gcc_is_one_line_each(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT("x"));

    err_hint(err_list_set(&r->errors, at(1, 1, 1), CODE_R0301, "unknown"), "a hint");
    err_list_warn(&r->errors, at(1, 1, 1), CODE_R0302, "type");
    err_list_set(&r->errors, (struct place){ 0 }, CODE_R0011, "no file");
    r->report.format = REPORT_GCC;
    assert_text(report_text(r), "reeve: error: no file [R0011]\n"
                                "a.yaml:1:1: error: unknown [R0301]\n"
                                "a.yaml:1:1: warning: type [R0302]\n");
}

static void child_is(void **state, const struct doc *doc, const char *pointer, const char *wanted)
{
    const struct doc *child = doc_at(doc, text_from(pointer));

    assert_non_null(child);
    assert_text(child->text, wanted);
}

static void test_json_has_places_and_exit(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT("a: 1\nb: 2\n"));
    struct err *err = err_list_set(&r->errors, at(2, 1, 1), CODE_R0306, "set twice");
    struct doc doc;

    err_at(err, TEXT("b"));
    err_note(err, "first");
    err_hint(err, "keep one");
    err->note_place = at(1, 1, 1);
    report_problem(&r->report, &r->errors, &doc);
    child_is(state, &doc, "/type", "/errors/R0306");
    child_is(state, &doc, "/title", "same thing set twice");
    child_is(state, &doc, "/status", "422");
    child_is(state, &doc, "/code", "R0306");
    child_is(state, &doc, "/exit", "3");
    child_is(state, &doc, "/total", "1");
    child_is(state, &doc, "/errors/0/pointer", "/b");
    child_is(state, &doc, "/errors/0/file", "a.yaml");
    child_is(state, &doc, "/errors/0/line", "2");
    child_is(state, &doc, "/errors/0/column", "1");
    child_is(state, &doc, "/errors/0/length", "1");
    child_is(state, &doc, "/errors/0/severity", "error");
    child_is(state, &doc, "/errors/0/hint", "keep one");
    child_is(state, &doc, "/errors/0/note", "first");
    child_is(state, &doc, "/errors/0/noteAt/line", "1");
}

static void test_json_is_named_by_what_the_exit_code_comes_from(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT("a: 1\n"));
    struct doc doc;

    err_list_set(&r->errors, at(1, 1, 1), CODE_R0333, "unknown reference");
    err_list_set(&r->errors, (struct place){ 0 }, CODE_R0011, "no file");
    report_problem(&r->report, &r->errors, &doc);
    child_is(state, &doc, "/code", "R0011");
    child_is(state, &doc, "/exit", "1");
}

static void test_hostile_text_cannot_steer(void **state)
{
    struct reporting *r = reporting_new(*state, &plain, TEXT("x"));

    err_hint(err_list_set(&r->errors, at(1, 1, 1), CODE_R0301, "\x1b]0;title\a"), "\x1b[2J");
    assert_null(strchr(report_text(r).data, '\x1b'));
}

static void test_nothing_is_nothing(void **state)
{
    assert_text(report_text(reporting_new(*state, &plain, TEXT("x"))), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_whole_form),
        CASE(test_error_without_a_place),
        CASE(test_hint_of_several_lines_is_set_in),
        CASE(test_a_narrow_terminal_folds_what_is_said),
        CASE(test_sorted_by_place_with_a_line_between),
        CASE(test_sibling_before_is_not_shown),
        CASE(test_tabs_move_both_lines_alike),
        CASE(test_wide_and_combining_letters),
        CASE(test_control_characters_are_visible_and_counted),
        CASE(test_caret_behind_the_end),
        CASE(test_span_ends_with_its_line),
        CASE(test_long_line_is_a_window_around_the_caret),
        CASE(test_window_always_fits),
        CASE(test_twenty_are_shown_and_the_rest_counted),
        CASE(test_gcc_is_one_line_each),
        CASE(test_json_has_places_and_exit),
        CASE(test_json_is_named_by_what_the_exit_code_comes_from),
        CASE(test_hostile_text_cannot_steer),
        CASE(test_nothing_is_nothing),
    };

    return cmocka_run_group_tests_name("cli/report", tests, NULL, NULL);
}

#include "cli/term/output.h"

#include "case.h"
#include "codec/json.h"

static const struct output_column columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "SIZE", ".size", OUTPUT_KEEP, true },
    { "NOTE", ".note", OUTPUT_DROP, false },
    { "ZONES", ".zones", OUTPUT_WIDE, false },
};
static const struct output_view view = { "node/{cluster}/{name}", columns, 4 };
static const struct style pipe_style = { 0 };

static const char nodes[] =
    "[{\"cluster\":\"shop\",\"name\":\"web-0\",\"size\":3,\"note\":\"a, \\\"b\\\"\",\"zones\":[\"a\",\"b\"]},"
    "{\"cluster\":\"shop\",\"name\":\"db\",\"size\":12,\"note\":\"x|y\\tz\",\"facts\":{\"mem\":4}}]";

static struct text shown(struct arena *arena, const char *format, const char *cols,
                         const struct style *style, const char *json)
{
    struct source_set sources;
    struct output output;
    struct doc list;
    struct err err;
    struct buf buf;

    source_set_init(&sources, arena);
    buf_init(&buf, arena);
    assert_true(json_parse(arena, text_from(json), NULL, &list, &err));
    if (!output_parse(arena, format, cols, OUTPUT_TABLE, &view, &sources, &output, &err)) {
        fail_msg("%s: %s", format, err.text);
    }
    struct output_data data = { list.items, list.item_count, list.items, list.item_count };

    output_write(arena, &output, style, &data, &buf);
    return buf_text(&buf);
}

static void test_table(void **state)
{
    assert_text(shown(*state, NULL, NULL, &pipe_style, nodes), "NAME   SIZE  NOTE\n"
                                                               "web-0     3  a, \"b\"\n"
                                                               "db       12  x|y\tz\n");
}

static void test_wide_has_all_columns(void **state)
{
    struct text text = shown(*state, "wide", NULL, &pipe_style, nodes);

    assert_non_null(strstr(text.data, "ZONES\n"));
    assert_non_null(strstr(text.data, "a,b\n"));
    assert_non_null(strstr(text.data, "-\n")); /* the value is missing */
}

static void test_terminal_drops_then_cuts(void **state)
{
    struct style style = { .is_terminal = true, .columns = 16 };
    const char *json = "[{\"name\":\"web-0123456789\",\"size\":3,\"note\":\"long enough\"}]";

    assert_text(shown(*state, NULL, NULL, &style, json), "NAME        SIZE\n"
                                                         "web-0123..     3\n");
    style.is_utf8 = true;
    assert_text(shown(*state, NULL, NULL, &style, json), "NAME        SIZE\n"
                                                         "web-01234…     3\n");
    style.columns = 80;
    assert_text(shown(*state, NULL, NULL, &style, json), "NAME            SIZE  NOTE\n"
                                                         "web-0123456789     3  long enough\n");
}

static void test_hostile_cell_cannot_steer(void **state)
{
    struct text text =
        shown(*state, NULL, NULL, &pipe_style, "[{\"name\":\"\\u001b[2J\\n\",\"size\":1}]");

    assert_null(strchr(text.data, '\x1b'));
    assert_non_null(strstr(text.data, "\\x1b[2J\\x0a"));
}

static void test_name(void **state)
{
    assert_text(shown(*state, "name", NULL, &pipe_style, nodes), "node/shop/web-0\nnode/shop/db\n");
}

static void test_json_is_always_a_list(void **state)
{
    assert_text(shown(*state, "json", NULL, &pipe_style, "[]"), "[]\n");
    assert_text(shown(*state, "jsonl", NULL, &pipe_style, "[{\"a\":1},{\"b\":2}]"),
                "{\"a\":1}\n{\"b\":2}\n");
    assert_text(shown(*state, "jsonl", NULL, &pipe_style, "[]"), "");
    assert_text(shown(*state, "yaml", NULL, &pipe_style, "[{\"a\":1}]"), "- a: 1\n");
}

static void test_separated(void **state)
{
    assert_text(shown(*state, "csv", NULL, &pipe_style, nodes), "NAME,SIZE,NOTE,ZONES\n"
                                                                "web-0,3,\"a, \"\"b\"\"\",\"a,b\"\n"
                                                                "db,12,x|y\tz,\n");
    assert_text(shown(*state, "tsv", NULL, &pipe_style, nodes), "NAME\tSIZE\tNOTE\tZONES\n"
                                                                "web-0\t3\ta, \"b\"\ta,b\n"
                                                                "db\t12\tx|y\\tz\t\n");
    assert_text(shown(*state, "md", NULL, &pipe_style, nodes), "| NAME | SIZE | NOTE | ZONES |\n"
                                                               "|---|---:|---|---|\n"
                                                               "| web-0 | 3 | a, \"b\" | a,b |\n"
                                                               "| db | 12 | x\\|y\tz |  |\n");
    assert_text(shown(*state, "csv", NULL, &pipe_style, "[]"), "NAME,SIZE,NOTE,ZONES\n");
}

static void test_columns(void **state)
{
    assert_text(shown(*state, "cols=size,MEM:.facts.mem", NULL, &pipe_style, nodes),
                "SIZE  MEM\n   3  -\n  12  4\n");
    assert_text(shown(*state, "csv", "NAME,Z:.zones[?@ == 'b' || @ == 'c'],ALL:.zones[*]",
                      &pipe_style, nodes),
                "NAME,Z,ALL\nweb-0,b,\"a,b\"\ndb,,\n");
    assert_text(shown(*state, "table", "+MEM:.facts.mem", &pipe_style, "[{\"name\":\"x\"}]"),
                "NAME  SIZE  NOTE  MEM\nx        -  -     -\n");
}

static void test_path(void **state)
{
    assert_text(shown(*state, "path=$.name", NULL, &pipe_style, nodes), "web-0\ndb\n");
    assert_text(shown(*state, "path=.zones", NULL, &pipe_style, nodes), "[\"a\",\"b\"]\n");
    assert_text(shown(*state, "path=$.none", NULL, &pipe_style, nodes), "");
}

static void broken(void **state, const char *format, const char *cols, enum code code,
                   uint32_t column, uint32_t length)
{
    struct source_set sources;
    struct output output;
    struct err err = { 0 };

    source_set_init(&sources, *state);
    assert_false(output_parse(*state, format, cols, OUTPUT_TABLE, &view, &sources, &output, &err));
    assert_int_equal(err.code, code);
    assert_int_equal(err.place.source, format != NULL && cols != NULL ? 2 : 1);
    assert_int_equal(err.place.column, column);
    assert_int_equal(err.place.length, length);
}

static void test_carets_in_the_argument(void **state)
{
    broken(state, "path=$.a..b", NULL, CODE_R0008, 9, 2);
    broken(state, "path=", NULL, CODE_R0008, 6, 1);
    broken(state, "cols=NAME,SIEZ", NULL, CODE_R0004, 11, 4);
    broken(state, "cols=NAME,X:.a..b", NULL, CODE_R0008, 15, 2);
    broken(state, "cols=", NULL, CODE_R0004, 6, 1);
    broken(state, "cols=NAME,", NULL, CODE_R0004, 11, 1);
    broken(state, "cols=:.a", NULL, CODE_R0004, 6, 1);
    broken(state, "table", "NAEM", CODE_R0004, 1, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_table),
        CASE(test_wide_has_all_columns),
        CASE(test_terminal_drops_then_cuts),
        CASE(test_hostile_cell_cannot_steer),
        CASE(test_name),
        CASE(test_json_is_always_a_list),
        CASE(test_separated),
        CASE(test_columns),
        CASE(test_path),
        CASE(test_carets_in_the_argument),
    };

    return cmocka_run_group_tests_name("cli/output", tests, NULL, NULL);
}

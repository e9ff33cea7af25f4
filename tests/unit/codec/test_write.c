#include "codec.h"

static const char *written(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    yaml_format(&buf, doc);
    return buf_text(&buf).data;
}

static void canonical_json_has_one_form(void **state)
{
    static const char *const cases[][2] = {
        { "b: 1\na: [x, 'y']", "{\"a\":[\"x\",\"y\"],\"b\":1}" },
        { "{a: ~, b: Null, c:, d: ''}", "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"\"}" },
        { "[True, FALSE, true]", "[true,false,true]" },
        { "[0x1F, +1, .5, 007, 5., 0o17]", "[31,1,0.5,7,5.0,15]" },
        { "[.inf, -.INF, .nan]", "[\".inf\",\"-.INF\",\".nan\"]" },
        { "[1.10, '1.10', off]", "[1.10,\"1.10\",\"off\"]" },
        { "\"\\\" \\\\ \\b\\f\\n\\r\\t\\x01\\x1f \\x7f \\u00e9 /\"",
          "\"\\\" \\\\ \\b\\f\\n\\r\\t\\u0001\\u001f \x7f \xc3\xa9 /\"" },
        { "\"\\v\"", "\"\\u000b\"" },
        { "{\"a\\nb\": 1}", "{\"a\\nb\":1}" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc doc = yaml_read(arena, text_from(cases[i][0]));

        assert_string_equal(canonical(arena, &doc), cases[i][1]);
    }
}

static void json_for_people_has_one_entry_a_line(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(arena, TEXT("{a: [1, {b: x}], c: {}, d: []}"));
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    json_format_pretty(&buf, &doc);
    assert_string_equal(buf.data, "{\n"
                                  "  \"a\": [\n"
                                  "    1,\n"
                                  "    {\n"
                                  "      \"b\": \"x\"\n"
                                  "    }\n"
                                  "  ],\n"
                                  "  \"c\": {},\n"
                                  "  \"d\": []\n"
                                  "}\n");
}

static void yaml_is_written_as_people_write_it(void **state)
{
    static const char *const cases[][2] = {
        { "{}", "{}\n" },
        { "[]", "[]\n" },
        { "x", "x\n" },
        { "{a: {b: {c: 1}}}", "a:\n  b:\n    c: 1\n" },
        { "{a: [x, y], b: []}", "a:\n  - x\n  - y\nb: []\n" },
        { "[{a: 1, b: {c: 2}}, {}]", "- a: 1\n  b:\n    c: 2\n- {}\n" },
        { "[[1, [2]], []]", "- - 1\n  - - 2\n- []\n" },
        { "{a:, b: ~, c: [x, '']}", "a:\nb: ~\nc:\n  - x\n  - \"\"\n" },
        { "- x\n-\n", "- x\n-\n" },
        { "{version: 1.10, port: '80', off: off}", "off: off\nport: \"80\"\nversion: 1.10\n" },
        { "{\"a\": \"one\\ntwo\\n\"}", "a: |\n  one\n  two\n" },
        { "{\"a\": \"one\\n\\n  two\"}", "a: |-\n  one\n\n    two\n" },
        { "{\"a\": \"one\\n\\n\"}", "a: |+\n  one\n\n" },
        { "[\"one\\ntwo\"]", "- |-\n  one\n  two\n" },
        { "\"one\\ntwo\"", "|-\n  one\n  two\n" },
        { "{\"a\": \" one\\ntwo\"}", "a: \" one\\ntwo\"\n" },
        { "{\"a\": \"\\none\"}", "a: \"\\none\"\n" },
        { "{\"a\": \"one\\r\\ntwo\"}", "a: \"one\\r\\ntwo\"\n" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc doc = yaml_read(arena, text_from(cases[i][0]));

        assert_string_equal(written(arena, &doc), cases[i][1]);
    }
}

/* Texts and their representation in YAML. */
static void a_long_text_with_marks_is_read_back(void **state)
{
    static const char *const heads[] = { "!", "x !", "\x01!", "x!", "'\"!", "x\n!" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(heads); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc doc;
        struct doc read;
        struct buf buf;

        buf_init(&buf, arena);
        buf_add_string(&buf, heads[i]);
        for (size_t j = 0; j < 600; j++) {
            buf_add_string(&buf, "%41!\t");
        }
        doc = doc_text(buf_text(&buf), NULL);
        read = yaml_read(arena, text_from(written(arena, &doc)));
        assert_true(doc_is_equal(&doc, &read));
    }
}

static void texts_are_quoted_only_where_they_would_mean_something_else(void **state)
{
    static const char *const cases[][2] = {
        { "web", "web" },
        { "a b", "a b" },
        { "a:b", "a:b" },
        { "http://x/y", "http://x/y" },
        { "a#b", "a#b" },
        { "--flag", "--flag" },
        { "-x", "-x" },
        { "off", "off" },
        { "10MiB", "10MiB" },
        { "a, b [c]", "a, b [c]" },
        { "\xc3\xa9", "\xc3\xa9" },
        { "it's", "it's" },
        { "C:\\x", "C:\\x" },
        { "", "\"\"" },
        { "1", "\"1\"" },
        { "1.10", "\"1.10\"" },
        { "true", "\"true\"" },
        { "null", "\"null\"" },
        { "~", "\"~\"" },
        { "0x1F", "\"0x1F\"" },
        { ".inf", "\".inf\"" },
        { " a", "\" a\"" },
        { "a ", "\"a \"" },
        { "a: b", "\"a: b\"" },
        { "a:", "\"a:\"" },
        { "a #b", "\"a #b\"" },
        { "#b", "\"#b\"" },
        { "- a", "\"- a\"" },
        { "-", "\"-\"" },
        { "---", "\"---\"" },
        { "...", "\"...\"" },
        { "--- a", "\"--- a\"" },
        { "[a", "\"[a\"" },
        { "{a", "\"{a\"" },
        { "*a", "\"*a\"" },
        { "&a", "\"&a\"" },
        { "!a", "\"!a\"" },
        { "%a", "\"%a\"" },
        { "@a", "\"@a\"" },
        { "`a", "\"`a\"" },
        { "? a", "\"? a\"" },
        { ":a", "\":a\"" },
        { ",a", "\",a\"" },
        { "'a'", "\"'a'\"" },
        { "|", "\"|\"" },
        { ">", "\">\"" },
        { "\"a\"", "'\"a\"'" },
        { "\"it's\"", "'\"it''s\"'" },
        { ": \\", "': \\'" },
        { "a\tb", "\"a\\tb\"" },
        { "a\x01\x7f", "\"a\\x01\\x7f\"" },
        { "\"\x01\\", "\"\\\"\\x01\\\\\"" },
        { "\xc2\x85", "\"\\x85\"" },
        { "\xc2\xa0", "\"\\xa0\"" },
        { "\xe2\x80\xa8", "\"\\u2028\"" },
        { "\xef\xbb\xbf", "\"\\ufeff\"" },
        { "\b\f\r", "\"\\b\\f\\r\"" },
        { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc text = doc_text(text_from(cases[i][0]), NULL);
        struct doc list = doc_list(&text, 1, NULL);
        struct doc_entry entry = { .key = text_from(cases[i][0]), .value = doc_bool(true, NULL) };
        struct doc map = doc_map(&entry, 1, NULL);
        struct doc again;

        assert_string_equal(written(arena, &list), arena_printf(arena, "- %s\n", cases[i][1]).data);
        assert_string_equal(written(arena, &map),
                            arena_printf(arena, "%s: true\n", cases[i][1]).data);
        again = yaml_read(arena, text_from(written(arena, &list)));
        assert_true(doc_is_equal(&list, &again));
        again = yaml_read(arena, text_from(written(arena, &map)));
        assert_true(doc_is_equal(&map, &again));
        again = yaml_read(arena, text_from(written(arena, &text)));
        assert_true(doc_is_equal(&text, &again));
    }
}

static void a_merge_key_is_quoted_and_a_long_key_is_reported_apart(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    char key[1500];
    struct doc_entry entries[2] = { { .key = TEXT("<<"), .value = doc_bool(true, NULL) } };
    struct doc map;
    struct doc again;

    (void)state;
    memset(key, 'k', sizeof(key));
    entries[1].key = (struct text){ key, sizeof(key) };
    entries[1].value = doc_list(&entries[0].value, 1, NULL);
    map = doc_map(entries, 2, NULL);
    assert_memory_equal(written(arena, &map), "\"<<\": true\n? kkk", 16);
    again = yaml_read(arena, text_from(written(arena, &map)));
    assert_true(doc_is_equal(&map, &again));
    again = yaml_read(arena, text_from(written(arena, &again)));
    assert_true(doc_is_equal(&map, &again));
}

static void an_empty_scalar_alone_is_null(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc empty = { .kind = DOC_KIND_SCALAR, .style = DOC_STYLE_EMPTY };

    (void)state;
    assert_string_equal(written(arena, &empty), "null\n");
    assert_string_equal(canonical(arena, &empty), "null");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_json_has_one_form),
        cmocka_unit_test(json_for_people_has_one_entry_a_line),
        cmocka_unit_test(yaml_is_written_as_people_write_it),
        cmocka_unit_test(a_long_text_with_marks_is_read_back),
        cmocka_unit_test(texts_are_quoted_only_where_they_would_mean_something_else),
        cmocka_unit_test(a_merge_key_is_quoted_and_a_long_key_is_reported_apart),
        cmocka_unit_test(an_empty_scalar_alone_is_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

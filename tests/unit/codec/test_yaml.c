#include "codec.h"

static void documents_are_separated_and_empty_ones_left_out(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
    } cases[] = {
        { "", 0 },
        { "# nothing\n", 0 },
        { "---\n", 0 },
        { "---\n---\n...\n", 0 },
        { "a: 1", 1 },
        { "---\na: 1\n", 1 },
        { "a: 1\n---\nb: 2\n", 2 },
        { "a: 1\n...\n---\n# x\n---\n- 1\n", 2 },
        { "%YAML 1.2\n---\na: 1\n", 1 },
        { "%YAML 1.2 # x\n---\na: 1\n", 1 },
        { "\xef\xbb\xbf"
          "a: 1\n",
          1 },
        { "--- x\n--- y\n--- z\n", 3 },
        { "--- ''\n", 1 },
        { "1\n---\n2\n---\n3\n---\n4\n---\n5\n---\n6\n---\n7\n---\n8\n---\n9\n", 9 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct yaml_docs docs = { 0 };
        struct err err = { 0 };

        if (!yaml_parse(arena, text_from(cases[i].bytes), &file_origin, &docs, &err)) {
            fail_msg("%s: %u:%u: %s", cases[i].bytes, err.place.line, err.place.column, err.text);
        }
        assert_int_equal(docs.count, cases[i].count);
    }
}

static void spellings_are_kept(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(arena, TEXT("version: 1.10\nheal: off\nq: '1.10'\nhex: 0x1F\nn: ~\n"
                                           "none:\nblock: |-\n  1\nmany: 1\n  2\n"));
    static const struct {
        const char *key;
        const char *text;
        enum doc_style style;
    } cases[] = {
        { "version", "1.10", DOC_STYLE_PLAIN }, { "heal", "off", DOC_STYLE_PLAIN },
        { "q", "1.10", DOC_STYLE_QUOTED },      { "hex", "0x1F", DOC_STYLE_PLAIN },
        { "n", "~", DOC_STYLE_PLAIN },          { "none", "", DOC_STYLE_EMPTY },
        { "block", "1", DOC_STYLE_QUOTED },     { "many", "1 2", DOC_STYLE_PLAIN },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct doc *value = doc_child(&doc, cases[i].key);

        assert_text(value->text, cases[i].text);
        assert_int_equal(value->style, cases[i].style);
    }
}

static void keys_are_text_as_spelled(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(
        arena, TEXT("{null: a, 1: b, 01: c, true: d, ~: e, 1.0: f, '': g, \"a b\": h, '<<': i,"
                    " 99999999999999999999: j}"));

    (void)state;
    assert_string_equal(
        canonical(arena, &doc),
        "{\"\":\"g\",\"01\":\"c\",\"1\":\"b\",\"1.0\":\"f\",\"99999999999999999999\":\"j\","
        "\"<<\":\"i\",\"a b\":\"h\",\"null\":\"a\",\"true\":\"d\",\"~\":\"e\"}");
}

static void explicit_keys_are_read(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(arena, TEXT("? a\n: 1\n? b\n? |-\n  c\n: 2\n"));

    (void)state;
    assert_string_equal(canonical(arena, &doc), "{\"a\":1,\"b\":null,\"c\":2}");
}

static void json_is_yaml(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct text bytes =
        TEXT("{\n\t\"b\": [1, 2.50, true, null, \"\\u00e9\\/\\n\"],\n\t\"a\": {}\n}\n");
    struct doc json = json_read(arena, bytes);
    struct doc yaml = yaml_read(arena, bytes);

    (void)state;
    assert_true(doc_is_equal(&json, &yaml));
}

static void anchors_share_their_value(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(arena, TEXT("a: &x {b: 1}\nc: *x\nd: &y e\nf: [*y, *x]\n"
                                           "g: &x 2\nh: *x\n&k i: *k\nj: &z\nk: *z\n"));

    (void)state;
    assert_string_equal(canonical(arena, &doc),
                        "{\"a\":{\"b\":1},\"c\":{\"b\":1},\"d\":\"e\",\"f\":[\"e\",{\"b\":1}],"
                        "\"g\":2,\"h\":2,\"i\":\"i\",\"j\":null,\"k\":null}");
    assert_ptr_equal(doc_child(&doc, "a")->entries, doc_child(&doc, "c")->entries);
}

static void anchors_end_with_their_document(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_false(yaml_parse(arena, TEXT("a: &x 1\n---\nb: *x\n"), &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0112);
}

static void brackets_may_end_at_the_left(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(arena, TEXT("a: [\n  b,\n  c\n]\nd: {\n  e: 1\n}\n"));

    (void)state;
    assert_string_equal(canonical(arena, &doc), "{\"a\":[\"b\",\"c\"],\"d\":{\"e\":1}}");
}

/* Places of values by pointer; with `is_key`, the place of the key. */
static void everything_knows_its_place(void **state)
{
    static const char bytes[] = "# top\n"                    /* 1 */
                                "a: b c\n"                   /* 2 */
                                "\xc3\xa9: '\xe2\x82\xac'\n" /* 3 */
                                "list:\n"                    /* 4 */
                                "  - x\n"                    /* 5 */
                                "  -\n"                      /* 6 */
                                "  - {k: \"v\", l: [1]}\n"   /* 7 */
                                "  - - y\n"                  /* 8 */
                                "    - z: 1\n"               /* 9 */
                                "map:\n"                     /* 10 */
                                "  deep:\n"                  /* 11 */
                                "    none:\n"                /* 12 */
                                "block: |  # c\n"            /* 13 */
                                "  one\n"                    /* 14 */
                                "  two\n"                    /* 15 */
                                "long: first line\n"         /* 16 */
                                "  second\n"                 /* 17 */
                                "quoted: \"first\n"          /* 18 */
                                "  second\"\n"               /* 19 */
                                "flow: [a: b, c]\n"          /* 20 */
                                "&k anchored: &v w\n"        /* 21 */
                                "? explicit\n"               /* 22 */
                                ": value\n"                  /* 23 */
                                "next:\n"                    /* 24 */
                                "  >-\n"                     /* 25 */
                                "  text\n";                  /* 26 */
    static const struct {
        const char *pointer;
        bool is_key;
        uint32_t line;
        uint32_t column;
        uint32_t length;
    } cases[] = {
        { "", false, 2, 1, 1 },
        { "/a", true, 2, 1, 1 },
        { "/a", false, 2, 4, 3 },
        { "/\xc3\xa9", true, 3, 1, 1 },
        { "/\xc3\xa9", false, 3, 4, 3 },
        { "/list", false, 5, 3, 1 },
        { "/list", true, 4, 1, 4 },
        { "/list/0", false, 5, 5, 1 },
        { "/list/1", false, 6, 3, 1 },
        { "/list/2", false, 7, 5, 16 },
        { "/list/2/k", true, 7, 6, 1 },
        { "/list/2/k", false, 7, 9, 3 },
        { "/list/2/l", false, 7, 17, 3 },
        { "/list/2/l/0", false, 7, 18, 1 },
        { "/list/3", false, 8, 5, 1 },
        { "/list/3/0", false, 8, 7, 1 },
        { "/list/3/1", false, 9, 7, 1 },
        { "/list/3/1/z", false, 9, 10, 1 },
        { "/map", false, 11, 3, 4 },
        { "/map/deep", false, 12, 5, 4 },
        { "/map/deep/none", false, 12, 5, 4 },
        { "/block", false, 13, 8, 1 },
        { "/long", false, 16, 7, 10 },
        { "/quoted", false, 18, 9, 6 },
        { "/flow", false, 20, 7, 9 },
        { "/flow/0", false, 20, 8, 1 },
        { "/flow/0/a", false, 20, 11, 1 },
        { "/anchored", true, 21, 4, 8 },
        { "/anchored", false, 21, 17, 1 },
        { "/explicit", true, 22, 3, 8 },
        { "/explicit", false, 23, 3, 5 },
        { "/next", false, 25, 3, 1 },
    };
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(
        arena, arena_printf(arena, "%s", strcpy(arena_alloc(arena, sizeof(bytes)), bytes)));

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct text pointer = text_from(cases[i].pointer);
        const struct doc *value = doc_at(&doc, pointer);
        struct place place;

        assert_non_null(value);
        place = doc_place(value);
        if (cases[i].is_key) {
            size_t last = pointer.length;

            while (pointer.data[last - 1] != '/') {
                last--;
            }
            place = doc_key_place(doc_entry_find(doc_at(&doc, text_slice(pointer, 0, last - 1)),
                                                 text_slice(pointer, last, pointer.length)));
        }
        if (place.line != cases[i].line || place.column != cases[i].column ||
            place.length != cases[i].length) {
            fail_msg("%s %s: %u:%u+%u, not %u:%u+%u", cases[i].pointer,
                     cases[i].is_key ? "key" : "value", place.line, place.column, place.length,
                     cases[i].line, cases[i].column, cases[i].length);
        }
    }
}

static void windows_files_have_the_same_places(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(arena, TEXT("a: 1\r\nb:\r\n  - x\r\n  - y z\r\n"));

    (void)state;
    assert_string_equal(canonical(arena, &doc), "{\"a\":1,\"b\":[\"x\",\"y z\"]}");
    assert_int_equal(doc_place(doc_at(&doc, TEXT("/b/1"))).line, 4);
    assert_int_equal(doc_place(doc_at(&doc, TEXT("/b/1"))).column, 5);
    assert_int_equal(doc_place(doc_at(&doc, TEXT("/b/1"))).length, 3);
}

static void tolerant_reading_collects_what_it_can(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };
    struct err_list list;

    (void)state;
    err_list_init(&list, arena);
    assert_true(yaml_parse_tolerant(
        arena,
        TEXT(
            "a: 1\na: 2\nb: !!str 3\nc: 99999999999999999999\nd: !x [!y {e: 0xffffffffffffffffff}]\n"),
        &file_origin, &docs, &list, &err));
    assert_int_equal(list.errors, 6);
    assert_int_equal(docs.count, 1);
    assert_string_equal(canonical(arena, &docs.items[0]),
                        "{\"a\":1,\"b\":3,\"c\":99999999999999999999,"
                        "\"d\":[{\"e\":\"0xffffffffffffffffff\"}]}");
    assert_false(yaml_parse_tolerant(arena, TEXT("a: [1"), &file_origin, &docs, &list, &err));
    assert_int_equal(err.code, CODE_R0122);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_separated_and_empty_ones_left_out),
        cmocka_unit_test(spellings_are_kept),
        cmocka_unit_test(keys_are_text_as_spelled),
        cmocka_unit_test(explicit_keys_are_read),
        cmocka_unit_test(json_is_yaml),
        cmocka_unit_test(anchors_share_their_value),
        cmocka_unit_test(anchors_end_with_their_document),
        cmocka_unit_test(brackets_may_end_at_the_left),
        cmocka_unit_test(everything_knows_its_place),
        cmocka_unit_test(windows_files_have_the_same_places),
        cmocka_unit_test(tolerant_reading_collects_what_it_can),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

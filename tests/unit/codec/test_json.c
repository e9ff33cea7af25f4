#include "codec.h"

static bool parse_json(struct arena *arena, struct text bytes, struct err *err)
{
    struct doc doc = { .line = 77 };
    bool is_read = json_parse(arena, bytes, &file_origin, &doc, err);

    assert_true(is_read || doc.line == 77); /* outputs are not changed on failure */
    return is_read;
}

static void values_keep_their_spelling(void **state)
{
    static const char *const cases[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.10",
        "1e5",
        "1E+05",
        "-1.5e-300",
        "9223372036854775807",
        "-9223372036854775808",
        "1e400",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[1,[2,[]],{}]",
        "{\"\":1,\"a\":{\"b\":[null]}}",
        "123456789012345678901234567890.0",
        "0.1000000000000000055511151231257827",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc doc = json_read(arena, text_from(cases[i]));

        assert_string_equal(canonical(arena, &doc), cases[i]);
    }
}

static void blanks_may_stand_everywhere(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = json_read(arena, TEXT("\r\n\t { \"b\" : [ 1 , 2 ] , \"a\" : { } } \n"));

    (void)state;
    assert_string_equal(canonical(arena, &doc), "{\"a\":{},\"b\":[1,2]}");
}

static void escapes_are_resolved(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = json_read(
        arena,
        TEXT(
            "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00x\", \"\\u001f\"]"));

    (void)state;
    assert_text(doc.items[0].text, "\"\\/\b\f\n\r\t");
    assert_text(doc.items[1].text, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80x");
    assert_text(doc.items[2].text, "\x1f");
}

static void strings_without_escapes_borrow_from_the_bytes(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct text bytes = TEXT("[\"abc\", 12]");
    struct doc doc = json_read(arena, bytes);

    (void)state;
    assert_ptr_equal(doc.items[0].text.data, bytes.data + 2);
    assert_ptr_equal(doc.items[1].text.data, bytes.data + 8);
}

/* ---- records ---- */

static bool is_same_tree(const struct doc *a, const struct doc *b)
{
    if (a->kind != b->kind || a->style != b->style || a->origin != b->origin) {
        return false;
    }
    for (size_t i = 0; doc_is_list(a) && i < a->item_count; i++) {
        if (i >= b->item_count || !is_same_tree(&a->items[i], &b->items[i])) {
            return false;
        }
    }
    for (size_t i = 0; doc_is_map(a) && i < a->entry_count; i++) {
        if (i >= b->entry_count || !text_is_equal(a->entries[i].key, b->entries[i].key) ||
            !is_same_tree(&a->entries[i].value, &b->entries[i].value)) {
            return false;
        }
    }
    return doc_is_scalar(a) ? text_is_equal(a->text, b->text)
                            /* entries and items are in one union */
                            : a->entry_count == b->entry_count;
}

static void records_read_as_the_same_trees(void **state)
{
    static const char *const cases[] = {
        "null",
        "-7",
        "0",
        "\"\"",
        "[]",
        "{}",
        "[[],{}]",
        "{\"\":1,\"a\":[true,false,null]}",
        "{\"aaaaaaaaaaaaaaaa\":\"bbbbbbbbbbbbbbbbb\",\"c\":{\"d\":\"12345678\"}}",
        /* unusual but valid texts */
        "1.5",
        "-0",
        "1e5",
        "999999999999999999",
        "9223372036854775807",
        "\"a\\nb\"",
        "{\"a\":\"\xc3\xa9 and more\"}",
        "{\"b\":1,\"a\":2}",
        " [1, 2]\n",
        "{\"a\\u0041\":1}",
        /* invalid texts */
        "",
        "{",
        "[1",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{\"a\":1 \"b\":2}",
        "01",
        "-",
        "tru",
        "[1]]",
        "{\"a\":1,\"a\":2}",
        "\"abc",
        "\"abcdefgh",
        "\"a\tb\"",
        "\"\xff\"",
        "{a:1}",
        "99999999999999999999",
    };
    static const struct origin origin = { .kind = ORIGIN_GROUP };
    unsigned read = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc slow = { 0 };
        struct doc fast = { .line = 77 };
        struct err slow_err = { 0 };
        struct err err = { 0 };
        bool is_read = json_parse(arena, text_from(cases[i]), &origin, &slow, &slow_err);

        assert_int_equal(json_parse_record(arena, text_from(cases[i]), &origin, &fast, &err),
                         is_read);
        assert_true(is_read ? is_same_tree(&slow, &fast) : fast.line == 77);
        assert_string_equal(err.text, slow_err.text);
        read += is_read;
    }
    assert_int_equal(read, 19);
}

static void records_are_read_however_wide_and_deep(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc slow;
    struct doc fast;
    struct buf buf;
    struct err err;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, "[");
    for (int i = 0; i < 1000; i++) {
        buf_printf(&buf, "%s{\"n\":%d}", i == 0 ? "" : ",", i);
    }
    buf_add_string(&buf, "]");
    assert_true(json_parse(arena, buf_text(&buf), NULL, &slow, &err));
    assert_true(json_parse_record(arena, buf_text(&buf), NULL, &fast, &err));
    assert_true(is_same_tree(&slow, &fast));
    for (size_t depth = LIMIT_DOCUMENT_DEPTH; depth <= LIMIT_DOCUMENT_DEPTH + 1; depth++) {
        buf_init(&buf, arena);
        buf_add_bytes(&buf, '[', depth);
        buf_add_bytes(&buf, ']', depth);
        assert_int_equal(json_parse_record(arena, buf_text(&buf), NULL, &fast, &err),
                         depth <= LIMIT_DOCUMENT_DEPTH);
    }
    assert_int_equal(err.code, CODE_R0107);
}

/* Documents that reeve has written are parsed by the fast parser. It sets no places, by which this
 * test recognizes it. */
static void what_was_written_is_read_fast(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc;
    struct err err;

    (void)state;
    assert_true(
        json_parse_record(arena, TEXT("{\"a\":{\"b\":[1,\"x\"]},\"c\":null}"), NULL, &doc, &err));
    assert_int_equal(doc.line, 0);
    assert_true(json_parse_record(arena, TEXT("{\"a\":1.5}"), NULL, &doc, &err));
    assert_int_equal(doc.line, 1);
}

static void keys_are_sorted_and_styles_are_kept(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = json_read(arena, TEXT("{\"c\":\"1\",\"a\":1,\"b\":null,\"aa\":0}"));

    (void)state;
    assert_int_equal(doc.entry_count, 4);
    assert_text(doc.entries[0].key, "a");
    assert_text(doc.entries[1].key, "aa");
    assert_text(doc.entries[2].key, "b");
    assert_text(doc.entries[3].key, "c");
    assert_int_equal(doc.entries[3].value.style, DOC_STYLE_QUOTED);
    assert_int_equal(doc.entries[0].value.style, DOC_STYLE_PLAIN);
    assert_ptr_equal(doc.origin, &file_origin);
    assert_ptr_equal(doc.entries[0].value.origin, &file_origin);
}

static void everything_knows_its_place(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc =
        json_read(arena, TEXT("{ \"\xc3\xa9\": \"\xe2\x82\xac\", \"n\":\n  [ -12, true,\n{}] }"));
    const struct doc_entry *n = &doc.entries[0];
    const struct doc_entry *e = &doc.entries[1];
    static const struct place places[] = {
        { 1, 1, 1, 1 },  { 1, 8, 3, 1 }, { 2, 3, 1, 1 }, { 2, 5, 3, 1 },
        { 2, 10, 4, 1 }, { 3, 1, 2, 1 }, { 1, 3, 3, 1 }, { 1, 13, 3, 1 },
    };
    struct place seen[8];

    (void)state;
    seen[0] = doc_place(&doc);
    seen[1] = doc_place(&e->value);
    seen[2] = doc_place(&n->value);
    seen[3] = doc_place(&n->value.items[0]);
    seen[4] = doc_place(&n->value.items[1]);
    seen[5] = doc_place(&n->value.items[2]);
    seen[6] = doc_key_place(e);
    seen[7] = doc_key_place(n);
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        assert_int_equal(place_compare(seen[i], places[i]), 0);
        assert_int_equal(seen[i].length, places[i].length);
    }
}

static void without_an_origin_nothing_has_a_place(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_true(json_parse(arena, TEXT("[1]"), NULL, &doc, &err));
    assert_false(place_is_known(doc_place(&doc)));
    assert_false(json_parse(arena, TEXT("[1"), NULL, &doc, &err));
    assert_false(place_is_known(err.place));
}

static void every_fault_has_its_code_place_and_words(void **state)
{
    static const struct refusal refusals[] = {
        { "", CODE_R0101, 1, 1, 1, "expected a value, found the end of the text", "" },
        { " \n ", CODE_R0101, 2, 2, 1, "expected a value, found the end of the text", "" },
        { "nul", CODE_R0101, 1, 1, 1, "expected a value, found 'nul'", "" },
        { "[1,]", CODE_R0101, 1, 4, 1, "expected a value, found ']'", NULL },
        { "{\"a\":1,}", CODE_R0101, 1, 8, 1, "expected a key in double quotes, found '}'", NULL },
        { "{,}", CODE_R0101, 1, 2, 1, "expected a key or '}', found ','", NULL },
        { "{a:1}", CODE_R0101, 1, 2, 1, "expected a key or '}', found 'a'", NULL },
        { "{\"a\" 1}", CODE_R0101, 1, 6, 1, "expected ':' after the key, found '1'", NULL },
        { "[1 2]", CODE_R0101, 1, 4, 1, "expected ',' or ']', found '2'", NULL },
        { "{\"a\":1 \"b\"}", CODE_R0101, 1, 8, 1, "expected ',' or '}', found '\"'", NULL },
        { "[1] x", CODE_R0101, 1, 5, 1, "expected the end of the text, found 'x'", NULL },
        { "['a']", CODE_R0101, 1, 2, 1, "expected a value, found a single quote", NULL },
        { "[True]", CODE_R0101, 1, 2, 1, "expected a value, found 'True'", NULL },
        { "// x", CODE_R0101, 1, 1, 1, "expected a value, found '/'", NULL },
        { "\xef\xbb\xbf{}", CODE_R0101, 1, 1, 1, NULL, NULL },
        { "012", CODE_R0101, 1, 1, 1, "expected a number without leading zeros, found '012'",
          NULL },
        { "-", CODE_R0101, 1, 2, 1, "expected a digit after '-', found the end of the text", NULL },
        { "-a", CODE_R0101, 1, 2, 1, "expected a digit after '-', found 'a'", NULL },
        { "+1", CODE_R0101, 1, 1, 1, "expected a value, found '+1'", NULL },
        { "1.", CODE_R0101, 1, 3, 1, "expected a digit after the point, found the end of the text",
          NULL },
        { ".5", CODE_R0101, 1, 1, 1, "expected a value, found '.5'", NULL },
        { "[1e+]", CODE_R0101, 1, 5, 1, "expected a digit in the exponent, found ']'", NULL },
        { "[1e]", CODE_R0101, 1, 4, 1, "expected a digit in the exponent, found ']'", NULL },
        { "[\"a\x01\"]", CODE_R0101, 1, 4, 1,
          "expected text in the string, found the control character U+0001", NULL },
        { "[\"a\tb\"]", CODE_R0101, 1, 4, 1, "expected text in the string, found a tab", NULL },
        { "{\"a\":1,\"b\":2,\n \"a\":3}", CODE_R0102, 2, 2, 3,
          "key 'a' appears twice in the same map", "/a" },
        { "[{\"x\":{\"b\":1,\"a\":1,\"a\":2,\"b\":3}}]", CODE_R0102, 1, 20, 3,
          "key 'a' appears twice in the same map", "/0/x/a" },
        { "[\"\xff\"]", CODE_R0103, 1, 3, 1, "expected UTF-8, found the byte 0xFF", NULL },
        { "[\n\"\xed\xa0\x80\"]", CODE_R0103, 2, 2, 1, "expected UTF-8, found the byte 0xED",
          NULL },
        { "\"\\ud800\"", CODE_R0103, 1, 2, 6,
          "expected two halves of a surrogate pair, found only '\\ud800'", NULL },
        { "\"\\ud800x\"", CODE_R0103, 1, 2, 6, NULL, NULL },
        { "\"\\ud800\\n      \"", CODE_R0103, 1, 2, 6, NULL, NULL },
        { "\"\\ud800\\ud800\"", CODE_R0103, 1, 2, 6, NULL, NULL },
        { "\"\\udc00\\udc00\"", CODE_R0103, 1, 2, 6, NULL, NULL },
        { "\"\\ud800\\uzzzz\"", CODE_R0103, 1, 2, 6, NULL, NULL },
        { "\"\\u0000\"", CODE_R0104, 1, 2, 6,
          "expected text in the string, found the NUL character '\\u0000'", NULL },
        { "{\"a\\u0000\":1}", CODE_R0104, 1, 4, 6, NULL, NULL },
        { "[9223372036854775808]", CODE_R0105, 1, 2, 19,
          "expected an integer of 64 bits, found '9223372036854775808'", "/0" },
        { "{\"a\":-9223372036854775809}", CODE_R0105, 1, 6, 20, NULL, "/a" },
        { "[1,2", CODE_R0122, 1, 5, 1, "expected ',' or ']', found the end of the text", NULL },
        { "{\"a\":", CODE_R0122, 1, 6, 1, "expected a value, found the end of the text", NULL },
        { "[1}", CODE_R0122, 1, 3, 1, "expected ',' or ']', found '}'", NULL },
        { "{\"a\":1]", CODE_R0122, 1, 7, 1, "expected ',' or '}', found ']'", NULL },
        { "\"abc", CODE_R0123, 1, 1, 4,
          "expected '\"' that closes the string before the end of the line", NULL },
        { "[\"ab\ncd\"]", CODE_R0123, 1, 2, 3, NULL, NULL },
        { "\"ab\\", CODE_R0123, 1, 1, 4, NULL, NULL },
        { "\"ab\\\"", CODE_R0123, 1, 1, 5, NULL, NULL },
        { "\"\\x\"", CODE_R0124, 1, 2, 2, "expected an escape such as \\n or \\u00e9, found '\\x'",
          NULL },
        { "\"\\\xc3\xa9\"", CODE_R0124, 1, 2, 2, NULL, NULL },
        { "\"\\u12\"", CODE_R0124, 1, 2, 2, NULL, NULL },
        { "\"\\u12g4\"", CODE_R0124, 1, 2, 2, NULL, NULL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(refusals); i++) {
        check_refusal(parse_json, text_from(refusals[i].bytes), &refusals[i]);
    }
}

static void nul_bytes_are_refused_wherever_they_stand(void **state)
{
    static const struct refusal refusal = { "", CODE_R0104, 1,
                                            3,  1,          "expected text, found a NUL byte",
                                            "" };

    (void)state;
    check_refusal(parse_json, TEXT("[1\0]"), &refusal);
    check_refusal(parse_json, TEXT("[\"\0\"]"), &refusal);
    check_refusal(parse_json, TEXT("[]\0"), &refusal);
}

static void hints_say_what_to_write(void **state)
{
    static const char *const cases[][2] = {
        { "['a']", "strings are in double quotes in JSON" },
        { "# x", "JSON has no comments; YAML has: name the file .yaml" },
        { "[None]", "JSON writes null" },
        { "[False]", "JSON writes false" },
        { "[1,]", "remove the comma before it" },
        { "{\"a\":1,}", "remove the comma before it" },
        { "[,1]", "remove the comma" },
        { "{a:1}", "JSON needs double quotes around keys and strings" },
        { "012", "put it in quotes if it is not a quantity" },
        { "\"\\x\"", "write \\\\ for a backslash" },
        { "\"\t\"", "write it as \\t" },
        { "\"\x01\"", "write it as \\u0001" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct err err = { 0 };

        assert_false(parse_json(arena, text_from(cases[i][0]), &err));
        assert_string_equal(err.hint, cases[i][1]);
    }
}

static void notes_point_to_the_other_end(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct err err = { 0 };

    (void)state;
    assert_false(parse_json(arena, TEXT("{\"a\":\n [1,\n 2"), &err));
    assert_string_equal(err.note, "the '[' in line 2 is not closed");
    assert_int_equal(err.note_place.line, 2);
    assert_int_equal(err.note_place.column, 2);
    assert_false(parse_json(arena, TEXT("{\"a\":1,\n\"a\":2,\"a\":3}"), &err));
    assert_string_equal(err.note, "the first one is in line 1");
    assert_int_equal(err.place.line, 2);
    assert_int_equal(err.place.column, 1);
    assert_int_equal(err.note_place.line, 1);
    assert_int_equal(err.note_place.column, 2);
}

static void tolerant_reading_collects_doubles_and_goes_on(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = { 0 };
    struct err err = { 0 };
    struct err_list list;

    (void)state;
    err_list_init(&list, arena);
    assert_true(json_parse_tolerant(arena, TEXT("{\"a\":1,\"a\":2,\"b\":{\"c\":1,\"c\":2}}"),
                                    &file_origin, &doc, &list, &err));
    assert_int_equal(list.errors, 2);
    assert_string_equal(canonical(arena, &doc), "{\"a\":1,\"b\":{\"c\":1}}");
    assert_false(json_parse_tolerant(arena, TEXT("[1"), &file_origin, &doc, &list, &err));
    assert_int_equal(list.errors, 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_keep_their_spelling),
        cmocka_unit_test(blanks_may_stand_everywhere),
        cmocka_unit_test(escapes_are_resolved),
        cmocka_unit_test(strings_without_escapes_borrow_from_the_bytes),
        cmocka_unit_test(records_read_as_the_same_trees),
        cmocka_unit_test(records_are_read_however_wide_and_deep),
        cmocka_unit_test(what_was_written_is_read_fast),
        cmocka_unit_test(keys_are_sorted_and_styles_are_kept),
        cmocka_unit_test(everything_knows_its_place),
        cmocka_unit_test(without_an_origin_nothing_has_a_place),
        cmocka_unit_test(every_fault_has_its_code_place_and_words),
        cmocka_unit_test(nul_bytes_are_refused_wherever_they_stand),
        cmocka_unit_test(hints_say_what_to_write),
        cmocka_unit_test(notes_point_to_the_other_end),
        cmocka_unit_test(tolerant_reading_collects_doubles_and_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

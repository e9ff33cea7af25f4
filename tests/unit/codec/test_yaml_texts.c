/* The value of texts with quotes, escapes, folding and blocks. */
#include "codec/yaml_block.h"
#include "codec/yaml_quoted.h"
#include "codec/yaml_scan.h"

#include "codec.h"

/* Checks the text at the key `a`, or in the first item of a list. */
static void check_text(const char *yaml, const char *expected)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = yaml_read(arena, text_from(yaml));
    const struct doc *value = doc_is_list(&doc) ? &doc.items[0] : doc_child(&doc, "a");
    struct text text;

    assert_non_null(value);
    while (!doc_is_scalar(value)) {
        value = doc_is_list(value) ? &value->items[0] : &value->entries[0].value;
    }
    text = value->text;
    if (!text_is(text, expected)) {
        fail_msg("%s\n    is '%.*s', not '%s'", yaml, TEXT_ARG(text), expected);
    }
}

static void plain_texts_fold(void **state)
{
    (void)state;
    check_text("a: b c  # d", "b c");
    check_text("a: b\n  c", "b c");
    check_text("a: b  \n\n\n  c\n   d ", "b\n\nc d");
    check_text("a:\n  b\n  - c", "b - c");
    check_text("a: b\r\n  c\r\n\r\n  d\r\n", "b c\nd");
    check_text("a: [b\n c, d]", "b c");
    check_text("a: it's \"so\"", "it's \"so\"");
    check_text("a: x:y#z", "x:y#z");
}

static void single_quotes_keep_everything_but_doubled_quotes(void **state)
{
    (void)state;
    check_text("a: ''", "");
    check_text("a: 'b'", "b");
    check_text("a: ' b '", " b ");
    check_text("a: 'it''s'", "it's");
    check_text("a: 'b''''c'", "b''c"); /* libfyaml 0.7.12 wrongly returns b''' */
    check_text("a: ''''''", "''");
    check_text("a: '\\n \"'", "\\n \"");
    check_text("a: 'b\n  c'", "b c");
    check_text("a: 'b  \n\n  c'", "b\nc");
    check_text("a: ' \n  b'", " b");
    check_text("a: 'it''s\n\n\n  so '", "it's\n\nso ");
    check_text("['b\n c']", "b c");
}

static void double_quotes_have_escapes(void **state)
{
    (void)state;
    check_text("a: \"\"", "");
    check_text("a: \" b \"", " b ");
    check_text("a: \"\\a\\b\\t\\n\\v\\f\\r\\e\\ \\\"\\/\\\\\"", "\a\b\t\n\v\f\r\x1b \"/\\");
    check_text("a: \"\\\t\"", "\t");
    check_text("a: \"\\N\\_\\L\\P\"", "\xc2\x85\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9");
    check_text("a: \"\\x41\\u00e9\\U0001F600\"", "A\xc3\xa9\xf0\x9f\x98\x80");
    check_text("a: \"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
    check_text("a: \"b\n  c\"", "b c");
    check_text("a: \"b  \n\n\n  c\"", "b\n\nc");
    check_text("a: \"b \\\n   c\"", "b c");
    check_text("a: \"b \\\n\n   c\"", "b \nc");
    check_text("a: \"b\\\n  \\ c\"", "b c");
    check_text("a: \"b \\t\n  c\"", "b \t c");
    check_text("a: \"b\n\"", "b ");
    check_text("a: \"b\r\n  c\r\n\r\n  d\"", "b c\nd");
    check_text("a: \"\\L\\L\\L\\L\"", "\xe2\x80\xa8\xe2\x80\xa8\xe2\x80\xa8\xe2\x80\xa8");
}

static void literal_blocks_keep_their_lines(void **state)
{
    (void)state;
    check_text("a: |\n  b\n  c\n", "b\nc\n");
    check_text("a: |\n  b\n  c", "b\nc");
    check_text("a: |-\n  b\n\n\n", "b");
    check_text("a: |+\n  b\n\n\n", "b\n\n\n");
    check_text("a: |\n  b\n\n\n", "b\n");
    check_text("a: |\n\n  b\n", "\nb\n");
    check_text("a: |\n  b\n\n    c\n  d\n", "b\n\n  c\nd\n");
    check_text("a: |\n  b  \n  \n   \n  c\n", "b  \n\n \nc\n");
    check_text("a: |1\n  b\n c\n", " b\nc\n");
    check_text("a: |-1\n  b\n", " b");
    check_text("a: |1-\n  b\n", " b");
    check_text("a:\n  b: |2\n     c\n    d\n", " c\nd\n");
    check_text("- - |1\n    b\n   c\n", " b\nc\n");
    check_text("a: |  # why\n  # b\n", "# b\n");
    check_text("a: |\n  \tb\n", "\tb\n");
    check_text("a: |\r\n  b\r\n  c\r\n", "b\nc\n");
    check_text("a: |\nb: c", "");
    check_text("a: |+\n\n\nb: c", "\n\n");
    check_text("a: |", "");
    check_text("a: >", "");
    check_text("- |\n b\n- c", "b\n");
    check_text("a:\n- |\n  b\n", "b\n");
    check_text("- &x |\n  b\n", "b\n");
    check_text("a:\n  |\n  b\n", "b\n");
    check_text("&x a: |1\n  b\n c", " b\nc");
}

static void folded_blocks_join_lines(void **state)
{
    (void)state;
    check_text("a: >\n  b\n  c\n", "b c\n");
    check_text("a: >-\n  b\n\n  c\n\n\n  d\n", "b\nc\n\nd");
    check_text("a: >\n  b\n    c\n    d\n  e\n", "b\n  c\n  d\ne\n");
    check_text("a: >\n  b\n\n    c\n\n  d\n", "b\n\n  c\n\nd\n");
    check_text("a: >\n\n  b\n  c\n", "\nb c\n");
    check_text("a: >+\n  b\n\n", "b\n\n");
    check_text("a: >\n  b\n  \tc\n  d\n", "b\n\tc\nd\n");
    check_text("a: >\n  \xe2\x80\xa8"
               "b\n  c\xc2\x85\n  d\n",
               "\xe2\x80\xa8"
               "b c\xc2\x85 d\n"); /* these are not line breaks since YAML 1.2 */
}

static void one_line_is_borrowed_and_several_are_copied(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct text bytes = TEXT("a: b c\nd: 'e'\nf: \"g\"\nh: i\n  j\n");
    struct doc doc = yaml_read(arena, bytes);

    (void)state;
    assert_ptr_equal(doc.entries[0].key.data, bytes.data);
    assert_ptr_equal(doc_child(&doc, "a")->text.data, bytes.data + 3);
    assert_ptr_equal(doc_child(&doc, "d")->text.data, bytes.data + 11);
    assert_ptr_equal(doc_child(&doc, "f")->text.data, bytes.data + 18);
    assert_true(doc_child(&doc, "h")->text.data < bytes.data ||
                doc_child(&doc, "h")->text.data > bytes.data + bytes.length);
}

static void headers_of_blocks_are_found(void **state)
{
    static const struct {
        const char *bytes;
        size_t after;
        size_t start;
        size_t offset; /* offset of the fault; SIZE_MAX: none */
    } cases[] = {
        { "a: |\n  b", 1, 5, 3 },
        { "a: |\n  b", 1, 7, 3 },
        { "a: >", 1, 4, 3 },
        { "a|b: |\n  c", 3, 7, 5 },
        { "a: |- # c | \n b", 1, 13, 3 },
        { "a: |2+\r\n b", 1, 8, 3 },
        { "a: |x\n b", 1, 6, SIZE_MAX },
        { "a: b\n c", 1, 5, SIZE_MAX },
        { "|", 0, 1, 0 },
        { "", 0, 0, SIZE_MAX },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_true(yaml_find_block_header(text_from(cases[i].bytes), cases[i].after,
                                           cases[i].start) == cases[i].offset);
    }
}

static void indicators_are_found_over_comments(void **state)
{
    (void)state;
    assert_int_equal(yaml_find_indicator(TEXT("a # - x\n  -"), 1, "-"), 10);
    assert_true(yaml_find_indicator(TEXT("a b -"), 1, "-") == SIZE_MAX);
    assert_true(yaml_find_indicator(TEXT("a #"), 1, "-") == SIZE_MAX);
    assert_int_equal(yaml_find_tag(TEXT("a\n !x b"), 6), 3);
    assert_int_equal(yaml_find_tag(TEXT("a\n x"), 4), 2);
    assert_int_equal(yaml_find_indent(TEXT("x\n  a: b"), 4), 2);
    assert_int_equal(yaml_find_indent(TEXT("  &x a: b"), 5), 2);
    assert_int_equal(yaml_find_indent(TEXT("- &x a: b"), 5), 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_texts_fold),
        cmocka_unit_test(single_quotes_keep_everything_but_doubled_quotes),
        cmocka_unit_test(double_quotes_have_escapes),
        cmocka_unit_test(literal_blocks_keep_their_lines),
        cmocka_unit_test(folded_blocks_join_lines),
        cmocka_unit_test(one_line_is_borrowed_and_several_are_copied),
        cmocka_unit_test(headers_of_blocks_are_found),
        cmocka_unit_test(indicators_are_found_over_comments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every fault of a YAML text: its code, its place, and its message. */
#include "codec.h"

static bool parse_yaml(struct arena *arena, struct text bytes, struct err *err)
{
    struct yaml_docs docs = { .count = 77 };
    bool is_read = yaml_parse(arena, bytes, &file_origin, &docs, err);

    assert_true(is_read || docs.count == 77); /* outputs are not changed on failure */
    return is_read;
}

static const struct refusal refusals[] = {
    { "a:\n\tb: 1", CODE_R0121, 2, 1, 1, "expected spaces in front of the line, found a tab", "" },
    { "a:\n  b: 1\n\tc: 2", CODE_R0121, 3, 1, 1,
      "expected spaces in front of the line, found a tab", "" },
    { "-\t- b", CODE_R0121, 1, 2, 1, "expected spaces in front of the line, found a tab", "" },
    { "?\t- b", CODE_R0121, 1, 2, 1, "expected spaces in front of the line, found a tab", "" },
    { "? a:\t- b", CODE_R0121, 1, 5, 1, "expected spaces after ':', found a tab", "" },
    { "?\ta: b", CODE_R0121, 1, 2, 1, "expected spaces in front of the line, found a tab", "" },
    { "a:\n  b: 1\n c: 2", CODE_R0120, 3, 2, 1,
      "expected the indentation of the map or list around it, found 'c' in column 2", "" },
    { "a:\n    b: 1\n  c: 2\n", CODE_R0120, 3, 3, 1,
      "expected the indentation of the map or list around it, found 'c' in column 3", "" },
    { "a:\n  - b\n c", CODE_R0120, 3, 2, 1,
      "expected the indentation of the map or list around it, found 'c' in column 2", "" },
    { "a:\n  - b\n c: 1", CODE_R0120, 3, 2, 1,
      "expected the indentation of the map or list around it, found 'c' in column 2", "" },
    { "a:\n  - b\n - c", CODE_R0120, 3, 2, 1,
      "expected an item at the indentation of its list, found '-'", "" },
    { "a:\n - b\n  - c: 1", CODE_R0120, 3, 5, 1,
      "expected nothing but text in the value of line 2, found the key 'c'", "" },
    { "- a\nb: c", CODE_R0120, 2, 1, 1, "expected '-' before the next item of the list, found 'b'",
      "" },
    { "- a\n  - b: 1\n", CODE_R0120, 2, 5, 1,
      "expected nothing but text in the value of line 1, found the key 'b'", "" },
    { "a: b\n- c", CODE_R0120, 2, 1, 1, "expected a key of the map, found '-'", "" },
    { "a: 1\n  b: 2", CODE_R0120, 2, 3, 1,
      "expected nothing but text in the value of line 1, found the key 'b'", "" },
    { "a: 1\n   # x\n  b: 2", CODE_R0120, 3, 3, 1,
      "expected the indentation of the map or list around it, found 'b' in column 3", "" },
    { "a: 1\r\n  b: 2\r\n", CODE_R0120, 2, 3, 1,
      "expected nothing but text in the value of line 1, found the key 'b'", "" },
    { "a:\n  b\n  c: d", CODE_R0101, 2, 3, 1, "expected ':' and a value after 'b'", "" },
    { "\"a\n  b\": c", CODE_R0101, 1, 1, 1, "expected a key that ends in its line, found '\"'",
      "" },
    { "- a\n - :", CODE_R0120, 2, 4, 1,
      "expected nothing but text in the value of line 1, found the key ''", "" },
    { "a: |\n   \n  b", CODE_R0120, 2, 1, 1,
      "expected no line of blanks deeper than the text below it, found a blank", "" },
    { "a: |\n   \n # c", CODE_R0120, 2, 1, 1,
      "expected no line of blanks deeper than the comment below it, found a blank", "" },
    { "a: 1\nb", CODE_R0101, 2, 1, 1, "expected ':' and a value after 'b'", "" },
    { "a: 1\nb\nc: 2", CODE_R0101, 2, 1, 1, "expected ':' and a value after 'b'", "" },
    { "a: 1\nb:2\n", CODE_R0101, 2, 1, 1, "expected ':' and a value after 'b'", "" },
    { "a: 1\n: 2\n", CODE_R0114, 2, 1, 1, "expected a word as key, found nothing", "" },
    { "a: b: c", CODE_R0101, 1, 5, 1, "expected the end of the value, found ':'", "" },
    { "a: b: # c", CODE_R0101, 1, 5, 1, "expected the end of the value, found ':'", "" },
    { "---\na: b: c", CODE_R0101, 2, 5, 1, "expected the end of the value, found ':'", "" },
    { "a: 'b': c", CODE_R0101, 1, 7, 1, "expected the end of the value, found ':'", "" },
    { "{a: b: c}", CODE_R0101, 1, 6, 1, "expected ',' or '}', found ':'", "" },
    { "[a: b: c]", CODE_R0101, 1, 6, 1, "expected ',' or ']', found ':'", "" },
    { "a: - b", CODE_R0101, 1, 4, 1, "expected a value, found '-'", "" },
    { "- a: - b", CODE_R0101, 1, 6, 1, "expected a value, found '-'", "" },
    { "&x - a", CODE_R0101, 1, 4, 1, "expected a value, found '-'", "" },
    { "a: &x - b", CODE_R0101, 1, 7, 1, "expected a value, found '-'", "" },
    { "a: @x", CODE_R0101, 1, 4, 2, "expected a value, found '@'", "" },
    { "a: `x", CODE_R0101, 1, 4, 2, "expected a value, found '`'", "" },
    { "a: %x", CODE_R0101, 1, 4, 2, "expected a value, found '%'", "" },
    { "a: ,", CODE_R0101, 1, 4, 1, "expected a value, found ','", "" },
    { "a: [@]", CODE_R0101, 1, 5, 1, "expected a value, found '@'", "" },
    { "a: {,}", CODE_R0101, 1, 5, 1, "expected a value, found ','", "" },
    { "a: ]", CODE_R0101, 1, 4, 1, "expected a value, found ']'", "" },
    { "]", CODE_R0101, 1, 1, 1, "expected a value, found ']'", "" },
    { "}", CODE_R0101, 1, 1, 1, "expected the end of the value, found '}'", "" },
    { "{a: 1}}", CODE_R0101, 1, 7, 1, "expected the end of the value, found '}'", "" },
    { "[1]]", CODE_R0101, 1, 4, 1, "expected a value, found ']'", "" },
    { "a: [1, 2", CODE_R0122, 1, 9, 1, "expected ',' or ']', found the end of the text", "" },
    { "a: [1, 2}", CODE_R0122, 1, 9, 1, "expected ',' or ']', found '}'", "" },
    { "a: {b: 1", CODE_R0122, 1, 9, 1, "expected ',' or '}', found the end of the text", "" },
    { "a: {b: 1]", CODE_R0122, 1, 9, 1, "expected ',' or '}', found ']'", "" },
    { "a: [1 2", CODE_R0122, 1, 8, 1, "expected ',' or ']', found the end of the text", "" },
    { "a: [1\nb: 2", CODE_R0122, 2, 5, 1, "expected ',' or ']', found the end of the text", "" },
    { "a: 1\nb: [\n", CODE_R0122, 3, 1, 1, "expected ',' or ']', found the end of the text", "" },
    { "a: {b: 1\nc: 2}", CODE_R0101, 2, 2, 1, "expected ',' or '}', found ':'", "" },
    { "a: [b c: d\ne", CODE_R0122, 2, 2, 1, "expected ',' or ']', found the end of the text", "" },
    { "a: [1,,2]", CODE_R0101, 1, 7, 1, "expected a value, found ','", "" },
    { "a: [,]", CODE_R0101, 1, 5, 1, "expected a value, found ','", "" },
    { "[a\n--- b]", CODE_R0101, 2, 1, 3, "expected ',' or ']', found '---'", "" },
    { "[a\n...\n]", CODE_R0101, 2, 1, 3, "expected ',' or ']', found '...'", "" },
    { "[a, [b, {c: d", CODE_R0122, 1, 14, 1, "expected ',' or '}', found the end of the text", "" },
    { "a: \"x", CODE_R0123, 1, 4, 2,
      "expected '\"' that closes the text, found the end of the text", "" },
    { "a: 'x", CODE_R0123, 1, 4, 2,
      "expected a single quote that closes the text, found the end of the text", "" },
    { "a: \"x\n  y\nb: 1", CODE_R0123, 1, 4, 2,
      "expected '\"' that closes the text, found the end of the text", "" },
    { "\"a\" b", CODE_R0101, 1, 5, 1, "expected the end of the value, found 'b'", "" },
    { "'a' b: 1", CODE_R0101, 1, 5, 1, "expected the end of the value, found 'b'", "" },
    { "key: 'it's'", CODE_R0101, 1, 10, 1, "expected the end of the value, found 's'", "" },
    { "a: \"b\" \"c\"", CODE_R0101, 1, 8, 1, "expected the end of the value, found '\"'", "" },
    { "a: \"multi\n  line\" z", CODE_R0101, 2, 9, 1, "expected the end of the value, found 'z'",
      "" },
    { "\"a\n--- \nb\"", CODE_R0123, 2, 1, 3, "expected the end of the text in quotes, found '---'",
      "" },
    { "'a\n...\nb'", CODE_R0123, 2, 1, 3, "expected the end of the text in quotes, found '...'",
      "" },
    { "a: \"C:\\data\"", CODE_R0124, 1, 7, 5,
      "expected an escape such as \\n or \\u00e9, found '\\data'", "" },
    { "a: \"\\xg0\"", CODE_R0124, 1, 5, 4,
      "expected an escape such as \\n or \\u00e9, found '\\xg0'", "" },
    { "a: \"\\u12\"", CODE_R0124, 1, 5, 4,
      "expected an escape such as \\n or \\u00e9, found '\\u12'", "" },
    { "a: \"\\ud800\"", CODE_R0103, 1, 5, 6,
      "expected an escape that is a character, found '\\ud800'", "" },
    { "a: \"\\ud83d\\u0041\"", CODE_R0103, 1, 11, 6,
      "expected an escape that is a character, found '\\u0041'", "" },
    { "a: \"\\U00110000\"", CODE_R0103, 1, 5, 10,
      "expected an escape that is a character, found '\\U00110000'", "" },
    { "a: \"\\0\"", CODE_R0104, 1, 4, 4, "expected text, found the escape of a NUL character",
      "/a" },
    { "\"\\0\": a", CODE_R0104, 1, 1, 4, "expected text, found the escape of a NUL character", "" },
    { "a: \"\\x00\"", CODE_R0104, 1, 4, 6, "expected text, found the escape of a NUL character",
      "/a" },
    { "a: |x\n b", CODE_R0101, 1, 5, 1, "expected the end of the line after '|' or '>', found 'x'",
      "" },
    { "a: | x\n b", CODE_R0101, 1, 6, 1, "expected the end of the line after '|' or '>', found 'x'",
      "" },
    { "a: |0\n b", CODE_R0101, 1, 4, 2, "expected YAML, found '|'", "" },
    { "a: |#\n b", CODE_R0101, 1, 5, 1, "expected a blank before the '#', found '#'", "" },
    { "|+2#", CODE_R0101, 1, 5, 1,
      "expected the end of the line after '|' or '>', found something else", "" },
    { "a: >9x", CODE_R0101, 1, 6, 1, "expected the end of the line after '|' or '>', found 'x'",
      "" },
    { "a: b\n#c\n d: e", CODE_R0120, 3, 2, 1,
      "expected the indentation of the map or list around it, found 'd' in column 2", "" },
    { "a: \"b\"#c", CODE_R0101, 1, 7, 2, "expected a blank before the '#', found '#'", "" },
    { "[a,#b\n]", CODE_R0101, 1, 4, 2, "expected a blank before the '#', found '#'", "" },
    { "a: &x &y b", CODE_R0101, 1, 8, 1, "expected one anchor, found 'y'", "" },
    { "a: &x *x", CODE_R0101, 1, 8, 1, "expected an anchor or an alias, not both, found 'x'", "" },
    { "a: *x y", CODE_R0112, 1, 4, 2, "expected '&x' above the alias '*x', found none", "/a" },
    { "&x *x", CODE_R0101, 1, 5, 1, "expected an anchor or an alias, not both, found 'x'", "" },
    { "a: & b", CODE_R0101, 1, 5, 1, "expected the name of an anchor after '&', found a blank",
      "" },
    { "a: * b", CODE_R0101, 1, 5, 1, "expected the name of an alias after '*', found a blank", "" },
    { "a: *x", CODE_R0112, 1, 4, 2, "expected '&x' above the alias '*x', found none", "/a" },
    { "- *x\n- &x a", CODE_R0112, 1, 3, 2, "expected '&x' above the alias '*x', found none", "/0" },
    { "a: &x [*x]", CODE_R0113, 1, 8, 2,
      "expected an end to the value of '&x', found '*x' inside it", "/a/0" },
    { "a: &x {b: {c: [1, *x]}}", CODE_R0113, 1, 19, 2,
      "expected an end to the value of '&x', found '*x' inside it", "/a/b/c/1" },
    { "*a : b", CODE_R0114, 1, 1, 2, "expected a word as key, found an alias", "" },
    { "{*a : b}", CODE_R0114, 1, 2, 2, "expected a word as key, found an alias", "" },
    { "[a]: b", CODE_R0114, 1, 1, 1, "expected a word as key, found a list", "" },
    { "{a: 1}: b", CODE_R0114, 1, 1, 1, "expected a word as key, found a map", "" },
    { "? [a]\n: b", CODE_R0114, 1, 3, 1, "expected a word as key, found a list", "" },
    { "? {a: b}", CODE_R0114, 1, 3, 1, "expected a word as key, found a map", "" },
    { "? - a", CODE_R0114, 1, 3, 1, "expected a word as key, found a list", "" },
    { ": a", CODE_R0114, 1, 1, 1, "expected a word as key, found nothing", "" },
    { "- : c", CODE_R0114, 1, 1, 1, "expected a word as key, found nothing", "/0" },
    { "{: a}", CODE_R0114, 1, 2, 1, "expected a word as key, found nothing", "" },
    { "? \n: a", CODE_R0114, 1, 1, 1, "expected a word as key, found nothing", "" },
    { "<<: {a: 1}", CODE_R0111, 1, 1, 2, "expected a key, found the merge key '<<' of YAML 1.1",
      "" },
    { "a: {<<: *x}", CODE_R0111, 1, 5, 2, "expected a key, found the merge key '<<' of YAML 1.1",
      "/a" },
    { "!!str a", CODE_R0110, 1, 1, 5, "expected a value without a tag, found '!!str'", "" },
    { "- !foo!bar x", CODE_R0110, 1, 3, 8, "expected a value without a tag, found '!foo!bar'",
      "/0" },
    { "a: !x {b: c}", CODE_R0110, 1, 4, 2, "expected a value without a tag, found '!x'", "/a" },
    { "a: !<tag:x> y", CODE_R0110, 1, 4, 8, "expected a value without a tag, found '!<tag:x>'",
      "/a" },
    { "a: !x [b]", CODE_R0110, 1, 4, 2, "expected a value without a tag, found '!x'", "/a" },
    { "a: ! b", CODE_R0110, 1, 4, 1, "expected a value without a tag, found '!'", "/a" },
    { "!x\na: b", CODE_R0110, 1, 1, 2, "expected a value without a tag, found '!x'", "" },
    { "a: !!str", CODE_R0110, 1, 4, 5, "expected a value without a tag, found '!!str'", "/a" },
    { "--- a: b", CODE_R0101, 1, 6, 1, "expected the map in the line below '---', found ':'", "" },
    { "a: 1\n--- b: 1\nc: 2", CODE_R0101, 2, 6, 1,
      "expected the map in the line below '---', found ':'", "" },
    { "a: 1\n... x", CODE_R0101, 2, 5, 1, "expected the end of the line after '...', found 'x'",
      "" },
    { "%YAML 1.1\n---\na", CODE_R0115, 1, 1, 9,
      "expected '%YAML 1.2' or no directive, found '%YAML 1.1'", "" },
    { "%YAML 1.2\n%YAML 1.2\n---\na", CODE_R0115, 2, 7, 3,
      "expected one %YAML directive, found '1.2'", "" },
    { "%YAML 1.2\n", CODE_R0115, 2, 1, 1,
      "expected a document after the directive, found the end of the text", "" },
    { "%TAG ! !foo\n---\na", CODE_R0115, 1, 1, 11,
      "expected '%YAML 1.2' or no directive, found '%TAG ! !foo'", "" },
    { "%FOO\n---", CODE_R0115, 1, 1, 4, "expected '%YAML 1.2' or no directive, found '%FOO'", "" },
    { "%YAML 1.25\n---\n", CODE_R0115, 1, 1, 10,
      "expected '%YAML 1.2' or no directive, found '%YAML 1.25'", "" },
    { "a\rb", CODE_R0116, 1, 2, 1, "expected a line feed after the carriage return", "" },
    { "a: 99999999999999999999", CODE_R0105, 1, 4, 20,
      "expected an integer of 64 bits, found '99999999999999999999'", "/a" },
    { "a: [1, -9223372036854775809]", CODE_R0105, 1, 8, 20,
      "expected an integer of 64 bits, found '-9223372036854775809'", "/a/1" },
    { "a: 0x8000000000000000", CODE_R0105, 1, 4, 18,
      "expected an integer of 64 bits, found '0x8000000000000000'", "/a" },
    { "a: 1\nb:\n  c: 2\na : 3", CODE_R0102, 4, 1, 1, "key 'a' appears twice in the same map",
      "/a" },
    { "{a: 1, b: 2, b: 3, a: 4}", CODE_R0102, 1, 14, 1, "key 'b' appears twice in the same map",
      "/b" },
    { "- a: 1\n  \"a\": 2", CODE_R0102, 2, 3, 3, "key 'a' appears twice in the same map", "/0/a" },
    { "? a\nb", CODE_R0120, 2, 1, 1,
      "expected the indentation of the map or list around it, found 'b' in column 1", "" },
    { "? a\n? a\n", CODE_R0102, 2, 3, 1, "key 'a' appears twice in the same map", "/a" },
    { "a:\nxy", CODE_R0120, 2, 1, 2, "expected a value that is indented deeper than its key 'a'",
      "/a" },
    { "a:\n\"xy\"", CODE_R0120, 2, 1, 4,
      "expected a value that is indented deeper than its key 'a'", "/a" },
    { "a:\n[b]", CODE_R0120, 2, 1, 1, "expected a value that is indented deeper than its key 'a'",
      "/a" },
    { "a:\n{b: c}", CODE_R0120, 2, 1, 1,
      "expected a value that is indented deeper than its key 'a'", "/a" },
    { "a:\n|\n  b", CODE_R0120, 2, 1, 1,
      "expected deeper indentation than the key before it, found '|'", "" },
    { "-\nx", CODE_R0120, 2, 1, 1,
      "expected a value that is indented deeper than the '-' before it", "/0" },
    { "- \n'x'", CODE_R0120, 2, 1, 3,
      "expected a value that is indented deeper than the '-' before it", "/0" },
    { "a:\n  b: |\n  e: f\n", CODE_R0120, 3, 3, 1,
      "expected a value that is indented deeper than its key 'b'", "/a/b" },
    { "- k: >\n  e: f\n", CODE_R0120, 2, 3, 1,
      "expected a value that is indented deeper than its key 'k'", "/0/k" },
    { "a:\n  b: |\n\n  e: f\n", CODE_R0120, 4, 3, 1,
      "expected a value that is indented deeper than its key 'b'", "/a/b" },
    { "a: \x01", CODE_R0101, 1, 4, 1, "expected text, found the control character U+0001", "" },
    { "a: b\x01"
      "c",
      CODE_R0101, 1, 5, 1, "expected text, found the control character U+0001", "" },
    { "\"\x7f", CODE_R0123, 1, 1, 2,
      "expected '\"' that closes the text, found the end of the text", "" },
    { "x:\n {a: 1\nb: 2}", CODE_R0101, 3, 2, 1, "expected ',' or '}', found ':'", "" },
    { "a: b\n  c\n d: e: f", CODE_R0120, 3, 2, 1,
      "expected nothing but text in the value of line 1, found the key 'd'", "" },
    { "a:\n  - b: 1\n    c: 2\n   d: 3", CODE_R0120, 4, 4, 1,
      "expected '-' before the next item of the list, found 'd'", "" },
    { "a:\n  - b: 1\n     c: 2", CODE_R0120, 3, 6, 1,
      "expected nothing but text in the value of line 2, found the key 'c'", "" },
    { "- [a\n- b", CODE_R0122, 2, 4, 1, "expected ',' or ']', found the end of the text", "" },
};

static void every_fault_has_its_code_place_and_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(refusals); i++) {
        check_refusal(parse_yaml, text_from(refusals[i].bytes), &refusals[i]);
    }
}

static void a_fault_is_the_same_with_windows_line_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(refusals); i++) {
        const char *from = refusals[i].bytes;
        struct refusal refusal = refusals[i];
        char bytes[200];
        size_t used = 0;

        if (strchr(from, '\r') != NULL) {
            continue;
        }
        for (; *from != '\0'; from++) {
            if (*from == '\n') {
                bytes[used++] = '\r';
            }
            bytes[used++] = *from;
        }
        check_refusal(parse_yaml, (struct text){ bytes, used }, &refusal);
    }
}

static void a_byte_order_mark_moves_nothing(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(refusals); i++) {
        check_refusal(parse_yaml, arena_printf(arena, "\xef\xbb\xbf%s", refusals[i].bytes),
                      &refusals[i]);
    }
}

static void bytes_that_are_no_text_are_refused_first(void **state)
{
    static const struct refusal nul = { "", CODE_R0104, 2, 4, 1, "expected text, found a NUL byte",
                                        "" };
    static const struct refusal latin = { "", CODE_R0103, 2,
                                          7,  1,          "expected UTF-8, found the byte 0xE9",
                                          "" };

    (void)state;
    check_refusal(parse_yaml, TEXT("a: [\nb: \0"), &nul);
    check_refusal(parse_yaml, TEXT("a: [\nb: caf\xe9"), &latin);
}

static void notes_and_hints_name_the_other_end(void **state)
{
    static const struct {
        const char *bytes;
        const char *note;
        uint32_t line;
        uint32_t column;
        const char *hint;
    } cases[] = {
        { "a:\n  b: [1, {c: 2\n", "the '{' in line 2 is not closed", 2, 10, "" },
        { "a: 1\nb: 2\na: 3\n", "the first one is in line 1", 1, 1, "keep one of the two" },
        { "a:\n  b: 1\n c: 2", "the map that begins in line 1 is at column 1", 1, 1,
          "give keys of one map, and items of one list, the same indentation" },
        { "- a\nb: c", "the list that begins in line 1 is at column 1", 1, 1,
          "a list and a map cannot have the same indentation here" },
        { "a:\n  b: |\n  c: 1\n", "the key in line 2 has no value before that", 2, 3,
          "indent it, or write '' for an empty text" },
        { "-\nb", "the list in line 1 has no value before that", 1, 1,
          "indent it, or write '' for an empty text" },
        { "a: 1\n  b: 2\n", "the value begins in line 1", 1, 4,
          "give the key the same indentation as the other keys of its map" },
        { "a: [1,]]", "", 0, 0, "remove the bracket" },
        { "a: [1,\n  b,\n", "the '[' in line 1 is not closed", 1, 4, "" },
        { "a: [,]", "", 0, 0, "remove the comma" },
        { "<<: *x", "", 0, 0,
          "put the common part into 'defaults', or into a template that 'from' refers to" },
        { "a: !!int 3", "", 0, 0, "remove it: the schema decides the type; quotes make a text" },
        { "a: \x1b[1m", "", 0, 0, "in double quotes it is written \\x1b" },
        { "a: 1\nb:2\n", "", 0, 0, "put a space after the colon" },
        { "a: 1\nb\n", "", 0, 0, "a key and its value are written 'key: value'" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct err err = { 0 };

        assert_false(parse_yaml(arena, text_from(cases[i].bytes), &err));
        assert_string_equal(err.note, cases[i].note);
        assert_string_equal(err.hint, cases[i].hint);
        assert_int_equal(err.note_place.line, cases[i].line);
        assert_int_equal(err.note_place.column, cases[i].column);
    }
}

static void a_text_is_never_printed(void **state)
{
    /* libfyaml writes diagnostics to standard error by default, so this checks that it does not */
    (void)state;
    fflush(stderr);
    for (size_t i = 0; i < ARRAY_COUNT(refusals); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct err err = { 0 };
        int kept = dup(2);
        FILE *file = tmpfile();

        assert_non_null(file);
        dup2(fileno(file), 2);
        assert_false(parse_yaml(arena, text_from(refusals[i].bytes), &err));
        fflush(stderr);
        dup2(kept, 2);
        close(kept);
        assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
        fclose(file);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_its_code_place_and_words),
        cmocka_unit_test(a_fault_is_the_same_with_windows_line_ends),
        cmocka_unit_test(a_byte_order_mark_moves_nothing),
        cmocka_unit_test(bytes_that_are_no_text_are_refused_first),
        cmocka_unit_test(notes_and_hints_name_the_other_end),
        cmocka_unit_test(a_text_is_never_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

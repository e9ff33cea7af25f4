/* Comparison with jansson: both accept the same texts, except for the differences listed here and
 * in tests/fuzz/README.md. */
#include <jansson.h>

#include "codec.h"

/* 'y': both accept, 'n': both refuse, 'o': only reeve accepts, 'j': only jansson accepts. */
static void acceptance_agrees_on_every_corner(void **state)
{
    static const struct {
        const char *bytes;
        char who;
    } cases[] = {
        { "null", 'y' },
        { "\"\"", 'y' },
        { "[]", 'y' },
        { "{}", 'y' },
        { "[1,2]", 'y' },
        { "{\"a\":{}}", 'y' },
        { "-0", 'y' },
        { "0e0", 'y' },
        { "1E-5", 'y' },
        { "\"\\u00e9\"", 'y' },
        { "\"\\ud83d\\ude00\"", 'y' },
        { "\"\x7f\"", 'y' },
        { " [ ] ", 'y' },
        { "9223372036854775807", 'y' },
        { "1e-400", 'y' },
        { "", 'n' },
        { "[", 'n' },
        { "[1,]", 'n' },
        { "{\"a\"}", 'n' },
        { "01", 'n' },
        { "1.", 'n' },
        { ".1", 'n' },
        { "+1", 'n' },
        { "1e", 'n' },
        { "tru", 'n' },
        { "TRUE", 'n' },
        { "'a'", 'n' },
        { "\"\t\"", 'n' },
        { "\"\\x\"", 'n' },
        { "\"\\u00\"", 'n' },
        { "\"\\ud800\"", 'n' },
        { "\"\\udc00\"", 'n' },
        { "\"\\u0000\"", 'n' },
        { "\"\xff\"", 'n' },
        { "\"\xed\xa0\x80\"", 'n' },
        { "\"\xc0\x80\"", 'n' },
        { "{\"a\":1,\"a\":2}", 'n' },
        { "[] []", 'n' },
        { "\xef\xbb\xbf[]", 'n' },
        { "9223372036854775808", 'n' },
        { "NaN", 'n' },
        { "\"", 'n' },
        /* reeve keeps the spelling, even if a double cannot represent the number */
        { "1e400", 'o' },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc doc = { 0 };
        struct err err = { 0 };
        bool ours = json_parse(arena, text_from(cases[i].bytes), &file_origin, &doc, &err);
        json_t *theirs = json_loadb(cases[i].bytes, strlen(cases[i].bytes),
                                    JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);

        if (ours != (cases[i].who == 'y' || cases[i].who == 'o') ||
            (theirs != NULL) != (cases[i].who == 'y' || cases[i].who == 'j')) {
            fail_msg("%s: ours %d, theirs %d", cases[i].bytes, ours, theirs != NULL);
        }
        json_decref(theirs);
    }
}

/* Makes a value with a few levels from a fixed random sequence. */
static void value_make(struct buf *buf, uint32_t *random, int depth)
{
    static const char *const scalars[] = {
        "null",         "true",
        "false",        "0",
        "-1",           "12.50",
        "1e3",          "\"\"",
        "\"text\"",     "\"\\u20ac\\n\\\"\"",
        "\"\xc3\xa9\"", "-9223372036854775808",
    };
    uint32_t kind = unit_random(random) % (depth > 4 ? 1 : 3);
    uint32_t count = unit_random(random) % 5;

    if (kind == 0) {
        buf_add_string(buf, scalars[unit_random(random) % ARRAY_COUNT(scalars)]);
        return;
    }
    buf_add_bytes(buf, kind == 1 ? '[' : '{', 1);
    for (uint32_t i = 0; i < count; i++) {
        buf_add_string(buf, i > 0 ? " ," : "\n");
        if (kind == 2) {
            buf_printf(buf, "\"k%u%u\":", unit_random(random) % 100, i);
        }
        value_make(buf, random, depth + 1);
    }
    buf_add_bytes(buf, kind == 1 ? ']' : '}', 1);
}

static void what_jansson_writes_sorted_is_canonical(void **state)
{
    uint32_t random = 7;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct buf buf;
        struct doc doc;
        struct doc again;
        json_t *theirs;
        char *written;

        buf_init(&buf, arena);
        value_make(&buf, &random, 0);
        doc = json_read(arena, buf_text(&buf));
        theirs = json_loadb(buf.data, buf.length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
        assert_non_null(theirs);
        written = json_dumps(theirs, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
        again = json_read(arena, text_from(written));
        assert_int_equal(doc_count_nodes(&doc), doc_count_nodes(&again));
        if (strchr(buf.data, '.') == NULL && strstr(buf.data, "1e3") == NULL) {
            /* jansson changes the spelling of real numbers */
            assert_string_equal(canonical(arena, &doc), written);
        }
        free(written);
        json_decref(theirs);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(acceptance_agrees_on_every_corner),
        cmocka_unit_test(what_jansson_writes_sorted_is_canonical),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

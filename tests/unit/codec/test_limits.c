/* Hostile texts: each is refused with its code, within a known amount of memory. */
#include "codec.h"

#define SMALL_ARENA_BYTES ((size_t)1024 * 1024)

static void check_both(struct text bytes, size_t arena_bytes, enum code code)
{
    AUTO(arena) json_arena = arena_new(arena_bytes);
    AUTO(arena) yaml_arena = arena_new(arena_bytes);
    struct doc doc = { 0 };
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    assert_false(json_parse(json_arena, bytes, &file_origin, &doc, &err));
    assert_string_equal(code_get(err.code)->name, code_get(code)->name);
    assert_true(place_is_known(err.place));
    assert_false(yaml_parse(yaml_arena, bytes, &file_origin, &docs, &err));
    assert_string_equal(code_get(err.code)->name, code_get(code)->name);
    assert_true(place_is_known(err.place));
}

static void twenty_megabytes_are_too_many(void **state)
{
    size_t bytes = (size_t)20 * 1000 * 1000;
    char *data = malloc(bytes);

    (void)state;
    memset(data, ' ', bytes);
    check_both((struct text){ data, bytes }, SMALL_ARENA_BYTES, CODE_R0106);
    free(data);
}

static void the_largest_text_is_read(void **state)
{
    AUTO(arena) arena = arena_new(SMALL_ARENA_BYTES);
    char *data = malloc(LIMIT_DOCUMENT_BYTES + 1);
    struct doc doc;

    (void)state;
    memset(data, ' ', LIMIT_DOCUMENT_BYTES + 1);
    data[0] = '1';
    doc = json_read(arena, (struct text){ data, LIMIT_DOCUMENT_BYTES });
    assert_string_equal(canonical(arena, &doc), "1");
    doc = yaml_read(arena, (struct text){ data, LIMIT_DOCUMENT_BYTES });
    assert_string_equal(canonical(arena, &doc), "1");
    check_both((struct text){ data, LIMIT_DOCUMENT_BYTES + 1 }, SMALL_ARENA_BYTES, CODE_R0106);
    free(data);
}

static void a_hundred_thousand_brackets_are_too_deep(void **state)
{
    size_t bytes = 100000;
    char *data = malloc(bytes);

    (void)state;
    memset(data, '[', bytes);
    check_both((struct text){ data, bytes }, SMALL_ARENA_BYTES, CODE_R0107);
    for (size_t i = 0; i + 5 <= bytes; i += 5) {
        memcpy(data + i, "{\"a\":", 5);
    }
    check_both((struct text){ data, bytes }, SMALL_ARENA_BYTES, CODE_R0107);
    free(data);
}

static void sixty_four_levels_are_read_and_no_more(void **state)
{
    AUTO(arena) arena = arena_new(SMALL_ARENA_BYTES);
    char data[200];
    struct doc doc;

    (void)state;
    memset(data, '[', 64);
    memset(data + 64, ']', 64);
    doc = json_read(arena, (struct text){ data, 128 });
    assert_int_equal(doc_count_nodes(&doc), 64);
    doc = yaml_read(arena, (struct text){ data, 128 });
    assert_int_equal(doc_count_nodes(&doc), 64);
    memset(data, '[', 65);
    memset(data + 65, ']', 65);
    check_both((struct text){ data, 130 }, SMALL_ARENA_BYTES, CODE_R0107);
}

static void block_levels_count_like_brackets(void **state)
{
    AUTO(arena) arena = arena_new(SMALL_ARENA_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    for (int i = 0; i < 65; i++) {
        buf_add_string(&buf, "- ");
    }
    assert_false(yaml_parse(arena, buf_text(&buf), &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0107);
    assert_int_equal(err.place.column, 129);
}

static void nearly_two_million_keys_are_read_within_the_bound(void **state)
{
    size_t bytes = 0;
    char *data = malloc(LIMIT_DOCUMENT_BYTES + 100);

    (void)state;
    data[bytes++] = '[';
    for (int map = 0; map < 5 && bytes < LIMIT_DOCUMENT_BYTES - 20; map++) {
        data[bytes++] = '{';
        for (int i = 0; i < 600000 && bytes < LIMIT_DOCUMENT_BYTES - 20; i++) {
            static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH";

            data[bytes++] = '"';
            data[bytes++] = digits[i % 44];
            data[bytes++] = digits[i / 44 % 44];
            data[bytes++] = digits[i / 44 / 44 % 44];
            data[bytes++] = digits[i / 44 / 44 / 44 % 44];
            data[bytes++] = '"';
            data[bytes++] = ':';
            data[bytes++] = '1';
            data[bytes++] = ',';
        }
        data[bytes - 1] = '}';
        data[bytes++] = ',';
    }
    data[bytes - 1] = ']';
    {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc doc = { 0 };
        struct err err = { 0 };
        bool is_read = json_parse(arena, (struct text){ data, bytes }, &file_origin, &doc, &err);

        /* 16 MiB have almost two million such keys, which are parsed within the limit */
        assert_true(is_read);
        assert_true(doc_count_nodes(&doc) > 1700000);
    }
    free(data);
}

static void two_million_values_are_read_and_no_more(void **state)
{
    size_t count = LIMIT_DOCUMENT_NODES;
    char *data = malloc(2 * count + 10);

    (void)state;
    data[0] = '[';
    for (size_t i = 0; i < count; i++) {
        data[1 + 2 * i] = '1';
        data[2 + 2 * i] = ',';
    }
    data[2 * count] = ']';
    check_both((struct text){ data, 2 * count + 1 }, ARENA_BYTES, CODE_R0108);
    data[2 * (count - 1)] = ']';
    {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc doc = json_read(arena, (struct text){ data, 2 * count - 1 });

        assert_int_equal(doc_count_nodes(&doc), LIMIT_DOCUMENT_NODES);
    }
    free(data);
}

static void three_million_plain_keys_are_too_many(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    size_t bytes = 0;
    char *data = malloc(LIMIT_DOCUMENT_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    (void)state;
    data[bytes++] = '{';
    for (unsigned i = 0; i < 3000000; i++) { /* the shortest text with three million items */
        data[bytes++] = (char)('a' + i % 26);
        data[bytes++] = (char)('a' + i / 26 % 26);
        data[bytes++] = (char)('a' + i / 676 % 26);
        data[bytes++] = (char)('a' + i / 17576 % 26);
        data[bytes++] = ',';
        if (i % 100000 == 0) {
            data[bytes++] = '\n';
        }
    }
    data[bytes++] = '}';
    assert_true(bytes <= LIMIT_DOCUMENT_BYTES);
    assert_false(yaml_parse(arena, (struct text){ data, bytes }, &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0108);
    free(data);
}

static void an_alias_bomb_is_counted_as_it_expands(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
        buf_printf(&buf, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n",
                   i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    }
    assert_false(yaml_parse(arena, buf_text(&buf), &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0108);
    assert_int_equal(err.place.line, 7); /* 10^6 items are permitted, ten times as many are not */
}

static void aliases_cannot_make_a_tree_too_deep(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, "a0: &a0 []\n");
    for (int i = 1; i < 100; i++) {
        buf_printf(&buf, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    }
    assert_false(yaml_parse(arena, buf_text(&buf), &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0107);
    assert_int_equal(err.place.line, 64);
}

static void a_thousand_aliases_are_read_and_no_more(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    for (int part = 0; part < 2; part++) { /* the limit counts all documents of the text */
        buf_add_string(&buf, "---\n- &a x\n");
        for (int i = 0; i < 500; i++) {
            buf_add_string(&buf, "- *a\n");
        }
    }
    assert_true(yaml_parse(arena, buf_text(&buf), &file_origin, &docs, &err));
    assert_int_equal(docs.count, 2);
    buf_add_string(&buf, "- *a\n");
    assert_false(yaml_parse(arena, buf_text(&buf), &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0109);
    assert_int_equal(err.place.line, 1005);
}

/* Returns `before` followed by `count` repetitions of `what`. */
static struct text repeat(struct arena *arena, const char *before, const char *what, size_t count)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, before);
    for (size_t i = 0; i < count; i++) {
        buf_add_string(&buf, what);
    }
    return buf_text(&buf);
}

static void what_would_cost_the_parser_too_much_is_refused_before(void **state)
{
    static const struct {
        const char *before;
        const char *what;
        size_t count;
        enum code code;
        uint32_t line;
        uint32_t column;
    } cases[] = {
        { "a: ", "b, ", 250001, CODE_R0118, 1, 750002 },
        { "a: \n- '", "''", 125001, CODE_R0118, 2, 250003 },
        { "a: [:", " ", 40000, CODE_R0118, 1, 5 },
        { "a: [", "b: ,\n", 100000, CODE_R0122, 100001, 1 }, /* many short lines are permitted */
        { "a:\n", "[\n", 20000, CODE_R0107, 10002, 1 },
        { "a: !<", "x", 2000, CODE_R0110, 1, 4 },
        { "a: !", "%41", 1000, CODE_R0110, 1, 4 },
        { "", "---\n", 10001, CODE_R0013, 10001, 4 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct text bytes = repeat(arena, cases[i].before, cases[i].what, cases[i].count);
        struct yaml_docs docs = { 0 };
        struct err err = { 0 };

        assert_false(yaml_parse(arena, bytes, &file_origin, &docs, &err));
        assert_string_equal(code_get(err.code)->name, code_get(cases[i].code)->name);
        assert_int_equal(err.place.line, cases[i].line);
        assert_int_equal(err.place.column, cases[i].column);
    }
}

static void what_only_looks_costly_is_read(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct buf buf;
    struct doc doc;

    (void)state;
    buf_init(&buf, arena);
    buf_add(&buf, repeat(arena, "text: |\n", "  [ is open, ! is said\n", 9000));
    buf_add(&buf, repeat(arena, "word: 'x!", "y", 5000));
    buf_add_string(&buf, "'\n");
    buf_add(&buf, repeat(arena, "list: [", "a, ", 100000));
    buf_add_string(&buf, "a]\n");
    doc = yaml_read(arena, buf_text(&buf));
    assert_int_equal(doc_child(&doc, "list")->item_count, 100001);
    assert_int_equal(doc_child(&doc, "word")->text.length, 5002);
    assert_int_equal(doc_child(&doc, "text")->text.length, 9000 * 21);
}

static void json_without_line_breaks_is_read_as_yaml(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };
    struct buf buf;
    struct doc doc;

    (void)state;
    buf_init(&buf, arena);
    buf_add(&buf, repeat(arena, " [", "{\"a\":[1,\"b\"]},", 60000));
    buf_add_string(&buf, "1.50]\n");
    doc = yaml_read(arena, buf_text(&buf));
    assert_int_equal(doc.item_count, 60001);
    assert_text(doc.items[60000].text, "1.50");
    buf_add_string(&buf, "x");
    assert_false(yaml_parse(arena, buf_text(&buf), &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0101);
    assert_int_equal(err.place.line, 2);
    assert_int_equal(docs.count, 0);
}

static void a_tag_handle_that_would_overflow_the_stack_is_refused(void **state)
{
    AUTO(arena) arena = arena_new(SMALL_ARENA_BYTES);
    size_t bytes = (size_t)15 * 1024 * 1024;
    char *data = malloc(bytes);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    (void)state;
    memset(data, 'a', bytes);
    memcpy(data, "x: !", 4);
    memcpy(data + bytes - 4, "!b c", 4);
    assert_false(yaml_parse(arena, (struct text){ data, bytes }, &file_origin, &docs, &err));
    assert_int_equal(err.code, CODE_R0110);
    assert_int_equal(err.place.column, 4);
    free(data);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_megabytes_are_too_many),
        cmocka_unit_test(the_largest_text_is_read),
        cmocka_unit_test(a_hundred_thousand_brackets_are_too_deep),
        cmocka_unit_test(sixty_four_levels_are_read_and_no_more),
        cmocka_unit_test(block_levels_count_like_brackets),
        cmocka_unit_test(nearly_two_million_keys_are_read_within_the_bound),
        cmocka_unit_test(two_million_values_are_read_and_no_more),
        cmocka_unit_test(three_million_plain_keys_are_too_many),
        cmocka_unit_test(an_alias_bomb_is_counted_as_it_expands),
        cmocka_unit_test(aliases_cannot_make_a_tree_too_deep),
        cmocka_unit_test(a_thousand_aliases_are_read_and_no_more),
        cmocka_unit_test(what_would_cost_the_parser_too_much_is_refused_before),
        cmocka_unit_test(what_only_looks_costly_is_read),
        cmocka_unit_test(json_without_line_breaks_is_read_as_yaml),
        cmocka_unit_test(a_tag_handle_that_would_overflow_the_stack_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

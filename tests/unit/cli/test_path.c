#include "cli/term/path.h"

#include "case.h"
#include "codec/json.h"

/* The example of RFC 9535, section 1.5, slightly shortened. */
static const char shop[] =
    "{\"store\":{\"book\":["
    "{\"category\":\"reference\",\"author\":\"Rees\",\"price\":8.95},"
    "{\"category\":\"fiction\",\"author\":\"Waugh\",\"price\":12.99},"
    "{\"category\":\"fiction\",\"author\":\"Melville\",\"isbn\":\"0-553\",\"price\":8.99},"
    "{\"category\":\"fiction\",\"author\":\"Tolkien\",\"isbn\":\"0-395\",\"price\":22.99}],"
    "\"bicycle\":{\"color\":\"red\",\"price\":399}},"
    "\"max\":10,\"a-b\":1,\"it's\":2,\"empty\":null,\"yes\":true,\"n10\":\"10\"}";

/* Returns the result of an expression as JSON values, separated by blanks. */
static struct text found(struct arena *arena, const char *expression)
{
    struct path_nodes nodes;
    struct path *path;
    struct doc doc;
    struct buf buf;
    struct err err;

    assert_true(json_parse(arena, text_from(shop), NULL, &doc, &err));
    if (!path_parse(arena, text_from(expression), (struct place){ 0 }, &path, &err)) {
        fail_msg("%s: %s", expression, err.text);
    }
    nodes = path_find(arena, path, &doc);
    buf_init(&buf, arena);
    for (size_t i = 0; i < nodes.count; i++) {
        buf_add_string(&buf, i == 0 ? "" : " ");
        json_format(&buf, nodes.items[i]);
    }
    return buf_text(&buf);
}

static void test_children(void **state)
{
    assert_text(found(*state, "$.store.bicycle.color"), "\"red\"");
    assert_text(found(*state, ".store.bicycle.color"), "\"red\"");
    assert_text(found(*state, "$['store']['bicycle']['color']"), "\"red\"");
    assert_text(found(*state, "$[\"a-b\"]"), "1");
    assert_text(found(*state, "$['it\\'s']"), "2");
    assert_text(found(*state, "$.nothing.here"), "");
    assert_text(found(*state, "$.max.deeper"), "");
    assert_text(found(*state, "$.empty"), "null");
}

static void test_wildcards(void **state)
{
    assert_text(found(*state, "$.store.book[*].author"),
                "\"Rees\" \"Waugh\" \"Melville\" \"Tolkien\"");
    assert_text(found(*state, "$.store.bicycle.*"), "\"red\" 399");
    assert_text(found(*state, "$.max.*"), "");
}

static void test_indexes_and_slices(void **state)
{
    assert_text(found(*state, "$.store.book[0].price"), "8.95");
    assert_text(found(*state, "$.store.book[-1].price"), "22.99");
    assert_text(found(*state, "$.store.book[9]"), "");
    assert_text(found(*state, "$.store.book[-9]"), "");
    assert_text(found(*state, "$.store.book[1:3].price"), "12.99 8.99");
    assert_text(found(*state, "$.store.book[:2].price"), "8.95 12.99");
    assert_text(found(*state, "$.store.book[-2:].price"), "8.99 22.99");
    assert_text(found(*state, "$.store.book[::2].price"), "8.95 8.99");
    assert_text(found(*state, "$.store.book[::9223372036854775807].price"), "8.95");
    assert_text(found(*state, "$.store.book[0,2].price"), "8.95 8.99");
    assert_text(found(*state, "$.store[0]"), "");
    assert_text(found(*state, "$.max[:]"), "");
}

static void test_filters(void **state)
{
    assert_text(found(*state, "$.store.book[?@.isbn].price"), "8.99 22.99");
    assert_text(found(*state, "$.store.book[?!@.isbn].price"), "8.95 12.99");
    assert_text(found(*state, "$.store.book[?@.price < 10].price"), "8.95 8.99");
    assert_text(found(*state, "$.store.book[?@.price<$.max].price"), "8.95 8.99");
    assert_text(found(*state, "$.store.book[?@.price >= 12.99].price"), "12.99 22.99");
    assert_text(found(*state, "$.store.book[?@.author == 'Rees'].price"), "8.95");
    assert_text(found(*state, "$.store.book[?'Rees' == @.author].price"), "8.95");
    assert_text(found(*state, "$.store.book[?@.category != 'fiction'].author"), "\"Rees\"");
    assert_text(found(*state, "$.store.book[?@.category=='fiction' && @.price<10].author"),
                "\"Melville\"");
    assert_text(found(*state, "$.store.book[?@.price>20 || @.price<8.96].price"), "8.95 22.99");
    assert_text(found(*state, "$.store.book[?!(@.price>20 || @.price<9)].price"), "12.99");
    assert_text(found(*state, "$.store.book[?@.author > 'R'].author"),
                "\"Rees\" \"Waugh\" \"Tolkien\"");
    assert_text(found(*state, "$[?@ == true]"), "true");
    assert_text(found(*state, "$[?@ == null]"), "null");
}

/* && binds stronger than || */
static void test_precedence(void **state)
{
    assert_text(found(*state, "$.store.book[?@.price<9 && @.isbn || @.price>20].price"),
                "8.99 22.99");
    assert_text(found(*state, "$.store.book[?@.price>20 || @.price<9 && @.isbn].price"),
                "8.99 22.99");
}

/* A text never equals a number, and an absent value equals only an absent value. */
static void test_comparison_keeps_types_apart(void **state)
{
    assert_text(found(*state, "$[?@ == 10]"), "10");
    assert_text(found(*state, "$[?@ == '10']"), "\"10\"");
    assert_text(found(*state, "$[?@ == 10.0]"), "10");
    assert_text(found(*state, "$.store.book[?@.isbn == null].price"), "");
    assert_text(found(*state, "$.store.book[?@.isbn < 1].price"), "");
    assert_text(found(*state, "$.store.book[?@.none == @.nowhere].price"), "8.95 12.99 8.99 22.99");
    assert_text(found(*state, "$[?@ == 9223372036854775807]"), "");
}

/* Checks the caret of an error: column and length of the invalid part. */
static void broken(void **state, const char *expression, uint32_t column, uint32_t length,
                   const char *text)
{
    struct place place = { .source = 1, .line = 1, .column = 6, .length = 1 };
    struct path *path;
    struct err err = { 0 };

    if (path_parse(*state, text_from(expression), place, &path, &err)) {
        fail_msg("%s is understood", expression);
    }
    assert_int_equal(err.code, CODE_R0008);
    if (strstr(err.text, text) == NULL || err.place.column != column + 5 ||
        err.place.length != length || err.hint[0] == '\0') {
        fail_msg("%s: %u+%u: %s (%s)", expression, err.place.column - 5, err.place.length, err.text,
                 err.hint);
    }
}

static void test_caret_under_what_is_not_understood(void **state)
{
    broken(state, "", 1, 1, "expected");
    broken(state, "name", 1, 4, "begins with $");
    broken(state, "$..author", 2, 2, "descendants");
    broken(state, "$.", 3, 1, "name of a field");
    broken(state, "$.a-b", 3, 3, "brackets");
    broken(state, "$.a b", 4, 1, "is unknown");
    broken(state, "$[", 3, 1, "expected");
    broken(state, "$[0", 4, 1, "closing ]");
    broken(state, "$[name]", 3, 4, "quotes");
    broken(state, "$['name", 3, 5, "closing quote");
    broken(state, "$['a\\q']", 5, 2, "escape");
    broken(state, "$[0:1:0]", 3, 5, "step");
    broken(state, "$[99999999999999999999]", 3, 20, "64 bits");
    broken(state, "$[?@.size => 3]", 11, 1, "unknown operator '='");
    broken(state, "$[?@.size = 3]", 11, 1, "unknown operator '='");
    broken(state, "$[?@.size & 3]", 11, 1, "unknown operator");
    broken(state, "$[?@.size == web]", 14, 3, "unexpected word");
    broken(state, "$[?length(@) > 3]", 4, 6, "functions");
    broken(state, "$[?3]", 4, 1, "must compare a value");
    broken(state, "$[?@.* == 3]", 4, 3, "single value");
    broken(state, "$[?(@.a]", 8, 1, "closing )");
    broken(state, "$[?@.a == ]", 11, 1, "expected");
    broken(state, "$.ü.a b", 6, 1, "is unknown"); /* columns count characters, not bytes */
}

static void test_depth_is_bounded(void **state)
{
    struct buf buf;
    struct path *path;
    struct err err;

    buf_init(&buf, *state);
    buf_add_string(&buf, "$[?");
    buf_add_bytes(&buf, '(', 100000);
    assert_false(path_parse(*state, buf_text(&buf), (struct place){ 0 }, &path, &err));
    buf_init(&buf, *state);
    buf_add_string(&buf, "$");
    for (int i = 0; i < 100000; i++) {
        buf_add_string(&buf, "[?@");
    }
    assert_false(path_parse(*state, buf_text(&buf), (struct place){ 0 }, &path, &err));
    buf_init(&buf, *state);
    buf_add_string(&buf, "$[?");
    buf_add_bytes(&buf, '!', 100000);
    assert_false(path_parse(*state, buf_text(&buf), (struct place){ 0 }, &path, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_children),
        CASE(test_wildcards),
        CASE(test_indexes_and_slices),
        CASE(test_filters),
        CASE(test_precedence),
        CASE(test_comparison_keeps_types_apart),
        CASE(test_caret_under_what_is_not_understood),
        CASE(test_depth_is_bounded),
    };

    return cmocka_run_group_tests_name("cli/path", tests, NULL, NULL);
}

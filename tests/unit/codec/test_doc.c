#include "codec/doc.h"

#include "codec.h"

static struct doc plain(const char *spelling)
{
    return (struct doc){ .kind = DOC_KIND_SCALAR,
                         .style = DOC_STYLE_PLAIN,
                         .text = text_from(spelling) };
}

static void a_plain_scalar_means_what_the_core_rules_say(void **state)
{
    static const struct {
        enum doc_type type;
        const char *spellings[32];
    } cases[] = {
        { DOC_TYPE_NULL, { "null", "Null", "NULL", "~", "" } },
        { DOC_TYPE_BOOL, { "true", "True", "TRUE", "false", "False", "FALSE" } },
        { DOC_TYPE_INT,
          { "0", "-1", "+1", "007", "1234567890123456789012", "0x1F", "0xabcdef", "0o17", "-0" } },
        { DOC_TYPE_FLOAT,
          { "1.10", ".5", "-.5", "5.", "1e3", "1E+3", "-1.5e-3", "+.0", ".inf", ".Inf", ".INF",
            "-.inf", "+.inf", ".nan", ".NaN", ".NAN", "1.e3" } },
        { DOC_TYPE_TEXT,
          { "web", "nul",   "nullx", "yes",   "no",    "on",    "off", "tRUE", "t",    "f",  "N",
            "-",   "+",     ".",     "0x",    "0o",    "0o8",   "0xg", "-0x1", "+0o7", "1e", "1e+",
            "e5",  "1.2.3", "1_000", "10MiB", "-.nan", ".infx", "..",  "1 2",  "~x" } },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        for (size_t j = 0; j < 32 && cases[i].spellings[j] != NULL; j++) {
            struct doc doc = plain(cases[i].spellings[j]);

            if (doc_core_type(&doc) != cases[i].type) {
                fail_msg("'%s' is %d, not %d", cases[i].spellings[j], doc_core_type(&doc),
                         cases[i].type);
            }
            doc.style = DOC_STYLE_QUOTED;
            assert_int_equal(doc_core_type(&doc), DOC_TYPE_TEXT);
        }
    }
}

static void nothing_is_null_but_not_a_plain_null(void **state)
{
    struct doc empty = { .kind = DOC_KIND_SCALAR, .style = DOC_STYLE_EMPTY };
    struct doc null = plain("~");
    struct doc word = plain("nil");

    (void)state;
    assert_int_equal(doc_core_type(&empty), DOC_TYPE_NULL);
    assert_false(doc_is_null(&empty));
    assert_true(doc_is_null(&null));
    assert_false(doc_is_null(&word));
    assert_false(doc_is_null(NULL));
    assert_false(doc_is_present(NULL));
    assert_false(doc_is_present(&(struct doc){ 0 }));
    assert_true(doc_is_present(&empty));
    assert_false(doc_is_scalar(NULL));
    assert_false(doc_is_list(NULL));
    assert_false(doc_is_map(NULL));
}

static void keys_and_pointers_lead_to_values(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = json_read(
        arena, TEXT("{\"a\":{\"b/c\":[10,{\"~\":7}],\"\":3},\"list\":[1,2],\"m\":1,\"n\":2}"));

    (void)state;
    assert_text(doc_child(&doc, "m")->text, "1");
    assert_text(doc_find(&doc, TEXT("n"))->text, "2");
    assert_null(doc_child(&doc, "x"));
    assert_null(doc_child(doc_child(&doc, "m"), "x"));
    assert_null(doc_child(NULL, "x"));
    assert_text(doc_entry_find(&doc, TEXT("a"))->key, "a");
    assert_ptr_equal(doc_at(&doc, TEXT("")), &doc);
    assert_text(doc_at(&doc, TEXT("/list/1"))->text, "2");
    assert_text(doc_at(&doc, TEXT("/a/b~1c/0"))->text, "10");
    assert_text(doc_at(&doc, TEXT("/a/b~1c/1/~0"))->text, "7");
    assert_text(doc_at(&doc, TEXT("/a/"))->text, "3");
    assert_null(doc_at(&doc, TEXT("/list/2")));
    assert_null(doc_at(&doc, TEXT("/list/-1")));
    assert_null(doc_at(&doc, TEXT("/list/x")));
    assert_null(doc_at(&doc, TEXT("/m/0")));
    assert_null(doc_at(&doc, TEXT("m")));
    assert_null(doc_at(&doc, TEXT("/a/b~1d")));
    assert_null(doc_at(&doc, TEXT("/a/b~1cc")));
    assert_null(doc_at(NULL, TEXT("/a")));
}

static void nodes_are_counted(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc doc = json_read(arena, TEXT("{\"a\":[1,2,{}],\"b\":null}"));

    (void)state;
    assert_int_equal(doc_count_nodes(&doc), 6);
}

static void equal_trees_have_equal_meanings_and_spellings(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        bool is_equal;
    } cases[] = {
        { "a: 1", "{\"a\": 1}", true },
        { "a: 1", "a: '1'", false },
        { "a: web", "a: 'web'", true },
        { "a: 1", "a: 01", false },
        { "a: ~", "a: null", true },
        { "a:", "a: null", true },
        { "a: ''", "a:", false },
        { "[1, 2]", "[1]", false },
        { "[1]", "[1, 2]", false },
        { "[1, 2]", "[2, 1]", false },
        { "{a: 1, b: 2}", "{b: 2, a: 1}", true },
        { "{a: 1}", "{a: 1, b: 2}", false },
        { "{a: 1, b: 2}", "{a: 1}", false },
        { "{a: 1}", "{b: 1}", false },
        { "[]", "{}", false },
        { "a: 1.0", "a: 1.00", false },
        { "a: true", "a: True", false },
        { "{a: [{b: 1}]}", "{a: [{b: 2}]}", false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(ARENA_BYTES);
        struct doc a = yaml_read(arena, text_from(cases[i].a));
        struct doc b = yaml_read(arena, text_from(cases[i].b));

        assert_int_equal(doc_is_equal(&a, &b), cases[i].is_equal);
        assert_int_equal(doc_is_equal(&b, &a), cases[i].is_equal);
    }
    assert_true(doc_is_equal(&(struct doc){ 0 }, &(struct doc){ 0 }));
}

static void what_the_program_makes_stands_where_it_is_reported(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc like = json_read(arena, TEXT("   [1]"));
    struct doc items[] = { doc_text(TEXT("x"), &like), doc_int(arena, -5, NULL),
                           doc_bool(true, NULL), doc_bool(false, &like),
                           doc_plain(TEXT("1.50"), NULL) };
    struct doc list = doc_list(items, ARRAY_COUNT(items), &like);

    (void)state;
    assert_string_equal(canonical(arena, &list), "[\"x\",-5,true,false,1.50]");
    assert_int_equal(doc_place(&list).column, 4);
    assert_int_equal(doc_place(&items[0]).column, 4);
    assert_false(place_is_known(doc_place(&items[1])));
    assert_ptr_equal(items[3].origin, &file_origin);
}

static void a_builder_sorts_and_later_entries_win(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc old = json_read(arena, TEXT("{\"b\": 1}"));
    struct doc_builder builder;
    struct doc map;

    (void)state;
    doc_builder_init(&builder, arena);
    doc_builder_add(&builder, &old.entries[0]);
    for (int i = 0; i < 20; i++) {
        doc_builder_put(&builder, "c", doc_int(arena, i, NULL));
    }
    doc_builder_put(&builder, "a", doc_bool(true, NULL));
    map = doc_builder_map(&builder, &old);
    assert_string_equal(canonical(arena, &map), "{\"a\":true,\"b\":1,\"c\":19}");
    assert_int_equal(doc_key_place(&map.entries[1]).column, 2);
    assert_false(place_is_known(doc_key_place(&map.entries[0])));
}

static void an_empty_builder_gives_an_empty_map(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc_builder builder;
    struct doc map;

    (void)state;
    doc_builder_init(&builder, arena);
    map = doc_builder_map(&builder, NULL);
    assert_string_equal(canonical(arena, &map), "{}");
}

static const struct origin *origin_swap(const struct origin *origin, void *arg)
{
    assert_ptr_equal(origin, &file_origin);
    return arg;
}

static void an_origin_reaches_every_node(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct origin other = { .kind = ORIGIN_TEMPLATE, .source = 2 };
    struct doc doc = json_read(arena, TEXT("{\"a\":[1,{\"b\":2}]}"));
    struct doc copy = doc_with_origins(arena, &doc, origin_swap, &other);

    (void)state;
    assert_true(doc_is_equal(&doc, &copy));
    assert_ptr_equal(copy.origin, &other);
    assert_ptr_equal(doc_at(&copy, TEXT("/a/1/b"))->origin, &other);
    assert_ptr_equal(doc_at(&doc, TEXT("/a/1/b"))->origin, &file_origin);
    assert_int_equal(doc_place(doc_at(&copy, TEXT("/a/1/b"))).source, 2);
}

static void map_out_of_order(void)
{
    struct doc_entry entries[] = { { .key = TEXT("b"), .value = doc_bool(true, NULL) },
                                   { .key = TEXT("a"), .value = doc_bool(true, NULL) } };

    doc_map(entries, 2, NULL);
}

static void a_map_out_of_order_is_caught(void **state)
{
    (void)state;
    assert_true(unit_aborts(map_out_of_order));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_scalar_means_what_the_core_rules_say),
        cmocka_unit_test(nothing_is_null_but_not_a_plain_null),
        cmocka_unit_test(keys_and_pointers_lead_to_values),
        cmocka_unit_test(nodes_are_counted),
        cmocka_unit_test(equal_trees_have_equal_meanings_and_spellings),
        cmocka_unit_test(what_the_program_makes_stands_where_it_is_reported),
        cmocka_unit_test(a_builder_sorts_and_later_entries_win),
        cmocka_unit_test(an_empty_builder_gives_an_empty_map),
        cmocka_unit_test(an_origin_reaches_every_node),
        cmocka_unit_test(a_map_out_of_order_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

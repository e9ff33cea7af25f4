#include "selector/selector.h"

#include "base/limits.h"
#include "unit.h"

struct label {
    const char *key;
    const char *value;
};

static const struct label machine[] = {
    { "role", "web" }, { "zone", "a" },           { "mem", "68719476736" }, { "disk", "1.5TB" },
    { "empty", "" },   { "odd", "a,b (c)" },      { "gpu/count", "2" },     { "in", "house" },
    { "cpu", "many" }, { "z\xc3\xbcrich", "ja" }, { "temp", "-5" },
};

static bool label_find(void *arg, struct text key, struct text *out)
{
    (void)arg;
    for (size_t i = 0; i < ARRAY_COUNT(machine); i++) {
        if (text_is(key, machine[i].key)) {
            *out = text_from(machine[i].value);
            return true;
        }
    }
    return false;
}

static void test_what_matches_and_how_it_is_written(void **state)
{
    static const struct {
        const char *selector;
        bool matches;
        const char *written;
    } cases[] = {
        { "role=web", true, "role=web" },
        { "role==web", true, "role=web" },
        { " role = web ", true, "role=web" },
        { "role=db", false, "role=db" },
        { "role=WEB", false, "role=WEB" },
        { "none=web", false, "none=web" },
        { "role!=db", true, "role!=db" },
        { "role!=web", false, "role!=web" },
        { "none!=web", true, "none!=web" },
        { "zone in (a,b)", true, "zone in (a,b)" },
        { "zone in(b , 'a')", true, "zone in (b,a)" },
        { "zone in (b,c)", false, "zone in (b,c)" },
        { "zone notin (b,c)", true, "zone notin (b,c)" },
        { "zone notin (a)", false, "zone!=a" },
        { "none notin (a,b)", true, "none notin (a,b)" },
        { "none in (a)", false, "none=a" },
        { "role", true, "role" },
        { "none", false, "none" },
        { "empty", true, "empty" },
        { "empty=''", true, "empty=''" },
        { "!none", true, "!none" },
        { "! role", false, "!role" },
        { "in", true, "in" },
        { "in in (house)", true, "in=house" },
        { "mem>=64Gi", true, "mem>=64Gi" },
        { "mem>64GiB", false, "mem>64GiB" },
        { "mem<=64Gi, mem<65Gi", true, "mem<=64Gi,mem<65Gi" },
        { "mem<64Gi", false, "mem<64Gi" },
        { "disk>1TB, disk<=1500GB", true, "disk>1TB,disk<=1500GB" },
        { "disk>1.5Ti", false, "disk>1.5Ti" },
        { "temp<0, temp>=-5", true, "temp<0,temp>=-5" },
        { "cpu>0", false, "cpu>0" },
        { "cpu<1", false, "cpu<1" },
        { "none<1", false, "none<1" },
        { "odd='a,b (c)'", true, "odd='a,b (c)'" },
        { "odd=\"a,b (c)\"", true, "odd='a,b (c)'" },
        { "odd='it\\'s \\\\'", false, "odd='it\\'s \\\\'" },
        { "gpu/count>1", true, "gpu/count>1" },
        { "z\xc3\xbcrich=ja", true, "z\xc3\xbcrich=ja" },
        { "role=web, zone in (a,b), mem>=64Gi", true, "role=web,zone in (a,b),mem>=64Gi" },
        { "role=web,zone=b", false, "role=web,zone=b" },
    };
    struct arena *arena = arena_new((size_t)1 << 24);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct selector selector;
        struct buf buf;
        struct err err;

        if (!selector_parse(arena, text_from(cases[i].selector), &selector, &err)) {
            fail_msg("%s: %s", cases[i].selector, err.text);
        }
        if (selector_matches(&selector, label_find, NULL) != cases[i].matches) {
            fail_msg("%s", cases[i].selector);
        }
        buf_init(&buf, arena);
        selector_format(&buf, &selector);
        assert_string_equal(buf_text(&buf).data, cases[i].written);
    }
    arena_free(arena);
}

static void test_what_is_refused_and_where(void **state)
{
    static const struct {
        const char *selector;
        unsigned column;
        unsigned length;
        const char *words;
    } cases[] = {
        { "", 1, 1, "expected the name" },
        { "  ", 3, 1, "expected the name" },
        { "role=web,", 10, 1, "expected the name" },
        { ",role", 1, 1, "expected the name" },
        { "=web", 1, 1, "expected the name" },
        { "role=", 6, 1, "expected a value" },
        { "role=,x", 6, 1, "expected a value" },
        { "role=web zone=a", 10, 1, "expected ','" },
        { "zo\xc3\xbc=a zone=a", 7, 1, "expected ','" },
        { "role=a(b", 7, 1, "expected ','" },
        { "zone in a", 9, 1, "expected '('" },
        { "zone in ()", 10, 1, "expected a value" },
        { "zone in (a", 11, 1, "expected ',' or ')'" },
        { "zone in (a b)", 12, 1, "expected ',' or ')'" },
        { "zone inn (a)", 6, 1, "expected ','" },
        { "role!web", 6, 1, "expected '='" },
        { "!", 2, 1, "expected the name" },
        { "mem>lots", 5, 4, "only numbers" },
        { "mem>=64GiX", 6, 5, "only numbers" },
        { "mem>64.", 5, 3, "only numbers" },
        { "role='web", 6, 4, "never closed" },
        { "role=\"we\\\"", 6, 5, "never closed" },
        { "role=\xff", 6, 1, "not UTF-8" },
    };
    struct arena *arena = arena_new((size_t)1 << 24);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct selector selector = { .count = 77 };
        struct err err;

        assert_false(selector_parse(arena, text_from(cases[i].selector), &selector, &err));
        assert_int_equal(err.code, CODE_R0531);
        if (err.place.column != cases[i].column || err.place.length != cases[i].length ||
            strstr(err.text, cases[i].words) == NULL) {
            fail_msg("'%s': column %u, length %u, %s", cases[i].selector, err.place.column,
                     err.place.length, err.text);
        }
        assert_true(strlen(err.hint) > 0);
        assert_int_equal(selector.count, 77);
    }
    arena_free(arena);
}

static void repeat(struct buf *buf, const char *part, int times)
{
    for (int i = 0; i < times; i++) {
        buf_add_string(buf, i > 0 ? "," : "");
        buf_add_string(buf, part);
    }
}

static void test_limits_hold_exactly(void **state)
{
    struct arena *arena = arena_new((size_t)1 << 24);
    struct selector selector;
    struct err err;

    (void)state;
    for (int over = 0; over < 2; over++) {
        struct buf clauses;
        struct buf values;
        struct buf key;

        buf_init(&clauses, arena);
        repeat(&clauses, "a=b", LIMIT_SELECTOR_CLAUSES + over);
        assert_int_equal(selector_parse(arena, buf_text(&clauses), &selector, &err), over == 0);
        buf_init(&values, arena);
        buf_add_string(&values, "a in (");
        repeat(&values, "b", LIMIT_SELECTOR_VALUES + over);
        buf_add_string(&values, ")");
        assert_int_equal(selector_parse(arena, buf_text(&values), &selector, &err), over == 0);
        buf_init(&key, arena);
        buf_add_bytes(&key, 'k', (size_t)LIMIT_SELECTOR_KEY_BYTES + (size_t)over);
        assert_int_equal(selector_parse(arena, buf_text(&key), &selector, &err), over == 0);
        buf_init(&key, arena);
        buf_add_string(&key, "k=");
        buf_add_bytes(&key, 'v', LIMIT_SELECTOR_BYTES - 2 + (size_t)over);
        assert_int_equal(selector_parse(arena, buf_text(&key), &selector, &err), over == 0);
    }
    assert_int_equal(err.code, CODE_R0531);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_what_matches_and_how_it_is_written),
        cmocka_unit_test(test_what_is_refused_and_where),
        cmocka_unit_test(test_limits_hold_exactly),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}

#include "selector/ranges.h"

#include "base/sort.h"
#include "unit.h"

static void test_names_fit_patterns(void **state)
{
    static const struct {
        const char *pattern;
        const char *name;
        bool fits;
    } cases[] = {
        { "web-0", "web-0", true },
        { "web-0", "web-00", false },
        { "web-[0-3]", "web-3", true },
        { "web-[0-3]", "web-4", false },
        { "web-[0-3]", "web-03", false },
        { "web-[01-12]", "web-03", true },
        { "web-[01-12]", "web-12", true },
        { "web-[01-12]", "web-3", false },
        { "web-[1,4-5]", "web-4", true },
        { "web-[1,4-5]", "web-3", false },
        { "w[1-2]-a", "w2-a", true },
        { "w[1-2]-a", "w2-b", false },
        { "w[1-2]-a", "w-a", false },
        { "web-[0-3]", "web-", false },
        { "web-[0-3]", "web-x", false },
        { "web-[0-3]", "web-[0-3]", false },
        { "web-[0-", "web-[0-", true },
        { "web-[0-99999999999999999999]", "web-1", false },
        { "web-[0-9]", "web-99999999999999999999", false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        if (ranges_has(text_from(cases[i].pattern), text_from(cases[i].name)) != cases[i].fits) {
            fail_msg("%s, %s", cases[i].pattern, cases[i].name);
        }
    }
}

static void test_which_are_patterns(void **state)
{
    static const char *const good[] = { "a", "web-[0]", "web-[0-3,7]", "[1-2]", "x[01-02]y" };
    static const char *const bad[] = { "a[",    "a]",    "a]1[", "a[]",     "a[1-]",   "a[-1]",
                                       "a[1,]", "a[,1]", "a[x]", "a[1][2]", "a[1-2-3]" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        assert_true(ranges_is_pattern(text_from(good[i])));
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        if (ranges_is_pattern(text_from(bad[i]))) {
            fail_msg("%s", bad[i]);
        }
    }
}

static void test_lists_are_parted_outside_of_brackets(void **state)
{
    static const char *const wanted[] = { "web-[1,3]", "db-0", "a", "b", "c[1" };
    struct text rest = TEXT(" web-[1,3],db-0\n\r\na b\tc[1\n, ,");
    struct text one;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
        assert_true(ranges_next(&rest, &one));
        assert_true(text_is(one, wanted[i]));
    }
    assert_false(ranges_next(&rest, &one));
}

static int compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Parsing a written range gives exactly the same names. */
static void test_names_are_written_in_short(void **state)
{
    static const struct {
        const char *names;
        const char *written;
    } cases[] = {
        { "web-0", "web-0" },
        { "web-2 web-1 web-10 web-3", "web-[1-3,10]" },
        { "web-1 web-3", "web-[1,3]" },
        { "db-0 web-0 web-1", "db-0,web-[0-1]" },
        { "web-08 web-09 web-10 web-11", "web-[08-11]" },
        { "web-8 web-9 web-10", "web-[8-10]" },
        { "web-09 web-10 web-100", "web-[09-10,100]" },
        { "web-9 web-09", "web-[09,9]" },
        { "a b", "a,b" },
        { "n1-x n2-x n1-y", "n[1-2]-x,n1-y" },
        { "r1-n2 r1-n3 r2-n4", "r1-n[2-3],r2-n4" },
        { "x99999999999999999999 x1", "x1,x99999999999999999999" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new_small(SIZE_MAX);
        struct text rest = text_from(cases[i].names);
        struct text names[8];
        size_t count = 0;
        struct buf buf;

        while (ranges_next(&rest, &names[count])) {
            count++;
        }
        sort_stable(arena, names, count, sizeof(*names), compare, NULL);
        buf_init(&buf, arena);
        ranges_format(&buf, names, count);
        assert_string_equal(arena_string(arena, buf_text(&buf)), cases[i].written);
        for (size_t j = 0; j < count; j++) {
            struct text pattern;
            size_t fits = 0;

            rest = buf_text(&buf);
            while (ranges_next(&rest, &pattern)) {
                fits += ranges_has(pattern, names[j]);
            }
            assert_int_equal(fits, 1);
        }
    }
}

/* A record that may have a name is never left out; a record that cannot have it is left out. */
static void test_records_are_left_out_by_their_bytes(void **state)
{
    static const struct {
        const char *names;
        bool may_have;
    } cases[] = {
        { "web-1", true },    { "i-07", true },  { "token-5", true },    { "web-10", false },
        { "eb-1", false },    { "web-", false }, { "db-0,web-1", true }, { "db-0,db-1", false },
        { "db-[0-3]", true }, { "a\"b", true },  { "\xc3\xa4", true },   { "web-1\\", true },
        { "web-11", false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct text json = TEXT("{\"id\":\"i-07\",\"name\":\"web-1\",\"x\":\"aweb-11\"}");

        assert_int_equal(ranges_may_have(text_from(cases[i].names), TEXT("token-5"), json),
                         cases[i].may_have);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_are_left_out_by_their_bytes),
        cmocka_unit_test(test_names_fit_patterns),
        cmocka_unit_test(test_which_are_patterns),
        cmocka_unit_test(test_lists_are_parted_outside_of_brackets),
        cmocka_unit_test(test_names_are_written_in_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

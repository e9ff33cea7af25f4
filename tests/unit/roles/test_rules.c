/* The rules of a cluster's roles, and the roles of a group's members.
 * Requirements: C11, C12. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "codec/json.h"
#include "roles/roles.h"

static struct doc doc_of(struct arena *arena, const char *json)
{
    struct doc doc;
    struct err err;

    assert_true(json_parse(arena, text_from(json), NULL, &doc, &err));
    return doc;
}

static void test_a_file_overrides_what_is_shipped(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct doc map = doc_of(arena, "{\"service-worker\":{},\"cache\":{\"keep\":2,\"of\":[\"db\"],"
                                   "\"spread\":\"zone\",\"needs\":[\"cluster-node\"]}}");
    struct roles_rules rules = roles_rules_read(arena, NULL);
    const struct roles_rule *rule = roles_rule_find(&rules, TEXT("service-worker"));

    (void)state;
    assert_int_equal(rules.count, 3);
    assert_int_equal(rule->needs.count, 1);
    assert_true(text_is(rule->needs.items[0], "service-master"));
    rules = roles_rules_read(arena, &map);
    assert_int_equal(rules.count, 4);
    assert_int_equal(roles_rule_find(&rules, TEXT("service-worker"))->needs.count, 0);
    rule = roles_rule_find(&rules, TEXT("cache"));
    assert_int_equal(rule->keep, 2);
    assert_true(rule->is_spread);
    assert_true(text_is(rule->of.items[0], "db"));
    assert_true(text_is(rule->needs.items[0], "cluster-node"));
    arena_free(arena);
}

static void test_a_member_has_its_own_list(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct doc leaf = doc_of(arena, "{\"roles\":[\"a\",\"b\"],\"members\":{\"web-1\":{\"roles\":"
                                    "[\"c\"]},\"web-2\":{\"roles\":[]},\"web-3\":{\"vars\":{}}}}");
    struct roles_group group = roles_group_read(arena, &leaf);

    (void)state;
    assert_int_equal(roles_group_of(&group, TEXT("web-0")).count, 2);
    assert_true(text_is(roles_group_of(&group, TEXT("web-1")).items[0], "c"));
    assert_int_equal(roles_group_of(&group, TEXT("web-2")).count, 0);
    assert_int_equal(roles_group_of(&group, TEXT("web-3")).count, 2);
    assert_true(roles_group_has_any(&group));
    leaf = doc_of(arena, "{\"size\":1}");
    group = roles_group_read(arena, &leaf);
    assert_false(roles_group_has_any(&group));
    arena_free(arena);
}

static void test_cycles(void **state)
{
    static const struct {
        const char *map;
        const char *words; /* expected text of the cycle; NULL: no cycle */
    } cases[] = {
        { "{\"a\":{\"needs\":[\"a\"]}}", "a needs a" },
        { "{\"a\":{\"needs\":[\"b\"]},\"b\":{\"needs\":[\"a\"]}}", "a needs b needs a" },
        { "{\"a\":{\"needs\":[\"x\",\"b\"]},\"b\":{\"needs\":[\"c\"]},\"c\":{\"needs\":[\"a\"]}}",
          "a needs b needs c needs a" },
        { "{\"service-master\":{\"needs\":[\"service-worker\"]}}",
          "service-master needs service-worker needs service-master" },
        { "{\"a\":{\"needs\":[\"b\",\"c\"]},\"b\":{\"needs\":[\"c\"]},\"c\":{}}", NULL },
        { "{\"b\":{\"needs\":[\"c\"]},\"c\":{\"needs\":[\"d\"]},\"d\":{\"needs\":[\"c\"]}}",
          "c needs d needs c" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct arena *arena = arena_new(SIZE_MAX);
        struct doc map = doc_of(arena, cases[i].map);
        struct text words = TEXT("");
        const struct doc *closing = roles_cycle_find(arena, &map, &words);

        assert_int_equal(closing != NULL, cases[i].words != NULL);
        if (closing != NULL) {
            assert_string_equal(arena_string(arena, words), cases[i].words);
        }
        arena_free(arena);
    }
}

static void test_needs_are_transitive(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct doc map = doc_of(arena, "{\"a\":{\"needs\":[\"service-worker\"]}}");
    struct roles_rules rules = roles_rules_read(arena, &map);

    (void)state;
    assert_true(roles_rule_needs(&rules, TEXT("a"), TEXT("service-master")));
    assert_false(roles_rule_needs(&rules, TEXT("service-master"), TEXT("a")));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_overrides_what_is_shipped),
        cmocka_unit_test(test_a_member_has_its_own_list),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_needs_are_transitive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Checks of a complete cluster: by the descriptions of plugins, and against groups that a request
 * does not change. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "reeve/plugin.h"

#define SHOP "version: 1\nname: shop\n"
#define AWS  "resourcePlugin: {name: aws}"

/* ---- plugins ---- */

static struct wire_property aws_schema[] = {
    { .name = TEXT("ami"), .type = REEVE_TYPE_TEXT, .role = REEVE_ROLE_IMAGE },
    { .name = TEXT("cpus"), .type = REEVE_TYPE_INTEGER, .least = 1, .most = 8 },
};
static struct wire_property sim_schema[] = {
    { .name = TEXT("settings"), .type = REEVE_TYPE_TEXT, .role = REEVE_ROLE_DRIVER },
};

static const struct wire_hello known[] = {
    { .name = TEXT("aws"),
      .methods = 1 << WIRE_VALIDATE | 1 << WIRE_CREATE,
      .properties = { aws_schema, ARRAY_COUNT(aws_schema) } },
    { .name = TEXT("flight"), .methods = 1 << WIRE_PREFLIGHT },
    { .name = TEXT("mute"), .methods = 1 << WIRE_CREATE },
    { .name = TEXT("sim"), .properties = { sim_schema, ARRAY_COUNT(sim_schema) } },
};

static const struct wire_hello *known_find(void *arg, struct text name)
{
    (void)arg;
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        if (text_is_equal(known[i].name, name)) {
            return &known[i];
        }
    }
    return NULL;
}

static const struct model_plugins plugins = { .find = known_find };

/* Returns the validate calls as PLUGIN:OBJECT/PATH#CHOICE, each followed by a blank. */
static const char *questions_format(const struct world *world)
{
    struct buf buf;

    buf_init(&buf, world->arena);
    for (size_t i = 0; i < world->set.question_count; i++) {
        const struct model_question *question = &world->set.questions[i];

        assert_ptr_equal(question->hello, known_find(NULL, question->plugin));
        assert_true(question->place.line > 0);
        buf_printf(&buf, "%.*s:%.*s/%.*s#%zu ", TEXT_ARG(question->plugin),
                   TEXT_ARG(question->object), TEXT_ARG(question->path), question->choice);
    }
    return buf_text(&buf).data;
}

static void test_a_plugin_is_asked_about_each_form_of_a_group(void **state)
{
    static const struct {
        const char *yaml;
        const char *questions;
    } cases[] = {
        { SHOP "groups: {web: {size: 1, " AWS "}}\n", "aws:shop/web#0 " },
        { SHOP "groups: {web: {size: 1, resourcePlugin: {name: flight}}}\n", "flight:shop/web#0 " },
        { SHOP "groups: {web: {size: 1, resourcePlugin: {name: mute}}}\n", "" },
        /* the plugin is not known */
        { SHOP "groups: {web: {size: 1, resourcePlugin: {name: gcd}}}\n", "" },
        { SHOP "defaults: {" AWS "}\ngroups: {b: {size: 1}, a: {c: {size: 0}}}\n",
          "aws:shop/a/c#0 aws:shop/b#0 " },
        { SHOP "groups: {web: {size: 1, " AWS ", alternatives: [{image: b}, {image: c}]}}\n",
          "aws:shop/web#0 aws:shop/web#1 aws:shop/web#2 " },
        { SHOP "groups: {web: {size: 1, " AWS ", alternatives: [{resourcePlugin: {name: flight}}, "
               "{resourcePlugin: {name: gcd}}]}}\n",
          "aws:shop/web#0 flight:shop/web#1 " },
        { "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 1, " AWS "}}\n", "" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct world *world = world_read_known(cases[i].yaml, &plugins, NULL);

        world_assert_clean(world);
        assert_string_equal(questions_format(world), cases[i].questions);
        world_free(world);
    }
}

/* An alternative is validated with the values that would be used: merged over its group. */
static void test_a_question_has_the_values_that_would_be_used(void **state)
{
    struct world *world =
        world_read_known(SHOP "groups: {web: {size: 1, image: a, user: u, " AWS
                              ", resourceProperties: {cpus: 2}, alternatives: [{image: b, "
                              "user: null}]}}\n",
                         &plugins, NULL);

    (void)state;
    world_assert_clean(world);
    assert_int_equal(world->set.question_count, 2);
    assert_string_equal(world_json(world, doc_child(&world->set.questions[0].leaf, "image")),
                        "\"a\"");
    assert_non_null(doc_child(&world->set.questions[0].leaf, "user"));
    assert_string_equal(world_json(world, doc_child(&world->set.questions[1].leaf, "image")),
                        "\"b\"");
    assert_null(doc_child(&world->set.questions[1].leaf, "user"));
    assert_string_equal(
        world_json(world, doc_at(&world->set.questions[1].leaf, TEXT("/resourceProperties/cpus"))),
        "2");
    world_free(world);
}

static void test_more_groups_than_questions_are_no_fault(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct world *world;
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, SHOP "defaults: {" AWS "}\ngroups:\n");
    for (int i = 0; i < LIMIT_QUESTIONS + 3; i++) {
        buf_printf(&buf, "  g%d: {size: 1}\n", i);
    }
    world = world_read_known(buf_text(&buf).data, &plugins, NULL);
    world_assert_clean(world);
    assert_int_equal(world->set.question_count, LIMIT_QUESTIONS);
    world_free(world);
}

static void test_the_schema_of_a_plugin_is_applied(void **state)
{
    static const struct {
        const char *yaml;
        const char *code; /* expected code; NULL: no fault */
        uint32_t line;
        uint32_t column;
        const char *text;
    } cases[] = {
        { SHOP "groups:\n  web: {size: 1, " AWS ", resourceProperties: {cpus: 9}}\n", "R0305", 4,
          74, "must be from 1 to 8" },
        { SHOP "groups:\n  web: {size: 1, " AWS
               ", alternatives: [{resourceProperties: {cpu: 1}}]}\n",
          "R0301", 4, 84, "unknown field 'cpu'" },
        { SHOP "defaults: {subnet: n, " AWS "}\ngroups:\n  web: {size: 1}\n", "R0347", 3, 12,
          "plugin aws has no 'subnet'" },
        { "kind: NodeGroupTemplate\nname: t\nsize: 1\nsubnet: n\n" AWS "\n---\n" SHOP
          "groups:\n  web: {from: {nodegrouptemplate: t}}\n",
          "R0347", 10, 15, "plugin aws has no 'subnet'" }, /* reported where the template is used */
        { SHOP "groups:\n  web: {size: 1, " AWS ", resourceProperties: {cpus: 8}}\n", NULL, 0, 0,
          NULL },
        /* ---- the driver of a cluster is for the plugins of all its groups ---- */
        { SHOP "driver: d\ngroups:\n  web: {size: 1, " AWS "}\n", "R0347", 3, 1,
          "plugin aws has no 'driver'" },
        { SHOP "driver: d\ngroups:\n  a: {size: 1, " AWS
               "}\n  b: {size: 1, resourcePlugin: {name: sim}}\n",
          NULL, 0, 0, NULL },
        { SHOP "driver: d\ngroups:\n  a: {size: 1, " AWS
               "}\n  b: {size: 1, resourcePlugin: {name: gcd}}\n",
          NULL, 0, 0, NULL }, /* the property is permitted */
        { SHOP "driver: null\ngroups:\n  a: {size: 1, " AWS "}\n", NULL, 0, 0, NULL },
        { SHOP "driver: d\nempty: true\n", NULL, 0, 0, NULL },
        { "kind: ClusterTemplate\nname: t\ndriver: d\ngroups: {web: {size: 1, " AWS "}}\n", NULL, 0,
          0, NULL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct world *world = world_read_known(cases[i].yaml, &plugins, NULL);

        world_assert_faults(world, cases[i].code != NULL);
        if (cases[i].code != NULL) {
            const struct err *err =
                world_fault(world, cases[i].code, cases[i].line, cases[i].column);

            assert_non_null(strstr(err->text, cases[i].text));
        }
        world_free(world);
    }
}

/* ---- the groups that a request does not change ---- */

struct unchanged {
    const char *const *paths;
    size_t count;
    unsigned calls;
};

/* Returns all groups, which is more than the real function returns, so the caller must select. */
static size_t unchanged_find(void *arg, struct arena *arena, const struct naming_group *group,
                             struct model_other **out)
{
    struct unchanged *unchanged = arg;
    struct naming naming;
    struct err err;

    (void)group;
    unchanged->calls++;
    *out = arena_array(arena, struct model_other, unchanged->count);
    assert_true(naming_parse(TEXT(NAMING_DEFAULT), &naming, &err));
    for (size_t i = 0; i < unchanged->count; i++) {
        struct text path = text_from(unchanged->paths[i]);

        (*out)[i] = (struct model_other){
            .path = path,
            .names = { .affix = naming_expand(arena, &naming, TEXT("shop"), path), .count = 2 },
        };
    }
    return unchanged->count;
}

static struct world *world_beside(struct unchanged *unchanged, const char *yaml, size_t groups,
                                  uint64_t nodes)
{
    struct model_others *others = test_calloc(1, sizeof(*others));
    struct world *world;

    *others = (struct model_others){ groups, nodes, unchanged_find, unchanged };
    world = world_read_known(yaml, NULL, others);
    test_free(others);
    return world;
}

static void test_names_are_compared_with_those_of_unchanged_groups(void **state)
{
    static const char *const paths[] = { "old", "a/b", "a-b", "Web" };
    static const struct {
        const char *yaml;
        size_t faults;
        const char *text;
    } cases[] = {
        { SHOP "groups:\n  new: {size: 1, " AWS "}\n", 0, NULL }, /* a/b and a-b exist already */
        { SHOP "groups:\n  web: {size: 1, " AWS "}\n", 1,
          "of group 'web' has the name of a member of group 'Web'" },
        { SHOP "groups:\n  OLD: {size: 5, " AWS "}\n  web: {size: 1, firstNumber: 2, " AWS "}\n", 1,
          "has the name of a member of group 'old'" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct unchanged unchanged = { paths, ARRAY_COUNT(paths), 0 };
        struct world *world = world_beside(&unchanged, cases[i].yaml, ARRAY_COUNT(paths), 8);

        world_assert_faults(world, cases[i].faults);
        assert_true(unchanged.calls > 0);
        if (cases[i].faults > 0) {
            const struct err *err = world_fault(world, "R0337", 4, 3);

            assert_non_null(strstr(err->text, cases[i].text));
            assert_int_equal(err->note_place.line, 0); /* the other group is not in a file */
        }
        world_free(world);
    }
}

static void test_many_unchanged_groups_are_compared_once_each(void **state)
{
    enum { COUNT = 100 };
    static char names[COUNT][8];
    const char *paths[COUNT];
    struct unchanged unchanged = { paths, COUNT, 0 };
    struct world *world;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "g%zux", i);
        paths[i] = names[i];
    }
    world = world_beside(&unchanged,
                         SHOP "defaults: {" AWS "}\ngroups:\n  a: {size: 1}\n  b: {size: 1}\n"
                              "  G99x: {size: 1}\n",
                         COUNT, 0);
    assert_int_equal(unchanged.calls, 3);
    world_assert_faults(world, 1);
    assert_non_null(strstr(world_fault(world, "R0337", 7, 3)->text, "of group 'g99x'"));
    world_free(world);
}

static void test_limits_count_the_unchanged_groups(void **state)
{
    static const struct {
        size_t groups;
        uint64_t nodes;
        const char *yaml;
        const char *code;
        uint32_t line;
        uint32_t column;
        const char *text;
    } cases[] = {
        { LIMIT_LEAF_GROUPS - 1, 0, SHOP "groups: {a: {size: 1, " AWS "}}\n", NULL, 0, 0, NULL },
        { LIMIT_LEAF_GROUPS, 0, SHOP "groups: {a: {size: 1, " AWS "}}\n", "R0320", 2, 7,
          "at most 10000 groups" },
        { 1, LIMIT_CLUSTER_NODES - 1, SHOP "groups: {a: {size: 1, " AWS "}}\n", NULL, 0, 0, NULL },
        { 1, LIMIT_CLUSTER_NODES, SHOP "groups: {a: {size: 1, " AWS "}}\n", "R0320", 2, 7,
          "has 10000001 nodes" },
        { 1, 1, SHOP "groups: {}\n", NULL, 0, 0, NULL }, /* the cluster is not empty */
        { 0, 0, SHOP "groups: {}\n", "R0341", 3, 9, "has no groups" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct unchanged unchanged = { NULL, 0, 0 };
        struct world *world =
            world_beside(&unchanged, cases[i].yaml, cases[i].groups, cases[i].nodes);

        world_assert_faults(world, cases[i].code != NULL);
        if (cases[i].code != NULL) {
            const struct err *err =
                world_fault(world, cases[i].code, cases[i].line, cases[i].column);

            assert_non_null(strstr(err->text, cases[i].text));
        }
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plugin_is_asked_about_each_form_of_a_group),
        cmocka_unit_test(test_a_question_has_the_values_that_would_be_used),
        cmocka_unit_test(test_more_groups_than_questions_are_no_fault),
        cmocka_unit_test(test_the_schema_of_a_plugin_is_applied),
        cmocka_unit_test(test_names_are_compared_with_those_of_unchanged_groups),
        cmocka_unit_test(test_many_unchanged_groups_are_compared_once_each),
        cmocka_unit_test(test_limits_count_the_unchanged_groups),
    };

    return cmocka_run_group_tests_name("complete", tests, NULL, NULL);
}

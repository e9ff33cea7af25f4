/* The values of files and their differences, as a document. */
#include "plan/file_plan.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "world.h"

#define AWS  "resourcePlugin: {name: aws}"
#define SHOP "version: 1\nname: shop\n"

struct planned {
    struct world *new_world;
    struct world *old_world; /* the state to compare with; NULL: not compared */
    struct file_plan_summary summary;
    struct doc plan;
};

static struct planned plan_make(const char *old_yaml, const char *new_yaml,
                                struct file_plan_options options)
{
    struct planned planned = { .new_world = world_read(new_yaml) };

    world_assert_clean(planned.new_world);
    if (old_yaml != NULL) {
        planned.old_world = world_read(old_yaml);
        world_assert_clean(planned.old_world);
    }
    planned.plan = file_plan_make(planned.new_world->arena, &planned.new_world->set,
                                  old_yaml == NULL ? NULL : &planned.old_world->set, options,
                                  &planned.summary);
    return planned;
}

static void plan_free(struct planned *planned)
{
    if (planned->old_world != NULL) {
        world_free(planned->old_world);
    }
    world_free(planned->new_world);
}

/* Returns the value at a pointer of the plan as canonical bytes; "absent": there is none. */
static const char *at(const struct planned *planned, const char *pointer)
{
    const struct doc *value = doc_at(&planned->plan, text_from(pointer));

    return value == NULL ? "absent" : world_json(planned->new_world, value);
}

/* A row: two texts, a pointer into the plan, and the expected value there. */
struct plan_case {
    const char *name;
    const char *old_yaml;
    const char *new_yaml;
    const char *pointer;
    const char *json;
    uint64_t creates;
    uint64_t destroys;
    uint64_t changes;
};

static const struct plan_case cases[] = {
    { "without_a_comparison_nothing_is_said_of_changes", NULL,
      SHOP "groups: {web: {size: 3, " AWS "}}\n", "/0/groups/0",
      "{\"labels\":{\"added\":[],\"overridden\":{},\"skipped\":[]},\"members\":\"web-[0-2]\",\"path\":"
      "\"web\",\"plugin\":\"aws\",\"size\":3}",
      0, 0, 0 },
    { "the_same_file_is_no_change", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {web: {size: 3, " AWS "}}\n", "/0/change", "\"none\"", 0, 0, 0 },
    { "a_new_cluster_is_made", "version: 1\nname: a\nempty: true\n",
      "version: 1\nname: a\nempty: true\n---\n" SHOP "groups: {web: {size: 3, " AWS "}}\n",
      "/1/change", "\"create\"", 3, 0, 0 },
    { "its_members_come", "version: 1\nname: a\nempty: true\n",
      "version: 1\nname: a\nempty: true\n---\n" SHOP "groups: {web: {size: 3, " AWS "}}\n",
      "/1/groups/0/create", "\"web-[0-2]\"", 3, 0, 0 },
    { "a_cluster_that_left_the_files_goes", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      "version: 1\nname: a\nempty: true\n", "/1/change", "\"destroy\"", 0, 3, 0 },
    { "its_members_go", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      "version: 1\nname: a\nempty: true\n", "/1/groups/0/destroy", "\"web-[0-2]\"", 0, 3, 0 },
    { "a_group_grows",
      SHOP "groups: {web: {size: 3, firstNumber: 5, naming: '{group}{n:02}', " AWS "}}\n",
      SHOP "groups: {web: {size: 6, firstNumber: 5, naming: '{group}{n:02}', " AWS "}}\n",
      "/0/groups/0/create", "\"web[08-10]\"", 3, 0, 0 },
    { "and_says_its_old_size", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {web: {size: 6, " AWS "}}\n", "/0/groups/0/oldSize", "3", 3, 0, 0 },
    { "another_first_number_moves_the_slots_at_both_ends",
      SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {web: {size: 3, firstNumber: 1, " AWS "}}\n", "/0/groups/0/create", "\"web-3\"",
      1, 1, 0 },
    { "a_group_shrinks_from_the_top", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {web: {size: 2, " AWS "}}\n", "/0/groups/0/destroy", "\"web-2\"", 0, 1, 0 },
    { "a_change_of_size_is_a_change", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {web: {size: 2, " AWS "}}\n", "/0/groups/0/change", "\"change\"", 0, 1, 0 },
    { "but_not_among_the_values_that_changed", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {web: {size: 2, " AWS "}}\n", "/0/groups/0/changes", "[]", 0, 1, 0 },
    { "a_changed_value_touches_the_members_that_stay",
      SHOP "groups: {web: {size: 3, user: a, " AWS "}}\n",
      SHOP "groups: {web: {size: 5, user: b, " AWS "}}\n", "/0/groups/0/changes",
      "[{\"new\":\"b\",\"old\":\"a\",\"origin\":\"group\",\"path\":\"user\"}]", 2, 0, 3 },
    { "X8_another_image_replaces_the_members_that_stay",
      SHOP "groups: {web: {size: 3, image: a, user: a, " AWS "}}\n",
      SHOP "groups: {web: {size: 5, image: b, user: b, " AWS "}}\n", "/0/groups/0/replace", "3", 2,
      0, 0 },
    { "X8_what_only_says_how_it_is_kept_replaces_none",
      SHOP "groups: {web: {size: 3, pick: oldest, " AWS "}}\n",
      SHOP "groups: {web: {size: 3, pick: newest, " AWS "}}\n", "/0/groups/0/replace", "absent", 0,
      0, 0 },
    { "behind_a_template_nothing_is_replaced",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 3, image: a, " AWS "}}\n",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 3, image: b, " AWS "}}\n",
      "/0/groups/0/replace", "absent", 0, 0, 0 },
    { "behind_a_template_nothing_is_made", NULL,
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 3}}\n", "/0/groups/0/members", "absent",
      0, 0, 0 },
    { "behind_a_template_nothing_comes",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 3}}\n",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 9}}\n", "/0/groups/0/create", "absent",
      0, 0, 0 },
    { "behind_a_template_nothing_goes",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 9}}\n",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 3}}\n", "/0/groups/0/destroy", "absent",
      0, 0, 0 },
    { "a_value_that_came", SHOP "groups: {web: {size: 1, " AWS "}}\n",
      SHOP "defaults: {user: u}\ngroups: {web: {size: 1, " AWS "}}\n", "/0/groups/0/changes",
      "[{\"new\":\"u\",\"origin\":\"defaults\",\"path\":\"user\"}]", 0, 0, 1 },
    { "a_value_that_went", SHOP "groups: {web: {size: 1, user: u, " AWS "}}\n",
      SHOP "groups: {web: {size: 1, " AWS "}}\n", "/0/groups/0/changes",
      "[{\"old\":\"u\",\"path\":\"user\"}]", 0, 0, 1 },
    { "values_that_mean_the_same_do_not_differ",
      SHOP
      "groups: {web: {size: 1, replaceAfter: 90m, volumes: [{size: 1024MiB}], members: {web-0: "
      "{volumes: [{size: 1GiB}]}}, " AWS "}}\n",
      SHOP "groups: {web: {size: 1, replaceAfter: 1h30m, volumes: [{size: 1GiB}], members: {web-0: "
           "{volumes: [{size: 1024MiB}]}}, " AWS "}}\n",
      "/0/change", "\"none\"", 0, 0, 0 },
    { "a_change_of_a_member_is_found_inside_it",
      SHOP "groups: {web: {size: 1, " AWS
           ", members: {web-0: {image: a, volumes: [{size: 1GiB}]}}}}\n",
      SHOP "groups: {web: {size: 1, " AWS
           ", members: {web-0: {image: b, volumes: [{size: 1024MiB}]}}}}\n",
      "/0/groups/0/changes",
      "[{\"new\":\"b\",\"old\":\"a\",\"origin\":\"group\",\"path\":\"members.web-0.image\"}]", 0, 0,
      1 },
    { "a_list_differs_as_a_whole", SHOP "groups: {web: {size: 1, zones: [a], " AWS "}}\n",
      SHOP "groups: {web: {size: 1, zones: [a, b], " AWS "}}\n", "/0/groups/0/changes/0/new",
      "[\"a\",\"b\"]", 0, 0, 1 },
    { "K7_a_renamed_group_keeps_its_machines", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {www: {size: 3, renamedFrom: web, " AWS "}}\n", "/0/groups/0/change",
      "\"rename\"", 0, 0, 0 },
    { "K7_and_says_what_it_was", SHOP "groups: {web: {size: 3, " AWS "}}\n",
      SHOP "groups: {www: {size: 3, renamedFrom: web, " AWS "}}\n", "/0/groups/0/was", "\"web\"", 0,
      0, 0 },
    { "K7_renamedFrom_of_long_ago_means_nothing",
      SHOP "groups: {www: {size: 3, renamedFrom: web, " AWS "}}\n",
      SHOP "groups: {www: {size: 3, renamedFrom: web, " AWS "}}\n", "/0/groups/0/change",
      "\"none\"", 0, 0, 0 },
    { "a_group_that_left_the_file_goes",
      SHOP "groups: {a: {size: 1, " AWS "}, b: {size: 2, " AWS "}}\n",
      SHOP "groups: {a: {size: 1, " AWS "}}\n", "/0/groups/1",
      "{\"change\":\"destroy\",\"changes\":[],\"destroy\":\"b-[0-1]\",\"oldSize\":2,\"path\":\"b\","
      "\"plugin\":\"aws\",\"size\":0}",
      0, 2, 0 },
    { "a_field_of_the_cluster_changes", SHOP "driver: a\ngroups: {web: {size: 3, " AWS "}}\n",
      SHOP "driver: b\ngroups: {web: {size: 3, " AWS "}}\n", "/0/changes",
      "[{\"new\":\"b\",\"old\":\"a\",\"origin\":\"cluster\",\"path\":\"driver\"}]", 0, 0, 0 },
    { "K4_a_known_id_under_another_name_is_a_rename",
      SHOP "id: x\ngroups: {web: {size: 3, " AWS "}}\n",
      "version: 1\nname: store\nid: x\ngroups: {web: {size: 3, " AWS "}}\n", "/0/change",
      "\"rename\"", 0, 0, 0 },
    { "K4_and_says_what_it_was", SHOP "id: x\ngroups: {web: {size: 3, " AWS "}}\n",
      "version: 1\nname: store\nid: x\ngroups: {web: {size: 3, " AWS "}}\n", "/0/was", "\"shop\"",
      0, 0, 0 },
    { "K4_the_old_name_may_be_taken_by_a_new_cluster",
      SHOP "id: x\ngroups: {web: {size: 3, " AWS "}}\n",
      "version: 1\nname: store\nid: x\ngroups: {web: {size: 3, " AWS "}}\n---\n" SHOP
      "groups: {web: {size: 2, " AWS "}}\n",
      "/0/change", "\"create\"", 2, 0, 0 },
    { "M6_templates_count_no_nodes", "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 3}}\n",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 9}}\n", "/0/groups/0/change",
      "\"change\"", 0, 0, 0 },
    { "M17_a_group_template_shows_its_fields", "kind: NodeGroupTemplate\nname: t\nimage: a\n",
      "kind: NodeGroupTemplate\nname: t\nimage: b\n", "/0/changes/0/path", "\"image\"", 0, 0, 0 },
    { "M22_labels_are_added_skipped_and_overridden", NULL,
      SHOP "labels: {a: 1, b: 1, c: 1}\n"
           "groups: {web: {size: 1, mergeLabels: true, labels: {a: 2, c: 1, d: 1}, " AWS "}}\n",
      "/0/groups/0/labels", "{\"added\":[\"d\"],\"overridden\":{\"a\":\"1\"},\"skipped\":[]}", 0, 0,
      0 },
    { "M22_replaced_labels_are_skipped", NULL,
      SHOP "labels: {a: 1}\ndefaults: {mergeLabels: true, labels: {b: 1}}\n"
           "groups: {web: {size: 1, mergeLabels: false, labels: {c: 1}, " AWS "}}\n",
      "/0/groups/0/labels", "{\"added\":[\"c\"],\"overridden\":{},\"skipped\":[\"a\",\"b\"]}", 0, 0,
      0 },
    { "an_empty_group_has_no_members", NULL, SHOP "groups: {web: {size: 0, " AWS "}}\n",
      "/0/groups/0/members", "absent", 0, 0, 0 },
};

static void plan_case_run(void **state)
{
    const struct plan_case *row = *state;
    struct planned planned =
        plan_make(row->old_yaml, row->new_yaml, (struct file_plan_options){ 0 });

    assert_string_equal(at(&planned, row->pointer), row->json);
    assert_int_equal(planned.summary.creates, row->creates);
    assert_int_equal(planned.summary.destroys, row->destroys);
    assert_int_equal(planned.summary.changes, row->changes);
    plan_free(&planned);
}

static void test_sums_are_those_of_all_clusters(void **state)
{
    struct planned planned = plan_make(
        NULL,
        "kind: ClusterTemplate\nname: t\ngroups: {x: {size: 50}}\n---\n" SHOP
        "groups: {a: {size: 3, " AWS "}, b: {c: {size: 4, " AWS
        "}}}\n---\nversion: 1\nname: two\ngroups: {a: "
        "{size: 5, " AWS "}}\n---\nkind: NodeGroup\ncluster: two\nname: z\nsize: 1\n" AWS "\n",
        (struct file_plan_options){ 0 });

    (void)state;
    assert_int_equal(planned.summary.objects, 3);
    assert_int_equal(planned.summary.groups, 4);
    assert_int_equal(planned.summary.nodes, 13);
    assert_false(planned.summary.has_differences);
    assert_string_equal(at(&planned, "/0/nodes"), "7");
    assert_string_equal(at(&planned, "/0/version"), "\"1\"");
    assert_string_equal(at(&planned, "/2/kind"), "\"ClusterTemplate\"");
    plan_free(&planned);
}

static void test_N12_values_are_listed_with_their_origin(void **state)
{
    struct planned planned = plan_make(
        NULL,
        "kind: NodeGroupTemplate\nname: n\nimage: i\n---\n" SHOP
        "defaults: {user: u}\ngroups:\n  web: {from: {nodegrouptemplate: n}, size: 1, " AWS
        ", zones: [], resourceProperties: {}}\n",
        (struct file_plan_options){ .with_values = true });

    (void)state;
    assert_string_equal(at(&planned, "/0/groups/0/values/1"),
                        "{\"column\":8,\"line\":3,\"origin\":\"template ngt/n\",\"path\":\"image\","
                        "\"source\":1,\"value\":\"i\"}");
    assert_string_equal(at(&planned, "/0/groups/0/values/5/path"), "\"user\"");
    assert_string_equal(at(&planned, "/0/groups/0/values/5/origin"), "\"defaults\"");
    assert_string_equal(at(&planned, "/0/groups/0/values/3/value"), "{}");
    assert_string_equal(at(&planned, "/0/groups/0/values/6/value"), "[]");
    assert_string_equal(at(&planned, "/0/values/0/path"), "\"name\"");
    plan_free(&planned);
}

static void test_N12_defaults_are_listed_when_asked(void **state)
{
    struct planned planned =
        plan_make(NULL, SHOP "groups: {web: {size: 1, heal: off, " AWS "}}\n",
                  (struct file_plan_options){ .with_values = true, .with_defaults = true });
    const char *values;

    (void)state;
    values = at(&planned, "/0/groups/0/values");
    assert_non_null(strstr(values,
                           "{\"column\":0,\"line\":0,\"origin\":\"default\",\"path\":\"minSize\","
                           "\"source\":0,\"value\":0}"));
    assert_null(strstr(values, "\"value\":\"replace\""));
    assert_non_null(strstr(values, "\"value\":\"off\""));
    plan_free(&planned);
}

static void test_values_are_cut_where_there_is_no_room(void **state)
{
    AUTO(arena) small = arena_new(64 * 1024);
    struct world *world = world_read(SHOP "groups: {web: {size: 1, " AWS "}}\n");
    struct file_plan_summary summary;
    struct doc plan;

    (void)state;
    arena_alloc(small, 50 * 1024);
    plan = file_plan_make(small, &world->set, NULL,
                          (struct file_plan_options){ .with_values = true }, &summary);
    assert_true(summary.are_values_cut);
    assert_null(doc_at(&plan, TEXT("/0/groups/0/values")));
    assert_non_null(doc_at(&plan, TEXT("/0/groups/0/members")));
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_sums_are_those_of_all_clusters),
        cmocka_unit_test(test_N12_values_are_listed_with_their_origin),
        cmocka_unit_test(test_N12_defaults_are_listed_when_asked),
        cmocka_unit_test(test_values_are_cut_where_there_is_no_room),
    };
    struct CMUnitTest tests[ARRAY_COUNT(cases) + ARRAY_COUNT(others)];

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        tests[i] = (struct CMUnitTest){ .name = cases[i].name,
                                        .test_func = plan_case_run,
                                        .initial_state = (void *)(uintptr_t)&cases[i] };
    }
    memcpy(tests + ARRAY_COUNT(cases), others, sizeof(others));
    return cmocka_run_group_tests_name("what files mean", tests, NULL, NULL);
}

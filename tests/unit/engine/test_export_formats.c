#include "exports/export_formats.h"

#include "base/limits.h"
#include "codec/doc.h"
#include "model/nest.h"
#include "unit.h"

#include <string.h>

#define HOST_KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF6mD8Jl8AkMW0VC3583OzV0HNrAxv09U3os1HUU9XgL"

static struct text ansible(struct arena *arena, struct select_node *node)
{
    struct select_nodes nodes = { node, 1 };
    struct export_options options = { .is_one_cluster = true };

    struct text out;
    struct err err;

    assert_true(export_format(arena, EXPORT_ANSIBLE_LIST, &nodes, &options, &out, &err));
    return out;
}

static struct select_group group_make(struct arena *arena)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    return (struct select_group){ .path = TEXT("web"), .labels = doc_builder_map(&builder, NULL) };
}

static struct select_node node_make(const struct select_group *group)
{
    return (struct select_node){ .cluster = TEXT("shop"),
                                 .group = group,
                                 .name = TEXT("web-0"),
                                 .address = TEXT("192.0.2.1"),
                                 .user = TEXT("admin"),
                                 .host_key = TEXT(HOST_KEY),
                                 .zone = TEXT("a"),
                                 .facts = TEXT("{\"os\":{\"name\":\"debian\"}}"),
                                 .record_state = PLAN_RECORD_ACTIVE,
                                 .state = "ready" };
}

/* Ansible evaluates templates on the computer of its user, so data from machines must not be a
 * template. */
static void test_what_a_machine_says_is_no_template(void **state)
{
    static const char *const hostile[] = { "{\"os\":\"{{ lookup('pipe', 'id') }}\"}",
                                           "{\"os\":\"{% set x = 1 %}\"}", "{\"os\":\"{# x #}\"}" };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct select_group group = group_make(arena);
    struct select_node node = node_make(&group);
    struct text written = ansible(arena, &node);

    (void)state;
    assert_non_null(strstr(written.data, "\"reeve_facts\":{\"os\":{\"name\":\"debian\"}}"));
    assert_non_null(strstr(written.data, "\"ansible_host\":\"192.0.2.1\""));
    assert_non_null(strstr(written.data, "KnownHostsCommand=/bin/echo web-0 " HOST_KEY "'"));
    for (size_t i = 0; i < ARRAY_COUNT(hostile); i++) {
        node.facts = text_from(hostile[i]);
        assert_non_null(strstr(ansible(arena, &node).data, "\"reeve_facts\":{}"));
    }
    node = node_make(&group);
    node.address = node.user = node.zone = TEXT("{{1}}");
    node.host_key = TEXT("ssh-ed25519 {{1}}");
    assert_null(strstr(ansible(arena, &node).data, "{{"));
}

/* While a machine shows an unexpected key, no key is exported as trusted. */
static void test_a_machine_with_an_alarm_has_no_host_key(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct select_group group = group_make(arena);
    struct select_node node = node_make(&group);

    (void)state;
    node.alarm = TEXT("it shows another one");
    assert_null(strstr(ansible(arena, &node).data, "KnownHostsCommand"));
}

static bool has(struct arena *arena, struct text said, const char *part)
{
    return strstr(arena_string(arena, said), part) != NULL;
}

/* A role is exported as a group with its generated name and with its own name; a label `role` is
 * merged into it. */
static void test_roles_are_groups(void **state)
{
    static const struct text names[] = { { "service-master", 14 }, { "web", 3 } };
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct select_group group = group_make(arena);
    struct select_node node = node_make(&group);
    struct text said;

    (void)state;
    node.roles = (struct roles_list){ names, 2 };
    group.labels = nest_put(arena, &group.labels, "role", doc_text(TEXT("web"), NULL));
    said = ansible(arena, &node);
    assert_true(has(arena, said, "\"role_service_master\":{\"hosts\":[\"web-0\"]}"));
    assert_true(has(arena, said, "\"service-master\":{\"hosts\":[\"web-0\"]}"));
    assert_true(has(arena, said, "\"role_web\":{\"hosts\":[\"web-0\"]}"));
    assert_true(has(arena, said, "\"reeve_roles\":[\"service-master\",\"web\"]"));
    arena_free(arena);
}

/* Two groups whose names differ by `-` and `_` are never merged. */
static void test_groups_with_one_name_are_an_error(void **state)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct select_group groups[] = { group_make(arena), group_make(arena) };
    struct select_node nodes[] = { node_make(&groups[0]), node_make(&groups[1]) };
    struct export_options options = { .is_one_cluster = true };
    struct select_nodes both = { nodes, 2 };
    struct text out;
    struct err err;

    (void)state;
    groups[0].path = TEXT("web-a");
    groups[1].path = TEXT("web_a");
    assert_false(export_format(arena, EXPORT_ANSIBLE, &both, &options, &out, &err));
    assert_int_equal(err.code, CODE_R0787);
    assert_non_null(strstr(err.text, "nodegroup_shop_web_a"));
    assert_true(export_format(arena, EXPORT_CSV, &both, &options, &out, &err));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_what_a_machine_says_is_no_template),
        cmocka_unit_test(test_a_machine_with_an_alarm_has_no_host_key),
        cmocka_unit_test(test_roles_are_groups),
        cmocka_unit_test(test_groups_with_one_name_are_an_error),
    };

    return cmocka_run_group_tests_name("engine/export_formats", cases, NULL, NULL);
}

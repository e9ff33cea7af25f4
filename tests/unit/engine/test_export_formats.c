#include "exports/export_formats.h"

#include "base/limits.h"
#include "codec/doc.h"
#include "unit.h"

#include <string.h>

#define HOST_KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF6mD8Jl8AkMW0VC3583OzV0HNrAxv09U3os1HUU9XgL"

static struct text ansible(struct arena *arena, struct select_node *node)
{
    struct select_nodes nodes = { node, 1 };
    struct export_options options = { .is_one_cluster = true };

    return export_format(arena, EXPORT_ANSIBLE_LIST, &nodes, &options);
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

/* Ansible evaluates templates, on the computer of its caller. */
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

/* While another key is shown, none is to be taken for the right one. */
static void test_a_machine_with_an_alarm_has_no_host_key(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct select_group group = group_make(arena);
    struct select_node node = node_make(&group);

    (void)state;
    node.alarm = TEXT("it shows another one");
    assert_null(strstr(ansible(arena, &node).data, "KnownHostsCommand"));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_what_a_machine_says_is_no_template),
        cmocka_unit_test(test_a_machine_with_an_alarm_has_no_host_key),
    };

    return cmocka_run_group_tests_name("engine/export_formats", cases, NULL, NULL);
}

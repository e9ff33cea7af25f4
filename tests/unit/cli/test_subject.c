#include "cli/args/subject.h"

#include "case.h"

static void found(void **state, const char *path, const char *wanted, enum schema_owner owner)
{
    struct subject subject;
    struct err err;

    if (!subject_find(*state, text_from(path), &subject, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    assert_text(subject.path, wanted);
    assert_int_equal(subject.owner, owner);
}

static void missing(void **state, const char *path, const char *hint)
{
    struct subject subject;
    struct err err;

    assert_false(subject_find(*state, text_from(path), &subject, &err));
    assert_int_equal(err.code, CODE_R0006);
    if (strstr(err.hint, hint) == NULL) {
        fail_msg("%s: %s (%s)", path, err.text, err.hint);
    }
}

static void test_kinds_in_every_spelling(void **state)
{
    found(state, "cluster", "cluster", OWNER_CLUSTER);
    found(state, "clusters", "cluster", OWNER_CLUSTER);
    found(state, "cl", "cluster", OWNER_CLUSTER);
    found(state, "NodeGroupTemplate", "nodegrouptemplate", OWNER_NODEGROUP_TEMPLATE);
    found(state, "job", "job", OWNER_COUNT);
}

static void test_fields(void **state)
{
    found(state, "cluster.groups", "cluster.groups", OWNER_GROUP);
    found(state, "ng.rollout.surge", "nodegroup.rollout.surge", OWNER_COUNT);
    found(state, "ng.ebs", "nodegroup.volumes", OWNER_VOLUME);
    found(state, "cluster.groups.health.probe.tcp", "cluster.groups.health.probe.tcp", OWNER_COUNT);
}

static void test_paths_of_errors_can_be_pasted(void **state)
{
    found(state, "cluster.groups.web.volumes[0].size", "cluster.groups.volumes.size", OWNER_COUNT);
    found(state, "cluster.groups[2].size", "cluster.groups.size", OWNER_COUNT);
    found(state, "ng.members.web-0.image", "nodegroup.members.image", OWNER_COUNT);
}

static void test_suggestions(void **state)
{
    missing(state, "clustre", "'cluster'");
    missing(state, "xyzzy", "lists the kinds");
    missing(state, "nodegroup.szie", "'nodegroup.size'");
    missing(state, "cluster.szie", "'cluster.groups.size'");
    missing(state, "cluster.groups.szie", "'cluster.groups.size'");
    missing(state, "cluster.xyzzy", "lists its fields");
    missing(state, "nodegroup.size.x", "shows its type");
    missing(state, "job.x", "shows its type");
    missing(state, "", "lists the kinds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_kinds_in_every_spelling),
        CASE(test_fields),
        CASE(test_paths_of_errors_can_be_pasted),
        CASE(test_suggestions),
    };

    return cmocka_run_group_tests_name("cli/subject", tests, NULL, NULL);
}

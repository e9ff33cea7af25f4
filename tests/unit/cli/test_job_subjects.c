/* To which groups a cancel of a job applies: to groups with unfinished work, but never to a group
 * with only reboots left. */

#include "case.h"

#include "cli/change/job_subjects.h"
#include "codec/json.h"

static struct job_subjects cancelled(struct arena *arena, const char *groups)
{
    struct command command = { .arena = arena };
    struct job_subjects subjects;
    struct doc job;
    struct err err;

    err_list_init(&command.errors, arena);
    assert_true(json_parse(arena,
                           arena_printf(arena,
                                        "{\"metadata\":{\"cluster\":\"shop\"},\"status\":{"
                                        "\"groups\":[%s]}}",
                                        groups),
                           NULL, &job, &err));
    assert_true(job_subjects_find(&command, NULL, "cancel", &job, &subjects));
    return subjects;
}

static void test_groups_with_work_left_are_paused(void **state)
{
    struct job_subjects subjects =
        cancelled(*state, "{\"group\":\"web\",\"wanted\":3,\"updated\":1,\"ready\":3,\"old\":2},"
                          "{\"group\":\"db\",\"wanted\":3,\"updated\":3,\"ready\":3}");

    assert_int_equal(subjects.count, 1);
    assert_text(subjects.names[0], "shop/web");
}

static void test_a_job_without_groups_that_have_work_is_that_of_its_cluster(void **state)
{
    struct job_subjects subjects =
        cancelled(*state, "{\"group\":\"db\",\"wanted\":3,\"updated\":3,\"ready\":3}");

    assert_true(subjects.is_whole);
    assert_text(subjects.names[0], "shop");
}

/* A reboot that has begun is completed: no reboot is dropped and nothing is paused, in particular
 * not the cluster. */
static void test_reboots_that_have_begun_pause_nothing(void **state)
{
    struct job_subjects subjects = cancelled(
        *state, "{\"group\":\"web\",\"wanted\":3,\"updated\":2,\"ready\":2,\"creating\":1,"
                "\"rebooting\":1}");

    assert_int_equal(subjects.count, 0);
    assert_false(subjects.is_whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_groups_with_work_left_are_paused),
        CASE(test_a_job_without_groups_that_have_work_is_that_of_its_cluster),
        CASE(test_reboots_that_have_begun_pause_nothing),
    };

    return cmocka_run_group_tests_name("job_subjects", tests, NULL, NULL);
}

/* Jobs of changes: the limits of what a job shows, and which jobs are kept. And the limit of
 * counted absences. */

#include "engine/fake_nodes.h"

#include "base/macros.h"
#include "codec/json.h"

#include <stdio.h>
#include <string.h>

enum { SOON = 20 * 1000 };

/* Returns the newest job of the cluster. */
static struct doc job_newest(void)
{
    const struct text prefix = TEXT("/default/Job/");
    const struct cache_object *last = NULL;
    struct doc doc;
    struct err err;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        last = object;
    }
    assert_non_null(last);
    assert_true(json_parse(lab.arena,
                           arena_text(lab.arena, blob_text(last->parts[CACHE_STATUS].bytes)), NULL,
                           &doc, &err));
    return doc;
}

static const char *member_of(const struct doc *doc, const char *key)
{
    const struct doc *member = doc_child(doc, key);
    struct buf buf;

    if (!doc_is_present(member)) {
        return "";
    }
    buf_init(&buf, lab.arena);
    json_format(&buf, member);
    return arena_string(lab.arena, buf_text(&buf));
}

static const char *job_member(const char *key)
{
    struct doc job = job_newest();

    return member_of(&job, key);
}

/* Applies groups g0, g1 and so on, each with this size. */
static void apply_many(unsigned count, unsigned size)
{
    struct buf buf;

    buf_init(&buf, lab.arena);
    buf_add_string(&buf, "version: '1'\nname: shop\ngroups:\n");
    for (unsigned i = 0; i < count; i++) {
        buf_printf(&buf, "  g%u: {size: %u, " SIM "}\n", i, size);
    }
    apply(arena_string(lab.arena, buf_text(&buf)));
}

/* ---- limits ---- */

/* Up to 200 groups are listed one by one; for more groups, only the sum is shown. */
static void test_of_very_many_groups_the_sum_is_shown(void **state)
{
    struct doc job;

    (void)state;
    apply_many(200, 1);
    pass_time(100);
    job = job_newest();
    assert_int_equal(doc_child(&job, "groups")->item_count, 200);
    apply_many(201, 1);
    pass_time(100);
    job = job_newest();
    assert_int_equal(doc_child(&job, "groups")->item_count, 0);
    assert_string_equal(member_of(doc_child(&job, "machines"), "wanted"), "201");
}

/* The five problems with the lowest slots are shown with their cause; for equal slots, the path
 * decides. */
static void test_five_problems_are_shown_and_all_are_named(void **state)
{
    struct doc job;
    static const char *const names[] = { "g0-0", "g1-0", "g2-0", "g0-1", "g1-1" };

    (void)state;
    lab.fault = PROVIDER_FAULT_INVALID;
    lab.refusals = 9;
    apply_many(3, 3);
    pass_time(SOON);
    job = job_newest();
    assert_int_equal(doc_child(&job, "problems")->item_count, 5);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const struct doc *item = &doc_child(&job, "problems")->items[i];

        assert_true(text_is(doc_child(item, "name")->text, names[i]));
        assert_string_equal(member_of(item, "tries"), "1");
    }
    assert_string_equal(member_of(&job, "failedNodes"), "\"g0-[0-2],g1-[0-2],g2-[0-2]\"");
    assert_string_equal(member_of(&job, "failedMore"), "");
    assert_string_equal(member_of(&job, "state"), "\"waiting\"");
}

static void test_four_problems_are_all_shown(void **state)
{
    struct doc job;

    (void)state;
    lab.fault = PROVIDER_FAULT_INVALID;
    lab.refusals = 4;
    apply_many(2, 2);
    pass_time(SOON);
    job = job_newest();
    assert_int_equal(doc_child(&job, "problems")->item_count, 4);
}

/* Beyond the limit of names the number of the others is shown. */
static void test_names_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_INVALID;
    lab.refusals = LIMIT_JOB_NAMES + 3;
    apply_web(LIMIT_JOB_NAMES + 3);
    pass_time(MINUTE);
    assert_int_equal(lab.refusals, 0);
    assert_string_equal(job_member("failedMore"), "3");
    assert_non_null(strstr(job_member("failedNodes"), "web-"));
}

static void test_names_at_the_limit_are_all_shown(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_INVALID;
    lab.refusals = LIMIT_JOB_NAMES;
    apply_web(LIMIT_JOB_NAMES);
    pass_time(MINUTE);
    assert_int_equal(lab.refusals, 0);
    assert_string_equal(job_member("failedMore"), "");
    assert_string_equal(job_member("failedNodes"), "\"web-[0-1999]\"");
}

/* Five holds are shown. */
static void test_five_waits_are_shown(void **state)
{
    struct doc job;

    (void)state;
    apply_many(7, 1);
    pass_time(SOON);
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    apply_many(7, 2);
    pass_time(SOON);
    job = job_newest();
    assert_string_equal(member_of(&job, "state"), "\"paused\"");
    assert_int_equal(doc_child(&job, "waits")->item_count, 5);
    assert_true(text_is(doc_child(&job, "waits")->items[0].text, "g0:paused"));
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    pass_time(SOON);
    job = job_newest();
    assert_string_equal(member_of(&job, "state"), "\"done\"");
    assert_int_equal(doc_child(&job, "waits")->item_count, 0);
}

/* ---- retention of jobs ---- */

static void test_ten_jobs_are_kept(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= 12; size++) {
        apply_web(size);
        pass_time(SOON);
        assert_int_equal(count_of("Job"), size < 10 ? size : 10);
        assert_string_equal(job_member("state"), "\"done\"");
    }
}

/* A newer change supersedes an unfinished one; the former job names the new job. */
static void test_a_newer_change_supersedes_a_job(void **state)
{
    (void)state;
    lab.answer_ms = 5000;
    apply_web(2);
    pass_time(1000);
    assert_string_equal(job_member("state"), "\"running\"");
    apply_web(3);
    pass_time(100);
    assert_int_equal(count_of("Job"), 2);
    assert_true(any_says("Job", "\"state\":\"superseded\",\"supersededBy\":\"job/"));
    pass_time(SOON);
    assert_string_equal(job_member("state"), "\"done\"");
    assert_int_equal(events_of("job.began"), 2);
    assert_int_equal(events_of("job.done"), 1);
}

/* A change that changes no machine has no job. */
static void test_a_change_without_work_has_no_job(void **state)
{
    (void)state;
    apply_web(2);
    pass_time(SOON);
    assert_int_equal(count_of("Job"), 1);
    apply("version: '1'\nname: shop\ngroups: {web: {size: 2, maxUnhealthy: 2, " SIM "}}\n");
    pass_time(SOON);
    assert_int_equal(count_of("Job"), 1);
    life_anew();
    pass_time(SOON);
    assert_int_equal(count_of("Job"), 1);
}

/* Healing has no job, because no user changed anything. */
static void test_what_heals_is_no_job(void **state)
{
    (void)state;
    apply_web(2);
    pass_time(SOON);
    sim_stop(lab.cloud, any_machine());
    pass_time(10 * MINUTE);
    assert_int_equal(running(), 2);
    assert_int_equal(count_of("Job"), 1);
}

/* ---- limits of what is counted ---- */

static size_t absences(void)
{
    const struct text prefix = TEXT("/default/Control/");
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        const struct blob *bytes = object->parts[CACHE_STATUS].bytes;
        const struct doc *absent;
        struct doc doc;
        struct err err;

        if (bytes != NULL &&
            json_parse(lab.arena, arena_text(lab.arena, blob_text(bytes)), NULL, &doc, &err)) {
            absent = doc_child(&doc, "absent");
            count += doc_is_map(absent) ? absent->entry_count : 0;
        }
    }
    return count;
}

/* The number of machines of a group that are confirmed as missing at the same time is limited;
 * others follow when there is room. */
static void test_absences_of_a_group_are_limited(void **state)
{
    static const unsigned counts[] = { LIMIT_CONTROL_ABSENCES, 10 };
    size_t hidden = 0;

    (void)state;
    apply_web(2 * LIMIT_CONTROL_ABSENCES + 100);
    pass_time(MINUTE);
    for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
        size_t left = counts[i];

        for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
             machine != NULL && left > 0;
             machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
            if (machine->hidden_until_ms < lab.now_ms) {
                sim_hide(machine, lab.now_ms + 60 * MINUTE);
                left--;
                hidden++;
            }
        }
        pass_time(MINUTE);
        assert_int_equal(absences(), LIMIT_CONTROL_ABSENCES);
    }
    assert_int_equal(hidden, LIMIT_CONTROL_ABSENCES + 10);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_of_very_many_groups_the_sum_is_shown),
        CASE(test_five_problems_are_shown_and_all_are_named),
        CASE(test_four_problems_are_all_shown),
        CASE(test_names_beyond_the_limit_are_counted),
        CASE(test_names_at_the_limit_are_all_shown),
        CASE(test_five_waits_are_shown),
        CASE(test_ten_jobs_are_kept),
        CASE(test_a_newer_change_supersedes_a_job),
        CASE(test_a_change_without_work_has_no_job),
        CASE(test_what_heals_is_no_job),
        CASE(test_absences_of_a_group_are_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

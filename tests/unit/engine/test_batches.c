/* Stages that run again in batches (decision 0107): the service that receives the request, and the
 * controller that executes it, with simulated nodes. */

#include "engine/fake_nodes.h"

#include "codec/json.h"
#include "state/batches.h"
#include "service/select.h"
#include "service/service_command.h"

#include <string.h>

enum { NODES = 6, SOON = 20 * 1000 };

static const struct service_actor ana = { .tenant = TEXT("default"), .user = TEXT("ana") };

/* The last answer of the service; code 0: the request was accepted. */
static struct {
    enum code code;
    uint64_t job;
    char body[4000];
} answered;

static void answer_take(void *arg, const struct service_answer *answer)
{
    const struct doc *job;
    struct doc doc;
    struct err err;
    int64_t number;

    (void)arg;
    answered.code = answer->errors->count > 0 ? answer->errors->items[0].code : CODE_NONE;
    if (answered.code != CODE_NONE) {
        return;
    }
    assert_true(answer->body.length < sizeof(answered.body));
    memcpy(answered.body, answer->body.data, answer->body.length);
    answered.body[answer->body.length] = '\0';
    assert_true(json_parse(lab.arena, answer->body, NULL, &doc, &err));
    job = doc_child(&doc, "job");
    if (job != NULL && text_parse_int64(job->text, &number)) {
        answered.job = (uint64_t)number;
    }
}

static bool pass_never(void *arg, struct text cluster, bool is_dry,
                       void (*done)(void *done_arg, struct text report), void *done_arg)
{
    (void)arg;
    (void)cluster;
    (void)is_dry;
    (void)done;
    (void)done_arg;
    return false;
}

static void turns(void)
{
    for (int i = 0; i < 10; i++) {
        turn();
    }
}

static enum code bootstrap(struct service_bootstrap order, const char *names)
{
    struct select_request request = { .cluster = TEXT("shop"), .names = text_from(names) };

    order.request = &request;
    service_keeps(lab.service, &(struct service_controller){ .pass = pass_never });
    answered.code = CODE_R0016;
    answered.job = 0;
    service_bootstrap(lab.service, lab.arena, &ana, &order, answer_take, NULL);
    turns();
    return answered.code;
}

/* Returns a request to run all stages of all nodes again, two nodes at a time. */
static struct service_bootstrap in_pairs(void)
{
    return (struct service_bootstrap){ .from = TEXT("0"),
                                       .batching.batch = { .number = 2, .is_given = true } };
}

static enum code job_say(enum service_job_command word, uint64_t job)
{
    struct service_job_say one = {
        .number = arena_printf(lab.arena, "%llu", (unsigned long long)job),
        .word = word,
        .why = TEXT("so"),
    };

    answered.code = CODE_R0016;
    service_job_say(lab.service, lab.arena, &ana, TEXT("shop"), &one, answer_take, NULL);
    turns();
    return answered.code;
}

static bool job_says(const char *words)
{
    return any_says("Job", words);
}

static void nodes_make(void)
{
    apply_staged(NODES, "a");
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES);
    bootstrap_time(10 * MINUTE);
    assert_int_equal(count_of("Batches"), 0);
}

static void key_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

/* Writes directly to the store. */
static void key_write(struct text key, struct text value)
{
    struct store_op op = { .key = key, .value = value };
    bool is_written = false;

    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, key_written,
              &is_written);
    turns();
    assert_true(is_written);
}

static void cluster_delete(void)
{
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 6, ready: bootstrapped, " SIM
              ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [a]}]}}\n",
              CHANGE_DELETE);
}

/* ---- tests ---- */

static void test_one_batch_comes_behind_the_other(void **state)
{
    (void)state;
    nodes_make();
    fake.slow = "web-2";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 4); /* the first two, and two of which one never ends */
    assert_true(job_says("\"verb\":\"bootstrap\""));
    assert_true(job_says("\"batch\":{\"canary\":false,\"count\":3,\"number\":2,\"size\":2}"));
    assert_true(job_says("\"ready\":3,\"skipped\":0,\"staging\":1,\"waiting\":2,\"wanted\":6"));

    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + NODES);
    assert_true(job_says("\"state\":\"done\""));
    assert_int_equal(count_of("Batches"), 0); /* the request is deleted together with its job */
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + NODES);
}

static void test_another_manager_goes_on_with_it(void **state)
{
    (void)state;
    nodes_make();
    fake.slow = "web-2";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON);
    life_anew();
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 5); /* only web-2 is started again */
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + NODES + 1);
    assert_true(job_says("\"state\":\"done\""));
}

static void test_managers_that_die_all_the_time_begin_nothing_twice(void **state)
{
    (void)state;
    nodes_make();
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    for (int i = 0; i < 60; i++) {
        bootstrap_time(300);
        life_anew();
    }
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"done\""));
    assert_int_equal(fake.known_count,
                     /* each node did its part once, although it was requested several times */
                     NODES);
    assert_int_equal(count_of("Batches"), 0);
}

static void test_a_canary_that_fails_keeps_all_others_from_it(void **state)
{
    struct service_bootstrap order = in_pairs();

    (void)state;
    nodes_make();
    fake.bad = "web-0";
    order.batching.canary = 1;
    assert_int_equal(bootstrap(order, ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 1);
    assert_true(job_says("\"cut\":\"canary\",\"ended\":"));
    assert_true(job_says("\"failedNodes\":\"web-0\""));
    assert_true(job_says("\"skipped\":5"));
    assert_true(job_says("\"skippedNodes\":\"web-[1-5]\""));
    assert_true(job_says("\"state\":\"stopped\""));
    assert_true(job_says("E: no such package"));
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1); /* no further node is started */
    /* failed nodes come first the next time; the permitted number of failures is reached within one
     * batch */
    fake.bad = "web-3";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    assert_non_null(strstr(answered.body, "[\"shop/web-0\",\"shop/web-1\"]"));
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, 2 * NODES + 1);
    assert_true(job_says("\"state\":\"failed\""));
}

static void test_so_many_failures_end_it(void **state)
{
    struct service_bootstrap order = in_pairs();

    (void)state;
    nodes_make();
    fake.bad = "web-1";
    order.batching.max_fail = (struct service_share){ .number = 1, .is_given = true };
    assert_int_equal(bootstrap(order, ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(job_says("\"cut\":\"failed\""));
}

static void test_who_cannot_be_reached_counts_as_failed(void **state)
{
    (void)state;
    nodes_make();
    fake.far = "web-1";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON / 4);
    assert_true(job_says("\"number\":1"));
    bootstrap_time(2 * MINUTE);
    assert_true(job_says("\"failedNodes\":\"web-1\""));
    assert_true(job_says("the machine could not be reached: no route to host"));
    assert_true(job_says("\"state\":\"failed\""));
    assert_true(job_says("\"ready\":5"));
}

/* A node with a full disk is reachable, so the message must not suggest a network problem. */
static void test_who_refuses_is_not_said_to_be_far(void **state)
{
    (void)state;
    nodes_make();
    fake.full = "web-1";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(2 * MINUTE);
    assert_true(job_says("the stages could not be run: No space left on device"));
    assert_true(job_says("\"failedNodes\":\"web-1\""));
}

static void test_who_is_back_in_time_has_done_its_part(void **state)
{
    (void)state;
    nodes_make();
    fake.far = "web-1";
    fake.slow = "web-5";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(2 * MINUTE);
    assert_true(job_says("\"failed\":1"));
    fake.far = NULL;
    bootstrap_time(10 * MINUTE);
    assert_true(job_says("\"failed\":0"));
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"done\""));
}

static void test_words_about_it(void **state)
{
    uint64_t job;

    (void)state;
    nodes_make();
    fake.slow = "web-1";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    job = answered.job;
    assert_int_equal(job_say(SERVICE_JOB_RESUME, job), CODE_R0433);
    assert_int_equal(job_say(SERVICE_JOB_PAUSE, job), CODE_NONE);
    assert_int_equal(job_say(SERVICE_JOB_PAUSE, job), CODE_R0433);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES); /* the job was paused before its first batch */
    assert_int_equal(job_say(SERVICE_JOB_RESUME, job), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(job_say(SERVICE_JOB_PAUSE, job), CODE_NONE);
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(job_says("\"state\":\"paused\""));
    assert_true(job_says("\"waits\":[\"paused by ana\"]"));
    fake.slow = "web-3";
    assert_int_equal(job_say(SERVICE_JOB_RESUME, job), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 4);
    assert_int_equal(job_say(SERVICE_JOB_CANCEL, job), CODE_NONE);
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"stopping\"")); /* running stages are completed */
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_true(job_says("\"cut\":\"cancelled\""));
    assert_true(job_says("\"ready\":4,\"skipped\":2"));
    assert_int_equal(fake.staged, NODES + 4);
    assert_int_equal(job_say(SERVICE_JOB_CANCEL, job), CODE_R0403);
    assert_int_equal(job_say(SERVICE_JOB_CANCEL, 4711), CODE_R0403);
    assert_int_equal(job_say(SERVICE_JOB_CANCEL, 1), CODE_R0816); /* the job of the change */
}

static void test_a_paused_group_is_waited_for(void **state)
{
    (void)state;
    nodes_make();
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES);
    assert_true(job_says("\"waits\":[\"web is paused\"]"));
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"done\""));
}

static void test_it_rests_and_is_late(void **state)
{
    struct service_bootstrap order = in_pairs();

    (void)state;
    nodes_make();
    order.batching.pause_ms = MINUTE;
    order.batching.deadline_ms = MINUTE + MINUTE / 2;
    assert_int_equal(bootstrap(order, ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(job_says("\"state\":\"resting\""));
    assert_true(job_says("\"until\":"));
    life_anew(); /* the other nodes continue where they were */
    bootstrap_time(MINUTE - SOON + 5000);
    assert_int_equal(fake.staged, NODES + 4);
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
    assert_true(job_says("\"cut\":\"deadline\""));
    assert_true(job_says("\"state\":\"stopped\""));
}

static void test_a_machine_that_goes_is_not_waited_for(void **state)
{
    (void)state;
    nodes_make();
    fake.slow = "web-5";
    assert_int_equal(bootstrap(in_pairs(), "web-[4-5]"), CODE_NONE);
    bootstrap_time(SOON);
    apply_staged(5, "a");
    bootstrap_time(SOON);
    assert_true(job_says("\"verb\":\"bootstrap\""));
    assert_true(job_says("\"gone\":1,\"leaving\":0,\"old\":0,\"ready\":1"));
    assert_int_equal(count_of("Batches"), 0);
}

static void test_what_means_nothing_is_refused(void **state)
{
    struct service_bootstrap order = in_pairs();

    (void)state;
    nodes_make();
    fake.slow = "web-3";
    assert_int_equal(bootstrap(order, "web-77"), CODE_R0403);
    order.from = TEXT("1"); /* the group has a stage 1 */
    assert_int_equal(bootstrap(order, ""), CODE_R0426);
    order.from = TEXT("nginx");
    assert_int_equal(bootstrap(order, ""), CODE_R0426);
    order.from = TEXT("base");
    order.is_dry = true;
    assert_int_equal(bootstrap(order, ""), CODE_NONE);
    assert_int_equal(answered.job, 0);
    assert_int_equal(count_of("Batches"), 0);
    order.is_dry = false;
    assert_int_equal(bootstrap(order, "web-[2-3]"), CODE_NONE);
    /* the node is running in another job */
    assert_int_equal(bootstrap(order, "web-3"), CODE_R0815);
    bootstrap_time(SOON);
    assert_int_equal(bootstrap(order, "web-[2-3]"), CODE_R0815);
    /* the part of the node in the other job is done */
    assert_int_equal(bootstrap(order, "web-2"), CODE_NONE);
    assert_int_equal(bootstrap(order, "web-[0-1]"), CODE_NONE);
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_int_equal(count_of("Batches"), 0);
    assert_int_equal(fake.staged, NODES + 5);
}

static void test_ten_jobs_that_are_over_are_kept(void **state)
{
    (void)state;
    nodes_make();
    for (int i = 0; i < 14; i++) {
        assert_int_equal(bootstrap(in_pairs(), "web-0"), CODE_NONE);
        bootstrap_time(SOON);
    }
    assert_int_equal(fake.staged, NODES + 14);
    assert_int_equal(count_of("Job"), 11); /* including the job of the change */
}

/* Requests two jobs at the same moment, so that neither is refused because of the other. */
static void bootstrap_twice(const char *first, const char *second)
{
    const char *names[] = { first, second };
    struct service_bootstrap orders[] = { in_pairs(), in_pairs() };
    struct select_request requests[2];

    service_keeps(lab.service, &(struct service_controller){ .pass = pass_never });
    for (size_t i = 0; i < ARRAY_COUNT(requests); i++) {
        requests[i] =
            (struct select_request){ .cluster = TEXT("shop"), .names = text_from(names[i]) };
        orders[i].request = &requests[i];
        service_bootstrap(lab.service, lab.arena, &ana, &orders[i], answer_take, NULL);
    }
    turns();
    assert_int_equal(answered.code, CODE_NONE);
    assert_int_equal(count_of("Batches"), 2);
}

/* The jobs run on the machine one after the other, and an unreachable machine is not retried all
 * the time. */
static void test_a_machine_of_two_jobs_is_in_one_at_a_time(void **state)
{
    unsigned begun;

    (void)state;
    nodes_make();
    fake.far = "web-1";
    bootstrap_twice("web-1", "web-[0-1]");
    begun = fake.begun;
    bootstrap_time(SOON);
    assert_true(fake.begun - begun < 8);
    bootstrap_time(5 * MINUTE);
    assert_true(job_says("the machine could not be reached: no route to host"));
    assert_int_equal(count_of("Batches"), 0);

    fake.far = NULL;
    fake.known_count = 0;
    bootstrap_twice("web-[2-3]", "web-[3-4]");
    bootstrap_time(SOON);
    assert_int_equal(count_of("Batches"), 0);
    assert_int_equal(fake.known_count, 4); /* both jobs have run on web-3 */
}

static void test_two_that_begin_at_once_make_room_for_both(void **state)
{
    (void)state;
    nodes_make();
    for (int i = 0; i < 10; i++) {
        assert_int_equal(bootstrap(in_pairs(), "web-0"), CODE_NONE);
        bootstrap_time(SOON);
    }
    assert_int_equal(count_of("Job"), 11);
    bootstrap_twice("web-1", "web-2");
    bootstrap_time(SOON);
    assert_int_equal(count_of("Batches"), 0);
    assert_int_equal(count_of("Job"), 11);
}

/* A watcher gets the result of a job, even if it was by far the oldest job. */
static void test_who_ended_longest_ago_makes_room(void **state)
{
    uint64_t job;

    (void)state;
    nodes_make();
    fake.slow = "web-5";
    assert_int_equal(bootstrap(in_pairs(), "web-5"), CODE_NONE);
    job = answered.job;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(bootstrap(in_pairs(), "web-0"), CODE_NONE);
        bootstrap_time(SOON);
    }
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_int_equal(bootstrap(in_pairs(), "web-0"), CODE_NONE);
    bootstrap_time(SOON);
    assert_true(
        job_says(arena_printf(lab.arena, "\"revision\":%llu,", (unsigned long long)job).data));
}

/* The reported failure of a job does not change when the node fails differently later. */
static void test_a_failure_is_reported_as_it_was(void **state)
{
    struct service_bootstrap order = in_pairs();

    (void)state;
    nodes_make();
    order.batching.max_fail = (struct service_share){ .number = 6, .is_given = true };
    fake.bad = "web-1";
    fake.slow = "web-5";
    assert_int_equal(bootstrap(order, ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_true(job_says("stage-0 base: E: no such package"));
    fake.bad = NULL;
    assert_int_equal(bootstrap(in_pairs(), "web-1"), CODE_NONE);
    bootstrap_time(SOON);
    assert_true(job_says("stage-0 base: E: no such package"));
    assert_false(job_says("without any output"));
}

/* If the store has lost or damaged the row of a job, the results reported by nodes are still
 * known. */
static void test_a_row_that_is_lost_is_made_again(void **state)
{
    struct text prefix = TEXT("/default/Job/");
    struct text key = TEXT("");

    (void)state;
    nodes_make();
    fake.slow = "web-2";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 4);
    for (const struct cache_object *row = cache_first(lab.cache, prefix); row != NULL;
         row = cache_next(lab.cache, prefix, row)) {
        key = arena_printf(lab.arena, "%.*s/status", TEXT_ARG(blob_text(row->key)));
    }
    key_write(key, TEXT("{\"verb\":\"bootstrap\"}"));
    life_anew();
    bootstrap_time(SOON);
    assert_true(job_says("\"ready\":3,\"skipped\":0,\"staging\":1,\"waiting\":2,\"wanted\":6"));
    assert_int_equal(fake.staged, NODES + 5); /* only web-2 runs again */
}

/* The deadline is measured by the cluster's clock, even if a new manager cannot know how much time
 * has passed (0024). */
static void test_a_manager_elsewhere_is_not_behind(void **state)
{
    struct service_bootstrap order = in_pairs();

    (void)state;
    nodes_make();
    fake.slow = "web-1";
    order.batching.deadline_ms = MINUTE;
    assert_int_equal(bootstrap(order, ""), CODE_NONE);
    bootstrap_time(SOON);
    lab.is_elsewhere = true;
    life_anew();
    bootstrap_time(2 * MINUTE);
    assert_true(job_says("\"cut\":\"deadline\""));
}

/* Starts a job; its first stage runs on the node that never continues. */
static void slow_begin(void)
{
    for (size_t i = 0; i < RUNS; i++) {
        const struct nodes_run *run = &fake.runs[i];

        if (run->is_used && is_named(run, fake.slow) && (run->with & RUN_WITH_STAGES) != 0) {
            run->reported(run->arg,
                          &(struct nodes_event){ .kind = NODES_EVENT_STAGE, .attempt = 2 });
        }
    }
    bootstrap_time(SOON);
}

/* If a job is cut, started nodes remain in progress until their group is resumed, and the status
 * says so. */
static void test_what_a_paused_group_keeps_from_its_end_is_reported(void **state)
{
    uint64_t job;

    (void)state;
    nodes_make();
    fake.slow = "web-1";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    job = answered.job;
    bootstrap_time(SOON);
    slow_begin();
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    assert_int_equal(job_say(SERVICE_JOB_CANCEL, job), CODE_NONE);
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"stopping\""));
    assert_true(job_says("\"waits\":[]")); /* the node still runs, although its group is paused */
    life_anew();                           /* running stages continue without a manager */
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"stopping\""));
    assert_true(job_says("\"waits\":[\"web is paused\"]"));
    fake.slow = NULL;
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"stopped\""));
}

/* Overwrites the request of the job in the store. */
static void request_damage(void)
{
    const struct cache_object *request = cache_first(lab.cache, TEXT("/default/Batches/"));

    assert_non_null(request);
    key_write(arena_printf(lab.arena, "%.*s/base", TEXT_ARG(blob_text(request->key))),
              TEXT("{\"nodes\":\"\"}"));
}

/* A damaged request is reported once, is listed among the jobs as damaged, and is removed by an
 * operator command. */
static void test_a_request_that_cannot_be_read_is_reported_and_goes_by_a_word(void **state)
{
    uint64_t job;

    (void)state;
    nodes_make();
    fake.slow = "web-1";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    job = answered.job;
    bootstrap_time(SOON);
    request_damage();
    life_anew();
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"damaged\""));
    assert_true(job_says("cannot be read (R0755)"));
    assert_true(job_says("\"staging\":1,\"waiting\":4,\"wanted\":6")); /* the last known counts */
    assert_int_equal(fake.staged, NODES + 2);
    assert_int_equal(lab.damages, 1);
    assert_int_equal(lab.damaged, CODE_R0755);
    assert_int_equal(count_of("Batches"), 1);
    assert_int_equal(events_of("job.damaged"), 1);
    life_anew();
    bootstrap_time(SOON);
    assert_int_equal(lab.damages, 2); /* each manager logs it, but there is only one event */
    assert_int_equal(events_of("job.damaged"), 1);

    assert_int_equal(job_say(SERVICE_JOB_CANCEL, job), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(count_of("Batches"), 0);
    assert_true(job_says("\"cut\":\"cancelled\",\"ended\":"));
    assert_true(job_says("\"state\":\"stopped\""));
}

/* A damaged request of a job that was never started has no row for this state, so a row is created;
 * other jobs continue. */
static void test_a_request_that_was_damaged_before_it_began(void **state)
{
    uint64_t job;

    (void)state;
    nodes_make();
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    key_write(arena_printf(
                  lab.arena, "/default/Batches/%.*s/0123456789abcdef/base",
                  TEXT_ARG(text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX))),
              TEXT("nothing"));
    job = cache_revision(lab.cache);
    bootstrap_time(SOON);
    assert_true(job_says(
        arena_printf(lab.arena, "\"revision\":%llu,\"state\":\"damaged\"", (unsigned long long)job)
            .data));
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + NODES);
    assert_int_equal(count_of("Batches"), 1);
    assert_int_equal(job_say(SERVICE_JOB_CANCEL, job), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(count_of("Batches"), 0);
}

static void test_a_request_that_cannot_be_read_goes_with_its_cluster(void **state)
{
    (void)state;
    nodes_make();
    fake.slow = "web-1";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON);
    request_damage();
    life_anew();
    bootstrap_time(SOON);
    cluster_delete();
    bootstrap_time(30 * MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(count_of("Batches"), 0);
    assert_true(job_says("\"state\":\"superseded\""));
}

static void apply_two_stages(const char *group)
{
    apply(arena_printf(lab.arena,
                       "version: '1'\nname: shop\ngroups: {%s, ready: bootstrapped, " SIM
                       ", bootstrap: [{bundle: 'base@sha256:" DIGEST
                       "'}, {bundle: 'more@sha256:" DIGEST "'}]}}\n",
                       group)
              .data);
}

/* The first stage of a request is that of a group, which may have been renamed in the meantime. */
static void test_a_group_that_is_renamed_runs_no_other_stages(void **state)
{
    struct service_bootstrap order = in_pairs();

    (void)state;
    apply_two_stages("web: {size: 6");
    bootstrap_time(10 * MINUTE);
    fake.slow = "web-1";
    order.from = TEXT("more");
    fake.last_from = 99;
    assert_int_equal(bootstrap(order, ""), CODE_NONE);
    bootstrap_time(SOON);
    assert_int_equal(fake.last_from, 1);
    apply_two_stages("front: {renamedFrom: web, size: 6");
    bootstrap_time(SOON);
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_int_equal(fake.last_from, 1);
    assert_int_equal(count_of("Batches"), 0);
}

static void test_a_cluster_that_is_deleted_takes_its_jobs_along(void **state)
{
    (void)state;
    nodes_make();
    fake.slow = "web-1";
    assert_int_equal(bootstrap(in_pairs(), ""), CODE_NONE);
    bootstrap_time(SOON);
    cluster_delete();
    bootstrap_time(30 * MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(count_of("Batches"), 0);
    assert_true(job_says("\"gone\":5,\"leaving\":0,\"old\":0,\"ready\":1"));
    /* the same as for the job of a change */
    assert_true(job_says("\"state\":\"superseded\",\"supersededBy\":\"job/"));
    assert_false(
        job_says("\"state\":\"done\",\"problems\":[],\"verb\"")); /* no manager completed it */
    lab.passes = 0;
    bootstrap_time(60 * MINUTE);
    assert_int_equal(lab.passes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_batch_comes_behind_the_other, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_another_manager_goes_on_with_it, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_managers_that_die_all_the_time_begin_nothing_twice,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_canary_that_fails_keeps_all_others_from_it,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_so_many_failures_end_it, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_cannot_be_reached_counts_as_failed, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_refuses_is_not_said_to_be_far, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_is_back_in_time_has_done_its_part, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_words_about_it, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_paused_group_is_waited_for, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_it_rests_and_is_late, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_machine_that_goes_is_not_waited_for, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_means_nothing_is_refused, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_ten_jobs_that_are_over_are_kept, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_machine_of_two_jobs_is_in_one_at_a_time, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_two_that_begin_at_once_make_room_for_both, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_ended_longest_ago_makes_room, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_failure_is_reported_as_it_was, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_row_that_is_lost_is_made_again, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_manager_elsewhere_is_not_behind, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_a_paused_group_keeps_from_its_end_is_reported,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_a_request_that_cannot_be_read_is_reported_and_goes_by_a_word, nodes_setup,
            teardown),
        cmocka_unit_test_setup_teardown(test_a_request_that_was_damaged_before_it_began,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_request_that_cannot_be_read_goes_with_its_cluster,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_group_that_is_renamed_runs_no_other_stages,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_cluster_that_is_deleted_takes_its_jobs_along,
                                        nodes_setup, teardown),
    };

    memset(&answered, 0, sizeof(answered));
    return cmocka_run_group_tests(tests, NULL, NULL);
}

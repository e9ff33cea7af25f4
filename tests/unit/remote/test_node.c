/* The next action for a stage; options that are invalid for every node; and which output line
 * contains the error. */
#include "unit.h"

#include "remote/node_parts.h"

#define OURS   "1111111111111111111111111111111111111111111111111111111111111111"
#define OTHERS "2222222222222222222222222222222222222222222222222222222222222222"

static struct answer_stage known(enum answer_state state, const char *chain, unsigned tries,
                                 int code, const char *done)
{
    struct answer_stage stage = {
        .state = state, .attempt = state != ANSWER_ABSENT, .tries = tries, .code = code
    };

    snprintf(stage.chain, sizeof(stage.chain), "%s", chain);
    snprintf(stage.done, sizeof(stage.done), "%s", done);
    return stage;
}

static enum node_move decide(struct answer_stage stage, bool is_idempotent, uint32_t tries)
{
    struct node_stage wanted = { .is_idempotent = is_idempotent, .tries = tries };

    return node_decide(&wanted, OURS, &stage);
}

static void what_never_ran_is_started(void **state)
{
    (void)state;
    assert_int_equal(decide(known(ANSWER_ABSENT, "", 0, -1, ""), false, 1), NODE_MOVE_START);
    assert_int_equal(decide(known(ANSWER_ENDED, OTHERS, 1, 0, OTHERS), false, 1), NODE_MOVE_START);
    assert_int_equal(decide(known(ANSWER_ENDED, OTHERS, 9, 1, ""), false, 1), NODE_MOVE_START);
    assert_int_equal(decide(known(ANSWER_LOST, OTHERS, 1, -1, ""), false, 1), NODE_MOVE_START);
    assert_int_equal(decide(known(ANSWER_ENDED, "", 1, 1, ""), false, 1),
                     NODE_MOVE_START); /* a requested run */
}

static void what_is_complete_is_left(void **state)
{
    (void)state;
    assert_int_equal(decide(known(ANSWER_ENDED, OURS, 1, 0, OURS), false, 1), NODE_MOVE_NEXT);
    assert_int_equal(decide(known(ANSWER_ABSENT, "", 0, -1, OURS), true, 3), NODE_MOVE_NEXT);
    assert_int_equal(decide(known(ANSWER_LOST, OTHERS, 1, -1, OURS), false, 1), NODE_MOVE_NEXT);
}

static void what_runs_is_followed_or_waited_for(void **state)
{
    (void)state;
    assert_int_equal(decide(known(ANSWER_RUNNING, OURS, 1, -1, ""), false, 1), NODE_MOVE_FOLLOW);
    assert_int_equal(decide(known(ANSWER_RUNNING, OTHERS, 1, -1, ""), true, 9), NODE_MOVE_WAIT);
    assert_int_equal(decide(known(ANSWER_RUNNING, OTHERS, 1, -1, OURS), true, 9), NODE_MOVE_WAIT);
}

/* The guarantee: whatever the attempts report, a stage that is not idempotent is never started
 * again for a chain for which it was already started. */
static void what_is_not_idempotent_runs_once(void **state)
{
    (void)state;
    for (uint32_t tries = 1; tries < 100; tries++) {
        assert_int_equal(decide(known(ANSWER_ENDED, OURS, 1, 3, ""), false, tries),
                         NODE_MOVE_FAILED);
        assert_int_equal(decide(known(ANSWER_LOST, OURS, 1, -1, ""), false, tries),
                         NODE_MOVE_INTERRUPTED);
        assert_int_equal(decide(known(ANSWER_ENDED, OURS, 1, 0, ""), false, tries),
                         NODE_MOVE_INTERRUPTED);
    }
}

static void what_is_idempotent_has_its_tries(void **state)
{
    (void)state;
    assert_int_equal(decide(known(ANSWER_ENDED, OURS, 1, 3, ""), true, 2), NODE_MOVE_START);
    assert_int_equal(decide(known(ANSWER_ENDED, OURS, 2, 3, ""), true, 2), NODE_MOVE_FAILED);
    assert_int_equal(decide(known(ANSWER_LOST, OURS, 1, -1, ""), true, 1), NODE_MOVE_START);
    assert_int_equal(decide(known(ANSWER_LOST, OURS, 1 + REMOTE_LOST_TRIES, -1, ""), true, 1),
                     NODE_MOVE_INTERRUPTED);
}

static void lines_that_report_of_errors(void **state)
{
    (void)state;
    assert_true(node_line_is_error(TEXT("E: Unable to locate package: ERROR")));
    assert_true(node_line_is_error(TEXT("bash: line 3: foo: command not found")));
    assert_true(node_line_is_error(TEXT("cp: cannot stat 'x'")));
    assert_true(node_line_is_error(TEXT("a\0b: Permission denied")));
    assert_false(node_line_is_error(TEXT("")));
    assert_false(node_line_is_error(TEXT("all is well")));
}

static void reported(void *arg, const struct node_event *event)
{
    (void)arg;
    (void)event;
}

static void refused(struct node_options options, const char *why)
{
    struct node_job *job;
    struct err err;

    options.reported = reported;
    assert_false(node_begin(&options, &job, &err));
    assert_int_equal(err.code, CODE_R0720);
    assert_non_null(strstr(err.text, why));
}

static void options_that_no_node_can_be_given(void **state)
{
    static char room[REMOTE_ARGUMENTS_BYTES + 1];
    struct text large = { room, sizeof(room) };
    struct text argument = TEXT("a\0b");
    struct node_stage stage = { .digest = text_from(OURS),
                                .arguments = &argument,
                                .argument_count = 1 };
    struct node_stage stages[REMOTE_STAGES + 1] = { 0 };

    (void)state;
    memset(room, 'x', sizeof(room));
    refused((struct node_options){ .stages = stages, .stage_count = REMOTE_STAGES + 1 },
            "at most 32");
    refused((struct node_options){ .stages = &stage, .stage_count = 1 }, "NUL");
    stage.arguments = &large;
    refused((struct node_options){ .stages = &stage, .stage_count = 1 }, "bytes of arguments");
    stage.argument_count = 0;
    stage.digest = TEXT("../../etc/passwd");
    refused((struct node_options){ .stages = &stage, .stage_count = 1 }, "no digest");
    refused((struct node_options){ .request = TEXT("a b") }, "not a valid name");
    refused((struct node_options){ .request = TEXT("-x") }, "not a valid name");
}

/* The reports about a job without sessions. Its steps do not start, because its loop does not
 * run. */
struct heard {
    size_t ends;
    size_t retries;
    enum node_end end;
    uint64_t retry_ms;
};

static void hear(void *arg, const struct node_event *event)
{
    struct heard *heard = arg;

    heard->ends += event->kind == NODE_EVENT_END;
    heard->retries += event->kind == NODE_EVENT_RETRY;
    heard->end = event->end;
    heard->retry_ms = event->retry_ms;
}

static struct node_job *job_begin(struct loop **loop, const struct node_stage *stages, size_t count,
                                  struct heard *heard)
{
    struct node_options options = { .clock = clock_system(),
                                    .with = count > 0 ? RUN_WITH_STAGES : RUN_WITH_FACTS,
                                    .stages = stages,
                                    .stage_count = count,
                                    .reported = hear,
                                    .arg = heard };
    struct node_job *job;
    struct err err;

    assert_true(loop_open(loop, &err));
    options.loop = *loop;
    assert_true(node_begin(&options, &job, &err));
    return job;
}

/* A node may always report a missing bundle, but a run without stages has no bundle to start
 * with. */
static void who_was_asked_for_no_bundle_lacks_none(void **state)
{
    struct heard heard = { 0 };
    struct loop *loop;
    struct node_job *job = job_begin(&loop, NULL, 0, &heard);

    (void)state;
    node_faulted(job, &(struct answer){ .fault = TEXT("bundle"), .why = TEXT("it is not there") });
    assert_int_equal(heard.ends, 1);
    assert_int_equal(heard.end, NODE_END_REFUSED);
    node_free(job);
    loop_close(loop);
}

/* A running stage has removed its output, so there is nothing to wait for and each answer arrives
 * immediately; the manager must not ask again immediately. */
static void what_reports_nothing_at_once_is_not_asked_at_once(void **state)
{
    struct node_stage stage = { .digest = text_from(OURS), .tries = 1 };
    struct heard heard = { 0 };
    struct loop *loop;
    struct node_job *job = job_begin(&loop, &stage, 1, &heard);
    char line[300];

    (void)state;
    snprintf(line, sizeof(line), "stage 0 running 1 %s 1 -1 - -\n", job->tracks[0].chain);
    job->step = NODE_STEP_STAGE;
    job->tracks[0].attempt = 1;
    job->asked_ms = loop_now_ms(loop);
    for (int i = 0; i < 20; i++) {
        node_stage_answered(job, &(struct answer){ .lines = text_from(line) });
    }
    assert_int_equal(heard.ends, 0);
    assert_true(heard.retries >= 18); /* one or two attempts may have come too early */
    assert_true(heard.retry_ms >= REMOTE_PAUSE_MS && heard.retry_ms <= 2000);
    node_free(job);
    loop_close(loop);
}

/* A node that alternately reports the bundle as complete and as missing is stopped after a limited
 * number of attempts. */
static void what_is_whole_and_not_there_comes_to_an_end(void **state)
{
    struct node_stage stage = { .digest = text_from(OURS), .tries = 1, .bytes = 1 };
    struct heard heard = { 0 };
    struct loop *loop;
    struct node_job *job = job_begin(&loop, &stage, 1, &heard);

    (void)state;
    for (int i = 0; i < 100 && heard.ends == 0; i++) {
        job->step = NODE_STEP_BUNDLE;
        node_stage_said(job, TEXT("whole " OURS "\n"));
        assert_int_equal(job->step, NODE_STEP_STAGE);
        node_faulted(job, &(struct answer){ .fault = TEXT("bundle"), .why = TEXT("not there") });
    }
    assert_int_equal(heard.ends, 1);
    assert_int_equal(heard.end, NODE_END_REFUSED);
    node_free(job);
    loop_close(loop);
}

static void ends_and_steps_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < NODE_END_COUNT; i++) {
        assert_non_null(node_end_name((enum node_end)i));
    }
    for (int i = 0; i < NODE_STEP_COUNT; i++) {
        assert_non_null(node_step_name((enum node_step)i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_never_ran_is_started),
        cmocka_unit_test(what_is_complete_is_left),
        cmocka_unit_test(what_runs_is_followed_or_waited_for),
        cmocka_unit_test(what_is_not_idempotent_runs_once),
        cmocka_unit_test(what_is_idempotent_has_its_tries),
        cmocka_unit_test(lines_that_report_of_errors),
        cmocka_unit_test(options_that_no_node_can_be_given),
        cmocka_unit_test(who_was_asked_for_no_bundle_lacks_none),
        cmocka_unit_test(what_reports_nothing_at_once_is_not_asked_at_once),
        cmocka_unit_test(what_is_whole_and_not_there_comes_to_an_end),
        cmocka_unit_test(ends_and_steps_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

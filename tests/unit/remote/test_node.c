/* What is next for a stage; which options no node can be given; which line tells of an error. */
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
                     NODE_MOVE_START); /* a wish */
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

/* The promise: whatever tries say, nothing that is not idempotent is started for a chain it was begun for. */
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

static void lines_that_tell_of_errors(void **state)
{
    (void)state;
    assert_true(node_line_is_error(TEXT("E: Unable to locate package: ERROR")));
    assert_true(node_line_is_error(TEXT("bash: line 3: foo: command not found")));
    assert_true(node_line_is_error(TEXT("cp: cannot stat 'x'")));
    assert_true(node_line_is_error(TEXT("a\0b: Permission denied")));
    assert_false(node_line_is_error(TEXT("")));
    assert_false(node_line_is_error(TEXT("all is well")));
}

static void told(void *arg, const struct node_event *event)
{
    (void)arg;
    (void)event;
}

static void refused(struct node_options options, const char *why)
{
    struct node_job *job;
    struct err err;

    options.told = told;
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
    refused((struct node_options){ .wish = TEXT("a b") }, "no name");
    refused((struct node_options){ .wish = TEXT("-x") }, "no name");
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
        cmocka_unit_test(lines_that_tell_of_errors),
        cmocka_unit_test(options_that_no_node_can_be_given),
        cmocka_unit_test(ends_and_steps_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parsing the output of programs on a node. */
#include "unit.h"

#include "remote/answer.h"

#define D3   "3333333333333333333333333333333333333333333333333333333333333333"
#define D1   "1111111111111111111111111111111111111111111111111111111111111111"
#define D2   "22222222222222222222222222222222222222222222222222222222222222ab"
#define LEFT "01234567-0123-4567-89ab-0123456789ab"
#define KEY  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL7O0jNUC1gFzBS6dYTB8vtJKsvQDSKwoZ5iQX8CgWUN"

static void an_answer_is_whole_or_none(void **state)
{
    static const char whole[] = "motd of a shell\nreeve1\nsame yes\nend\nafter";
    struct answer answer;
    bool is_same = false;

    (void)state;
    assert_true(answer_read(text_from(whole), &answer));
    assert_text(answer.lines, "same yes\n");
    assert_true(answer_same_read(&answer, &is_same) && is_same);
    for (size_t length = 0; length < strlen("motd of a shell\nreeve1\nsame yes\nend\n"); length++) {
        assert_false(answer_read((struct text){ whole, length }, &answer));
    }
    assert_true(answer_read(TEXT("reeve1\nfault space\nwhy it is full\nend\n"), &answer));
    assert_text(answer.fault, "space");
    assert_text(answer.why, "it is full");
    assert_false(answer_same_read(&answer, &is_same));
    assert_false(answer_read(TEXT("reeve1\n\xff\nend\n"), &answer));
}

static void an_answer_is_bounded(void **state)
{
    static char many[REMOTE_ANSWER_BYTES + 16];
    struct answer answer;

    (void)state;
    memset(many, '\n', sizeof(many));
    memcpy(many, "reeve1\n", 7);
    memcpy(many + 7 + REMOTE_ANSWER_LINES, "end\n", 4);
    assert_false(answer_read((struct text){ many, 1000 }, &answer)); /* one line too many */
    memcpy(many + 6 + REMOTE_ANSWER_LINES, "end\n", 4);
    many[5 + REMOTE_ANSWER_LINES] = '\n';
    assert_true(answer_read((struct text){ many, 1000 }, &answer));
    memset(many, 'x', sizeof(many));
    memcpy(many, "reeve1\n", 7);
    memcpy(many + sizeof(many) - 5, "\nend\n", 5);
    assert_false(answer_read((struct text){ many, sizeof(many) }, &answer));
}

static void a_verdict_has_a_digest_and_a_count(void **state)
{
    static const char *const refused[] = {
        "files 0\n",
        "digest " D1 "\n",
        "digest " D1 "\nfiles -1\n",
        "digest " D1 "\nfiles 1\n",
        "digest " D1 "\nfiles 0\nfile /a: content\n",
        "digest zz\nfiles 0\n",
        "digest " D1 "\nfiles 0\nodd\n",
    };
    AUTO(arena) arena = arena_new_small((size_t)1 << 20);
    struct answer_verdict verdict;
    struct answer answer = { .lines =
                                 TEXT("digest " D1 "\nfile /a: content\nfile /b b: mode, owner\n"
                                      "files 7\nunknown it took long\nboot id:12\n") };

    (void)state;
    assert_true(answer_verdict_read(arena, &answer, &verdict));
    assert_text(verdict.digest, D1);
    assert_text(verdict.files, "/a: content\n/b b: mode, owner");
    assert_int_equal(verdict.file_count, 7);
    assert_text(verdict.unknown, "it took long");
    assert_text(verdict.boot, "id:12");
    for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
        answer.lines = text_from(refused[i]);
        assert_false(answer_verdict_read(arena, &answer, &verdict));
    }
}

/* Parses one line of `look`. Returns whether it is accepted. */
static bool take(const char *line, struct answer_look *look)
{
    static struct answer_stage stages[2];
    static struct answer_bundle bundles[2];
    char bytes[512];
    struct answer answer;

    *look = (struct answer_look){ .stages = stages, .bundles = bundles, .stage_count = 2 };
    answer_look_clear(look);
    snprintf(bytes, sizeof(bytes), "reeve1\n%s\nend\n", line);
    assert_true(answer_read(text_from(bytes), &answer));
    return answer_look_take(&answer, look);
}

static void stages_are_read(void **state)
{
    struct answer_look look;

    (void)state;
    assert_true(take("stage 1 ended 3 " D1 " 2 124 timeout " D2, &look));
    assert_int_equal(look.stages[1].state, ANSWER_ENDED);
    assert_int_equal(look.stages[1].attempt, 3);
    assert_int_equal(look.stages[1].tries, 2);
    assert_int_equal(look.stages[1].code, 124);
    assert_true(look.stages[1].is_timeout);
    assert_string_equal(look.stages[1].chain, D1);
    assert_string_equal(look.stages[1].done, D2);
    assert_true(take("stage 0 absent 0 - 0 -1 - " D2, &look));
    assert_string_equal(look.stages[0].chain, "");
    assert_true(take("stage 0 running 1 " D1 " 1 -1 - -", &look));
    assert_int_equal(look.stages[0].state, ANSWER_RUNNING);
    assert_true(take("stage 0 lost 1 " D1 " 1 -1 - -", &look));
    assert_int_equal(look.stages[0].code, -1);
}

static void there_may_be_more(void **state)
{
    struct answer_look look;
    struct answer answer;

    (void)state;
    assert_true(take("more 1 4194304", &look));
    assert_true(look.more.is_reported);
    assert_int_equal(look.more.stage, 1);
    assert_int_equal(look.more.at, 4194304);
    assert_true(answer_read(TEXT("reeve1\nend\n"), &answer));
    assert_true(answer_look_take(&answer, &look));
    assert_false(look.more.is_reported); /* this was from the previous answer */
}

static void what_others_have_left_is_reported(void **state)
{
    struct answer_look look;

    (void)state;
    assert_true(take("marker 1 /home/o p/stage-1/stage-complete", &look));
    assert_string_equal(look.stages[1].marker, "/home/o p/stage-1/stage-complete");
    assert_string_equal(look.stages[0].marker, "");
    assert_string_equal(look.left, "");
    assert_true(take("left " LEFT, &look));
    assert_string_equal(look.left, LEFT);
    assert_true(take("shared " D1, &look));
    assert_string_equal(look.shared, D1);
    assert_true(take("room 4096", &look));
    assert_true(look.has_room && look.room_kib == 4096);
}

static void what_is_no_answer_is_refused(void **state)
{
    static const char *const bad[] = {
        "stage 2 absent 0 - 0 -1 - -", /* no such stage */
        "stage -1 absent 0 - 0 -1 - -",
        "stage 0 absent 1 - 0 -1 - -", /* absent, but started */
        "stage 0 running 0 - 0 -1 - -",
        "stage 0 gone 1 - 0 -1 - -",
        "stage 0 ended 1 " D1 " 1 256 exit -",
        "stage 0 ended 1 " D1 " 1 -1 exit -", /* ended without a code */
        "stage 0 ended 1 " D1 "x 1 0 exit -",
        "stage 0 ended 1 " D1 " 1 0 exit X" D2,
        "stage 0 ended 99999999 " D1 " 1 0 exit -",
        "stage 0 ended 1 " D1 " 1 0 exit - more",
        "whole " D1 " 5",
        "whole abc",
        "whole " D1 "\nwhole " D2 "\nwhole " D3, /* more lines than stages */
        "part " D1,
        "part " D1 " -5",
        "part " D1 " 99999999999",
        "more 2 5", /* no such stage */
        "more 0",
        "more 0 -1",
        "more 0 1125899906842625", /* an impossible amount of output */
        "more 0 5 6",
        "marker 2 /root/stage-2/stage-complete", /* no such stage */
        "marker 0",
        "marker /root",
        "left 0123456789ab-0123-4567-89ab-0123456",
        "left " LEFT "0",
        "left 0123456;-0123-4567-89ab-0123456789ab",
        "left",
        "room",
        "room -1",
        "room 1 2",
        "shared",
        "shared " D1 "0",
        "shared " D1 " 1",
        "rubbish",
    };
    struct answer_look look;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        assert_false(take(bad[i], &look));
    }
}

static void bundles_are_taken_over_what_was_known(void **state)
{
    struct answer_look look;
    struct answer answer;

    (void)state;
    assert_true(take("part " D1 " 5\nwhole " D2, &look));
    assert_int_equal(look.bundle_count, 2);
    assert_int_equal(look.bundles[0].bytes, 5);
    assert_false(look.bundles[0].is_whole);
    assert_true(answer_read(TEXT("reeve1\nwhole " D1 "\nend\n"), &answer));
    assert_true(answer_look_take(&answer, &look));
    assert_int_equal(look.bundle_count, 2);
    assert_true(look.bundles[0].is_whole);
}

static void keys_are_keys(void **state)
{
    struct answer answer;
    struct answer_keys keys;

    (void)state;
    assert_true(answer_read(TEXT("reeve1\nhost " KEY " a b\nroot " KEY "\nend\n"), &answer));
    assert_true(answer_keys_read(&answer, false, &keys));
    assert_text(keys.host, KEY);
    assert_false(answer_keys_read(&answer, true, &keys)); /* these are not the keys of a user */
    assert_true(answer_read(TEXT("reeve1\nhost " KEY "\nend\n"), &answer));
    assert_false(answer_keys_read(&answer, false, &keys));
    assert_true(
        answer_read(TEXT("reeve1\nhost " KEY "\nhost " KEY "\nroot " KEY "\nend\n"), &answer));
    assert_false(answer_keys_read(&answer, false, &keys)); /* ambiguous */
    assert_true(answer_read(TEXT("reeve1\nhost ssh-rsa AAAA\nroot " KEY "\nend\n"), &answer));
    assert_false(answer_keys_read(&answer, false, &keys));
    assert_true(
        answer_read(TEXT("reeve1\nhost command=\"x\" " KEY "\nroot " KEY "\nend\n"), &answer));
    assert_false(answer_keys_read(&answer, false, &keys));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_whole_or_none),
        cmocka_unit_test(an_answer_is_bounded),
        cmocka_unit_test(stages_are_read),
        cmocka_unit_test(there_may_be_more),
        cmocka_unit_test(what_others_have_left_is_reported),
        cmocka_unit_test(what_is_no_answer_is_refused),
        cmocka_unit_test(bundles_are_taken_over_what_was_known),
        cmocka_unit_test(keys_are_keys),
        cmocka_unit_test(a_verdict_has_a_digest_and_a_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

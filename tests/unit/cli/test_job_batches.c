#include "cli/manager/job_batches.h"

#include "case.h"
#include "cli/manager/job_text.h"
#include "codec/json.h"

/* Returns a batch job, or a job of a change, with this status. */
static struct doc job_read(struct arena *arena, const char *status)
{
    struct text json = arena_printf(
        arena, "{\"metadata\":{\"cluster\":\"shop\",\"name\":\"912\"},\"status\":%s}", status);
    struct doc job;
    struct err err;

    assert_true(json_parse(arena, json, NULL, &job, &err));
    return job;
}

#define BATCHES(state, rest) "{\"verb\":\"bootstrap\",\"state\":\"" state "\"," rest "}"
#define THIRD                "\"batch\":{\"canary\":false,\"count\":24,\"number\":3,\"size\":5}"
#define FIRST(size)          "\"batch\":{\"canary\":true,\"count\":24,\"number\":1,\"size\":" size "}"

static struct text words_of(struct arena *arena, const char *status)
{
    struct doc job = job_read(arena, status);
    struct buf buf;

    buf_init(&buf, arena);
    job_text_progress(&buf, doc_child(&job, "status"));
    return buf_text(&buf);
}

static void test_how_far_it_is(void **state)
{
    assert_text(words_of(*state, BATCHES("running", THIRD
                                         ",\"machines\":{\"wanted\":120,\"ready\":24,\"failed\":1,"
                                         "\"staging\":5,\"waiting\":90}")),
                "24 of 120 bootstrapped again, 1 failed, 5 in progress, 90 waiting; batch 3 of 24");
    assert_text(
        words_of(
            *state,
            BATCHES("resting",
                    FIRST("1") ",\"until\":\"2026-11-23T14:03:10.000Z\",\"machines\":{\"wanted\":9,"
                               "\"ready\":1,\"waiting\":8}")),
        "1 of 9 bootstrapped again, 8 waiting; batch 1 of 24, the canary; until 14:03:10Z (canary bakes)");
    assert_text(
        words_of(*state,
                 BATCHES("resting",
                         THIRD ",\"until\":\"2026-11-23T14:03:10.000Z\",\"machines\":{\"wanted\":9,"
                               "\"ready\":1,\"waiting\":8}")),
        "1 of 9 bootstrapped again, 8 waiting; batch 3 of 24; until 14:03:10Z (pause between batches)");
    assert_text(
        words_of(*state,
                 BATCHES("running",
                         FIRST("2") ",\"machines\":{\"wanted\":9,\"staging\":2,\"waiting\":7}")),
        "0 of 9 bootstrapped again, 2 in progress, 7 waiting; batch 1 of 24, the canaries");
    assert_text(
        words_of(*state, BATCHES("resting",
                                 FIRST("1") ",\"until\":\"9999-12-31T23:59:59.000Z\",\"machines\":{"
                                            "\"wanted\":9}")),
        "0 of 9 bootstrapped again; batch 1 of 24, the canary; until 9999-12-31 23:59:59Z "
        "(canary bakes)");
}

static void test_why_no_more_are_begun(void **state)
{
    assert_text(
        words_of(*state, BATCHES("stopping", THIRD
                                 ",\"cut\":\"failed\",\"machines\":{\"wanted\":9,\"failed\":2,"
                                 "\"staging\":1,\"waiting\":6}")),
        "0 of 9 bootstrapped again, 2 failed, 1 in progress, 6 waiting; batch 3 of 24; too many machines have failed");
    assert_text(
        words_of(*state, BATCHES("stopped", THIRD
                                 ",\"cut\":\"cancelled\",\"ended\":5,\"machines\":{\"wanted\":9,"
                                 "\"ready\":2,\"skipped\":6,\"gone\":1}")),
        "2 of 9 bootstrapped again, 6 not started, 1 gone; the job was cancelled");
    assert_text(words_of(*state, BATCHES("stopping",
                                         THIRD ",\"cut\":\"tides\",\"machines\":{\"wanted\":9}")),
                "0 of 9 bootstrapped again; batch 3 of 24"); /* a verb of a newer manager */
}

static void test_one_that_cannot_be_read(void **state)
{
    struct doc job = job_read(*state, BATCHES("damaged", "\"machines\":{\"wanted\":0}"));

    assert_text(words_of(*state, BATCHES("damaged", "\"machines\":{\"wanted\":0}")),
                "the machines of the job are not known");
    assert_text(job_batches_short(*state, &job), "bootstrap");
}

static struct text skipped_of(struct arena *arena, const char *names, const char *rest)
{
    struct text status = arena_printf(
        arena, BATCHES("stopped", "\"revision\":912,\"skippedNodes\":\"%s\"%s"), names, rest);
    struct doc job = job_read(arena, status.data);
    struct buf buf;

    buf_init(&buf, arena);
    job_batches_skipped(&buf, doc_child(&job, "status"));
    return buf_text(&buf);
}

static void test_who_was_not_begun(void **state)
{
    char many[400] = "web-[";

    assert_text(skipped_of(*state, "", ""), "");
    assert_text(skipped_of(*state, "db-0,web-[3-5]", ""), "  not started: db-0,web-[3-5]\n");
    assert_text(skipped_of(*state, "web-[0-1999]", ",\"skippedMore\":7"),
                "  not started: web-[0-1999], ... (reeve why job/912 -o json has more)\n");
    for (size_t i = 5; i < 395; i += 2) {
        memcpy(many + i, "7,", 3);
    }
    assert_text(text_slice(skipped_of(*state, many, ""), 0, 27), "  not started: web-[7,7,7,7");
    assert_true(skipped_of(*state, many, "").length < 300 + 70);
    memset(many, 'x', 399);
    assert_true(skipped_of(*state, many, "").length < 300 + 70);
}

static void test_a_job_of_a_change_has_its_own_words(void **state)
{
    assert_text(
        words_of(*state,
                 "{\"state\":\"running\",\"machines\":{\"wanted\":3,\"ready\":1,\"creating\":2}}"),
        "1 of 3 as wanted, 2 being created or starting");
}

static void test_who_waits_for_somebody(void **state)
{
    static const struct {
        const char *status;
        bool is_waiting;
    } cases[] = {
        { BATCHES("paused", "\"machines\":{\"staging\":0}"), true },
        { BATCHES("paused", "\"machines\":{\"staging\":1}"), false },
        { BATCHES("running", "\"machines\":{\"staging\":0},\"waits\":[\"web is paused\"]"), true },
        { BATCHES("running", "\"machines\":{\"staging\":2},\"waits\":[\"web is paused\"]"), false },
        { BATCHES("running", "\"machines\":{\"staging\":0},\"waits\":[]"), false },
        { BATCHES("resting", "\"machines\":{\"staging\":0}"), false },
        { BATCHES("stopping", "\"machines\":{\"staging\":0}"), false },
        { BATCHES("damaged", "\"machines\":{\"staging\":1}"), true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct doc job = job_read(*state, cases[i].status);

        assert_true(job_batches_is(&job));
        assert_int_equal(job_batches_is_waiting(&job), cases[i].is_waiting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_how_far_it_is),
        CASE(test_why_no_more_are_begun),
        CASE(test_one_that_cannot_be_read),
        CASE(test_who_was_not_begun),
        CASE(test_a_job_of_a_change_has_its_own_words),
        CASE(test_who_waits_for_somebody),
    };

    return cmocka_run_group_tests_name("cli/job_batches", tests, NULL, NULL);
}

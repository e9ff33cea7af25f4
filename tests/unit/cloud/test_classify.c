/* The table of CLOUDS.md 4.3, row by row and for each kind of call, and the rule that doubt
 * persists. */
#include "unit.h"

#include "classify.h"

enum { LEFT_MS = 60000 };

static const struct classify_row rows[] = {
    { 0, "Full*", NULL, REEVE_CAPACITY },
    { 0, "Limit", NULL, REEVE_QUOTA },
    { 0, "Slow", NULL, REEVE_THROTTLED },
    { 0, "Expired", NULL, REEVE_AUTH },
    { 0, "Ended", NULL, REEVE_GONE },
    { 0, "Oops", NULL, CLASSIFY_SERVER },
    { 0, "Busy", NULL, REEVE_TRANSIENT },
    { 0, "*.NotFound", NULL, REEVE_INVALID },
    { 422, NULL, "no capacity", REEVE_CAPACITY },
    { 422, NULL, "limit", REEVE_QUOTA },
};
static const struct classify_table table = { rows, ARRAY_COUNT(rows) };
static const enum classify_kind kinds[] = { CLASSIFY_READ, CLASSIFY_ONCE, CLASSIFY_TWICE };

static struct classify_attempt answered(unsigned status, const char *code, const char *message)
{
    return (struct classify_attempt){ .outcome = HTTP_ANSWER,
                                      .status = status,
                                      .code = text_from(code),
                                      .message = text_from(message) };
}

static struct classify_verdict judge(struct classify_state *state, struct classify_attempt attempt)
{
    return classify_attempt_judge(&table, state, &attempt, LEFT_MS, 1);
}

/* Judges the same attempt repeatedly until the call ends. Returns the number of attempts. */
static unsigned judge_all(struct classify_state *state, struct classify_attempt attempt,
                          int32_t *out_result)
{
    for (unsigned count = 1;; count++) {
        struct classify_verdict verdict = judge(state, attempt);

        assert_true(count < 10);
        if (verdict.step == CLASSIFY_DONE) {
            *out_result = verdict.result;
            return count;
        }
    }
}

static void not_sent_is_transient(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        struct classify_state call = { .kind = kinds[i] };
        int32_t result;

        assert_int_equal(
            judge_all(&call, (struct classify_attempt){ .outcome = HTTP_NOT_SENT }, &result), 1);
        assert_int_equal(result, REEVE_TRANSIENT);
        assert_false(call.is_doubtful);
    }
}

static void check_no_answer(struct classify_attempt attempt)
{
    static const struct {
        unsigned attempts;
        int32_t result;
    } expected[] = { { 3, REEVE_TRANSIENT }, { 3, REEVE_UNKNOWN }, { 1, REEVE_UNKNOWN } };

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        struct classify_state call = { .kind = kinds[i], .has_token = true };
        int32_t result;

        assert_int_equal(judge_all(&call, attempt, &result), expected[i].attempts);
        assert_int_equal(result, expected[i].result);
        assert_int_equal(call.is_doubtful, kinds[i] != CLASSIFY_READ);
    }
}

static void no_answer_is_unknown_for_changes(void **state)
{
    struct classify_attempt broken = answered(200, NULL, NULL);

    (void)state;
    broken.is_broken = true;
    check_no_answer((struct classify_attempt){ .outcome = HTTP_NO_ANSWER });
    check_no_answer(answered(500, NULL, NULL));
    check_no_answer(answered(503, "NotKnown", "text"));
    check_no_answer(answered(500, "Oops", "text"));
    check_no_answer(answered(200, "Oops", "text"));
    check_no_answer(broken);
}

static void known_codes_decide_at_every_status(void **state)
{
    static const struct {
        unsigned status;
        const char *code;
        const char *message;
        int32_t result;
    } cases[] = {
        { 400, "FullZone", "", REEVE_CAPACITY },
        { 500, "Full", "", REEVE_CAPACITY },
        { 400, "Limit", "", REEVE_QUOTA },
        { 400, "Ended", "", REEVE_GONE },
        { 409, "Busy", "", REEVE_TRANSIENT },
        { 400, "Thing.NotFound", "", REEVE_INVALID },
        { 422, NULL, "No Capacity in x", REEVE_CAPACITY },
        { 422, NULL, "the LIMIT is 5", REEVE_QUOTA },
        { 422, NULL, "else", REEVE_INVALID },
        { 404, NULL, "", REEVE_INVALID },
        { 302, NULL, "", REEVE_INVALID },
        { 400, "Other", "limit", REEVE_INVALID },
        { 200, NULL, NULL, REEVE_OK },
        { 202, NULL, "limit", REEVE_OK },
        { 401, NULL, NULL, REEVE_AUTH },
        { 400, "Expired", "", REEVE_AUTH },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
            struct classify_state call = { .kind = kinds[k] };
            int32_t result;

            assert_int_equal(judge_all(&call,
                                       answered(cases[i].status, cases[i].code, cases[i].message),
                                       &result),
                             1);
            assert_int_equal(result, cases[i].result);
        }
    }
}

static void throttled_waits_within_the_deadline(void **state)
{
    struct classify_attempt slow = answered(429, NULL, NULL);
    struct classify_verdict verdict;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        struct classify_state call = { .kind = kinds[i] };

        slow.retry_after_ms = 7000;
        verdict = judge(&call, slow);
        assert_int_equal(verdict.step, CLASSIFY_RETRY);
        assert_int_equal(verdict.wait_ms, 7000);
        assert_true(verdict.is_throttled);
        verdict = classify_attempt_judge(&table, &call, &slow, 7000, 1);
        assert_int_equal(verdict.step, CLASSIFY_DONE);
        assert_int_equal(verdict.result, REEVE_THROTTLED);
        assert_int_equal(verdict.retry_after_ms, 7000);
        slow.retry_after_ms = 0;
        verdict = classify_attempt_judge(&table, &call, &slow, 100, 1);
        assert_int_equal(verdict.result, REEVE_THROTTLED);
        assert_true(verdict.retry_after_ms > 0);
    }
}

static void access_is_renewed_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        struct classify_state call = { .kind = kinds[i], .is_renewable = true };

        assert_int_equal(judge(&call, answered(401, NULL, NULL)).step, CLASSIFY_RENEW);
        assert_int_equal(judge(&call, answered(401, NULL, NULL)).step, CLASSIFY_DONE);
        call = (struct classify_state){ .kind = kinds[i], .is_renewable = true };
        assert_int_equal(judge(&call, answered(400, "Expired", "")).step, CLASSIFY_RENEW);
        assert_int_equal(judge(&call, answered(200, NULL, NULL)).result, REEVE_OK);
    }
}

static void doubt_persists(void **state)
{
    static const struct {
        struct classify_attempt later;
        int32_t with_token;
        int32_t without;
    } cases[] = {
        { { .outcome = HTTP_ANSWER, .status = 200 }, REEVE_OK, REEVE_OK },
        { { .outcome = HTTP_ANSWER, .status = 400, .code = { "Full", 4 } },
          REEVE_CAPACITY,
          REEVE_UNKNOWN },
        { { .outcome = HTTP_ANSWER, .status = 400, .code = { "Limit", 5 } },
          REEVE_QUOTA,
          REEVE_UNKNOWN },
        { { .outcome = HTTP_ANSWER, .status = 400, .code = { "Ended", 5 } },
          REEVE_GONE,
          REEVE_UNKNOWN },
        { { .outcome = HTTP_ANSWER, .status = 400 }, REEVE_UNKNOWN, REEVE_UNKNOWN },
        { { .outcome = HTTP_ANSWER, .status = 401 }, REEVE_UNKNOWN, REEVE_UNKNOWN },
        { { .outcome = HTTP_ANSWER, .status = 429, .retry_after_ms = 100000 },
          REEVE_UNKNOWN,
          REEVE_UNKNOWN },
        { { .outcome = HTTP_ANSWER, .status = 409, .code = { "Busy", 4 } },
          REEVE_UNKNOWN,
          REEVE_UNKNOWN },
        { { .outcome = HTTP_NOT_SENT }, REEVE_UNKNOWN, REEVE_UNKNOWN },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        for (int has_token = 0; has_token <= 1; has_token++) {
            struct classify_state call = { .kind = CLASSIFY_ONCE, .has_token = has_token != 0 };
            struct classify_state read = { .kind = CLASSIFY_READ };

            assert_int_equal(
                judge(&call, (struct classify_attempt){ .outcome = HTTP_NO_ANSWER }).step,
                CLASSIFY_RETRY);
            assert_int_equal(judge(&call, cases[i].later).result,
                             has_token != 0 ? cases[i].with_token : cases[i].without);
            /* a call that only reads has no effect that could be in doubt */
            (void)judge(&read, (struct classify_attempt){ .outcome = HTTP_NO_ANSWER });
            assert_int_not_equal(judge(&read, cases[i].later).result, REEVE_UNKNOWN);
        }
    }
}

static void waits_double_with_jitter(void **state)
{
    struct classify_state call = { .kind = CLASSIFY_ONCE };
    struct classify_attempt lost = { .outcome = HTTP_NO_ANSWER };

    (void)state;
    assert_true(classify_attempt_judge(&table, &call, &lost, LEFT_MS, 200).wait_ms == 200);
    assert_true(classify_attempt_judge(&table, &call, &lost, LEFT_MS, 400).wait_ms == 400);
    call = (struct classify_state){ .kind = CLASSIFY_ONCE };
    assert_int_equal(classify_attempt_judge(&table, &call, &lost, LEFT_MS, 201).wait_ms, 0);
    call = (struct classify_state){ .kind = CLASSIFY_ONCE };
    assert_int_equal(classify_attempt_judge(&table, &call, &lost, 300, 200).result, REEVE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_sent_is_transient),
        cmocka_unit_test(no_answer_is_unknown_for_changes),
        cmocka_unit_test(known_codes_decide_at_every_status),
        cmocka_unit_test(throttled_waits_within_the_deadline),
        cmocka_unit_test(access_is_renewed_once),
        cmocka_unit_test(doubt_persists),
        cmocka_unit_test(waits_double_with_jitter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

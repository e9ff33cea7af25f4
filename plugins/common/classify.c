#include "classify.h"

#include <assert.h>
#include <strings.h>

enum {
    ATTEMPTS_MAX = 3,
    WAIT_FIRST_MS = 200,
    WAIT_MOST_MS = 5000,
    /* The condition for another attempt of a call. */
    ATTEMPT_MS = 500
};

bool classify_contains(struct text text, const char *part)
{
    size_t length = strlen(part);

    for (size_t i = 0; i + length <= text.length; i++) {
        if (strncasecmp(text.data + i, part, length) == 0) {
            return true;
        }
    }
    return length == 0;
}

static bool classify_code_matches(struct text code, const char *pattern)
{
    struct text rest = text_from(pattern);

    if (rest.length > 0 && rest.data[0] == '*') {
        return text_has_suffix(code, text_slice(rest, 1, rest.length));
    }
    if (rest.length > 0 && rest.data[rest.length - 1] == '*') {
        return text_has_prefix(code, text_slice(rest, 0, rest.length - 1));
    }
    return text_is_equal(code, rest);
}

const struct classify_row *classify_find(const struct classify_table *table, unsigned status,
                                         struct text code, struct text message)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct classify_row *row = &table->rows[i];

        if ((row->status == 0 || row->status == status) &&
            (row->code == NULL || classify_code_matches(code, row->code)) &&
            (row->contains == NULL || classify_contains(message, row->contains))) {
            return row;
        }
    }
    return NULL;
}

int32_t classify_after_doubt(const struct classify_state *state, int32_t result)
{
    if (!state->is_doubtful || result == REEVE_OK) {
        return result;
    }
    /* the provider returns these errors only if the token has no machine yet */
    if (state->has_token &&
        (result == REEVE_CAPACITY || result == REEVE_QUOTA || result == REEVE_GONE)) {
        return result;
    }
    return REEVE_UNKNOWN;
}

static struct classify_verdict classify_done(const struct classify_state *state, int32_t result)
{
    return (struct classify_verdict){ .step = CLASSIFY_DONE,
                                      .result = classify_after_doubt(state, result) };
}

/* Returns the wait before attempt number `failed` + 1, in ms. Its maximum doubles each time, with
 * full jitter. */
static uint64_t classify_wait(unsigned failed, uint32_t random)
{
    uint64_t most = WAIT_FIRST_MS;

    for (unsigned i = 1; i < failed && most < WAIT_MOST_MS; i++) {
        most *= 2;
    }
    return random % ((most > WAIT_MOST_MS ? WAIT_MOST_MS : most) + 1);
}

/* Handles a request that was sent without a complete answer, or whose answer does not show whether
 * it had an effect. */
static struct classify_verdict classify_no_answer(struct classify_state *state, uint64_t left_ms,
                                                  uint32_t random)
{
    struct classify_verdict verdict = { .step = CLASSIFY_RETRY };

    state->failures++;
    if (state->kind != CLASSIFY_READ) {
        state->is_doubtful = true;
    }
    verdict.wait_ms = classify_wait(state->failures, random);
    if (state->kind == CLASSIFY_TWICE || state->failures >= ATTEMPTS_MAX ||
        verdict.wait_ms + ATTEMPT_MS > left_ms) {
        return classify_done(state, state->kind == CLASSIFY_READ ? REEVE_TRANSIENT : REEVE_UNKNOWN);
    }
    return verdict;
}

static struct classify_verdict classify_throttled(struct classify_state *state,
                                                  const struct classify_attempt *attempt,
                                                  uint64_t left_ms, uint32_t random)
{
    struct classify_verdict verdict = { .step = CLASSIFY_RETRY, .is_throttled = true };

    state->throttled++;
    verdict.wait_ms = attempt->retry_after_ms > 0 ? attempt->retry_after_ms
                                                  : classify_wait(state->throttled, random);
    if (verdict.wait_ms + ATTEMPT_MS > left_ms) {
        verdict = classify_done(state, REEVE_THROTTLED);
        verdict.is_throttled = true;
        verdict.retry_after_ms =
            attempt->retry_after_ms > 0 ? attempt->retry_after_ms : WAIT_MOST_MS;
    }
    return verdict;
}

static struct classify_verdict classify_not_sent(const struct classify_state *state)
{
    return classify_done(state, REEVE_TRANSIENT);
}

/* Derives the result of an answer without a known code from its status. */
static int32_t classify_status(const struct classify_attempt *attempt)
{
    if (attempt->status == 401) {
        return REEVE_AUTH;
    }
    if (attempt->status == 429) {
        return REEVE_THROTTLED;
    }
    if (attempt->status >= 500 || attempt->is_broken) {
        return CLASSIFY_SERVER;
    }
    return attempt->status >= 200 && attempt->status < 300 ? REEVE_OK : REEVE_INVALID;
}

struct classify_verdict classify_attempt_judge(const struct classify_table *table,
                                               struct classify_state *state,
                                               const struct classify_attempt *attempt,
                                               uint64_t left_ms, uint32_t random)
{
    const struct classify_row *row;
    int32_t result;

    if (attempt->outcome == HTTP_NOT_SENT) {
        return classify_not_sent(state);
    }
    if (attempt->outcome == HTTP_NO_ANSWER) {
        return classify_no_answer(state, left_ms, random);
    }
    row = attempt->status >= 200 && attempt->status < 300 && attempt->code.length == 0
              ? NULL
              : classify_find(table, attempt->status, attempt->code, attempt->message);
    result = row != NULL ? row->result : classify_status(attempt);
    if (result == CLASSIFY_SERVER) {
        return classify_no_answer(state, left_ms, random);
    }
    if (result == REEVE_THROTTLED) {
        return classify_throttled(state, attempt, left_ms, random);
    }
    if (result == REEVE_AUTH && state->is_renewable && !state->has_renewed) {
        state->has_renewed = true;
        return (struct classify_verdict){ .step = CLASSIFY_RENEW };
    }
    return classify_done(state, result);
}

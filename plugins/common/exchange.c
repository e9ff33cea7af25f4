#include "exchange.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

enum { MARGIN_MS = 200, RATE_WAIT_LEAST_MS = 1 };

uint64_t exchange_ends_ms(const struct reeve_host_v1 *host, struct reeve_call *call)
{
    uint64_t left_ms = host->left_ms(call);

    return http_now_ms() + (left_ms > MARGIN_MS ? left_ms - MARGIN_MS : 0);
}

void exchange_rest(uint64_t milliseconds)
{
    struct timespec rest = { .tv_sec = (time_t)(milliseconds / 1000),
                             .tv_nsec = (long)(milliseconds % 1000) * 1000000 };

    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

uint32_t exchange_random(void)
{
    uint32_t number = 0;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number)) {
        number = (uint32_t)http_now_ms() * 2654435761u;
    }
    return number;
}

size_t exchange_line(char line[EXCHANGE_LINE_BYTES], struct text what,
                     const struct classify_attempt *attempt)
{
    struct text message = text_slice(attempt->message, 0, EXCHANGE_LINE_BYTES / 2);
    int length;

    while (message.length > 0 && text_find_bad_utf8(message) != SIZE_MAX) {
        message.length = text_find_bad_utf8(message);
    }
    if (attempt->code.length > 0) {
        length = snprintf(line, EXCHANGE_LINE_BYTES, "%.*s: %.*s: %.*s", TEXT_ARG(what),
                          TEXT_ARG(attempt->code), TEXT_ARG(message));
    } else if (attempt->outcome == HTTP_ANSWER) {
        length = snprintf(line, EXCHANGE_LINE_BYTES, "%.*s: status %u: %.*s", TEXT_ARG(what),
                          attempt->status, TEXT_ARG(message));
    } else {
        length =
            snprintf(line, EXCHANGE_LINE_BYTES, "%.*s: %.*s", TEXT_ARG(what), TEXT_ARG(message));
    }
    if (length < 0) {
        return 0;
    }
    length = length >= EXCHANGE_LINE_BYTES ? EXCHANGE_LINE_BYTES - 1 : length;
    for (int i = 0; i < length; i++) {
        if ((unsigned char)line[i] < ' ') {
            line[i] = ' ';
        }
    }
    return (size_t)length;
}

void exchange_fault(const struct reeve_host_v1 *host, struct reeve_call *call, const char *pointer,
                    struct text what, const struct classify_attempt *attempt)
{
    char line[EXCHANGE_LINE_BYTES];
    size_t length = exchange_line(line, what, attempt);

    host->fault(call, (struct reeve_text){ pointer, strlen(pointer) },
                (struct reeve_text){ line, (uint64_t)length });
}

/* Waits until the rate limit permits a request. Returns false at the deadline. */
static bool exchange_wait_for_rate(const struct exchange *exchange,
                                   const struct classify_state *state, uint64_t ends_ms,
                                   uint64_t *out_wait_ms)
{
    while (exchange->limit != NULL) {
        uint64_t now_ms = http_now_ms();

        *out_wait_ms = rate_limit_take(exchange->limit, exchange->region, exchange->rate_kind,
                                       state->kind != CLASSIFY_READ, now_ms);
        if (*out_wait_ms == 0) {
            return true;
        }
        if (now_ms + *out_wait_ms >= ends_ms) {
            return false;
        }
        exchange_rest(*out_wait_ms + RATE_WAIT_LEAST_MS);
    }
    return http_now_ms() < ends_ms;
}

static int32_t exchange_end_unsent(const struct exchange *exchange,
                                   const struct classify_state *state, uint64_t wait_ms,
                                   struct classify_attempt *last)
{
    int32_t result = classify_after_doubt(state, wait_ms > 0 ? REEVE_THROTTLED : REEVE_TRANSIENT);

    *last = (struct classify_attempt){
        .outcome = HTTP_NOT_SENT,
        .is_past_end = true,
        .message = wait_ms > 0 ? TEXT("the rate limit permits no request before the deadline")
                               : TEXT("the deadline passed before the request was sent"),
    };
    if (wait_ms > 0) {
        exchange->host->retry_after(exchange->call, wait_ms);
    }
    return result;
}

int32_t exchange_run(const struct exchange *exchange, struct classify_state *state,
                     struct classify_attempt *last)
{
    uint64_t ends_ms = exchange_ends_ms(exchange->host, exchange->call);

    if (exchange->ends_ms > 0 && exchange->ends_ms < ends_ms) {
        ends_ms = exchange->ends_ms;
    }
    state->is_renewable = exchange->renew != NULL;
    for (;;) {
        struct classify_verdict verdict;
        uint64_t now_ms;
        uint64_t wait_ms = 0;

        if (!exchange_wait_for_rate(exchange, state, ends_ms, &wait_ms)) {
            return exchange_end_unsent(exchange, state, wait_ms, last);
        }
        *last = (struct classify_attempt){ 0 };
        exchange->send(exchange->arg, ends_ms, last);
        now_ms = http_now_ms();
        verdict =
            classify_attempt_judge(exchange->table, state, last,
                                   ends_ms > now_ms ? ends_ms - now_ms : 0, exchange_random());
        if (verdict.is_throttled && exchange->limit != NULL) {
            rate_limit_on_throttled(exchange->limit, exchange->region, exchange->rate_kind,
                                    last->retry_after_ms, now_ms);
        }
        if (verdict.step == CLASSIFY_RENEW) {
            int32_t renewed = exchange->renew(exchange->arg);

            if (renewed == REEVE_OK) {
                continue;
            }
            verdict = (struct classify_verdict){ .step = CLASSIFY_DONE,
                                                 .result = classify_after_doubt(state, renewed) };
        }
        if (verdict.step == CLASSIFY_DONE) {
            if (verdict.retry_after_ms > 0) {
                exchange->host->retry_after(exchange->call, verdict.retry_after_ms);
            }
            return verdict.result;
        }
        exchange_rest(verdict.wait_ms);
    }
}

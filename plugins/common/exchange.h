#ifndef COMMON_EXCHANGE_H
#define COMMON_EXCHANGE_H

#include "classify.h"
#include "rate_limit.h"

/* public names start with: exchange_ */

/* One operation at a provider: waits for the rate limit, sends, classifies the answer, and repeats
 * until there is a result or the call must end. */
struct exchange {
    const struct reeve_host_v1 *host;
    struct reeve_call *call; /* each request ends 200 ms before this deadline */
    const struct classify_table *table;
    struct rate_limit *limit; /* rate limit; NULL: none */
    struct text region;
    size_t rate_kind;
    uint64_t ends_ms; /* an earlier deadline, by http_now_ms(); 0: none */
    /* Makes one attempt and sets its result. Texts must be valid until the next attempt. */
    void (*send)(void *arg, uint64_t ends_ms, struct classify_attempt *out);
    /* Gets another access token; NULL: there are no tokens. Returns OK, or the result of the call.
     * The result is AUTH only after a refusal, not if the token service does not answer. */
    int32_t (*renew)(void *arg);
    void *arg;
};

/* Executes the operation. The caller sets state->kind and state->has_token. Afterwards the state
 * shows whether an attempt may have had an effect. The caller reports errors with exchange_fault().
 * *last is the result of the last attempt. */
int32_t exchange_run(const struct exchange *exchange, struct classify_state *state,
                     struct classify_attempt *last);

enum { EXCHANGE_LINE_BYTES = 900 };

/* Writes the provider's text on one line, cut to length, after the operation `what` and the code.
 * Returns the length. */
size_t exchange_line(char line[EXCHANGE_LINE_BYTES], struct text what,
                     const struct classify_attempt *attempt);

/* Reports the provider's text as a fault at a pointer of the properties, on one line and cut to
 * length, after its code. `what` names the operation. */
void exchange_fault(const struct reeve_host_v1 *host, struct reeve_call *call, const char *pointer,
                    struct text what, const struct classify_attempt *attempt);

/* Returns the deadline of requests of the call, by http_now_ms(). */
uint64_t exchange_ends_ms(const struct reeve_host_v1 *host, struct reeve_call *call);

/* Waits for some time. */
void exchange_rest(uint64_t milliseconds);

/* Returns a random number, for jitter. */
uint32_t exchange_random(void);

#endif

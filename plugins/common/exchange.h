#ifndef COMMON_EXCHANGE_H
#define COMMON_EXCHANGE_H

#include "classify.h"
#include "rate_limit.h"

/* names: exchange_ */

/* One operation at a provider: waits for the rate limit, sends, classifies, and repeats until the
 * operation has a result or the call must end. */
struct exchange {
    const struct reeve_host_v1 *host;
    struct reeve_call *call; /* its deadline less 200 ms is that of each request */
    const struct classify_table *table;
    struct rate_limit *limit; /* NULL: none */
    struct text region;
    size_t rate_kind;
    uint64_t ends_ms; /* an earlier deadline, by http_now_ms(); 0: none */
    /* Make one attempt. It sets what came; texts must live until the next attempt. */
    void (*send)(void *arg, uint64_t ends_ms, struct classify_attempt *out);
    /* Get another access token; NULL: there is none. Returns OK, or the result of the call: only a
     * refusal is AUTH, not a token service that gives no answer. */
    int32_t (*renew)(void *arg);
    void *arg;
};

/* Run it. state->kind and state->has_token are set by the caller; afterwards the state has the
 * doubt of the attempts. The caller reports errors with exchange_fault(). *last
 * is what came last. */
int32_t exchange_run(const struct exchange *exchange, struct classify_state *state,
                     struct classify_attempt *last);

enum { EXCHANGE_LINE_BYTES = 900 };

/* Write the provider's text on one line, cut to length, with the operation `what` and the code in
 * front. Returns its length. */
size_t exchange_line(char line[EXCHANGE_LINE_BYTES], struct text what,
                     const struct classify_attempt *attempt);

/* Report the provider's text as a fault at a pointer of the properties, on one line and cut to
 * length, with its code in front. `what` names the operation. */
void exchange_fault(const struct reeve_host_v1 *host, struct reeve_call *call, const char *pointer,
                    struct text what, const struct classify_attempt *attempt);

/* The deadline of requests of the call, by http_now_ms(). */
uint64_t exchange_ends_ms(const struct reeve_host_v1 *host, struct reeve_call *call);

/* Wait. */
void exchange_rest(uint64_t milliseconds);

/* A random number, for jitter. */
uint32_t exchange_random(void);

#endif

#ifndef COMMON_CLASSIFY_H
#define COMMON_CLASSIFY_H

#include "base/text.h"
#include "http.h"
#include "reeve/plugin.h"

#include <stdbool.h>
#include <stdint.h>

/* public names start with: classify_ */

/* Maps the answer of a provider to the result of a call (CLOUDS.md 4.3). Pure.
 *
 * Each provider has a table of its known answers, a file NAME.def of rows
 *
 *     CLASSIFY_ROW(InstanceLimitExceeded, 0, "InstanceLimitExceeded", NULL, REEVE_QUOTA)
 *
 * The first argument is the name of the row. Two rows with the same name do not compile. */

/* Result of a known answer after which it is unknown whether the call had an effect, as after a
 * status 5xx without a known code. */
#define CLASSIFY_SERVER (-1)

struct classify_row {
    unsigned status;      /* status; 0: any */
    const char *code;     /* code, where '*' at its start or end stands for any text; NULL: any */
    const char *contains; /* part of the message, case-insensitive; NULL: any */
    int32_t result;       /* enum reeve_result, or CLASSIFY_SERVER */
};

/* The first matching row is used. */
struct classify_table {
    const struct classify_row *rows;
    size_t count;
};

enum classify_kind {
    CLASSIFY_READ,
    /* a change that the provider applies only once, even if it is repeated, because of a token, a
     * name or an id */
    CLASSIFY_ONCE,
    CLASSIFY_TWICE, /* a change that the provider may apply again when it is repeated */
};

/* The result of one attempt. */
struct classify_attempt {
    enum http_outcome outcome;
    bool is_past_end; /* the deadline has passed */
    unsigned status;
    /* the body is not a valid answer of the provider: it is HTML, incomplete, or in another
     * format */
    bool is_broken;
    struct text code;        /* code of the error; empty: none */
    struct text message;     /* message of the error, or why there is no answer */
    uint64_t retry_after_ms; /* delay before a retry that the provider requests, in ms; 0: none */
};

enum classify_step {
    CLASSIFY_DONE,  /* the call ends with `result` */
    CLASSIFY_RETRY, /* retry after wait_ms */
    CLASSIFY_RENEW, /* get another access token, then retry */
};

struct classify_verdict {
    enum classify_step step;
    int32_t result; /* result, with CLASSIFY_DONE */
    uint64_t wait_ms;
    bool is_throttled;       /* the provider requested fewer requests */
    uint64_t retry_after_ms; /* for reeve_host_v1.retry_after; 0: none */
};

/* The attempts of one call so far. All zero at the start of a call, except kind and has_token. */
struct classify_state {
    enum classify_kind kind;
    bool has_token;    /* the provider guarantees one machine per token */
    bool is_renewable; /* there is an access token that can be renewed */
    unsigned failures; /* number of attempts without an answer */
    unsigned throttled;
    bool has_renewed;
    bool is_doubtful; /* an attempt was sent and got no answer, so it may have had its effect */
};

/* Decides what follows an attempt. `left_ms` is the time until the call must end. `random` is any
 * number, for jitter. */
struct classify_verdict classify_attempt_judge(const struct classify_table *table,
                                               struct classify_state *state,
                                               const struct classify_attempt *attempt,
                                               uint64_t left_ms, uint32_t random);

/* Combines a result that the plugin determined with the earlier attempts. If it is unknown whether
 * an attempt had an effect, the result is UNKNOWN. */
int32_t classify_after_doubt(const struct classify_state *state, int32_t result);

/* Returns the row for an answer. NULL: the answer is not known. */
const struct classify_row *classify_find(const struct classify_table *table, unsigned status,
                                         struct text code, struct text message);

/* True if the text contains the part, ignoring case. */
bool classify_contains(struct text text, const char *part);

#endif

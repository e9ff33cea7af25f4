#ifndef COMMON_CLASSIFY_H
#define COMMON_CLASSIFY_H

#include "base/text.h"
#include "http.h"
#include "reeve/plugin.h"

#include <stdbool.h>
#include <stdint.h>

/* names: classify_ */

/* From what a provider answered to the result of a call (CLOUDS.md 4.3). Pure.
 *
 * Each provider has a table of the answers that it is known to give, a file NAME.def of rows
 *
 *     CLASSIFY_ROW(InstanceLimitExceeded, 0, "InstanceLimitExceeded", NULL, REEVE_QUOTA)
 *
 * The first argument is the name of the row: two rows of one name do not compile. */

/* A known answer that is as doubtful as a 5xx without a known code. */
#define CLASSIFY_SERVER (-1)

struct classify_row {
    unsigned status;      /* 0: any */
    const char *code;     /* NULL: any; a '*' at its begin or end matches the rest */
    const char *contains; /* part of the message, in any case; NULL: any */
    int32_t result;       /* enum reeve_result, or CLASSIFY_SERVER */
};

/* The first row that matches counts. */
struct classify_table {
    const struct classify_row *rows;
    size_t count;
};

enum classify_kind {
    CLASSIFY_READ,
    CLASSIFY_ONCE,  /* a change that the provider applies once: by a token, a name or an id */
    CLASSIFY_TWICE, /* a change that the provider may apply once for each request */
};

/* What came of one attempt. */
struct classify_attempt {
    enum http_outcome outcome;
    bool is_past_end; /* the deadline passed */
    unsigned status;
    bool is_broken;          /* the body is not one of the provider: HTML, cut, another format */
    struct text code;        /* of the error; empty: none */
    struct text message;     /* of the error, or why there is no answer */
    uint64_t retry_after_ms; /* 0: the provider states none */
};

enum classify_step {
    CLASSIFY_DONE,  /* the call ends with `result` */
    CLASSIFY_RETRY, /* after wait_ms */
    CLASSIFY_RENEW, /* get another access token, then try again */
};

struct classify_verdict {
    enum classify_step step;
    int32_t result; /* with CLASSIFY_DONE */
    uint64_t wait_ms;
    bool is_throttled;       /* the provider asked for fewer requests */
    uint64_t retry_after_ms; /* for reeve_host_v1.retry_after; 0: none */
};

/* The attempts of one call so far; zero at its begin, except kind and has_token. */
struct classify_state {
    enum classify_kind kind;
    bool has_token;    /* the provider guarantees one machine per token */
    bool is_renewable; /* there is an access token that can be renewed */
    unsigned failures; /* attempts that gave no answer */
    unsigned throttled;
    bool has_renewed;
    bool is_doubtful; /* an attempt was sent and got no answer: it may have had its effect */
};

/* Judge an attempt. `left_ms` is the time until the call must end, `random` any number, for
 * jitter. */
struct classify_verdict classify_attempt_judge(const struct classify_table *table,
                                               struct classify_state *state,
                                               const struct classify_attempt *attempt,
                                               uint64_t left_ms, uint32_t random);

/* What a result that the plugin itself found means after earlier attempts: doubt persists. */
int32_t classify_after_doubt(const struct classify_state *state, int32_t result);

/* The row for an answer; NULL if none is known. */
const struct classify_row *classify_find(const struct classify_table *table, unsigned status,
                                         struct text code, struct text message);

/* Whether the text contains the part, in any case of letters. */
bool classify_contains(struct text text, const char *part);

#endif

#ifndef REEVE_FETCH_TRANSFER_H
#define REEVE_FETCH_TRANSFER_H

#include "fetch/target.h"

/* names: fetch_ transfer_ */

/* One request by https, to a target that was judged: nothing of the surroundings has a part in it (no proxy, cookie, netrc,
 * credential), the server proves who it is, and what comes is counted, hashed and written as it comes. */
struct transfer;

enum transfer_end {
    TRANSFER_DONE,      /* all bytes are written */
    TRANSFER_ELSEWHERE, /* the server sends on: transfer_next */
    TRANSFER_ABSENT,    /* it is not there (404, 410) */
    TRANSFER_FAILED,
};

/* authorities: a file in PEM, of all that may sign a server's certificate. out: what is written to; it is emptied by each
 * transfer. Both outlive it. */
struct transfer *transfer_new(const struct fetch_order *order, const char *authorities, int out);
void transfer_free(struct transfer *transfer);

/* Make a request. With left_ms for it. */
enum transfer_end transfer_run(struct transfer *transfer, const struct fetch_target *target,
                               uint64_t left_ms, struct err *err);

/* After TRANSFER_ELSEWHERE: the address, absolute unless the server wrote nonsense; lives until the next run. */
struct text transfer_next(const struct transfer *transfer);

/* After TRANSFER_DONE. */
void transfer_digest(const struct transfer *transfer, struct fetch_answer *answer);

/* Take these bytes as if they had come: of a file. R0645, R0646: they are no plugin's. */
MUST_CHECK bool transfer_take(struct transfer *transfer, struct text bytes, struct err *err);
MUST_CHECK bool transfer_finish(struct transfer *transfer, struct err *err);

#endif

#ifndef REEVE_FETCH_TRANSFER_H
#define REEVE_FETCH_TRANSFER_H

#include "fetch/target.h"

/* public names start with: fetch_ transfer_ */

/* One HTTPS request to a validated target. Nothing in the environment affects it: no proxy, cookie,
 * netrc or credential. The certificate of the server is verified. Bytes are counted, hashed and
 * written as they arrive. */
struct transfer;

enum transfer_end {
    TRANSFER_DONE,      /* all bytes are written */
    TRANSFER_ELSEWHERE, /* redirected; transfer_next returns the new URL */
    TRANSFER_ABSENT,    /* not found (404, 410) */
    TRANSFER_FAILED,
};

/* Creates a transfer. `authorities` is a PEM file with the CAs of servers. `out` is the descriptor
 * that receives the bytes; each request truncates it. Both must outlive the transfer. */
struct transfer *transfer_new(const struct fetch_order *order, const char *authorities, int out);
void transfer_free(struct transfer *transfer);

/* Makes a request, with the time limit left_ms. */
enum transfer_end transfer_run(struct transfer *transfer, const struct fetch_target *target,
                               uint64_t left_ms, struct err *err);

/* After TRANSFER_ELSEWHERE: returns the new URL. It is absolute, unless the server has sent an
 * invalid one. Valid until the next request. */
struct text transfer_next(const struct transfer *transfer);

/* After TRANSFER_DONE: sets the digest of the answer. */
void transfer_digest(const struct transfer *transfer, struct fetch_answer *answer);

/* Handles bytes of a file as if they were received. Fails with R0645 or R0646 if they are not those
 * of a plugin. */
MUST_CHECK bool transfer_take(struct transfer *transfer, struct text bytes, struct err *err);
MUST_CHECK bool transfer_finish(struct transfer *transfer, struct err *err);

#endif

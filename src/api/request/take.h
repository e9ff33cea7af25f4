#ifndef REEVE_API_REQUEST_TAKE_H
#define REEVE_API_REQUEST_TAKE_H

#include "api/request/call.h"
#include "service/service_command.h"

/* names: take_ */

/* Members of a body, one by one, and those that several routes have: which machines of a cluster,
 * in which batches. What a member may be is an error where it is something else (R0426); one that
 * is absent is empty, 0 or false. */

/* A text, or a number as it was written. A short one has at most LIMIT_WHY_BYTES. */
MUST_CHECK bool take_text(const struct doc *body, const char *name, struct text *out,
                          struct err *err);
MUST_CHECK bool take_short(const struct doc *body, const char *name, struct text *out,
                           struct err *err);

/* A number from 1 to `most`. */
MUST_CHECK bool take_number(const struct doc *body, const char *name, uint64_t most, uint64_t *out,
                            struct err *err);

MUST_CHECK bool take_flag(const struct doc *body, const char *name, bool *out, struct err *err);

/* Of the cluster or group that the path names, with all below it; `what` is what is done to
 * machines there ("commands are run on"), for who named something else. */
MUST_CHECK bool take_place(const struct call *call, const char *what, struct select_request *out,
                           struct err *err);

/* {nodes, selector, state, failedOf, revision}: which of its machines. */
MUST_CHECK bool take_request(const struct doc *body, struct select_request *out, struct err *err);

/* {batch, maxFail, canary, bakeMs, pauseMs, deadlineMs, order, seed, spread} */
MUST_CHECK bool take_batching(const struct doc *body, struct service_batching *out,
                              struct err *err);

#endif

#ifndef REEVE_API_REQUEST_TAKE_H
#define REEVE_API_REQUEST_TAKE_H

#include "api/request/call.h"
#include "service/service_command.h"

/* public names start with: take_ */

/* Reads members of a body: single members, and the sets of members that several routes share
 * (selection of machines, batches). An invalid member is an error (R0426). An absent member gives
 * an empty text, 0 or false. */

/* Read a text, or a number in its original notation. take_short accepts at most LIMIT_WHY_BYTES. */
MUST_CHECK bool take_text(const struct doc *body, const char *name, struct text *out,
                          struct err *err);
MUST_CHECK bool take_short(const struct doc *body, const char *name, struct text *out,
                           struct err *err);

/* Reads a number from 1 to `most`. */
MUST_CHECK bool take_number(const struct doc *body, const char *name, uint64_t most, uint64_t *out,
                            struct err *err);

MUST_CHECK bool take_flag(const struct doc *body, const char *name, bool *out, struct err *err);

/* Selects the cluster or group in the path, with everything below it. `what` is the beginning of
 * the error text if the path has another kind, such as "commands are run on". */
MUST_CHECK bool take_place(const struct call *call, const char *what, struct select_request *out,
                           struct err *err);

/* Reads {nodes, selector, state, failedOf, revision}, which select machines of the cluster. */
MUST_CHECK bool take_request(const struct doc *body, struct select_request *out, struct err *err);

/* Reads {batch, maxFail, canary, bakeMs, pauseMs, deadlineMs, order, seed, spread}. */
MUST_CHECK bool take_batching(const struct doc *body, struct service_batching *out,
                              struct err *err);

#endif

#ifndef REEVE_API_REQUEST_BODY_H
#define REEVE_API_REQUEST_BODY_H

#include "api/request/call.h"
#include "service/service_change.h"

/* What the bodies of changes say. Faults go to the list: of syntax, of the form, with pointers into
 * each document as it was sent. False: there was one, and nothing came out. */

/* The body as a document; one that is empty is an empty map. */
MUST_CHECK bool body_read(struct call *call, struct doc *out, struct err_list *errors);

/* The members of {"documents", "take", "refreshFrom", "supersede", "why", "allow"}, over what
 * parameters and headers say; or a file in YAML, with its places. */
MUST_CHECK bool body_apply(struct call *call, struct service_change *out, struct err_list *errors);

/* What parameters and headers say of a change: dry-run, allow, why, If-Match, Idempotency-Key. */
MUST_CHECK bool body_requests(struct call *call, struct service_change *out, struct err *err);

/* Read {"allow":{...}} of the body, which overrides the parameter. */
MUST_CHECK bool body_allow(const struct doc *body, struct service_allow *allow, struct err *err);

/* {"supersede":true}, or the parameter says it: rollouts under way may be superseded. The body may
 * be NULL. */
MUST_CHECK bool body_supersede(const struct call *call, const struct doc *body,
                               struct service_change *out, struct err *err);

#endif

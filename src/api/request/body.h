#ifndef REEVE_API_REQUEST_BODY_H
#define REEVE_API_REQUEST_BODY_H

#include "api/request/call.h"
#include "service/service_change.h"

/* Reads the bodies of changes. Syntax and format errors are added to the list, with pointers into
 * each document as the client sent it. Each function returns false if there was an error; `out` is
 * not set then. */

/* Read the body of a call. Returns false if the request was rejected; the call has then ended. */
MUST_CHECK bool body_take(struct call *call, struct doc *out);

/* Reads the body as a document; an empty body is an empty map. */
MUST_CHECK bool body_read(struct call *call, struct doc *out, struct err_list *errors);

/* Reads {"documents", "take", "refreshFrom", "supersede", "why", "allow"}; these members override
 * parameters and headers of the same meaning. The body may also be a YAML file; then errors have
 * its lines and columns. */
MUST_CHECK bool body_apply(struct call *call, struct service_change *out, struct err_list *errors);

/* Reads the parameters and headers of a change: dry-run, allow, why, If-Match, Idempotency-Key. */
MUST_CHECK bool body_requests(struct call *call, struct service_change *out, struct err *err);

/* A member of a body that is a map of single values. One of the pointers is set: it receives the
 * value. */
struct body_member {
    const char *name;
    struct text *text;
    bool *flag;
    uint64_t *number;
};

/* Reads a body that is a map of single values. R0301: an unknown member. R0302: a value of another
 * type. */
MUST_CHECK bool body_members_read(const struct doc *body, const struct body_member *members,
                                  size_t count, struct err *err);

/* Reads the body of the request as a map of single values. Returns false if the request was
 * rejected. */
MUST_CHECK bool body_members_take(struct call *call, const struct body_member *members,
                                  size_t count);

/* Reads the member {"allow":{...}} of the body. It overrides the parameter `allow`. */
MUST_CHECK bool body_allow(const struct doc *body, struct service_allow *allow, struct err *err);

/* Reads the member {"supersede":true} of the body, or the parameter `supersede`, which permits that
 * active rollouts are superseded. The body may be NULL. */
MUST_CHECK bool body_supersede(const struct call *call, const struct doc *body,
                               struct service_change *out, struct err *err);

#endif

#ifndef REEVE_HTTP_GUARD_H
#define REEVE_HTTP_GUARD_H

#include "http/http.h"

/* Collects the headers of a request as they arrive. It keeps those that this program reads (enum
 * http_header). It rejects a request if two parsers could read it in two ways. */
struct guard {
    struct http_request *request; /* the headers of this request are stored in its arena */
    size_t count;
    bool has_fault;
    /* true: the end of the request is ambiguous, so the connection must be closed after the
     * answer */
    bool closes;
    struct err fault; /* the first fault (R0420); valid if has_fault */
};

/* Adds one header; `value` may be NULL. Returns false if there are too many headers; the caller
 * need not read the rest. */
bool guard_header(struct guard *guard, const char *name, const char *value);

/* Records that two parsers could read the head of this request in two ways. */
void guard_torn(struct guard *guard);

/* Call this after the last header. It checks that the end of the body is unambiguous; otherwise it
 * sets `fault` and `closes`. */
void guard_framing(struct guard *guard);

/* Returns the address of the client: that of the peer, or that in X-Forwarded-For of a trusted
 * proxy. It is valid as long as the headers and the peer. */
struct text guard_client(const struct http_request *request, const struct http_crowd *crowd);

#endif

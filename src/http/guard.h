#ifndef REEVE_HTTP_GUARD_H
#define REEVE_HTTP_GUARD_H

#include "http/http.h"

/* Headers as they come in: those that somebody reads are kept, and what two parsers could read in
 * two ways is refused. */
struct guard {
    struct http_request *request; /* its headers are filled in, in its arena */
    size_t count;
    bool has_fault;
    /* The end of the request is not known: the connection must close after its answer. */
    bool closes;
    struct err fault; /* the first one, R0420; valid where has_fault */
};

/* Take one header; the value is NULL where it has none. False: there are too many, and the rest
 * need not be read. */
bool guard_header(struct guard *guard, const char *name, const char *value);

/* The head was sent in a way that two parsers could read in two ways. */
void guard_torn(struct guard *guard);

/* All are there: is it clear where the body ends? */
void guard_framing(struct guard *guard);

/* The address of the client: the peer's, or what a proxy reports in X-Forwarded-For. Lives as long
 * as the headers and the peer. */
struct text guard_client(const struct http_request *request, const struct http_crowd *crowd);

#endif

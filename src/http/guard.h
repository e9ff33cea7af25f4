#ifndef REEVE_HTTP_GUARD_H
#define REEVE_HTTP_GUARD_H

#include "http/http.h"

/* Headers as they come in: those that somebody reads are kept, and what two parsers could read in two ways is refused. */
struct guard {
    struct http_request *request; /* its headers are filled in, in its arena */
    size_t count;
    bool has_fault;
    bool
        closes; /* where the request ends is anybody's guess: the connection must end with its answer */
    struct err fault; /* the first one, R0420; valid where has_fault */
};

/* Take one header; the value is NULL where it has none. False: there are too many, and the rest need not be read. */
bool guard_header(struct guard *guard, const char *name, const char *value);

/* All are there: is it clear where the body ends? */
void guard_framing(struct guard *guard);

#endif

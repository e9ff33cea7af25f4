#ifndef COMMON_SIGN_AWS_H
#define COMMON_SIGN_AWS_H

#include "base/mem.h"
#include "http.h"

/* Signature version 4 of Amazon's services, with GnuTLS. Everything that the signature depends on
 * is an argument, also the time. */

struct sign_aws_keys {
    struct text id;
    struct text secret;
    struct text session; /* empty: long-lived keys */
};

struct sign_aws_request {
    struct text method;
    struct text host;                  /* with the port where it is not the default */
    struct text path;                  /* encoded; "/" */
    struct text query;                 /* encoded, its parameters in byte order; empty: none */
    const struct http_header *headers; /* names in lower case, values trimmed; all are signed */
    size_t header_count;
    struct text body;
    struct text region;
    struct text service;
    int64_t at_s; /* since 1970 */
};

enum { SIGN_AWS_HEADERS_MAX = 12 };

/* Write the headers of the signed request: those of the request, x-amz-date, x-amz-security-token
 * and authorization. They borrow from the arguments and live in the arena. Returns their
 * number. */
size_t sign_aws(struct arena *arena, const struct sign_aws_keys *keys,
                const struct sign_aws_request *request,
                struct http_header out[static SIGN_AWS_HEADERS_MAX]);

#endif

#ifndef COMMON_SIGN_AWS_H
#define COMMON_SIGN_AWS_H

#include "base/mem.h"
#include "http.h"

/* Signature version 4 of Amazon's services, with GnuTLS. Everything on which the signature depends
 * is an argument, including the time. */

struct sign_aws_keys {
    struct text id;
    struct text secret;
    struct text session; /* session token; empty: long-lived keys */
};

struct sign_aws_request {
    struct text method;
    struct text host;                  /* host, with the port if it is not the default */
    struct text path;                  /* encoded path; "/" */
    struct text query;                 /* encoded query, parameters in byte order; empty: none */
    const struct http_header *headers; /* names in lower case, values trimmed; all are signed */
    size_t header_count;
    struct text body;
    struct text region;
    struct text service;
    int64_t at_s; /* time in seconds since 1970 */
};

enum { SIGN_AWS_HEADERS_MAX = 12 };

/* Writes the headers of the signed request: the given headers, x-amz-date, x-amz-security-token and
 * authorization. Their texts are in the arena or point into the arguments. Returns their number. */
size_t sign_aws(struct arena *arena, const struct sign_aws_keys *keys,
                const struct sign_aws_request *request,
                struct http_header out[static SIGN_AWS_HEADERS_MAX]);

#endif

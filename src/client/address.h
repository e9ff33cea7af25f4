#ifndef REEVE_CLIENT_ADDRESS_H
#define REEVE_CLIENT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Addresses of managers. */
/* The standard address of this system's manager. */
#define ADDRESS_STANDARD_URL "unix:/run/reeve/reeved.sock"

enum address_kind {
    ADDRESS_UNIX,     /* unix:/run/reeve/reeved.sock */
    ADDRESS_LOOPBACK, /* http://127.0.0.1:8080, http://[::1]:8080, http://localhost:8080 */
    ADDRESS_TLS,      /* https://host */
};

struct address {
    enum address_kind kind;
    struct text host; /* host without brackets for LOOPBACK, as written for TLS, empty for UNIX */
    struct text path; /* path of the socket for UNIX */
    uint16_t port;
    struct text url; /* address as written, without a trailing slash */
};

/* Parses an address; *out points into the text. Fails with R0019 if the address is invalid, or
 * would send a token unencrypted over a network. */
MUST_CHECK bool address_parse(struct text url, struct address *out, struct err *err);

/* Same as address_parse, for a request that needs no token: http:// is then allowed for any
 * host. */
MUST_CHECK bool address_parse_open(struct text url, struct address *out, struct err *err);

/* Returns whether both addresses lead to the same endpoint. */
bool address_is_equal(const struct address *a, const struct address *b);

#endif

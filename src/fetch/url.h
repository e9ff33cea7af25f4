#ifndef REEVE_FETCH_URL_H
#define REEVE_FETCH_URL_H

#include "sys/address.h"

/* names: fetch_ */

/* The address of something that is fetched, read strictly: what could mean one host to us and another one to somebody
 * else is refused, never mended (SAFETY.md I26, F25). Pure: nothing is resolved here. */

enum fetch_scheme { FETCH_HTTPS, FETCH_FILE };

/* All texts borrow from what was read. */
struct fetch_url {
    enum fetch_scheme scheme;
    struct text whole;
    struct text host; /* without brackets; empty for a file */
    uint16_t port;
    struct text path; /* from its first / on, with the query */
    bool is_literal;  /* the host is an address in numbers: */
    struct fetch_ip ip;
};

/* Read it. R0640: it is none that is fetched from; the message says which rule it breaks. */
MUST_CHECK bool fetch_url_parse(struct text text, struct fetch_url *out, struct err *err);

/* Names that mean an address whatever a resolver says: localhost and those of metadata services. NULL: no such name. */
const struct fetch_ip *fetch_name_meant(struct text host);

/* What stands between /releases/download/ and the next /: the version that an address of a release names. Empty: none. */
struct text fetch_url_version(struct text url);

#endif

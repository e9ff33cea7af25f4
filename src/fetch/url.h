#ifndef REEVE_FETCH_URL_H
#define REEVE_FETCH_URL_H

#include "sys/address.h"

/* public names start with: fetch_ */

/* Strict parser for URLs to fetch from. A URL from which different parsers could read different
 * hosts is rejected, never corrected (SAFETY.md I26, F25). Pure: it resolves nothing. */

enum fetch_scheme { FETCH_HTTPS, FETCH_FILE };

/* All texts borrow from the input. */
struct fetch_url {
    enum fetch_scheme scheme;
    struct text whole;
    struct text host; /* without brackets; empty for a file */
    uint16_t port;
    struct text path; /* the part from the first / on, including the query */
    bool is_literal;  /* the host is a numeric address, `ip` */
    struct fetch_ip ip;
};

/* Parses a URL. Fails with R0640 if it is not permitted; the message has the broken rule. */
MUST_CHECK bool fetch_url_parse(struct text text, struct fetch_url *out, struct err *err);

/* Returns the fixed address of a name: localhost and metadata services. NULL: none. */
const struct fetch_ip *fetch_name_meant(struct text host);

/* Returns the text between /releases/download/ and the next /: the version in a release URL. Empty:
 * none. */
struct text fetch_url_version(struct text url);

#endif

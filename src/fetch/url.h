#ifndef REEVE_FETCH_URL_H
#define REEVE_FETCH_URL_H

#include "sys/address.h"

/* public names start with: fetch_ */

/* Strict parser for URLs from which files are fetched. If different parsers could read different
 * hosts from a URL, it is rejected, never corrected (SAFETY.md I26, F25). Pure: it resolves no
 * names. */

enum fetch_scheme { FETCH_HTTPS, FETCH_FILE };

/* All texts borrow from the input. */
struct fetch_url {
    enum fetch_scheme scheme;
    struct text whole;
    struct text host; /* without brackets; empty for a file URL */
    uint16_t port;
    struct text path; /* the part from the first / on, including the query string */
    bool is_literal;  /* the host is a numeric address, which is in `ip` */
    struct fetch_ip ip;
};

/* Parses a URL. Fails with R0640 if it is not permitted; the message names the broken rule. */
MUST_CHECK bool fetch_url_parse(struct text text, struct fetch_url *out, struct err *err);

/* Returns the well-known address of a name, for localhost and metadata services. NULL: the name has
 * none. */
const struct fetch_ip *fetch_name_meant(struct text host);

/* Returns the part between /releases/download/ and the next /, which is the version in the URL of a
 * release. Empty: the URL has no such part. */
struct text fetch_url_version(struct text url);

#endif

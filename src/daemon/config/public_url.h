#ifndef REEVE_DAEMON_PUBLIC_URL_H
#define REEVE_DAEMON_PUBLIC_URL_H

#include "base/err.h"
#include "base/mem.h"

/* Parses the address at which browsers reach a manager, if it differs from the listener's address:
 * https://HOST[:PORT], or http:// on loopback. *out has the form of an Origin header, in lower case
 * and without the default port. It lives in the arena. Fails with R0790. */
MUST_CHECK bool public_url_parse(struct arena *arena, struct text url, struct text *out,
                                 struct err *err);

#endif

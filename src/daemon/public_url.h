#ifndef REEVE_DAEMON_PUBLIC_URL_H
#define REEVE_DAEMON_PUBLIC_URL_H

#include "base/err.h"
#include "base/mem.h"

/* Read the address by which browsers reach a manager, where it is another one than it listens at:
 * https://HOST[:PORT], on loopback http:// too. *out is as browsers write an origin, in lower case
 * and without the usual port, in the arena. R0790. */
MUST_CHECK bool public_url_parse(struct arena *arena, struct text url, struct text *out,
                                 struct err *err);

#endif

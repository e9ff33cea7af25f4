#ifndef REEVE_DAEMON_PAGE_ADDRESS_H
#define REEVE_DAEMON_PAGE_ADDRESS_H

#include "daemon/config.h"

/* Where a browser on this machine, or one that knows its name, reaches the web page: the first listener as an address
 * without a slash at its end; empty where there is none. */
struct text page_address(struct arena *arena, const struct config *config);

#endif

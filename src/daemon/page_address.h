#ifndef REEVE_DAEMON_PAGE_ADDRESS_H
#define REEVE_DAEMON_PAGE_ADDRESS_H

#include "daemon/config.h"

/* Where browsers reach the web page: what the configuration says (publicUrl), else the first listener, as a browser on this
 * machine, or one that knows its name, sees it. Without a slash at its end; empty where there is none. */
struct text page_address(struct arena *arena, const struct config *config);

#endif

#ifndef REEVE_DAEMON_REWRAP_H
#define REEVE_DAEMON_REWRAP_H

#include "daemon/config.h"

/* names: rewrap_ */

/* Open the store of a manager that does not run, seal every secret in it under the key in this file (made where it is
 * missing), and close it again. May be ended at any time and begun again; the old key is needed until it has come to its
 * end. R0507: a manager has the store. */
MUST_CHECK bool rewrap_run(const struct config *config, const char *path, size_t *out_count,
                           struct err *err);

#endif

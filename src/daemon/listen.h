#ifndef REEVE_DAEMON_LISTEN_H
#define REEVE_DAEMON_LISTEN_H

#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "daemon/config.h"

/* Listening sockets. What comes out is the caller's; R0551 where it cannot be. */

/* A unix socket at a path, for its owner and the members of a group ((gid_t)-1: none), bound but not listening. What an earlier
 * life left there is replaced; what somebody still listens at is not. */
MUST_CHECK bool listen_local(const char *path, gid_t group, int *out, struct err *err);

/* Does a process listen there? */
bool listen_is_taken(const char *path);

/* Listen at it. */
MUST_CHECK bool listen_begin(int fd, const char *path, struct err *err);

/* A socket of TCP. */
MUST_CHECK bool listen_tcp(const struct config_listener *listener, int *out, struct err *err);

#endif

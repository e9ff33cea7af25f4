#ifndef REEVE_SESSION_LIBSSH_H
#define REEVE_SESSION_LIBSSH_H

#include "session/transport.h"

/* The transport by libssh: no process for a session, one thread for all. For fleets whose keys reeve knows.
 *
 * It knows no certificates of hosts and no sntrup761 (UNSUPPORTED: the OpenSSH client does), and reads no file: keys
 * come with the target. R0532: the loop has no room. */
MUST_CHECK bool libssh_new(struct loop *loop, struct transport **out, struct err *err);

#endif

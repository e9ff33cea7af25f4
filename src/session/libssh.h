#ifndef REEVE_SESSION_LIBSSH_H
#define REEVE_SESSION_LIBSSH_H

#include "session/transport.h"

/* The transport by libssh: one thread for all sessions and no further process. It is used for
 * clusters whose keys reeve manages.
 *
 * It supports neither host certificates nor sntrup761 (TRANSPORT_FAULT_UNSUPPORTED); the OpenSSH
 * driver supports both. It reads no files; keys come with the target. Fails with R0532 if the loop
 * has no free slot. */
MUST_CHECK bool libssh_new(struct loop *loop, struct transport **out, struct err *err);

#endif

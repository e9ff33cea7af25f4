#ifndef REEVE_SESSION_OPENSSH_H
#define REEVE_SESSION_OPENSSH_H

#include "session/transport.h"

/* private to src/session */

/* The transport by the OpenSSH client. One `ssh` process holds a session (ControlMaster), and each
 * command runs in another `ssh` process. It supports two features that libssh lacks: host
 * certificates and sntrup761. For operator targets it applies the operator's ssh_config (jump
 * hosts, agents, hardware keys).
 *
 * `folder` must be private to the driver: it contains sockets, keys and known hosts of open
 * sessions. Fails with R0702 if the folder cannot be used. */
MUST_CHECK bool openssh_new(struct loop *loop, const char *folder, struct transport **out,
                            struct err *err);

#endif

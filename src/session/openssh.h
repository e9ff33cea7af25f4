#ifndef REEVE_SESSION_OPENSSH_H
#define REEVE_SESSION_OPENSSH_H

#include "session/transport.h"

/* The transport by the OpenSSH client: one `ssh` is a session (ControlMaster), one more each command. It does what
 * libssh cannot: certificates of hosts, sntrup761, and all that the operator's own ssh_config says (jump hosts, agents,
 * hardware keys), where the target is the operator's.
 *
 * `folder` is its own, with nobody else in it: sockets, keys and known hosts of sessions lie there while they last.
 * R0702: it cannot work there. */
MUST_CHECK bool openssh_new(struct loop *loop, const char *folder, struct transport **out,
                            struct err *err);

#endif

#ifndef REEVE_SESSION_POOL_REMOTE_H
#define REEVE_SESSION_POOL_REMOTE_H

#include "session/transport.h"
#include "sys/log.h"

/* The transport port through a process of its own (reeve-session): no byte of a node is read in this one but what that
 * process hands up, in frames that are checked. It holds up to LIMIT_SESSION_SESSIONS sessions; one more is refused (LIMIT).
 *
 * When the process ends, its sessions are lost and its calls end with the fault HAND, UNKNOWN where a node may have got
 * them; `ended` is called, and whoever has the transport frees it and has another one. */
struct remote_options {
    struct loop *loop;
    struct log *log;     /* outlives its process */
    const char *program; /* reeve-session; absolute; outlives it */
    const char *folder;  /* of OpenSSH's sockets and keys, its own; outlives it */
    bool is_openssh;     /* else libssh */
    size_t *alive;       /* counts the processes that have not ended; outlives it */
    void (*ended)(void *arg, const char *why);
    void *arg;
};

/* Start it. R0700: it could not be. Its sandbox, when it is told, is logged. */
MUST_CHECK bool remote_open(const struct remote_options *options, struct transport **out,
                            struct err *err);

/* The process's id; 0 when it has ended. */
int remote_pid(const struct transport *transport);

#endif

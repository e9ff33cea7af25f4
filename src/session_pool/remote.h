#ifndef REEVE_SESSION_POOL_REMOTE_H
#define REEVE_SESSION_POOL_REMOTE_H

#include "session/transport.h"
#include "sys/log.h"

/* private to src/session_pool */

/* The transport port, implemented by a separate process (reeve-session). The manager reads no byte
 * that comes directly from a node: this process passes data on in validated frames. One process
 * holds up to LIMIT_SESSION_SESSIONS sessions; a further session is rejected with
 * TRANSPORT_FAULT_LIMIT.
 *
 * When the process ends, its sessions are lost and its calls end with TRANSPORT_FAULT_PROCESS. The
 * outcome is UNKNOWN if a node may have received the call. Then `ended` is called once. The owner
 * of the transport frees it later and opens another one. */
struct remote_options {
    struct loop *loop;
    struct log *log;     /* must outlive the process */
    const char *program; /* absolute path of reeve-session; must outlive the process */
    /* folder for OpenSSH's sockets and keys; only this process uses it; must outlive the process */
    const char *folder;
    bool is_openssh; /* false: uses libssh */
    size_t *alive;   /* counts the running processes; must outlive the process */
    void (*ended)(void *arg, const char *why);
    void *arg;
};

/* Starts the process. Fails with R0700 if it cannot be started. Logs the sandbox that the process
 * reports. */
MUST_CHECK bool remote_open(const struct remote_options *options, struct transport **out,
                            struct err *err);

/* Returns the process id; 0 after the process has ended. */
int remote_pid(const struct transport *transport);

#endif

#ifndef REEVE_SESSION_POOL_PROCESSES_H
#define REEVE_SESSION_POOL_PROCESSES_H

#include "session_pool/session_pool.h"

/* public names start with: session_pool_ */

/* Session processes (reeve-session) for the session pool. Each process has a separate folder below
 * `folder` for OpenSSH's control sockets and keys. When the module is opened, it removes folders
 * that an earlier manager has left after a crash. */
struct session_processes;

struct session_pool_processes_options {
    struct loop *loop;
    struct log *log;
    const char *program; /* absolute path of reeve-session */
    /* folder that only the manager may access; created if it is missing; its path must be short,
     * because it is part of the paths of sockets */
    const char *folder;
    /* counts the running processes; must stay valid until all have ended */
    size_t *alive;
};

/* Opens the module; no process is started yet. Fails with R0702 if the folder cannot be used. */
MUST_CHECK bool session_pool_processes_open(const struct session_pool_processes_options *options,
                                            struct session_processes **out, struct err *err);

/* Returns the factory of transports for session_pool_options. It is valid until `processes` is
 * closed. */
struct session_pool_maker session_pool_processes_maker(struct session_processes *processes);

/* Writes the ids of at most `most` running processes to `out`. Returns the number of running
 * processes, which can exceed `most`. For tests. */
size_t session_pool_processes_pids(const struct session_processes *processes, int *out,
                                   size_t most);

/* Frees the module. Close the session pool first. NULL is allowed. */
void session_pool_processes_close(struct session_processes *processes);

#endif

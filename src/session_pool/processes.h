#ifndef REEVE_SESSION_POOL_PROCESSES_H
#define REEVE_SESSION_POOL_PROCESSES_H

#include "session_pool/session_pool.h"

/* names: session_pool_ */

/* Hands that are processes (reeve-session), each with a folder of its own beneath one that is the manager's: sockets and keys
 * of sessions by OpenSSH lie there. What a life that was cut off has left in it is removed. */
struct session_processes;

struct session_pool_processes_options {
    struct loop *loop;
    struct log *log;
    const char *program; /* reeve-session; absolute */
    const char *folder;  /* made where it is missing; the manager's alone, with a short path */
    size_t *alive;       /* counts the processes that have not ended; outlives it all */
};

/* Begin: no process runs yet. R0702: the folder cannot be used. */
MUST_CHECK bool session_pool_processes_open(const struct session_pool_processes_options *options,
                                            struct session_processes **out, struct err *err);

/* For session_pool_options; valid until it is closed. */
struct session_pool_maker session_pool_processes_maker(struct session_processes *processes);

/* Process ids of those that run, at most so many; how many there are. For tests. */
size_t session_pool_processes_pids(const struct session_processes *processes, int *out,
                                   size_t most);

/* End it, after the pool. NULL is allowed. */
void session_pool_processes_close(struct session_processes *processes);

#endif

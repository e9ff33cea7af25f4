#ifndef REEVE_HANDS_PROCESSES_H
#define REEVE_HANDS_PROCESSES_H

#include "hands/hands.h"

/* names: hands_ */

/* Hands that are processes (reeve-hand), each with a folder of its own beneath one that is the manager's: sockets and keys
 * of sessions by OpenSSH lie there. What a life that was cut off has left in it is removed. */
struct hands_processes;

struct hands_processes_options {
    struct loop *loop;
    struct log *log;
    const char *program; /* reeve-hand; absolute */
    const char *folder;  /* made where it is missing; the manager's alone, with a short path */
    size_t *alive;       /* counts the processes that have not ended; outlives it all */
};

/* Begin: no process runs yet. R0702: the folder cannot be used. */
MUST_CHECK bool hands_processes_open(const struct hands_processes_options *options,
                                     struct hands_processes **out, struct err *err);

/* For hands_options; valid until it is closed. */
struct hands_maker hands_processes_maker(struct hands_processes *processes);

/* Process ids of those that run, at most so many; how many there are. For tests. */
size_t hands_processes_pids(const struct hands_processes *processes, int *out, size_t most);

/* End it, after the pool. NULL is allowed. */
void hands_processes_close(struct hands_processes *processes);

#endif

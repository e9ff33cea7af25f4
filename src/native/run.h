#ifndef REEVE_NATIVE_RUN_H
#define REEVE_NATIVE_RUN_H

#include <stdint.h>
#include <sys/types.h>

enum { RUN_FRONT = 5 };

/* A stage, run by a process that no connection holds, which keeps its output and writes down how it ended (programs/run.sh). */
struct run {
    const char *folder; /* reeve's, as whoever asks names it */
    unsigned stage;
    const char *digest;
    const char *chain;
    uint64_t attempt;
    uint64_t timeout_s; /* 0: none */
    char **
        arguments; /* NULL behind the last; the RUN_FRONT words before the first are whoever runs it to use */
};

/* Begin it. `lock` is the stage's, which whoever runs it has from here on. The number of that process, which has marked the stage; 0: it has ended before
 * that. */
pid_t run_begin(const struct run *run, int lock);

#endif

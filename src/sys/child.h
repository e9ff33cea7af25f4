#ifndef REEVE_SYS_CHILD_H
#define REEVE_SYS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/loop.h"

/* A program that runs as a child of this process, in a process group of its own.
 *
 * - There is no shell: argv arrives unchanged. No descriptor, variable, ignored or blocked signal
 *   is inherited unless it is listed.
 * - It has a deadline. At the deadline, and when child_stop() is called, its whole group gets
 *   SIGTERM, and SIGKILL after the grace time. When it has ended, the rest of its group is killed.
 * - Secrets go through `input`, never through argv or the environment, which others can read.
 * - The process ignores SIGPIPE (stream_prepare), because a child may close its standard input
 *   early. */
struct child;

enum child_stream { CHILD_OUT, CHILD_ERROR, CHILD_STREAM_COUNT };

/* A descriptor that the child gets, and its number there (above 2). */
struct child_descriptor {
    int fd;
    int as;
};

/* A limit of setrlimit, soft and hard. */
struct child_limit {
    int resource;
    rlim_t most;
};

/* Called with each piece of the child's output as it arrives. */
typedef void child_output_fn(void *arg, enum child_stream stream, struct text piece);

/* How a child ended. */
struct child_end {
    int code;                               /* exit code; -1: a signal ended it */
    int signal;                             /* the signal that ended it, or 0 */
    bool is_late;                           /* its deadline has passed */
    struct text output[CHILD_STREAM_COUNT]; /* the first output_max bytes of each */
    uint64_t dropped[CHILD_STREAM_COUNT];   /* further bytes, which were dropped */
};

typedef void child_done(void *arg, const struct child_end *end);

/* Called when all input given so far is written: child_feed() may add the next piece. */
typedef void child_fed_fn(void *arg);

/* Describes the program to start. Everything but `arg` is needed only until child_start()
 * returns. */
struct child_options {
    const char *path;        /* path of the program; absolute, because PATH is not searched */
    const char *const *argv; /* arguments from the program name on, ends with NULL */
    const char *const *envp; /* NAME=VALUE, ends with NULL; NULL: an empty environment */
    const char *folder;      /* working directory of the program; NULL: / */
    struct text input;       /* standard input of the program, followed by end of file */
    child_fed_fn *fed;       /* if not NULL, input comes by child_feed() and `input` is empty */
    uint64_t deadline_ms;    /* time limit from now; must be above 0 */
    uint64_t grace_ms;       /* time between SIGTERM and SIGKILL */
    size_t output_max;       /* number of bytes to keep of each stream, up to
                              * LIMIT_CHILD_OUTPUT_BYTES */
    child_output_fn *output; /* receives all output immediately; may be NULL */
    child_done *done;
    void *arg;                                  /* argument for output, fed and done */
    const struct child_descriptor *descriptors; /* at most LIMIT_CHILD_DESCRIPTORS */
    size_t descriptor_count;
    const struct child_limit *limits;
    size_t limit_count;
    bool is_session;            /* its own session, without a terminal */
    bool is_killed_with_parent; /* SIGKILL when the thread that started it ends, for any reason */
    bool is_without_pid_fd;     /* behave as on a kernel without pid_fd; for tests */
};

/* Start the program. `done` is called once, in an iteration of the loop, when the child has ended
 * and its output was read; the child is freed then. On failure (R0532, R0533) the program does not
 * run, and done is not called. The loop must not be closed before done. */
MUST_CHECK bool child_start(struct loop *loop, const struct child_options *options,
                            struct child **out, struct err *err);

/* Copies the next piece of input for the child and sends it. An empty piece ends the input. May be
 * called once after each call of `fed`, also from within that callback. Has no effect if the child
 * has closed its input. */
void child_feed(struct child *child, struct text piece);

/* child_stop(): end it with SIGTERM, then SIGKILL after its grace time. child_kill(): end it now.
 * done is called as usual. */
void child_stop(struct child *child);
void child_kill(struct child *child);

/* child_pause stops reading the output of the child until child_resume. The child then blocks on
 * its pipe, and its end is delayed. Both may be called from `output`. */
void child_pause(struct child *child);
void child_resume(struct child *child);

/* The process id of the child. Valid until done. */
int child_pid(const struct child *child);

#endif

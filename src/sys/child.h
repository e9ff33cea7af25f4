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

/* A program that runs as a child of this process, in a separate process group.
 *
 * - There is no shell: the program gets argv unchanged. It inherits no descriptor, no variable, and
 *   no ignored or blocked signal, unless it is listed here.
 * - It has a deadline. At the deadline, and when child_stop() is called, its process group gets
 *   SIGTERM, and SIGKILL after the grace time. After its end, the rest of its group is killed.
 * - Secrets go through `input`, never through argv or the environment, which others can read.
 * - The calling process must ignore SIGPIPE (stream_prepare), because a child may close its
 *   standard input early. */
struct child;

enum child_stream { CHILD_OUT, CHILD_ERROR, CHILD_STREAM_COUNT };

/* A descriptor that the child gets, and the number that it has there (above 2). */
struct child_descriptor {
    int fd;
    int as;
};

/* A limit for setrlimit; it is both the soft and the hard limit. */
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
    bool is_late;                           /* the deadline has passed */
    struct text output[CHILD_STREAM_COUNT]; /* the first output_max bytes of each stream */
    uint64_t dropped[CHILD_STREAM_COUNT];   /* number of bytes of each stream that were dropped
                                             * because they were beyond output_max */
};

typedef void child_done(void *arg, const struct child_end *end);

/* Called when all input given so far has been written. child_feed() may then give the next
 * piece. */
typedef void child_fed_fn(void *arg);

/* The program to start. Everything except `arg` is needed only until child_start() returns. */
struct child_options {
    const char *path;        /* path of the program; absolute, because PATH is not searched */
    const char *const *argv; /* arguments from the program name on, ends with NULL */
    const char *const *envp; /* NAME=VALUE, ends with NULL; NULL: an empty environment */
    const char *folder;      /* working directory of the program; NULL: / */
    struct text input;       /* standard input of the program, followed by end of file */
    child_fed_fn *fed;       /* not NULL: the input comes from child_feed(), and `input` is empty */
    uint64_t deadline_ms;    /* time limit in ms from now; must be above 0 */
    uint64_t grace_ms;       /* time in ms between SIGTERM and SIGKILL */
    size_t output_max;       /* number of bytes to keep of each stream, up to
                              * LIMIT_CHILD_OUTPUT_BYTES */
    child_output_fn *output; /* receives each piece of output immediately; may be NULL */
    child_done *done;
    void *arg;                                  /* argument for output, fed and done */
    const struct child_descriptor *descriptors; /* at most LIMIT_CHILD_DESCRIPTORS */
    size_t descriptor_count;
    const struct child_limit *limits;
    size_t limit_count;
    bool is_session;            /* the child runs in a new session, without a terminal */
    bool is_killed_with_parent; /* the child gets SIGKILL when the thread that started it ends for
                                 * any reason */
    bool is_without_pid_fd;     /* for tests: behave as on a kernel without pid_fd */
};

/* Start the program. `done` is called once, in an iteration of the loop, when the child has ended
 * and its output was read; then the child is freed. On failure (R0532, R0533) the program does not
 * run, and `done` is not called. The loop must not be closed before `done`. */
MUST_CHECK bool child_start(struct loop *loop, const struct child_options *options,
                            struct child **out, struct err *err);

/* Copies the next piece of input for the child and sends it. An empty piece ends the input. May be
 * called once after each call of `fed`, also within that callback. Has no effect if the child has
 * closed its input. */
void child_feed(struct child *child, struct text piece);

/* child_stop() ends the child with SIGTERM, and with SIGKILL after its grace time. child_kill()
 * ends it immediately. `done` is called as usual. */
void child_stop(struct child *child);
void child_kill(struct child *child);

/* child_pause() stops reading the child's output until child_resume(). The child may then block on
 * its pipe, which delays its end. Both may be called from `output`. */
void child_pause(struct child *child);
void child_resume(struct child *child);

/* Return the process id of the child. Valid until `done` is called. */
int child_pid(const struct child *child);

#endif

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
 * - No shell: what is in argv arrives as it is. Nothing is inherited by accident: no descriptor, no
 *   variable, no ignored or blocked signal.
 * - It has a deadline. Then, and when child_stop is called, its whole group gets SIGTERM, and SIGKILL
 *   after a grace. When it has ended, whatever it left behind in its group is killed.
 * - Secrets go through `input`, never through argv or the environment, which others can read.
 * - The process ignores SIGPIPE (stream_prepare), for a child may close its standard input early. */
struct child;

enum child_stream { CHILD_OUT, CHILD_ERROR, CHILD_STREAM_COUNT };

/* One descriptor that the child gets, and the number it has there (above 2). */
struct child_descriptor {
    int fd;
    int as;
};

/* One limit of setrlimit, soft and hard. */
struct child_limit {
    int resource;
    rlim_t most;
};

/* A piece of what the child writes, as it comes. */
typedef void child_output_fn(void *arg, enum child_stream stream, struct text piece);

/* How a child ended. */
struct child_end {
    int code;                               /* of exit; -1: a signal ended it */
    int signal;                             /* that ended it, or 0 */
    bool is_late;                           /* its deadline was over */
    struct text output[CHILD_STREAM_COUNT]; /* the first output_max bytes of each */
    uint64_t dropped[CHILD_STREAM_COUNT];   /* bytes beyond them */
};

typedef void child_done(void *arg, const struct child_end *end);

/* All that was given has been written: the next piece, please. */
typedef void child_fed_fn(void *arg);

/* What to start and how. Everything is needed only until child_start returns, but for `arg`. */
struct child_options {
    const char *path;        /* of the program; absolute, no search */
    const char *const *argv; /* from the name on, ends with NULL */
    const char *const *envp; /* NAME=VALUE, ends with NULL; NULL = nothing at all */
    const char *folder;      /* where it starts; NULL = / */
    struct text input;       /* its standard input, then end of file */
    child_fed_fn *fed;       /* not NULL: its input comes by child_feed, and `input` is empty */
    uint64_t deadline_ms;    /* from now; must be above 0 */
    uint64_t grace_ms;       /* between SIGTERM and SIGKILL */
    size_t output_max;       /* kept of each stream, up to LIMIT_CHILD_OUTPUT_BYTES */
    child_output_fn *output; /* is told all of it, at once; may be NULL */
    child_done *done;
    void *arg;                                  /* of output, fed and done */
    const struct child_descriptor *descriptors; /* at most LIMIT_CHILD_DESCRIPTORS */
    size_t descriptor_count;
    const struct child_limit *limits;
    size_t limit_count;
    bool is_session;     /* a session of its own: no terminal */
    bool dies_with_us;   /* SIGKILL when the thread that started it ends, even by SIGKILL */
    bool without_pid_fd; /* do as on a kernel that has none; for tests */
};

/* Start it. `done` is called once, in a turn of the loop, when it has ended and what it wrote has been
 * read; then the child is gone. R0532, R0533: it does not run, and done is not called. The loop must not be
 * closed before done. */
MUST_CHECK bool child_start(struct loop *loop, const struct child_options *options,
                            struct child **out, struct err *err);

/* The next piece of its input, copied; an empty one is the end of it. Once after each `fed`, and allowed from there. Nothing
 * happens where it does not want it any more. */
void child_feed(struct child *child, struct text piece);

/* Ask it to end (SIGTERM, then SIGKILL after its grace), or end it now. done is called as ever. */
void child_stop(struct child *child);
void child_kill(struct child *child);

/* Read nothing of what it writes until it is resumed: it then waits for room, and so does its end. Allowed from
 * `output`. */
void child_pause(struct child *child);
void child_resume(struct child *child);

/* Its process id, valid until done. */
int child_pid(const struct child *child);

#endif

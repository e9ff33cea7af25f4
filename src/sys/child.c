#include "sys/child.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/secret.h"
#include "sys/child_spawn.h"
#include "sys/fd.h"
#include "sys/launcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Normal case: the pipes are created, the program is started, and the loop reports its output and
 * its end. When the program has ended and both pipes are closed, `done` is called.
 *
 * Failures: at its deadline, the process group of the child gets SIGTERM, and SIGKILL later. If a
 * process has left the group and keeps the pipes open, they are read for LIMIT_CHILD_DRAIN_MS after
 * the child's end, and are then closed. Input that the child has not read at its end is dropped. */

enum { PIECE_BYTES = 64 * 1024 };

struct stream {
    struct child *child;
    struct loop_descriptor *watch;
    int fd; /* end of the pipe in this process; FD_NONE: closed */
    char *kept;
    size_t length;
    size_t room;
};

struct child {
    struct arena *memory;
    struct loop *loop;
    struct loop_timer *timer; /* one timer, used in this order: deadline, grace time, drain */
    struct loop_descriptor *pid_watch;
    struct loop_signal *signal_watch; /* watch for SIGCHLD, if pid_fd is not available */
    int pid_fd;
    pid_t pid; /* process id; 0: the child has ended and was waited for */
    uint64_t grace_ms;
    size_t output_max;
    bool is_stopping;
    bool is_paused;
    struct stream streams[CHILD_STREAM_COUNT];
    struct loop_descriptor *input_watch;
    int input_fd;
    struct text input; /* the input that is not written yet */
    char *input_bytes;
    size_t input_length;
    struct child_end end;
    child_output_fn *output;
    child_fed_fn *fed;
    child_done *done;
    void *arg;
};

/* ---- ending ---- */

/* Wipe and drop the input, because it may contain a secret. */
static void input_drop(struct child *child)
{
    if (child->input_bytes != NULL) {
        secret_wipe(child->input_bytes, child->input_length);
    }
    rows_free(child->input_bytes);
    child->input_bytes = NULL;
    child->input_length = 0;
    child->input = TEXT("");
}

static void input_keep(struct child *child, struct text input)
{
    input_drop(child);
    child->input_bytes = rows_resize(NULL, input.length);
    child->input_length = input.length;
    memcpy(child->input_bytes, input.data, input.length);
    child->input = (struct text){ child->input_bytes, child->input_length };
}

static void input_end(struct child *child)
{
    loop_descriptor_close(child->input_watch);
    child->input_watch = NULL;
    fd_cleanup(&child->input_fd);
    input_drop(child);
}

static void stream_end(struct stream *stream)
{
    loop_descriptor_close(stream->watch);
    stream->watch = NULL;
    fd_cleanup(&stream->fd);
}

static void child_free(struct child *child)
{
    input_end(child);
    for (int i = 0; i < CHILD_STREAM_COUNT; i++) {
        stream_end(&child->streams[i]);
    }
    loop_timer_close(child->timer);
    loop_descriptor_close(child->pid_watch);
    loop_signal_close(child->signal_watch);
    fd_cleanup(&child->pid_fd);
    arena_free(child->memory);
}

/* If the child has ended and all of its output was read, report its end and free it. */
static void child_settle(struct child *child)
{
    if (child->pid != 0 || child->streams[CHILD_OUT].fd >= 0 ||
        child->streams[CHILD_ERROR].fd >= 0) {
        return;
    }
    for (int i = 0; i < CHILD_STREAM_COUNT; i++) {
        child->end.output[i] = (struct text){ child->streams[i].kept, child->streams[i].length };
    }
    child->done(child->arg, &child->end);
    child_free(child);
}

static void group_signal(const struct child *child, int number)
{
    /* before it is waited for, its pid cannot be reused */
    if (child->pid != 0) {
        if (launcher_is_running()) {
            launcher_signal(child->pid, number);
        } else {
            kill(-child->pid, number);
        }
    }
}

void child_stop(struct child *child)
{
    if (child->pid == 0 || child->is_stopping) {
        return;
    }
    child->is_stopping = true;
    group_signal(child, SIGTERM);
    group_signal(child, SIGCONT); /* because a stopped process would not handle the signal */
    loop_timer_start(child->timer, child->grace_ms, 0);
}

void child_kill(struct child *child)
{
    if (child->pid == 0) {
        return;
    }
    child->is_stopping = true;
    loop_timer_stop(child->timer);
    group_signal(child, SIGKILL);
}

/* Starts to read the rest of the child's output, for a limited time: another process may hold the
 * pipes open. */
static void drain_begin(struct child *child)
{
    if (child->pid == 0 && !child->is_paused) {
        loop_timer_start(child->timer, LIMIT_CHILD_DRAIN_MS, 0);
    } else if (child->pid == 0) {
        loop_timer_stop(child->timer);
    }
}

static void streams_want(struct child *child, unsigned events)
{
    for (int i = 0; i < CHILD_STREAM_COUNT; i++) {
        if (child->streams[i].watch != NULL) {
            loop_descriptor_want(child->streams[i].watch, events);
        }
    }
    drain_begin(child);
}

void child_pause(struct child *child)
{
    child->is_paused = true;
    streams_want(child, 0);
}

void child_resume(struct child *child)
{
    child->is_paused = false;
    streams_want(child, LOOP_READABLE);
}

static void child_look(struct child *child)
{
    siginfo_t info = { .si_pid = 0 };

    if (child->pid == 0) {
        return;
    }
    child->end.code = -1;
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
        if (info.si_pid == 0) {
            return;
        }
        /* the pid and the group id cannot be reused before the child is waited for */
        group_signal(child, SIGKILL);
        while (waitid(P_PID, (id_t)child->pid, &info, WEXITED) != 0 && errno == EINTR) {
        }
        child->end.code = info.si_code == CLD_EXITED ? info.si_status : -1;
        child->end.signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    } /* if other code has waited for the child, its exit code is unknown */
    child->pid = 0;
    loop_descriptor_close(child->pid_watch);
    child->pid_watch = NULL;
    loop_signal_close(child->signal_watch);
    child->signal_watch = NULL;
    input_end(child);
    drain_begin(child);
    child_settle(child);
}

static void pid_ready(void *arg, unsigned events)
{
    (void)events;
    child_look(arg);
}

static void child_signal_seen(void *arg, int number)
{
    (void)number;
    child_look(arg);
}

/* ---- pipes ---- */

static void child_piece_keep(struct child *child, enum child_stream which, struct text piece)
{
    struct stream *stream = &child->streams[which];
    size_t left = child->output_max - stream->length;
    size_t kept = piece.length < left ? piece.length : left;

    if (stream->length + kept > stream->room) {
        size_t room =
            stream->room * 2 > stream->length + kept ? stream->room * 2 : stream->length + kept;

        stream->kept = arena_grow(child->memory, stream->kept, stream->room, room);
        stream->room = room;
    }
    if (kept > 0) {
        memcpy(stream->kept + stream->length, piece.data, kept);
        stream->length += kept;
    }
    child->end.dropped[which] += piece.length - kept;
    if (child->output != NULL) {
        child->output(child->arg, which, piece);
    }
}

static void stream_ready(void *arg, unsigned events)
{
    struct stream *stream = arg;
    struct child *child = stream->child;
    char piece[PIECE_BYTES];
    ssize_t count = read(stream->fd, piece, sizeof(piece));

    (void)events;
    if (count > 0) {
        child_piece_keep(child, (enum child_stream)(stream - child->streams),
                         (struct text){ piece, (size_t)count });
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        stream_end(stream);
        child_settle(child);
    }
}

/* Read what the pipe holds, at most one piece. If this process was not scheduled for a while, the
 * time limit may be over although output is unread. */
static void stream_take(struct stream *stream)
{
    char piece[PIECE_BYTES];
    ssize_t count = stream->fd < 0 ? 0 : read(stream->fd, piece, sizeof(piece));

    if (count > 0) {
        child_piece_keep(stream->child, (enum child_stream)(stream - stream->child->streams),
                         (struct text){ piece, (size_t)count });
    }
}

/* The time limit of the drain is over: a process outside of the group still holds the pipes. The
 * output callback may pause the child. */
static void drain_end(struct child *child)
{
    for (int i = 0; i < CHILD_STREAM_COUNT && !child->is_paused; i++) {
        stream_take(&child->streams[i]);
    }
    if (!child->is_paused) {
        stream_end(&child->streams[CHILD_OUT]);
        stream_end(&child->streams[CHILD_ERROR]);
        child_settle(child);
    }
}

static void child_timer_due(void *arg)
{
    struct child *child = arg;

    if (child->pid == 0) {
        drain_end(child);
    } else if (child->is_stopping) {
        child_kill(child);
    } else {
        child->end.is_late = true;
        child_stop(child);
    }
}

static void input_ready(void *arg, unsigned events)
{
    struct child *child = arg;
    ssize_t count = child->input.length == 0
                        ? 0
                        : write(child->input_fd, child->input.data, child->input.length);

    (void)events;
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        input_end(child); /* the child closed its input */
        return;
    }
    child->input = text_slice(child->input, count > 0 ? (size_t)count : 0, child->input.length);
    if (child->input.length > 0) {
        return;
    }
    if (child->fed == NULL) {
        input_end(child);
        return;
    }
    input_drop(child);
    loop_descriptor_want(child->input_watch, 0); /* nothing to write until the caller gives more
                                                  * input */
    child->fed(child->arg);
}

void child_feed(struct child *child, struct text piece)
{
    assert(child->fed != NULL && child->input.length == 0);
    if (child->input_watch == NULL) {
        return;
    }
    if (piece.length == 0) {
        input_end(child);
        return;
    }
    input_keep(child, piece);
    loop_descriptor_want(child->input_watch, LOOP_WRITABLE);
}

/* ---- starting ---- */

MUST_CHECK static bool pipe_error(const char *path, struct err *err)
{
    return err_set(err, CODE_R0533, "'%s' cannot be started: a pipe cannot be created: %s", path,
                   strerror(errno));
}

/* Create the pipe of a stream and watch this process's end. If the output is not needed, open
 * /dev/null instead. */
MUST_CHECK static bool child_stream_open(struct child *child, struct stream *stream,
                                         int *out_theirs, const struct child_options *options,
                                         struct err *err)
{
    int ends[2];

    stream->child = child;
    if (options->output_max == 0 && options->output == NULL) {
        *out_theirs = open("/dev/null", O_WRONLY | O_CLOEXEC);
        return *out_theirs >= 0 || pipe_error(options->path, err);
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return pipe_error(options->path, err);
    }
    stream->fd = ends[0];
    *out_theirs = ends[1];
    if (!loop_descriptor_open(child->loop, stream->fd, stream_ready, stream, &stream->watch, err)) {
        return false;
    }
    loop_descriptor_want(stream->watch, LOOP_READABLE);
    return true;
}

MUST_CHECK static bool input_open(struct child *child, int *out_theirs,
                                  const struct child_options *options, struct err *err)
{
    int ends[2];

    if (options->input.length == 0 && options->fed == NULL) {
        *out_theirs = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return *out_theirs >= 0 || pipe_error(options->path, err);
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return pipe_error(options->path, err);
    }
    *out_theirs = ends[0];
    child->input_fd = ends[1];
    if (options->input.length > 0) {
        input_keep(child, options->input);
    }
    if (!loop_descriptor_open(child->loop, child->input_fd, input_ready, child, &child->input_watch,
                              err)) {
        return false;
    }
    loop_descriptor_want(child->input_watch, LOOP_WRITABLE);
    return true;
}

/* Watch for the end of the child. SIGCHLD is watched before the child is created, because the
 * signal could be missed otherwise. */
MUST_CHECK static bool end_watch(struct child *child, const struct child_options *options,
                                 const int standard[static 3], struct err *err)
{
    struct child_spawned spawned;

    if (!loop_signal_open(child->loop, SIGCHLD, child_signal_seen, child, &child->signal_watch,
                          err) ||
        !child_spawn(options, standard, &spawned, err)) {
        return false;
    }
    child->pid = spawned.pid;
    child->pid_fd = spawned.pid_fd;
    if (child->pid_fd < 0) {
        return true;
    }
    if (!loop_descriptor_open(child->loop, child->pid_fd, pid_ready, child, &child->pid_watch,
                              err)) {
        fd_cleanup(&child->pid_fd); /* the loop has no free slot for the descriptor: use SIGCHLD */
        return true;
    }
    loop_descriptor_want(child->pid_watch, LOOP_READABLE);
    loop_signal_close(child->signal_watch);
    child->signal_watch = NULL;
    return true;
}

static struct child *child_new(struct loop *loop, const struct child_options *options)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct child *child = arena_one(memory, struct child);

    *child = (struct child){
        .memory = memory,
        .loop = loop,
        .pid_fd = FD_NONE,
        .grace_ms = options->grace_ms,
        .output_max = options->output_max,
        .input_fd = FD_NONE,
        .output = options->output,
        .fed = options->fed,
        .done = options->done,
        .arg = options->arg,
    };
    child->streams[CHILD_OUT].fd = FD_NONE;
    child->streams[CHILD_ERROR].fd = FD_NONE;
    return child;
}

bool child_start(struct loop *loop, const struct child_options *options, struct child **out,
                 struct err *err)
{
    struct child *child = child_new(loop, options);
    AUTO(fd) input = FD_NONE;
    AUTO(fd) output = FD_NONE;
    AUTO(fd) error = FD_NONE;

    assert(options->path[0] == '/' && options->argv[0] != NULL && options->done != NULL);
    assert(options->deadline_ms > 0);
    assert(options->fed == NULL || options->input.length == 0);
    assert(options->output_max <= LIMIT_CHILD_OUTPUT_BYTES);
    if (!loop_timer_open(loop, child_timer_due, child, &child->timer, err) ||
        !input_open(child, &input, options, err) ||
        !child_stream_open(child, &child->streams[CHILD_OUT], &output, options, err) ||
        !child_stream_open(child, &child->streams[CHILD_ERROR], &error, options, err) ||
        !end_watch(child, options, (int[]){ input, output, error }, err)) {
        child_free(child);
        return false;
    }
    loop_timer_start(child->timer, options->deadline_ms, 0);
    *out = child;
    return true;
}

int child_pid(const struct child *child)
{
    return child->pid;
}

#include "sys/worker.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/queue.h"
#include "sys/fd.h"
#include "wire/frame.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 64 * 1024, WHY_BYTES = 320 };

/* Lives until it is closed and its process has ended. */
struct worker {
    struct worker_options options;
    int socket;
    struct loop_descriptor *descriptor;
    struct loop_timer *patience; /* time limit for the process to end, started when either side
                                  * closes the socket */
    struct child *child;
    struct queue in;
    struct queue out;
    bool is_closed;
    bool is_ended; /* the end of the worker was reported */
    bool is_owed;  /* `taken` must be called as soon as the queue is empty */
    bool is_busy;  /* frames are being reported; a close during this time is completed afterwards */
};

/* ---- ending ---- */

static void worker_free(struct worker *worker)
{
    --*worker->options.alive;
    queue_clear(&worker->in);
    queue_clear(&worker->out);
    rows_free(worker);
}

/* Free the worker if it is closed and its process has ended. */
static void worker_settle(struct worker *worker)
{
    if (worker->is_closed && worker->child == NULL && !worker->is_busy) {
        loop_timer_close(worker->patience);
        worker_free(worker);
    }
}

static void socket_close(struct worker *worker)
{
    loop_descriptor_close(worker->descriptor);
    worker->descriptor = NULL;
    if (worker->socket != FD_NONE) {
        close(worker->socket);
        worker->socket = FD_NONE;
    }
}

static void sys_worker_ended(struct worker *worker, const char *why)
{
    if (!worker->is_ended) {
        worker->is_ended = true;
        socket_close(worker);
        worker->options.ended(worker->options.arg, why);
    }
}

static void patience_over(void *arg)
{
    const struct worker *worker = arg;

    if (worker->child != NULL) {
        child_kill(worker->child);
    }
}

/* Wait for the process to end by itself, because its exit gives the reason. Kill it after
 * end_ms. */
static void patience_begin(struct worker *worker)
{
    struct err err;

    if (worker->patience != NULL) {
        return;
    }
    if (loop_timer_open(worker->options.loop, patience_over, worker, &worker->patience, &err)) {
        loop_timer_start(worker->patience, worker->options.end_ms, 0);
    } else {
        child_kill(worker->child);
    }
}

void worker_fail(struct worker *worker, const char *why)
{
    sys_worker_ended(worker, why);
}

void worker_close(struct worker *worker)
{
    if (worker == NULL) {
        return;
    }
    assert(!worker->is_closed);
    worker->is_closed = worker->is_ended = true;
    socket_close(worker);
    if (worker->child == NULL) {
        worker_settle(worker);
    } else {
        patience_begin(worker);
    }
}

/* ---- receiving ---- */

static void worker_frames_report(struct worker *worker)
{
    assert(worker->is_busy);
    while (!worker->is_ended) {
        struct text bytes = queue_text(&worker->in);
        struct err err;
        size_t length;

        if (!frame_measure(bytes, worker->options.unreadable, &length, &err)) {
            sys_worker_ended(worker, err.text);
            return;
        }
        if (length == 0 || bytes.length < length) {
            queue_trim(&worker->in);
            return;
        }
        worker->in.gone += length;
        worker->options.reported(worker->options.arg, text_slice(bytes, 0, length));
    }
}

/* Read one piece per iteration, so that other callbacks run in between. */
static void worker_bytes_take(struct worker *worker)
{
    ssize_t got = recv(worker->socket, queue_room(&worker->in, READ_BYTES), READ_BYTES, 0);

    if (got > 0) {
        worker->in.length += (size_t)got;
        worker_frames_report(worker);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        socket_close(worker); /* the end of the process will give the reason */
        if (worker->child == NULL) {
            sys_worker_ended(worker, "the process closed the socket");
        } else {
            patience_begin(worker);
        }
    }
}

/* The process has ended: read its last data from the socket. Another process may hold the other end
 * open; it is ignored. */
static void worker_rest_take(struct worker *worker)
{
    size_t left = LIMIT_WIRE_FRAME_BYTES;

    while (!worker->is_ended && worker->socket != FD_NONE && left >= READ_BYTES) {
        ssize_t got =
            recv(worker->socket, queue_room(&worker->in, READ_BYTES), READ_BYTES, MSG_DONTWAIT);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return;
        }
        worker->in.length += (size_t)got;
        left -= (size_t)got;
        worker_frames_report(worker);
    }
}

static void worker_child_ended(void *arg, const struct child_end *end)
{
    struct worker *worker = arg;
    char why[WHY_BYTES];

    worker->child = NULL;
    if (worker->options.gone != NULL) {
        worker->options.gone(worker->options.keep);
    }
    worker->is_busy = true;
    worker_rest_take(worker);
    if (end->signal != 0) {
        snprintf(why, sizeof(why), "the process was ended by signal %d (%s)", end->signal,
                 strsignal(end->signal));
    } else {
        snprintf(why, sizeof(why), "the process ended with code %d", end->code);
    }
    sys_worker_ended(worker, why);
    worker->is_busy = false;
    worker_settle(worker);
}

/* ---- sending ---- */

size_t worker_waiting(const struct worker *worker)
{
    return queue_text(&worker->out).length;
}

static void worker_bytes_give(struct worker *worker)
{
    if (worker->descriptor == NULL || worker->socket == FD_NONE) {
        queue_trim(&worker->out);
        return;
    }
    if (!loop_descriptor_send(worker->descriptor, worker->socket, &worker->out)) {
        worker->is_owed = true;
    } else if (worker->is_owed) {
        /* `taken` is called in a later iteration of the loop, not within worker_send() */
        loop_descriptor_want(worker->descriptor, LOOP_READABLE | LOOP_WRITABLE);
    }
}

static void taken_report(struct worker *worker)
{
    if (worker->is_owed && worker_waiting(worker) == 0 && worker->descriptor != NULL) {
        worker->is_owed = false;
        loop_descriptor_want(worker->descriptor, LOOP_READABLE);
        if (worker->options.taken != NULL) {
            worker->options.taken(worker->options.arg);
        }
    }
}

static void worker_socket_ready(void *arg, unsigned events)
{
    struct worker *worker = arg;

    worker->is_busy = true;
    if ((events & LOOP_WRITABLE) != 0) {
        worker_bytes_give(worker);
        taken_report(worker);
    }
    if ((events & LOOP_READABLE) != 0 && worker->socket != FD_NONE) {
        worker_bytes_take(worker);
    }
    worker->is_busy = false;
    worker_settle(worker);
}

bool worker_send(struct worker *worker, struct text frame)
{
    assert(!worker->is_closed);
    if (worker->is_ended || worker_waiting(worker) > worker->options.queue_max) {
        return false;
    }
    memcpy(queue_room(&worker->out, frame.length), frame.data, frame.length);
    worker->out.length += frame.length;
    worker_bytes_give(worker);
    return true;
}

bool worker_send_secret(struct worker *worker, struct text frame)
{
    worker->out.is_secret = true;
    return worker_send(worker, frame);
}

int worker_pid(const struct worker *worker)
{
    return worker->child == NULL ? 0 : child_pid(worker->child);
}

/* ---- starting ---- */

static void child_wrote(void *arg, enum child_stream stream, struct text piece)
{
    const struct worker *worker = arg;

    if (stream == CHILD_ERROR) {
        worker->options.wrote(worker->options.keep, piece);
    }
}

MUST_CHECK static bool worker_process_start(struct worker *worker, int theirs, struct err *err)
{
    struct child_descriptor descriptor = { .fd = theirs, .as = WORKER_SOCKET };
    struct child_options options = {
        .path = worker->options.program,
        .argv = worker->options.argv,
        .deadline_ms = UINT64_MAX / 2,
        .grace_ms = worker->options.end_ms,
        .output = child_wrote,
        .done = worker_child_ended,
        .arg = worker,
        .descriptors = &descriptor,
        .descriptor_count = 1,
        .is_session = true,
        .is_killed_with_parent = true,
    };

    return child_start(worker->options.loop, &options, &worker->child, err);
}

bool worker_open(const struct worker_options *options, struct worker **out, struct err *err)
{
    AUTO(fd) ours = FD_NONE;
    AUTO(fd) theirs = FD_NONE;
    struct worker *worker;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        err_set(err, options->unstarted, "a socket for the process cannot be created: %s",
                strerror(errno));
        return false;
    }
    ours = pair[0];
    theirs = pair[1];
    worker = rows_resize(NULL, sizeof(*worker));
    *worker = (struct worker){ .options = *options, .socket = ours };
    ++*options->alive;
    if (!loop_descriptor_open(options->loop, ours, worker_socket_ready, worker, &worker->descriptor,
                              err) ||
        !worker_process_start(worker, theirs, err)) {
        loop_descriptor_close(worker->descriptor);
        worker_free(worker);
        return false;
    }
    ours = FD_NONE;
    loop_descriptor_want(worker->descriptor, LOOP_READABLE);
    *out = worker;
    return true;
}

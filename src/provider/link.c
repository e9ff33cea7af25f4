#include "provider/link.h"

#include "base/limits.h"
#include "base/secret.h"
#include "host/sandbox.h"
#include "host/sandbox_group.h"
#include "sys/child.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HOST_SOCKET = 3, READ_BYTES = 64 * 1024, WHY_BYTES = 320 };

/* Bytes that come at the end and go at the front. */
struct queue {
    char *data;
    size_t length;
    size_t room;
    size_t gone; /* at the front */
    bool
        is_secret; /* a secret is, or was, among them: no byte stays in memory that is given back */
};

/* Lives until it is closed and the child has ended. */
struct link {
    struct link_options options;
    int socket;
    struct loop_descriptor *descriptor;
    struct loop_timer *patience; /* since its socket was closed, from here or from there */
    struct child *child;
    struct queue in;
    struct queue out;
    struct sandbox_group group;
    bool is_closed;
    bool is_ended; /* told so */
    char name[LIMIT_GROUP_NAME_BYTES +
              1]; /* the plugin's; who asked may be gone before the process */
    bool is_busy; /* its bytes are being handed on: whoever closes it now leaves the rest to us */
};

/* ---- queues ---- */

static void queue_free(struct queue *queue)
{
    if (queue->is_secret && queue->data != NULL) {
        secret_wipe(queue->data, queue->room);
    }
    rows_free(queue->data);
    *queue = (struct queue){ 0 };
}

/* To more room; not by what moves bytes and forgets where they were. */
static void queue_grow(struct queue *queue, size_t room)
{
    struct queue grown = { .data = rows_resize(NULL, room),
                           .length = queue->length - queue->gone,
                           .room = room,
                           .is_secret = queue->is_secret };

    if (grown.length > 0) {
        memcpy(grown.data, queue->data + queue->gone, grown.length);
    }
    queue_free(queue);
    *queue = grown;
}

static char *queue_room(struct queue *queue, size_t bytes)
{
    if (queue->gone > 0 && queue->gone == queue->length) {
        queue->length = queue->gone = 0;
    }
    if (queue->room - queue->length < bytes && queue->gone > 0) {
        memmove(queue->data, queue->data + queue->gone, queue->length - queue->gone);
        queue->length -= queue->gone;
        queue->gone = 0;
    }
    if (queue->room - queue->length < bytes) {
        queue_grow(queue, queue->length + bytes + queue->room / 2);
    }
    return queue->data + queue->length;
}

static struct text queue_text(const struct queue *queue)
{
    return (struct text){ queue->data + queue->gone, queue->length - queue->gone };
}

/* What is empty needs no room: hosts are idle most of the time. */
static void queue_trim(struct queue *queue)
{
    if (queue->gone == queue->length) {
        queue_free(queue);
    }
}

/* ---- ending ---- */

static void link_free(struct link *link)
{
    --*link->options.alive;
    queue_free(&link->in);
    queue_free(&link->out);
    rows_free(link);
}

/* Nobody needs it any more. */
static void link_settle(struct link *link)
{
    if (link->is_closed && link->child == NULL && !link->is_busy) {
        loop_timer_close(link->patience);
        link_free(link);
    }
}

static void socket_close(struct link *link)
{
    loop_descriptor_close(link->descriptor);
    link->descriptor = NULL;
    if (link->socket != FD_NONE) {
        close(link->socket);
        link->socket = FD_NONE;
    }
}

static void ended(struct link *link, const char *why)
{
    if (!link->is_ended) {
        link->is_ended = true;
        socket_close(link);
        link->options.ended(link->options.arg, why);
    }
}

static void patience_over(void *arg)
{
    const struct link *link = arg;

    if (link->child != NULL) {
        child_kill(link->child);
    }
}

/* It ends by itself in a moment, and its end says why; or it is killed. */
static void patience_begin(struct link *link)
{
    struct err err;

    if (link->patience != NULL) {
        return;
    }
    if (loop_timer_open(link->options.loop, patience_over, link, &link->patience, &err)) {
        loop_timer_start(link->patience, link->options.end_ms, 0);
    } else {
        child_kill(link->child);
    }
}

void link_close(struct link *link)
{
    if (link == NULL) {
        return;
    }
    assert(!link->is_closed);
    link->is_closed = link->is_ended = true;
    socket_close(link);
    if (link->child == NULL) {
        link_settle(link);
    } else {
        patience_begin(link);
    }
}

/* ---- what comes ---- */

/* Hand on a whole frame. False: it is none; told. */
static bool frame_tell(struct link *link, struct text frame)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct wire_message message;
    struct err err;

    if (!wire_parse(arena, frame, &message, &err)) {
        ended(link, err.text);
        return false;
    }
    link->options.told(link->options.arg, &message);
    return true;
}

static void frames_tell(struct link *link)
{
    assert(link->is_busy);
    while (!link->is_ended) {
        struct text bytes = queue_text(&link->in);
        struct err err;
        size_t length;

        if (!wire_measure(bytes, &length, &err)) {
            ended(link, err.text);
            return;
        }
        if (length == 0 || bytes.length < length) {
            queue_trim(&link->in);
            return;
        }
        link->in.gone += length;
        if (!frame_tell(link, text_slice(bytes, 0, length))) {
            return;
        }
    }
}

/* One piece a turn: others are served in between, however much it says. */
static void bytes_take(struct link *link)
{
    ssize_t got = recv(link->socket, queue_room(&link->in, READ_BYTES), READ_BYTES, 0);

    if (got > 0) {
        link->in.length += (size_t)got;
        frames_tell(link);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        socket_close(link); /* why, its end will tell */
        if (link->child == NULL) {
            ended(link, "its process closed the socket");
        } else {
            patience_begin(link);
        }
    }
}

/* It has ended. What it said before that is in the socket still; whoever holds the other end of it now is not asked
 * to go on. */
static void rest_take(struct link *link)
{
    size_t left = LIMIT_WIRE_FRAME_BYTES;

    while (!link->is_ended && link->socket != FD_NONE && left >= READ_BYTES) {
        ssize_t got =
            recv(link->socket, queue_room(&link->in, READ_BYTES), READ_BYTES, MSG_DONTWAIT);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return;
        }
        link->in.length += (size_t)got;
        left -= (size_t)got;
        frames_tell(link);
    }
}

static void child_ended(void *arg, const struct child_end *end)
{
    struct link *link = arg;
    char why[WHY_BYTES];

    link->child = NULL;
    sandbox_group_remove(&link->group);
    link->is_busy = true;
    rest_take(link);
    if (end->signal != 0) {
        snprintf(why, sizeof(why), "its process was ended by signal %d (%s)", end->signal,
                 strsignal(end->signal));
    } else {
        snprintf(why, sizeof(why), "its process ended with code %d", end->code);
    }
    ended(link, why);
    link->is_busy = false;
    link_settle(link);
}

/* ---- what goes ---- */

static void bytes_give(struct link *link)
{
    while (link->socket != FD_NONE && queue_text(&link->out).length > 0) {
        struct text bytes = queue_text(&link->out);
        ssize_t sent = send(link->socket, bytes.data, bytes.length, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) { /* whether it is full or gone, reading tells */
            loop_descriptor_want(link->descriptor, LOOP_READABLE | LOOP_WRITABLE);
            return;
        }
        link->out.gone += (size_t)sent;
    }
    queue_trim(&link->out);
    if (link->descriptor != NULL) {
        loop_descriptor_want(link->descriptor, LOOP_READABLE);
    }
}

static void socket_ready(void *arg, unsigned events)
{
    struct link *link = arg;

    link->is_busy = true;
    if ((events & LOOP_WRITABLE) != 0) {
        bytes_give(link);
    }
    if ((events & LOOP_READABLE) != 0 && link->socket != FD_NONE) {
        bytes_take(link);
    }
    link->is_busy = false;
    link_settle(link);
}

bool link_send(struct link *link, struct text frame)
{
    assert(!link->is_closed);
    if (link->is_ended || queue_text(&link->out).length > LIMIT_WIRE_FRAME_BYTES) {
        return false;
    }
    memcpy(queue_room(&link->out, frame.length), frame.data, frame.length);
    link->out.length += frame.length;
    bytes_give(link);
    return true;
}

bool link_send_secret(struct link *link, struct text frame)
{
    link->out.is_secret = true;
    return link_send(link, frame);
}

int link_pid(const struct link *link)
{
    return link->child == NULL ? 0 : child_pid(link->child);
}

/* ---- beginning ---- */

/* What the plugin writes to its standard error is somebody's words, not ours. */
static void child_wrote(void *arg, enum child_stream stream, struct text piece)
{
    struct link *link = arg;

    if (stream == CHILD_ERROR) {
        log_warn(link->options.log, "plugin", "stderr", log_string("plugin", link->name),
                 log_text("text", text_trim(text_slice(piece, 0, LIMIT_LOG_LINE_BYTES / 2))));
    }
}

MUST_CHECK static bool host_start(struct link *link, int theirs, struct err *err)
{
    const char *const argv[] = { "reeve-host", "serve", NULL };
    struct child_descriptor descriptor = { .fd = theirs, .as = HOST_SOCKET };
    struct child_options options = {
        .path = link->options.program,
        .argv = argv,
        .deadline_ms = UINT64_MAX / 2,
        .grace_ms = link->options.end_ms,
        .output = child_wrote,
        .done = child_ended,
        .arg = link,
        .descriptors = &descriptor,
        .descriptor_count = 1,
        .is_session = true,
        .dies_with_us = true,
    };

    return child_start(link->options.loop, &options, &link->child, err);
}

/* Bounds over all that it does; before it was told anything it has begun nothing. What a plugin of the profile host
 * begins outlives it, and has groups of its own. */
static void group_give(struct link *link)
{
    struct sandbox_group_options options = {
        .memory_bytes = LIMIT_SANDBOX_DATA_BYTES,
        .processes_max = LIMIT_SANDBOX_THREADS + 2, /* and the one that waits */
        .number = (uint64_t)child_pid(link->child),
    };

    if (link->options.open.profile == SANDBOX_CLOUD) {
        sandbox_group_make(&options, &link->group);
        sandbox_group_add(&link->group, child_pid(link->child));
    }
}

const char *link_group(const struct link *link)
{
    return link->group.why;
}

bool link_open(const struct link_options *options, struct link **out, struct err *err)
{
    struct wire_message message = { .type = WIRE_OPEN, .open = options->open };
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    AUTO(fd) ours = FD_NONE;
    AUTO(fd) theirs = FD_NONE;
    struct link *link;
    struct buf buf;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        err_set(err, CODE_R0603, "no socket for it: %s", strerror(errno));
        return false;
    }
    ours = pair[0];
    theirs = pair[1];
    link = rows_resize(NULL, sizeof(*link));
    *link = (struct link){ .options = *options, .socket = ours };
    snprintf(link->name, sizeof(link->name), "%.*s", TEXT_ARG(options->open.name));
    link->options.open = (struct wire_open){ .profile = options->open.profile };
    ++*options->alive;
    if (!loop_descriptor_open(options->loop, ours, socket_ready, link, &link->descriptor, err) ||
        !host_start(link, theirs, err)) {
        loop_descriptor_close(link->descriptor);
        link_free(link);
        return false;
    }
    ours = FD_NONE;
    group_give(link);
    loop_descriptor_want(link->descriptor, LOOP_READABLE);
    *out = link;
    buf_init(&buf, arena);
    wire_format(&buf, &message);
    (void)!link_send(link, buf_text(&buf)); /* an end is told by `ended` */
    return true;
}

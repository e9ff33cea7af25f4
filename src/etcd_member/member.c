#include "etcd_member/member.h"

#include "base/limits.h"
#include "base/queue.h"
#include "sys/clock.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* names of the sockets in the member's folder: of reeve-store, and of etcd for clients */
#define MEMBER_CONTROL_SOCKET "control"
#define MEMBER_CLIENT_SOCKET  "client:0"

enum {
    MEMBER_PIECE_BYTES = 4096,
    MEMBER_SHORT_PATH = 100,
    /* the descriptor of a folder with a long path is the same in every process, because journals of
     * moves have the endpoint */
    MEMBER_FOLDER_DESCRIPTOR = 900
};

/* ---- addresses ---- */

bool member_endpoint(const char *folder, char out[static MEMBER_ENDPOINT_BYTES], struct err *err)
{
    AUTO(fd) fd = FD_NONE;
    char path[PATH_MAX];
    struct stat former;
    struct stat now;
    int kept = MEMBER_FOLDER_DESCRIPTOR;

    snprintf(path, sizeof(path), "%s/" MEMBER_FOLDER, folder);
    if (strlen(path) + sizeof(MEMBER_CLIENT_SOCKET) < MEMBER_SHORT_PATH) {
        snprintf(out, MEMBER_ENDPOINT_BYTES, "unix://%s/" MEMBER_CLIENT_SOCKET, path);
        return true;
    }
    /* the path of a socket is short: name the folder by a descriptor, which stays open */
    fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &now) != 0) {
        return err_set(err, CODE_R0596, "%s: %s", path, strerror(errno));
    }
    if (fstat(kept, &former) != 0 || former.st_ino != now.st_ino || former.st_dev != now.st_dev) {
        kept = fcntl(fd, F_DUPFD_CLOEXEC, MEMBER_FOLDER_DESCRIPTOR);
    }
    if (kept < 0) {
        return err_set(err, CODE_R0596, "%s: %s", path, strerror(errno));
    }
    snprintf(out, MEMBER_ENDPOINT_BYTES, "unix:///proc/self/fd/%d/" MEMBER_CLIENT_SOCKET, kept);
    return true;
}

/* Connects to the process. Fails with R0595. */
MUST_CHECK static bool member_connect(const char *folder, int *out, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char path[PATH_MAX];
    AUTO(fd) place = FD_NONE;
    AUTO(fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    snprintf(path, sizeof(path), "%s/" MEMBER_FOLDER, folder);
    place = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" MEMBER_CONTROL_SOCKET,
             place);
    if (fd < 0 || place < 0 ||
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        err_set(err, CODE_R0595, "reeve-store does not listen for %s: %s", folder, strerror(errno));
        return err_hint(err, "systemctl start reeve-store, or without systemd: reeve-store detach "
                             "FOLDER");
    }
    *out = fd;
    fd = FD_NONE;
    return true;
}

bool member_is_served(const char *folder)
{
    AUTO(fd) fd = FD_NONE;
    struct err err;

    return member_connect(folder, &fd, &err);
}

/* ---- frames ---- */

/* Sends a request; it is smaller than the buffer of a socket. */
MUST_CHECK static bool member_ask_send(int socket, const struct member_ipc_ask *ask,
                                       struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct member_ipc_message message = { .type = MEMBER_IPC_ASK, .ask = *ask };
    struct text frame;
    struct buf buf;

    buf_init(&buf, arena);
    member_ipc_format(&buf, &message);
    frame = buf_text(&buf);
    return send(socket, frame.data, frame.length, MSG_NOSIGNAL) == (ssize_t)frame.length ||
           err_set(err, CODE_R0595, "reeve-store takes no request: %s", strerror(errno));
}

static uint64_t member_patience_ms(const struct member_ipc_ask *ask)
{
    return (ask->timeout_ms == 0 ? LIMIT_MEMBER_CALL_MS : ask->timeout_ms) + LIMIT_MEMBER_EXTRA_MS;
}

/* Receives what is there. Sets *out_frame to the complete frame, or leaves it empty. Fails if the
 * connection has ended or the frame is invalid. */
MUST_CHECK static bool member_frame_receive(int socket, struct queue *in, struct text *out_frame,
                                            struct err *err)
{
    size_t length = 0;
    ssize_t got;

    *out_frame = TEXT("");
    got = recv(socket, queue_room(in, MEMBER_PIECE_BYTES), MEMBER_PIECE_BYTES, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (got <= 0) {
        return err_set(err, CODE_R0595, "reeve-store has closed the connection without an answer");
    }
    in->length += (size_t)got;
    if (!frame_measure(queue_text(in), CODE_R0595, &length, err)) {
        return false;
    }
    if (length > 0 && queue_text(in).length >= length) {
        *out_frame = text_slice(queue_text(in), 0, length);
    }
    return true;
}

/* Sets the error that the process has reported. Returns true if it reported success. */
MUST_CHECK static bool member_reply_judge(const struct member_ipc_reply *reply, struct err *err)
{
    bool is_known = reply->code < CODE_COUNT;

    if (reply->code == CODE_NONE) {
        return true;
    }
    *err = (struct err){ 0 };
    err_set(err, is_known ? (enum code)reply->code : CODE_R0595, "%.*s", TEXT_ARG(reply->message));
    if (reply->hint.length > 0) {
        err_hint(err, "%.*s", TEXT_ARG(reply->hint));
    }
    return false;
}

/* Parses a reply. `frame` must live as long as `out`. */
MUST_CHECK static bool member_reply_parse(struct arena *arena, struct text frame,
                                          struct member_ipc_reply *out, struct err *err)
{
    struct member_ipc_message message;

    if (!member_ipc_parse(arena, frame, &message, err)) {
        return false;
    }
    if (message.type != MEMBER_IPC_REPLY) {
        return err_set(err, CODE_R0595, "reeve-store sent an unexpected message");
    }
    *out = message.reply;
    return true;
}

/* ---- waiting ---- */

bool member_call_wait(struct arena *arena, const char *folder, const struct member_ipc_ask *ask,
                      struct member_ipc_reply *out, struct err *err)
{
    struct clock clock = clock_system();
    uint64_t until_ms = clock_monotonic_ms(clock) + member_patience_ms(ask);
    struct member_ipc_reply reply = { 0 };
    struct queue in = { 0 };
    struct text frame = TEXT("");
    AUTO(fd) fd = FD_NONE;
    bool is_well;

    is_well = member_connect(folder, &fd, err) && member_ask_send(fd, ask, err);
    while (is_well && frame.length == 0) {
        uint64_t now_ms = clock_monotonic_ms(clock);
        struct pollfd ready = { .fd = fd, .events = POLLIN };

        if (now_ms >= until_ms) {
            is_well = err_set(err, CODE_R0595, "reeve-store did not answer in time");
        } else if (poll(&ready, 1, (int)(until_ms - now_ms)) > 0) {
            is_well = member_frame_receive(fd, &in, &frame, err);
        }
    }
    is_well = is_well && member_reply_parse(arena, arena_text(arena, frame), &reply, err);
    queue_clear(&in);
    if (!is_well || !member_reply_judge(&reply, err)) {
        return false;
    }
    *out = reply;
    return true;
}

/* ---- in a loop ---- */

struct member_call {
    struct loop_descriptor *watch;
    struct loop_timer *timer;
    struct queue in;
    int socket;
    member_done *done;
    void *arg;
};

static void member_call_free(struct member_call *call)
{
    loop_descriptor_close(call->watch);
    loop_timer_close(call->timer);
    queue_clear(&call->in);
    fd_cleanup(&call->socket);
    rows_free(call);
}

/* Reports the end of a call and frees it. `frame` may be part of its buffer. */
static void member_call_end(struct member_call *call, struct text frame, const struct err *failure)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct member_ipc_reply reply;
    member_done *done = call->done;
    void *arg = call->arg;
    struct err err = { 0 };

    if (failure != NULL) {
        err = *failure;
        member_call_free(call);
        done(arg, OUTCOME_UNKNOWN, NULL, &err);
        return;
    }
    frame = arena_text(arena, frame);
    member_call_free(call);
    if (!member_reply_parse(arena, frame, &reply, &err)) {
        done(arg, OUTCOME_UNKNOWN, NULL, &err);
    } else if (!member_reply_judge(&reply, &err)) {
        done(arg, OUTCOME_REFUSED, NULL, &err);
    } else {
        done(arg, OUTCOME_OK, &reply, NULL);
    }
}

static void on_call_late(void *arg)
{
    struct err err = { 0 };

    err_set(&err, CODE_R0595, "reeve-store did not answer in time");
    member_call_end(arg, TEXT(""), &err);
}

static void on_call_ready(void *arg, unsigned events)
{
    struct member_call *call = arg;
    struct text frame;
    struct err err = { 0 };

    (void)events;
    if (!member_frame_receive(call->socket, &call->in, &frame, &err)) {
        member_call_end(call, TEXT(""), &err);
    } else if (frame.length > 0) {
        member_call_end(call, frame, NULL);
    }
}

bool member_call_start(struct loop *loop, const char *folder, const struct member_ipc_ask *ask,
                       member_done *done, void *arg, struct member_call **out, struct err *err)
{
    struct member_call *call;
    AUTO(fd) fd = FD_NONE;

    assert(done != NULL);
    if (!member_connect(folder, &fd, err) || !member_ask_send(fd, ask, err)) {
        return false;
    }
    call = rows_resize(NULL, sizeof(*call));
    *call = (struct member_call){ .socket = fd, .done = done, .arg = arg };
    fd = FD_NONE;
    if (!loop_timer_open(loop, on_call_late, call, &call->timer, err) ||
        !loop_descriptor_open(loop, call->socket, on_call_ready, call, &call->watch, err)) {
        member_call_free(call);
        return false;
    }
    loop_timer_start(call->timer, member_patience_ms(ask), 0);
    loop_descriptor_want(call->watch, LOOP_READABLE);
    *out = call;
    return true;
}

void member_call_cancel(struct member_call *call)
{
    if (call != NULL) {
        member_call_free(call);
    }
}

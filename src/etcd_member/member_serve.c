#include "etcd_member/member_serve.h"

#include "base/limits.h"
#include "base/queue.h"
#include "sys/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { MEMBER_SERVE_PIECE = 4096, MEMBER_SERVE_BACKLOG = 16 };

/* A connection: one request, then its reply. */
struct member_connection {
    struct member_connection *next;
    struct member_serve *serve;
    struct loop_descriptor *watch;
    struct loop_timer *timer;
    struct queue in;
    struct queue out;
    struct member_task *task; /* NULL: not asked yet, or answered */
    int socket;
    bool is_answered;
};

struct member_serve {
    struct loop *loop;
    struct log *log;
    struct member_runner *runner;
    struct loop_descriptor *watch;
    struct member_connection *connections;
    size_t count;
    int socket;
};

static void member_connection_close(struct member_connection *connection)
{
    struct member_connection **link = &connection->serve->connections;

    while (*link != connection) {
        link = &(*link)->next;
    }
    *link = connection->next;
    connection->serve->count--;
    if (connection->task != NULL) {
        member_runner_forget(connection->serve->runner, connection->task);
    }
    loop_descriptor_close(connection->watch);
    loop_timer_close(connection->timer);
    queue_clear(&connection->in);
    queue_clear(&connection->out);
    fd_cleanup(&connection->socket);
    rows_free(connection);
}

static void on_connection_late(void *arg)
{
    member_connection_close(arg);
}

static void on_task_done(void *arg, const struct member_ipc_reply *reply)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct member_ipc_message message = { .type = MEMBER_IPC_REPLY, .reply = *reply };
    struct member_connection *connection = arg;
    struct text frame;
    struct buf buf;

    connection->task = NULL;
    connection->is_answered = true;
    buf_init(&buf, arena);
    member_ipc_format(&buf, &message);
    frame = buf_text(&buf);
    memcpy(queue_room(&connection->out, frame.length), frame.data, frame.length);
    connection->out.length += frame.length;
    loop_timer_start(connection->timer, LIMIT_MEMBER_ASK_MS, 0);
    (void)loop_descriptor_send(connection->watch, connection->socket, &connection->out);
}

/* Takes the request when its frame is complete. Returns false if it is invalid. */
static bool member_connection_take(struct member_connection *connection)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct text bytes = queue_text(&connection->in);
    struct member_ipc_message message;
    struct err err;
    size_t length;

    if (!frame_measure(bytes, CODE_R0595, &length, &err)) {
        return false;
    }
    if (length == 0 || length > bytes.length) {
        return bytes.length < (size_t)LIMIT_MEMBER_FIELD_BYTES * 16;
    }
    if (length != bytes.length || !member_ipc_parse(arena, bytes, &message, &err) ||
        message.type != MEMBER_IPC_ASK) {
        return false;
    }
    loop_timer_stop(connection->timer);
    connection->task =
        member_runner_ask(connection->serve->runner, &message.ask, on_task_done, connection);
    return true;
}

static void on_connection_ready(void *arg, unsigned events)
{
    struct member_connection *connection = arg;
    char bytes[MEMBER_SERVE_PIECE];
    ssize_t got;

    if ((events & LOOP_WRITABLE) != 0 && connection->out.length > 0) {
        (void)loop_descriptor_send(connection->watch, connection->socket, &connection->out);
    }
    got = recv(connection->socket, bytes, sizeof(bytes), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0 || connection->task != NULL || connection->is_answered) {
        /* the client has gone, or has sent more than a request */
        member_connection_close(connection);
        return;
    }
    memcpy(queue_room(&connection->in, (size_t)got), bytes, (size_t)got);
    connection->in.length += (size_t)got;
    if (!member_connection_take(connection)) {
        log_warn(connection->serve->log, "member", "invalid_request");
        member_connection_close(connection);
    }
}

static bool member_peer_is_allowed(int socket)
{
    struct ucred peer = { .uid = (uid_t)-1 };
    socklen_t length = sizeof(peer);

    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

static void on_listener_ready(void *arg, unsigned events)
{
    struct member_serve *serve = arg;
    AUTO(fd) fd = accept4(serve->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct member_connection *connection;
    struct err err;

    (void)events;
    if (fd < 0 || serve->count >= LIMIT_MEMBER_CONNECTIONS || !member_peer_is_allowed(fd)) {
        return;
    }
    connection = rows_resize(NULL, sizeof(*connection));
    *connection =
        (struct member_connection){ .next = serve->connections, .serve = serve, .socket = fd };
    fd = FD_NONE;
    serve->connections = connection;
    serve->count++;
    if (!loop_timer_open(serve->loop, on_connection_late, connection, &connection->timer, &err) ||
        !loop_descriptor_open(serve->loop, connection->socket, on_connection_ready, connection,
                              &connection->watch, &err)) {
        member_connection_close(connection);
        return;
    }
    loop_timer_start(connection->timer, LIMIT_MEMBER_ASK_MS, 0);
    loop_descriptor_want(connection->watch, LOOP_READABLE);
}

/* Listens. The lock of the folder is held, so a socket file there is a left-over. */
MUST_CHECK static bool member_socket_open(int *out, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MEMBER_SERVE_SOCKET };
    AUTO(fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0177);
    bool is_bound;

    (void)unlink(MEMBER_SERVE_SOCKET);
    is_bound = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
               listen(fd, MEMBER_SERVE_BACKLOG) == 0;
    umask(mask);
    if (!is_bound) {
        return err_set(err, CODE_R0595, "the socket in the member's folder: %s", strerror(errno));
    }
    *out = fd;
    fd = FD_NONE;
    return true;
}

bool member_serve_open(struct loop *loop, struct log *log, struct member_runner *runner,
                       struct member_serve **out, struct err *err)
{
    struct member_serve *serve = rows_resize(NULL, sizeof(*serve));

    *serve = (struct member_serve){ .loop = loop, .log = log, .runner = runner, .socket = FD_NONE };
    if (!member_socket_open(&serve->socket, err) ||
        !loop_descriptor_open(loop, serve->socket, on_listener_ready, serve, &serve->watch, err)) {
        member_serve_close(serve);
        return false;
    }
    loop_descriptor_want(serve->watch, LOOP_READABLE);
    *out = serve;
    return true;
}

void member_serve_close(struct member_serve *serve)
{
    if (serve == NULL) {
        return;
    }
    while (serve->connections != NULL) {
        member_connection_close(serve->connections);
    }
    loop_descriptor_close(serve->watch);
    fd_cleanup(&serve->socket);
    rows_free(serve);
}

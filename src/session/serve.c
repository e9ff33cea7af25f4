#include "base/limits.h"
#include "base/queue.h"
#include "host/sandbox.h"
#include "session/libssh.h"
#include "session/openssh.h"
#include "session/script.h"
#include "session/session.h"
#include "sys/fd.h"
#include "sys/process.h"
#include "wire/session_ipc.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Exit codes, which the manager logs. */
enum { EXIT_OK = 0, EXIT_UNREADABLE = 3, EXIT_UNABLE = 4 };

enum { READ_BYTES = 64 * 1024 };

struct session;

/* An active call of the manager. */
struct work {
    struct work *next;
    struct server *server;
    uint64_t id;
    struct transport_call *call;
    uint64_t untaken; /* number of output bytes that the manager has not acknowledged */
    uint64_t missing; /* number of input bytes that have not arrived yet */
    bool is_wanting;  /* the next piece of input was requested from the manager */
};

struct session {
    struct session *next;
    struct server *server;
    uint64_t id;
    struct transport_session *session;
};

struct server {
    const char *within; /* folder that must contain the driver's folder; NULL: any folder is
                         * permitted */
    struct loop *loop;
    struct loop_descriptor *descriptor;
    struct loop_timer *rest; /* expires some time after the last call, to return memory */
    struct transport *transport;
    struct session *sessions;
    struct work *works;
    size_t session_count;
    struct queue in;
    struct queue out;
    struct sandbox_report sandbox;
    int socket;
    int exit;
};

/* ---- sending ---- */

static void server_end(struct server *server, int exit)
{
    server->exit = exit;
    loop_stop(server->loop);
}

static void serve_message_send(struct server *server, const struct session_ipc_message *message)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text bytes;
    struct buf buf;

    buf_init(&buf, arena);
    session_ipc_format(&buf, message);
    bytes = buf_text(&buf);
    memcpy(queue_room(&server->out, bytes.length), bytes.data, bytes.length);
    server->out.length += bytes.length;
    (void)loop_descriptor_send(server->descriptor, server->socket, &server->out);
}

/* ---- results of calls ---- */

static void opened(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct session *session = arg;
    struct session_ipc_message message = { .type = SESSION_IPC_OPENED };

    message.opened = (struct session_ipc_opened){
        .session = session->id,
        .outcome = outcome,
        .fault = answer->fault,
        .message = script_plain(arena, answer->message),
        .host_key = script_plain(arena, answer->host_key),
        .is_first = answer->is_first,
    };
    serve_message_send(session->server, &message);
}

static void lost(void *arg, enum transport_fault fault, struct text why)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct session *session = arg;
    struct session_ipc_message message = { .type = SESSION_IPC_LOST };

    message.lost = (struct session_ipc_lost){ session->id, fault, script_plain(arena, why) };
    serve_message_send(session->server, &message);
}

static void serve_output_came(void *arg, enum transport_stream stream, struct text piece)
{
    struct work *work = arg;
    struct session_ipc_message message = { .type = SESSION_IPC_OUTPUT };

    message.output = (struct session_ipc_output){ work->id, stream, piece };
    serve_message_send(work->server, &message);
    work->untaken += piece.length;
    if (work->untaken >= LIMIT_SESSION_WINDOW_BYTES) {
        transport_pause(work->call);
    }
}

static void wanted(void *arg)
{
    struct work *work = arg;
    struct session_ipc_message message = { .type = SESSION_IPC_WANT };

    work->is_wanting = true;
    message.want.call = work->id;
    serve_message_send(work->server, &message);
}

static void work_free(struct work *work)
{
    struct work **at = &work->server->works;

    while (*at != work) {
        at = &(*at)->next;
    }
    *at = work->next;
    if (work->server->works == NULL) {
        loop_timer_start(work->server->rest, LIMIT_SESSION_REST_MS, 0);
    }
    rows_free(work);
}

static void ended(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct work *work = arg;
    struct session_ipc_message message = { .type = SESSION_IPC_ENDED };

    message.ended = (struct session_ipc_ended){
        .call = work->id,
        .outcome = outcome,
        .fault = answer->fault,
        .message = script_plain(arena, answer->message),
        .code = answer->code,
        .signal = script_plain(arena, answer->signal),
        .out_bytes = answer->bytes[TRANSPORT_OUT],
        .error_bytes = answer->bytes[TRANSPORT_ERROR],
        .out_dropped = answer->dropped[TRANSPORT_OUT],
        .error_dropped = answer->dropped[TRANSPORT_ERROR],
        .content = answer->content,
    };
    serve_message_send(work->server, &message);
    work_free(work);
}

/* ---- requests of the manager ---- */

static struct session *serve_session_find(const struct server *server, uint64_t id)
{
    struct session *session = server->sessions;

    while (session != NULL && session->id != id) {
        session = session->next;
    }
    return session;
}

static struct work *work_find(const struct server *server, uint64_t id)
{
    struct work *work = server->works;

    while (work != NULL && work->id != id) {
        work = work->next;
    }
    return work;
}

/* Handles an open request. Returns false if the request is invalid. */
static bool session_open(struct server *server, const struct session_ipc_open *open)
{
    struct session *session;
    struct transport_target target = {
        .address = open->address,
        .port = (uint16_t)open->port,
        .user = open->user,
        .key = secret_from(open->key),
        .certificate = open->certificate,
        .host_keys = open->host_keys,
        .authority = open->authority,
        .host_name = open->host_name,
        .is_first_key_accepted = open->is_first_key_accepted != 0,
        .is_operators = open->is_operators != 0,
        .exchange = (enum transport_exchange)open->exchange,
    };

    if (server->session_count >= LIMIT_SESSION_SESSIONS ||
        serve_session_find(server, open->session) != NULL || open->port > UINT16_MAX ||
        open->exchange >= TRANSPORT_EXCHANGE_COUNT) {
        return false;
    }
    session = rows_resize(NULL, sizeof(*session));
    *session = (struct session){ .next = server->sessions, .server = server, .id = open->session };
    server->sessions = session;
    server->session_count++;
    session->session =
        transport_open(server->transport, &target, open->left_ms, lost, opened, session);
    return true;
}

static bool session_close(struct server *server, uint64_t id)
{
    struct session **at = &server->sessions;
    struct session *session = serve_session_find(server, id);

    if (session == NULL) {
        return false;
    }
    transport_close(session->session);
    while (*at != session) {
        at = &(*at)->next;
    }
    *at = session->next;
    server->session_count--;
    rows_free(session);
    return true;
}

static struct transport_call *call_make(struct transport_session *session,
                                        const struct session_ipc_call *call, struct work *work)
{
    struct transport_command command = {
        .command = call->command,
        .input_bytes = call->input_bytes,
        .wants = wanted,
        .deadline_ms = call->left_ms,
        .output_max = call->output_max,
        .is_linewise = call->is_linewise != 0,
        .output = call->is_listened != 0 ? serve_output_came : NULL,
    };
    struct transport_file file = { .path = call->path,
                                   .input_bytes = call->input_bytes,
                                   .wants = wanted,
                                   .digest = call->digest,
                                   .mode = (unsigned)call->mode,
                                   .deadline_ms = call->left_ms };

    return call->kind == SESSION_IPC_EXEC  ? transport_exec(session, &command, ended, work)
           : call->kind == SESSION_IPC_PUT ? transport_put(session, &file, ended, work)
                                           : transport_get(session, call->path, (size_t)call->limit,
                                                           call->left_ms, ended, work);
}

static bool serve_work_begin(struct server *server, const struct session_ipc_call *call)
{
    const struct session *session = serve_session_find(server, call->session);
    struct work *work;

    if (session == NULL || call->kind >= SESSION_IPC_KIND_COUNT ||
        work_find(server, call->call) != NULL ||
        (call->kind == SESSION_IPC_PUT && call->digest.length == 0)) {
        return false;
    }
    work = rows_resize(NULL, sizeof(*work));
    *work = (struct work){
        .next = server->works, .server = server, .id = call->call, .missing = call->input_bytes
    };
    server->works = work;
    work->call = call_make(session->session, call, work);
    return true;
}

/* Cancels a call. The manager may also cancel a call that has just ended, because it has not
 * received the result yet; such a request is ignored. */
static void work_cancel(const struct server *server, uint64_t id)
{
    const struct work *work = work_find(server, id);

    if (work != NULL) {
        transport_cancel(work->call);
    }
}

static void work_more(const struct server *server, const struct session_ipc_more *more)
{
    struct work *work = work_find(server, more->call);

    if (work != NULL) {
        work->untaken -= more->bytes < work->untaken ? more->bytes : work->untaken;
        if (work->untaken < LIMIT_SESSION_WINDOW_BYTES / 2) {
            transport_resume(work->call);
        }
    }
}

/* Passes on input that a call has requested. If the call has ended in the meantime, the input is
 * ignored. Returns false if the input was not requested. */
static bool work_input(const struct server *server, const struct session_ipc_input *input)
{
    struct work *work = work_find(server, input->call);

    if (work == NULL) {
        return true;
    }
    if (!work->is_wanting || input->bytes.length == 0 || input->bytes.length > work->missing ||
        input->bytes.length > LIMIT_SESSION_PIECE_BYTES) {
        return false;
    }
    work->is_wanting = false;
    work->missing -= input->bytes.length;
    transport_give(work->call, input->bytes);
    return true;
}

static bool serve_message_take(struct server *server, const struct session_ipc_message *message)
{
    switch (message->type) {
    case SESSION_IPC_OPEN:
        return session_open(server, &message->open);
    case SESSION_IPC_CALL:
        return serve_work_begin(server, &message->call);
    case SESSION_IPC_CANCEL:
        work_cancel(server, message->cancel.call);
        return true;
    case SESSION_IPC_MORE:
        work_more(server, &message->more);
        return true;
    case SESSION_IPC_CLOSE:
        return session_close(server, message->close.session);
    case SESSION_IPC_INPUT:
        return work_input(server, &message->input);
    case SESSION_IPC_BEGIN:
    case SESSION_IPC_READY:
    case SESSION_IPC_FAILED:
    case SESSION_IPC_OPENED:
    case SESSION_IPC_LOST:
    case SESSION_IPC_OUTPUT:
    case SESSION_IPC_ENDED:
    case SESSION_IPC_WANT:
        break;
    }
    return false;
}

/* ---- receiving ---- */

/* Removes the first frame from the queue. Returns false if the frame is incomplete or invalid;
 * *exit is set if it is invalid. */
static bool serve_frame_take(struct queue *in, struct text *out, int *exit)
{
    struct text bytes = queue_text(in);
    struct err err;
    size_t length;

    if (!frame_measure(bytes, CODE_R0701, &length, &err)) {
        *exit = EXIT_UNREADABLE;
        return false;
    }
    if (length == 0 || bytes.length < length) {
        return false;
    }
    in->gone += length;
    *out = text_slice(bytes, 0, length);
    return true;
}

static void frames_take(struct server *server)
{
    struct text frame;
    int exit = EXIT_OK;

    while (serve_frame_take(&server->in, &frame, &exit)) {
        AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
        struct session_ipc_message message;
        struct err err;

        if (!session_ipc_parse(arena, frame, &message, &err) ||
            !serve_message_take(server, &message)) {
            server_end(server, EXIT_UNREADABLE);
            return;
        }
    }
    if (exit != EXIT_OK) {
        server_end(server, exit);
    }
    queue_trim(&server->in);
}

/* Reads bytes from the socket. They may contain keys. Returns false if the manager has closed the
 * socket. */
static bool serve_bytes_take(struct server *server, int flags)
{
    ssize_t got;

    server->in.is_secret = true;
    got = recv(server->socket, queue_room(&server->in, READ_BYTES), READ_BYTES, flags);
    if (got > 0) {
        server->in.length += (size_t)got;
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static void serve_socket_ready(void *arg, unsigned events)
{
    struct server *server = arg;

    if ((events & LOOP_WRITABLE) != 0) {
        (void)loop_descriptor_send(server->descriptor, server->socket, &server->out);
    }
    if ((events & LOOP_READABLE) != 0) {
        if (serve_bytes_take(server, MSG_DONTWAIT)) {
            frames_take(server);
        } else {
            server_end(server, EXIT_OK);
        }
    }
}

/* ---- start ---- */

/* If this process was started with more privileges, switches to the user that owns the manager's
 * folder. The OpenSSH client then also runs as that user. */
MUST_CHECK static bool owner_become(const struct server *server, const char *folder,
                                    struct err *err)
{
    AUTO(fd) opened = FD_NONE;
    struct stat status;

    if (server->within == NULL || geteuid() != 0) {
        return true;
    }
    if (!sandbox_folder_open(server->within, folder, &opened, err)) {
        return false;
    }
    if (fstat(opened, &status) == 0 &&
        (status.st_uid == 0 ||
         (setgroups(0, NULL) == 0 && setresgid(status.st_gid, status.st_gid, status.st_gid) == 0 &&
          setresuid(status.st_uid, status.st_uid, status.st_uid) == 0))) {
        return true;
    }
    return err_set(err, CODE_R0700, "the process cannot become the user of '%s': %s", folder,
                   strerror(errno));
}

/* Applies the sandbox. libssh needs only the network. The OpenSSH client also reads files of its
 * user, so its sandbox only denies system calls that it does not need and that could give it more
 * privileges. */
MUST_CHECK static bool session_serve_shut_in(struct server *server,
                                             const struct session_ipc_begin *begin, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    bool is_openssh = begin->is_openssh != 0;
    struct sandbox_options options = sandbox_options_of(is_openssh ? SANDBOX_HOST : SANDBOX_CLOUD);

    options.descriptors = &server->socket;
    options.descriptor_count = 1;
    if (is_openssh && !owner_become(server, arena_string(arena, begin->folder), err)) {
        return false;
    }
    if (is_openssh && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return err_set(err, CODE_R0700, "the kernel refuses no_new_privs");
    }
    return sandbox_enter(&options, &server->sandbox, err);
}

/* Returns free memory to the system after a time with many sessions. Such memory lies between
 * allocations that are still in use, so it is not returned automatically. */
static void rest_due(void *arg)
{
    const struct server *server = arg;

    if (server->works == NULL) {
        heap_rest();
    }
}

MUST_CHECK static bool begin(struct server *server, const struct session_ipc_begin *begin,
                             struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const char *folder = arena_string(arena, begin->folder);

    return session_serve_shut_in(server, begin, err) && loop_open(&server->loop, err) &&
           loop_timer_open(server->loop, rest_due, server, &server->rest, err) &&
           loop_descriptor_open(server->loop, server->socket, serve_socket_ready, server,
                                &server->descriptor, err) &&
           (begin->is_openssh != 0 ? openssh_new(server->loop, folder, &server->transport, err)
                                   : libssh_new(server->loop, &server->transport, err));
}

static void serve_ready_send(struct server *server)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct transport_traits traits = transport_traits(server->transport);
    struct session_ipc_message message = { .type = SESSION_IPC_READY };

    message.ready = (struct session_ipc_ready){
        .version = TEXT(REEVE_VERSION),
        .has_signal_names = traits.has_signal_names,
        .has_authorities = traits.has_authorities,
        .has_sntrup761 = traits.has_sntrup761,
        .sandbox = sandbox_report_pairs(arena, &server->sandbox, NULL),
    };
    serve_message_send(server, &message);
}

/* Reports an error before the loop exists. Blocks until the manager has the message, which is
 * short. */
static int unable_report(int socket, const struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct session_ipc_message message = { .type = SESSION_IPC_FAILED };
    struct text bytes;
    struct buf buf;

    message.failed.message = text_from(err->text);
    buf_init(&buf, arena);
    session_ipc_format(&buf, &message);
    bytes = buf_text(&buf);
    (void)!send(socket, bytes.data, bytes.length, MSG_NOSIGNAL);
    return EXIT_UNABLE;
}

int session_serve(int socket, const char *within)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct server server = { .socket = socket, .within = within };
    struct session_ipc_message message;
    struct text frame;
    struct err err;

    while (!serve_frame_take(&server.in, &frame, &server.exit)) {
        if (server.exit != EXIT_OK || !serve_bytes_take(&server, 0)) {
            return server.exit;
        }
    }
    if (!session_ipc_parse(arena, frame, &message, &err) || message.type != SESSION_IPC_BEGIN) {
        return EXIT_UNREADABLE;
    }
    if (!begin(&server, &message.begin, &err)) {
        return unable_report(socket, &err);
    }
    loop_descriptor_want(server.descriptor, LOOP_READABLE);
    serve_ready_send(&server);
    frames_take(&server);
    loop_run(server.loop);
    while (server.sessions != NULL) {
        (void)session_close(&server, server.sessions->id);
    }
    transport_free(server.transport);
    queue_clear(&server.in);
    queue_clear(&server.out);
    loop_timer_close(server.rest);
    loop_close(server.loop);
    return server.exit;
}

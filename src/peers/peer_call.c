#include "base/text.h"
#include "peers/peers_parts.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* public names start with: peer_ peers_ */

/* A connection has one call at a time:
 *
 *     connecting -> handshake, and the certificate is verified -> the request is sent
 *                -> head -> body, at the speed of its reader -> complete -> spare
 *
 * Failure modes: if the peer does not answer, the call fails at the deadline of its phase. If the
 * answer ends early, its parser detects that. If the peer sends faster than the reader reads, TCP
 * slows it down. A connection that has failed is never used again. A spare connection is closed
 * before the peer would close it, so that no request is lost. */

#define PEER_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3"

enum { PEER_RECORD_BYTES = 16384 };

/* ---- life ---- */

static void peer_call_unlink(struct peers_call *call)
{
    struct peer *peer = call->peer;

    *(call->before == NULL ? &peer->calls : &call->before->next) = call->next;
    if (call->next != NULL) {
        call->next->before = call->before;
    }
    assert(peer->call_count > 0);
    peer->call_count--;
    peer->spare_count -= call->phase == PEER_PHASE_SPARE;
}

/* Closes the connection without notifying the owner. */
static void peer_call_close(struct peers_call *call)
{
    loop_descriptor_close(call->descriptor);
    call->descriptor = NULL;
    if (call->session != NULL) {
        gnutls_deinit(call->session);
        call->session = NULL;
    }
    if (call->credentials != NULL) {
        peer_credentials_leave(call->credentials);
        call->credentials = NULL;
    }
    fd_cleanup(&call->socket);
    queue_clear(&call->out);
    if (loop_timer_is_running(call->timer)) {
        loop_timer_stop(call->timer);
    }
}

static void peer_call_free(struct peers_call *call)
{
    peer_call_unlink(call);
    peer_call_close(call);
    loop_timer_close(call->timer);
    queue_clear(&call->in);
    rows_free(call);
}

/* Ends a call because of a failure. A callback that calls this must return immediately
 * afterwards. */
static void peer_call_fail(struct peers_call *call, const char *reason)
{
    if (call->phase == PEER_PHASE_SPARE) {
        peer_call_free(call);
        return;
    }
    peer_call_close(call);
    call->phase = PEER_PHASE_ENDED;
    call->events.on_failure(call->events.arg, reason);
}

/* ---- the answer ---- */

static bool on_peer_body(void *arg, struct text piece)
{
    struct peers_call *call = arg;

    memcpy(queue_room(&call->in, piece.length), piece.data, piece.length);
    call->in.length += piece.length;
    return true;
}

static void peer_call_watch(struct peers_call *call)
{
    bool is_held = queue_text(&call->in).length >= LIMIT_PEER_QUEUE_BYTES;

    if (call->phase != PEER_PHASE_ANSWER) {
        return;
    }
    call->is_held = is_held;
    loop_descriptor_want(call->descriptor,
                         (is_held ? 0u : (unsigned)LOOP_READABLE) |
                             (queue_text(&call->out).length > 0 ? (unsigned)LOOP_WRITABLE : 0u));
    if (is_held) {
        loop_timer_stop(call->timer);
    } else if (call->is_head_reported) {
        loop_timer_start(call->timer, LIMIT_PEER_SILENCE_MS, 0);
    }
}

static bool peer_call_has_head(const struct peers_call *call)
{
    return call->reader.state != ANSWER_STATUS_LINE && call->reader.state != ANSWER_FIELDS;
}

/* Notifies the owner of a call. The owner may free the call. */
static void peer_call_notify(struct peers_call *call)
{
    if (!peer_call_has_head(call)) {
        peer_call_watch(call);
        return;
    }
    if (call->is_complete) {
        loop_timer_stop(call->timer);
        loop_descriptor_want(call->descriptor, LOOP_READABLE);
        call->phase = PEER_PHASE_ENDED;
    }
    if (!call->is_head_reported) {
        call->is_head_reported = true;
        peer_call_watch(call);
        call->events.on_head(call->events.arg, &call->reader.head);
        return;
    }
    peer_call_watch(call);
    call->events.on_bytes(call->events.arg);
}

/* Receives the bytes that are available. */
static void peer_call_receive(struct peers_call *call)
{
    char bytes[PEER_RECORD_BYTES];
    struct err err;
    ssize_t count;

    while (queue_text(&call->in).length < LIMIT_PEER_QUEUE_BYTES && !call->is_complete) {
        count = gnutls_record_recv(call->session, bytes, sizeof(bytes));
        if (count == GNUTLS_E_AGAIN || count == GNUTLS_E_INTERRUPTED) {
            break;
        }
        if (count <= 0) {
            /* only an answer without a length may end with the connection; any other is
             * incomplete */
            if (count == 0 && answer_reader_end(&call->reader, &err)) {
                call->is_complete = true;
                break;
            }
            peer_call_fail(call,
                           count == 0 || count == GNUTLS_E_PREMATURE_TERMINATION
                               ? "the manager closed the connection before its answer was complete"
                               : gnutls_strerror((int)count));
            return;
        }
        if (!answer_reader_feed(&call->reader, (struct text){ bytes, (size_t)count }, &err)) {
            peer_call_fail(call, err.text);
            return;
        }
        call->is_complete = answer_reader_is_done(&call->reader);
    }
    peer_call_notify(call);
}

/* ---- the request ---- */

/* Sends as many bytes as the socket accepts. Returns false after a failure. */
MUST_CHECK static bool peer_call_send(struct peers_call *call)
{
    struct text bytes = queue_text(&call->out);

    while (bytes.length > 0) {
        ssize_t count =
            gnutls_record_send(call->session, bytes.data,
                               bytes.length < PEER_RECORD_BYTES ? bytes.length : PEER_RECORD_BYTES);

        if (count == GNUTLS_E_AGAIN || count == GNUTLS_E_INTERRUPTED) {
            break;
        }
        if (count <= 0) {
            peer_call_fail(call, gnutls_strerror((int)count));
            return false;
        }
        call->out.gone += (size_t)count;
        bytes = queue_text(&call->out);
    }
    if (bytes.length == 0) {
        queue_trim(&call->out);
    }
    peer_call_watch(call);
    return true;
}

static void peer_call_begin(struct peers_call *call)
{
    call->phase = PEER_PHASE_ANSWER;
    loop_timer_start(call->timer, call->head_ms, 0);
    if (!peer_call_send(call)) {
        return; /* peer_call_fail was already called */
    }
}

/* ---- the handshake ---- */

static void peer_call_handshake(struct peers_call *call)
{
    char name[CERTIFICATE_NAME_BYTES];
    char reason[PEERS_REASON_BYTES];
    struct err err;
    int code = gnutls_handshake(call->session);

    if (code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED) {
        loop_descriptor_want(call->descriptor, gnutls_record_get_direction(call->session) == 1
                                                   ? LOOP_WRITABLE
                                                   : LOOP_READABLE);
        return;
    }
    if (code != GNUTLS_E_SUCCESS && gnutls_error_is_fatal(code) == 0) {
        return;
    }
    if (code != GNUTLS_E_SUCCESS) {
        snprintf(reason, sizeof(reason), "TLS: %s", gnutls_strerror(code));
        peer_call_fail(call, reason);
    } else if (!certificate_peer_read(call->session, false, name, &err)) {
        peer_call_fail(call, err.text);
    } else if (strcmp(name, call->peer->id) != 0) {
        snprintf(reason, sizeof(reason), "the certificate is for the manager '%s'", name);
        peer_call_fail(call, reason);
    } else {
        peer_call_begin(call);
    }
}

static void peer_call_connected(struct peers_call *call)
{
    socklen_t length = sizeof(int);
    int number = 0;
    int on = 1;

    if (getsockopt(call->socket, SOL_SOCKET, SO_ERROR, &number, &length) != 0) {
        number = errno;
    }
    if (number != 0) {
        peer_call_fail(call, strerror(number));
        return;
    }
    setsockopt(call->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (gnutls_init(&call->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) !=
            GNUTLS_E_SUCCESS ||
        gnutls_priority_set_direct(call->session, PEER_PRIORITIES, NULL) != GNUTLS_E_SUCCESS ||
        gnutls_credentials_set(call->session, GNUTLS_CRD_CERTIFICATE, call->credentials->gnutls) !=
            GNUTLS_E_SUCCESS) {
        peer_call_fail(call, "the TLS library cannot begin a session");
        return;
    }
    gnutls_transport_set_int(call->session, call->socket);
    call->phase = PEER_PHASE_HANDSHAKE;
    peer_call_handshake(call);
}

/* ---- events ---- */

/* Called when a spare connection is readable: TLS itself has sent a record, or the peer has closed
 * the connection. */
static void peer_spare_ready(struct peers_call *call)
{
    char byte;
    ssize_t count = gnutls_record_recv(call->session, &byte, 1);

    if (count != GNUTLS_E_AGAIN && count != GNUTLS_E_INTERRUPTED) {
        peer_call_free(call);
    }
}

static void on_peer_socket(void *arg, unsigned events)
{
    struct peers_call *call = arg;

    switch (call->phase) {
    case PEER_PHASE_CONNECTING:
        peer_call_connected(call);
        break;
    case PEER_PHASE_HANDSHAKE:
        peer_call_handshake(call);
        break;
    case PEER_PHASE_ANSWER:
        if ((events & LOOP_WRITABLE) != 0 && queue_text(&call->out).length > 0 &&
            !peer_call_send(call)) {
            return;
        }
        if ((events & LOOP_READABLE) != 0) {
            peer_call_receive(call);
        }
        break;
    case PEER_PHASE_SPARE:
        peer_spare_ready(call);
        break;
    case PEER_PHASE_ENDED:
        loop_descriptor_want(call->descriptor, 0); /* the call is kept until its owner ends it */
        break;
    }
}

static void on_peer_timer(void *arg)
{
    struct peers_call *call = arg;

    peer_call_fail(call, call->phase == PEER_PHASE_CONNECTING
                             ? "the manager did not accept the connection"
                         : call->phase == PEER_PHASE_HANDSHAKE
                             ? "the manager did not complete the handshake in time"
                             : "the manager did not answer in time");
}

/* ---- starting ---- */

MUST_CHECK static bool peer_connection_open(struct peer *peer, struct peers_call **out,
                                            struct err *err)
{
    struct loop *loop = peer->peers->options.loop;
    struct peers_call *call = rows_resize(NULL, sizeof(*call));

    *call = (struct peers_call){ .peer = peer, .socket = FD_NONE, .next = peer->calls };
    if (!loop_timer_open(loop, on_peer_timer, call, &call->timer, err)) {
        rows_free(call);
        return false;
    }
    call->socket = socket(peer->target->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (call->socket < 0 ||
        (connect(call->socket, peer->target->ai_addr, peer->target->ai_addrlen) != 0 &&
         errno != EINPROGRESS)) {
        err_set(err, CODE_R0585, "manager %s cannot be reached: %s", peer->name, strerror(errno));
    } else if (loop_descriptor_open(loop, call->socket, on_peer_socket, call, &call->descriptor,
                                    err)) {
        call->credentials = peer->peers->credentials;
        call->credentials->users++;
        if (call->next != NULL) {
            call->next->before = call;
        }
        peer->calls = call;
        peer->call_count++;
        loop_descriptor_want(call->descriptor, LOOP_WRITABLE);
        loop_timer_start(call->timer, LIMIT_PEER_CONNECT_MS, 0);
        *out = call;
        return true;
    }
    fd_cleanup(&call->socket);
    loop_timer_close(call->timer);
    rows_free(call);
    return false;
}

static void peer_request_add(struct queue *queue, struct text text)
{
    if (text.length > 0) {
        memcpy(queue_room(queue, text.length), text.data, text.length);
        queue->length += text.length;
    }
}

static void peer_request_format(struct queue *queue, const struct peer *peer,
                                const struct peers_request *request)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    peer_request_add(queue, arena_printf(arena, "%.*s %.*s HTTP/1.1\r\nHost: %s\r\n",
                                         TEXT_ARG(request->method), TEXT_ARG(request->target),
                                         peer->address));
    for (size_t i = 0; i < request->field_count; i++) {
        peer_request_add(queue, arena_printf(arena, "%s: %s\r\n", request->fields[i].name,
                                             request->fields[i].value));
    }
    if (request->content_type != NULL) {
        peer_request_add(queue, arena_printf(arena, "Content-Type: %s\r\n", request->content_type));
    }
    if (request->content_type != NULL || text_is(request->method, "POST")) {
        peer_request_add(queue,
                         arena_printf(arena, "Content-Length: %zu\r\n", request->body.length));
    }
    peer_request_add(queue, TEXT("\r\n"));
    peer_request_add(queue, request->body);
}

static struct peers_call *peer_spare_find(struct peer *peer)
{
    struct peers_call *call = peer->calls;

    while (call != NULL && call->phase != PEER_PHASE_SPARE) {
        call = call->next;
    }
    return call;
}

bool peer_call_start(struct peer *peer, const struct peers_request *request,
                     const struct peers_events *events, struct peers_call **out, struct err *err)
{
    struct peers_call *call = peer_spare_find(peer);

    assert(peer->peers->credentials != NULL);
    if (call == NULL && peer->call_count >= LIMIT_PEER_CALLS) {
        return err_set(err, CODE_R0585, "%d requests to manager %s are in progress",
                       LIMIT_PEER_CALLS, peer->name);
    }
    if (call == NULL && !peer_connection_open(peer, &call, err)) {
        return false;
    }
    call->events = *events;
    call->head_ms = request->head_ms;
    call->is_head_reported = false;
    call->is_complete = false;
    answer_reader_init(&call->reader, request->bytes_max, on_peer_body, call);
    call->reader.is_head_only = text_is(request->method, "HEAD");
    peer_request_format(&call->out, peer, request);
    if (call->phase == PEER_PHASE_SPARE) {
        peer->spare_count--;
        call->phase = PEER_PHASE_ANSWER;
        loop_timer_start(call->timer, call->head_ms, 0);
        peer_call_watch(call); /* sent when the socket is writable, so that no callback is called
                                * now */
    }
    *out = call;
    return true;
}

/* ---- use ---- */

size_t peers_call_read(struct peers_call *call, char *out, size_t room, bool *is_end)
{
    struct text text = text_slice(queue_text(&call->in), 0, room);

    memcpy(out, text.data == NULL ? "" : text.data, text.length);
    call->in.gone += text.length;
    queue_trim(&call->in);
    *is_end = call->is_complete && queue_text(&call->in).length == 0;
    if (call->is_held && queue_text(&call->in).length < LIMIT_PEER_QUEUE_BYTES / 2) {
        peer_call_watch(call);
    }
    return text.length;
}

void peers_call_end(struct peers_call *call)
{
    if (call == NULL) {
        return;
    }
    if (call->phase != PEER_PHASE_ENDED || !call->is_complete || call->session == NULL ||
        call->reader.state != ANSWER_DONE || call->credentials->is_replaced ||
        call->peer->spare_count >= LIMIT_PEER_SPARES) {
        peer_call_free(call);
        return;
    }
    call->phase = PEER_PHASE_SPARE;
    call->peer->spare_count++;
    call->spare_ms = loop_now_ms(call->peer->peers->options.loop);
    queue_clear(&call->in);
    call->is_held = false;
    loop_descriptor_want(call->descriptor, LOOP_READABLE);
}

void peer_calls_fail(struct peer *peer, const char *reason, const struct peers_call *except)
{
    struct peers_call *call = peer->calls;

    while (call != NULL) {
        if (call->phase == PEER_PHASE_ENDED || call->phase == PEER_PHASE_SPARE || call == except) {
            call = call->next;
            continue;
        }
        peer_call_fail(call, reason);
        call = peer->calls; /* begin again, because the owner may have ended other calls as well */
    }
}

void peer_spares_close(struct peer *peer, uint64_t before_ms)
{
    struct peers_call *next;

    for (struct peers_call *call = peer->calls; call != NULL; call = next) {
        next = call->next;
        if (call->phase == PEER_PHASE_SPARE && call->spare_ms <= before_ms) {
            peer_call_free(call);
        }
    }
}

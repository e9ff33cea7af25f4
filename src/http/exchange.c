#include "http/certificate.h"
#include "http/guard.h"
#include "http/server.h"

#include <assert.h>
#include <string.h>

/* One request and its answer:
 *
 *     target -> headers -> body, kept or skipped -> served -> answered immediately
 *                                                          | suspended, answered later
 *                       -> rejected before its body, if the body is too long to skip
 *
 * An invalid request is passed to the handler together with the error, so that all rejections have
 * the same form. An answer that is sent before the end of the request body always ends the
 * connection. */

static struct http_server *server_of(const struct http_exchange *exchange)
{
    return exchange->connection->listener->server;
}

/* Stores an error, unless an earlier one is stored. */
static void exchange_fault_keep(struct http_exchange *exchange, const struct err *err)
{
    if (exchange->request.fault == NULL) {
        exchange->fault = *err;
        exchange->request.fault = &exchange->fault;
    }
}

static bool has_header(const struct http_exchange *exchange, enum http_header header)
{
    return exchange->request.headers[header].data != NULL;
}

/* ---- head ---- */

void *exchange_begin(void *arg, const char *target, struct MHD_Connection *mhd)
{
    struct listener *listener = arg;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct connection *connection = info == NULL ? NULL : info->socket_context;
    struct http_exchange *exchange =
        connection == NULL ? NULL : pool_take(listener->server->exchanges);

    if (exchange == NULL) {
        return NULL; /* exchange_go_on ends the connection */
    }
    exchange->connection = connection;
    exchange->mhd = mhd;
    exchange->request.arena = stock_take(&listener->server->arenas);
    exchange->request.peer = &connection->peer;
    exchange->target = target;
    exchange->raw = arena_text(exchange->request.arena, text_from(target));
    exchange->request.raw_target = exchange->raw;
    buf_init(&exchange->body, exchange->request.arena);
    return exchange;
}

/* The head of a request in the library's receive buffer.
 *
 * Up to 0.9.75 (Debian 12) the library also accepts a lone LF as the end of a line, and its strings
 * end at the first NUL. It splits lines in place and replaces each byte that ended a line by a NUL.
 * Therefore two NULs follow a line that ended with CR LF, and then the next line begins. A head
 * with any other layout could be read in two ways by two parsers. The library copies folded lines
 * (continued with a space or tab) elsewhere, so they are rejected too. Newer versions check this
 * themselves. */
struct head {
    struct guard guard;
    const char *next; /* where the next line must begin; NULL: the layout is not checked */
    bool is_torn;
};

static void exchange_line_end(struct head *head, const char *end)
{
    head->is_torn = head->is_torn || end[0] != '\0' || end[1] != '\0';
    head->next = end + 2;
}

/* Returns whether only blanks separate two words of the request line. The library has replaced one
 * of the blanks by NUL. */
static bool is_exchange_blank(const char *from, const char *to)
{
    while (from < to && (*from == '\0' || *from == ' ')) {
        from++;
    }
    return from == to;
}

static enum MHD_Result exchange_header_take(void *arg, enum MHD_ValueKind kind, const char *name,
                                            const char *value)
{
    struct head *head = arg;

    (void)kind;
    if (head->next != NULL && !head->is_torn) {
        head->is_torn = name != head->next || value == NULL;
        if (!head->is_torn) {
            exchange_line_end(head, value + strlen(value));
        }
    }
    return guard_header(&head->guard, name, value) ? MHD_YES : MHD_NO;
}

/* Checks the request line, before the headers. */
static void head_begin(struct head *head, const struct http_exchange *exchange, const char *method,
                       const char *version)
{
    const char *target = exchange->target;

    if (server_of(exchange)->has_strict_library) {
        return;
    }
    head->is_torn = !is_exchange_blank(method + strlen(method), target) ||
                    !is_exchange_blank(target + exchange->raw.length, version);
    exchange_line_end(head, version + strlen(version));
}

/* Checks the empty line after the headers, which the library counts as a part of the head. */
static void exchange_head_end(struct head *head, const struct http_exchange *exchange,
                              const char *method)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    if (head->next == NULL || head->guard.has_fault || head->is_torn) {
        return;
    }
    exchange_line_end(head, head->next);
    head->is_torn = head->is_torn || info == NULL || head->next != method + info->header_size;
}

/* Reads the headers. Their errors take precedence over others. */
static void headers_take(struct http_exchange *exchange, const char *method, const char *version)
{
    struct head head = { .guard = { .request = &exchange->request } };
    struct guard *guard = &head.guard;

    head_begin(&head, exchange, method, version);
    MHD_get_connection_values(exchange->mhd, MHD_HEADER_KIND, exchange_header_take, &head);
    exchange_head_end(&head, exchange, method);
    if (head.is_torn) {
        guard_torn(guard);
    }
    guard_framing(guard);
    if (guard->has_fault) {
        exchange_fault_keep(exchange, &guard->fault);
    }
    exchange->closes = exchange->closes || guard->closes;
}

static void body_fault(struct http_exchange *exchange)
{
    struct err err;

    err_set(&err, CODE_R0421, "the body is larger than %zu bytes", exchange->body_max);
    err_hint(&err, "split it into several requests");
    exchange_fault_keep(exchange, &err);
}

/* Reads the name in the client's certificate, once per connection. */
static void exchange_name_take(struct http_exchange *exchange)
{
    struct connection *connection = exchange->connection;
    const union MHD_ConnectionInfo *info;
    struct err err;

    if (!connection->listener->has_authority || connection->peer.name[0] != '\0') {
        return;
    }
    info = MHD_get_connection_info(exchange->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    if (info == NULL || info->tls_session == NULL) {
        err_set(&err, CODE_R0586, "this connection has no TLS");
    } else if (certificate_peer_read(info->tls_session, true, connection->peer.name, &err)) {
        return;
    }
    exchange_fault_keep(exchange, &err);
    exchange->closes = true;
}

/* Reads the head. The announced length of the body is used only to reject a body early. */
static void exchange_head_take(struct http_exchange *exchange, const char *method,
                               const char *version)
{
    struct http_server *server = server_of(exchange);
    struct http_request *request = &exchange->request;
    int64_t length = 0;
    struct err err;

    exchange->has_head = true;
    request->method = arena_text(request->arena, text_from(method));
    exchange_name_take(exchange);
    headers_take(exchange, method, version);
    request->client = guard_client(request, &server->crowd);
    if (!target_parse(request->arena, exchange->raw, &request->target, &err)) {
        exchange_fault_keep(exchange, &err);
    }
    if (has_header(exchange, HTTP_CONTENT_LENGTH) &&
        !text_parse_int64(request->headers[HTTP_CONTENT_LENGTH], &length)) {
        length = INT64_MAX;
    }
    if (request->fault == NULL && (length > 0 || has_header(exchange, HTTP_TRANSFER_ENCODING))) {
        exchange->body_max = server->handler.body_max(server->handler.arg, request);
    }
    if (exchange->body_max > 0 && (uint64_t)length > exchange->body_max) {
        body_fault(exchange);
    }
    if (request->fault != NULL) {
        exchange->body_max = 0;
    }
    /* so that neither side waits for a body that is rejected anyway */
    if (exchange->body_max == 0 && length > 0 &&
        (length > LIMIT_HTTP_SKIP_BYTES || has_header(exchange, HTTP_EXPECT))) {
        exchange->closes = true;
    }
}

static bool is_refused_early(const struct http_exchange *exchange)
{
    return exchange->closes && exchange->body_max == 0;
}

/* ---- body ---- */

/* Processes a part of the body. Returns false if the client sends too much; the connection must end
 * then. */
static bool exchange_body_take(struct http_exchange *exchange, const char *data, size_t bytes)
{
    struct http_server *server = server_of(exchange);
    struct err err;

    if (exchange->body_max > 0 && exchange->body.length + bytes > exchange->body_max) {
        body_fault(exchange);
    } else if (exchange->body_max > 0 && server->body_bytes + bytes > LIMIT_HTTP_BODIES_BYTES) {
        err_set(&err, CODE_R0422, "too many bodies are being received at the same time");
        exchange_fault_keep(exchange, &err);
    }
    if (exchange->body_max == 0 || exchange->request.fault != NULL) {
        exchange->skipped += bytes;
        return exchange->skipped <= LIMIT_HTTP_SKIP_BYTES;
    }
    buf_add(&exchange->body, (struct text){ data, bytes });
    server->body_bytes += bytes;
    return true;
}

/* ---- answer ---- */

static enum MHD_Result answer_queue(struct http_exchange *exchange)
{
    enum MHD_Result result =
        MHD_queue_response(exchange->mhd, exchange->status, exchange->response);

    MHD_destroy_response(exchange->response); /* drops this reference: the library holds another one
                                               * now */
    exchange->response = NULL;
    return result;
}

static void exchange_serve(struct http_exchange *exchange)
{
    struct http_server *server = server_of(exchange);

    exchange->is_served = true;
    exchange->is_in_callback = true;
    exchange->request.body = buf_text(&exchange->body);
    exchange->request.is_body_dropped = exchange->skipped > 0;
    connection_wait(exchange->connection, HTTP_WAIT_NONE);
    server->handler.serve(server->handler.arg, exchange, &exchange->request);
    exchange->is_in_callback = false;
}

enum MHD_Result exchange_go_on(void *arg, struct MHD_Connection *mhd, const char *url,
                               const char *method, const char *version, const char *data,
                               size_t *bytes, void **context)
{
    struct http_exchange *exchange = *context;

    (void)arg;
    (void)url;
    if (exchange == NULL) {
        return MHD_NO;
    }
    if (!exchange->has_head) {
        exchange_head_take(exchange, method, version);
        connection_wait(exchange->connection, HTTP_WAIT_BODY);
        if (!is_refused_early(exchange)) {
            return MHD_YES;
        }
    } else if (*bytes > 0) {
        bool goes_on = exchange_body_take(exchange, data, *bytes);

        *bytes = 0;
        return goes_on ? MHD_YES : MHD_NO;
    }
    if (!exchange->is_served) {
        exchange_serve(exchange);
    }
    if (exchange->response != NULL) {
        return answer_queue(exchange);
    }
    assert(!exchange->is_answered);
    exchange->is_suspended = true;
    MHD_suspend_connection(mhd);
    return MHD_YES;
}

/* Returns whether the client must receive the stream within a time limit. Otherwise the stream
 * lasts as long as the client wants. */
static bool is_taken_in_time(const struct http_stream *stream)
{
    return stream->bytes > 0 || stream->has_end;
}

static ssize_t stream_read(void *arg, uint64_t position, char *out, size_t room)
{
    struct http_exchange *exchange = arg;
    bool is_end = false;
    size_t bytes;

    (void)position;
    if (exchange->is_gone) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    bytes = exchange->stream.read(exchange->stream.arg, out, room, &is_end);
    assert(bytes <= room);
    if (bytes > 0) {
        if (!is_taken_in_time(&exchange->stream)) {
            connection_wait(exchange->connection, HTTP_WAIT_NONE);
        }
        return (ssize_t)bytes;
    }
    if (is_end) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    exchange->is_suspended = true;
    MHD_suspend_connection(exchange->mhd);
    return 0;
}

static struct MHD_Response *response_make(struct http_exchange *exchange,
                                          const struct http_answer *answer)
{
    struct MHD_Response *response;

    if (answer->stream != NULL) {
        exchange->stream = *answer->stream;
        response = MHD_create_response_from_callback(
            answer->stream->bytes > 0 ? answer->stream->bytes : MHD_SIZE_UNKNOWN,
            is_taken_in_time(answer->stream) ? LIMIT_HTTP_PIECE_BYTES
                                             : LIMIT_HTTP_CONNECTION_BYTES / 4,
            stream_read, exchange, NULL);
    } else {
        response = MHD_create_response_from_buffer(
            answer->body.length, (void *)(uintptr_t)answer->body.data, MHD_RESPMEM_PERSISTENT);
    }
    assert(response != NULL);
    if (answer->content_type != NULL) {
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->content_type);
    }
    for (size_t i = 0; i < answer->field_count; i++) {
        MHD_add_response_header(response, answer->fields[i].name, answer->fields[i].value);
    }
    if (exchange->closes || server_of(exchange)->is_draining) {
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    return response;
}

static void exchange_resume(struct http_exchange *exchange)
{
    exchange->is_suspended = false;
    MHD_resume_connection(exchange->mhd);
    http_listener_wake(exchange->connection->listener);
}

/* Called when the client disconnects. The library does not watch suspended connections, so without
 * this it would notice only at the next write. */
static void client_gone(void *arg, unsigned events)
{
    struct http_exchange *exchange = arg;

    (void)events;
    loop_descriptor_close(exchange->gone);
    exchange->gone = NULL;
    exchange->is_gone = true;
    if (exchange->is_suspended) {
        exchange_resume(exchange);
    }
}

static void client_watch(struct http_exchange *exchange)
{
    struct err err;

    if (!exchange->stream.is_ended_by_close ||
        !loop_descriptor_open(server_of(exchange)->loop, exchange->connection->fd, client_gone,
                              exchange, &exchange->gone, &err)) {
        return; /* without a free slot in the loop, the library notices the disconnect later */
    }
    loop_descriptor_want(exchange->gone, LOOP_CLOSED);
}

void http_answer_give(struct http_exchange *exchange, const struct http_answer *answer)
{
    assert(exchange->is_served && !exchange->is_answered);
    exchange->is_answered = true;
    exchange->status = answer->status;
    exchange->response = response_make(exchange, answer);
    client_watch(exchange);
    connection_wait(exchange->connection,
                    answer->stream != NULL && !is_taken_in_time(answer->stream) ? HTTP_WAIT_NONE
                                                                                : HTTP_WAIT_READER);
    if (!exchange->is_in_callback) {
        exchange_resume(exchange);
    }
}

void http_stream_wake(struct http_exchange *exchange)
{
    assert(exchange->stream.read != NULL);
    if (exchange->is_suspended) {
        exchange_resume(exchange);
    }
}

void http_stream_break(struct http_exchange *exchange)
{
    exchange->is_gone = true;
    http_stream_wake(exchange);
}

void exchange_end(void *arg, struct MHD_Connection *mhd, void **context,
                  enum MHD_RequestTerminationCode reason)
{
    struct listener *listener = arg;
    struct http_exchange *exchange = *context;

    (void)mhd;
    (void)reason;
    if (exchange == NULL) {
        return;
    }
    *context = NULL;
    if (exchange->gone != NULL) {
        loop_descriptor_close(exchange->gone);
    }
    assert((!exchange->is_served || exchange->is_answered) && "suspended until it is answered");
    if (exchange->response != NULL) {
        MHD_destroy_response(exchange->response);
    }
    if (exchange->stream.closed != NULL) {
        exchange->stream.closed(exchange->stream.arg);
    }
    listener->server->body_bytes -= exchange->body.length;
    connection_wait(exchange->connection, HTTP_WAIT_IDLE);
    stock_give(&listener->server->arenas, exchange->request.arena);
    pool_give(listener->server->exchanges, exchange);
}

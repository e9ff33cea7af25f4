#include "client/client.h"

#include "client/wire.h"
#include "sys/clock.h"
#include "sys/fd.h"

#include <assert.h>
#include <string.h>

/* Maximum number of times that a request is sent if repeating it is harmless. */
#define CLIENT_TRIES 3

void client_path_add(struct buf *path, struct text part)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < part.length; i++) {
        unsigned char letter = (unsigned char)part.data[i];
        bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                        (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' ||
                        letter == '_' || letter == '~' || letter == '/';

        if (is_plain) {
            buf_add_bytes(path, (char)letter, 1);
        } else {
            char encoded[3] = { '%', digits[letter >> 4], digits[letter & 15] };

            buf_add(path, (struct text){ encoded, sizeof(encoded) });
        }
    }
}

/* ---- the request as bytes ---- */

/* Returns whether a header value is safe: one with an end of line could inject another header. */
static bool is_line_safe(struct text value)
{
    for (size_t i = 0; i < value.length; i++) {
        unsigned char letter = (unsigned char)value.data[i];

        if (letter < ' ' || letter == 0x7f) {
            return false;
        }
    }
    return true;
}

MUST_CHECK static bool field_add(struct buf *out, const char *name, struct text value,
                                 struct err *err)
{
    if (value.length == 0) {
        return true;
    }
    if (!is_line_safe(value)) {
        return err_set(err, CODE_R0005, "a value for '%s' contains a control character", name);
    }
    buf_printf(out, "%s: ", name);
    buf_add(out, value);
    buf_add_string(out, "\r\n");
    return true;
}

static void client_host_add(struct buf *out, const struct address *address)
{
    bool is_six =
        address->kind == ADDRESS_LOOPBACK && text_find_byte(address->host, ':') != SIZE_MAX;

    if (address->kind == ADDRESS_UNIX) {
        buf_add_string(out, "Host: localhost\r\n");
    } else {
        buf_printf(out, "Host: %s%.*s%s:%u\r\n", is_six ? "[" : "", TEXT_ARG(address->host),
                   is_six ? "]" : "", address->port);
    }
}

MUST_CHECK static bool request_format(struct buf *out, const struct client *client,
                                      const struct client_request *request, struct err *err)
{
    struct text token = secret_reveal(client->token);
    bool has_body = request->content_type != NULL;

    if (!is_line_safe(request->path) || text_find_byte(request->path, ' ') != SIZE_MAX ||
        !text_has_prefix(request->path, TEXT("/")) || !is_line_safe(text_from(request->method)) ||
        strchr(request->method, ' ') != NULL) {
        err_set(err, CODE_R0005, "'%.*s' is not a valid path of a request",
                TEXT_ARG(request->path));
        return err_hint(err, "it begins with / and has no blanks: /v1/clusters?limit=10");
    }
    buf_printf(out, "%s %.*s HTTP/1.1\r\n", request->method, TEXT_ARG(request->path));
    client_host_add(out, &client->address);
    buf_add_string(out, "User-Agent: reeve/" REEVE_VERSION "\r\nConnection: close\r\n");
    if (!field_add(out, "Accept", text_from(request->accept), err) ||
        !field_add(out, "Reeve-Tenant", client->tenant, err) ||
        !field_add(out, "Idempotency-Key", request->idempotency_key, err) ||
        !field_add(out, "Last-Event-ID", request->last_event_id, err)) {
        return false;
    }
    if (request->if_match.length > 0) {
        buf_printf(out, "If-Match: \"%.*s\"\r\n", TEXT_ARG(request->if_match));
    }
    if (token.length > 0) {
        if (!is_line_safe(token)) {
            return err_set(err, CODE_R0022, "the token contains a control character");
        }
        buf_printf(out, "Authorization: Bearer %.*s\r\n", TEXT_ARG(token));
    }
    if (has_body) {
        buf_printf(out, "Content-Type: %s\r\n", request->content_type);
    }
    if (has_body || strcmp(request->method, "GET") != 0) {
        buf_printf(out, "Content-Length: %zu\r\n", request->body.length);
    }
    buf_add_string(out, "\r\n");
    return true;
}

/* ---- one exchange ---- */

/* One request and its answer. The body of the answer is stored, or parsed as events if it is a
 * stream. */
struct exchange {
    struct answer_reader reader;
    struct buf body;
    struct client_stream *stream; /* NULL: the body is stored, not parsed as a stream */
    struct event_reader events;
    const struct client *client;
    uint64_t begun_ms;
    bool is_slow;      /* the slow answer was reported */
    uint64_t heard_ms; /* time of the newest bytes */
    uint64_t tick_ms;  /* time of the next tick */
    bool is_stream;
    bool is_connected; /* a part of the request may have been sent */
    bool has_failed;   /* an event was too large */
    struct err *err;
};

static bool client_body_take(void *arg, struct text piece)
{
    struct exchange *exchange = arg;
    const struct answer_head *head = &exchange->reader.head;

    /* a log is lines of text; an error in text is not a stream */
    exchange->events.is_lines =
        strcmp(head->content_type, "application/jsonl") == 0 ||
        (head->status == 200 && strncmp(head->content_type, "text/plain", 10) == 0);
    if (exchange->stream == NULL ||
        !(exchange->events.is_lines || strcmp(head->content_type, "text/event-stream") == 0)) {
        if (exchange->body.length == 0 && exchange->reader.has_length) {
            /* reserve room for the announced length, at most the permitted number of bytes */
            buf_reserve(&exchange->body, exchange->reader.left);
        }
        buf_add(&exchange->body, piece);
        return true;
    }
    exchange->is_stream = true;
    exchange->has_failed = !event_reader_feed(&exchange->events, piece, exchange->err);
    return !exchange->has_failed && !exchange->events.is_enough;
}

/* Returns the deadline of a connection attempt. It is shorter if there is another address to
 * try. */
static uint64_t connect_deadline(const struct client *client, uint64_t deadline_ms)
{
    uint64_t early_ms = clock_monotonic_ms(clock_system()) + LIMIT_CONTEXT_CONNECT_MS;
    bool has_others = client->addresses != NULL && client->addresses->count > 1;

    return has_others && early_ms < deadline_ms ? early_ms : deadline_ms;
}

MUST_CHECK static bool head_send(const struct client *client, const struct client_request *request,
                                 struct wire *wire, struct arena *arena, uint64_t deadline_ms,
                                 struct exchange *exchange, struct err *err)
{
    struct buf head;

    buf_init(&head, arena);
    if (!request_format(&head, client, request, err) ||
        !wire_open(&client->address, client->ca, connect_deadline(client, deadline_ms), wire,
                   err)) {
        return false;
    }
    exchange->is_connected = true;
    return wire_write(wire, buf_text(&head), deadline_ms, err);
}

/* Returns the deadline for the next bytes. A stream sends data at least every 15
 * seconds. */
static uint64_t read_deadline(const struct exchange *exchange, uint64_t deadline_ms)
{
    uint64_t silence_ms = exchange->heard_ms + LIMIT_STREAM_SILENCE_MS;

    if (!exchange->is_stream) {
        return deadline_ms;
    }
    return silence_ms < exchange->stream->deadline_ms ? silence_ms : exchange->stream->deadline_ms;
}

/* Handles a timeout in a stream: either the requested time has passed, or the connection is
 * dead. */
MUST_CHECK static bool late_judge(struct exchange *exchange, struct err *err)
{
    if (!exchange->is_stream || err->code != CODE_R0016) {
        return false;
    }
    if (clock_monotonic_ms(clock_system()) >= exchange->stream->deadline_ms) {
        exchange->stream->is_over = true;
        return true;
    }
    return err_set(err, CODE_R0018, "no data has arrived from the manager for %d s",
                   LIMIT_STREAM_SILENCE_MS / 1000);
}

/* Calls the callback that is due: the tick of a stream, or the report of a slow answer, which is
 * made once. */
static void tick_give(struct exchange *exchange)
{
    if (exchange->is_stream) {
        exchange->tick_ms += exchange->stream->tick_ms;
        exchange->stream->tick(exchange->stream->arg);
    } else {
        exchange->is_slow = true;
        exchange->client->slow(exchange->client->slow_arg);
    }
}

/* Returns the time of the next callback that becomes due; UINT64_MAX: none. */
static uint64_t client_tick_due(const struct exchange *exchange)
{
    if (exchange->is_stream) {
        return exchange->stream->tick == NULL ? UINT64_MAX : exchange->tick_ms;
    }
    return exchange->client->slow == NULL || exchange->is_slow
               ? UINT64_MAX
               : exchange->begun_ms + LIMIT_SLOW_ANSWER_MS;
}

/* Reads the next bytes, and calls the callbacks that become due while it waits. */
MUST_CHECK static bool client_bytes_read(struct exchange *exchange, const struct wire *wire,
                                         char *bytes, size_t room, uint64_t deadline_ms,
                                         size_t *out_count, struct err *err)
{
    bool is_read;

    for (;;) {
        uint64_t until_ms = read_deadline(exchange, deadline_ms);
        uint64_t tick_ms = client_tick_due(exchange);
        bool is_tick = tick_ms < until_ms;

        is_read = wire_read(wire, bytes, room, is_tick ? tick_ms : until_ms, out_count, err);
        exchange->heard_ms = is_read ? clock_monotonic_ms(clock_system()) : exchange->heard_ms;
        if (is_read || !is_tick || err->code != CODE_R0016) {
            return is_read;
        }
        tick_give(exchange);
    }
}

MUST_CHECK static bool answer_read(struct exchange *exchange, const struct wire *wire,
                                   uint64_t deadline_ms, struct err *err)
{
    char bytes[16 * 1024];
    size_t count;

    while (!answer_reader_is_done(&exchange->reader)) {
        if (!client_bytes_read(exchange, wire, bytes, sizeof(bytes), deadline_ms, &count, err)) {
            return late_judge(exchange, err);
        }
        if (count == 0) {
            return answer_reader_end(&exchange->reader, err);
        }
        if (!answer_reader_feed(&exchange->reader, (struct text){ bytes, count }, err)) {
            return false;
        }
        if (exchange->has_failed) {
            return false;
        }
    }
    return true;
}

MUST_CHECK static bool exchange_run(struct arena *arena, const struct client *client,
                                    const struct client_request *request, struct exchange *exchange,
                                    uint64_t deadline_ms, struct err *err)
{
    AUTO(wire) wire = { .fd = FD_NONE };
    struct err unsent;
    bool is_sent;

    if (!head_send(client, request, &wire, arena, deadline_ms, exchange, err)) {
        return false;
    }
    is_sent = wire_write(&wire, request->body, deadline_ms, &unsent);
    if (!answer_read(exchange, &wire, deadline_ms, err)) {
        if (!is_sent) {
            *err = unsent;
        }
        return false;
    }
    return true; /* a manager may answer before it has read everything: too large, not permitted */
}

static void exchange_init(struct exchange *exchange, struct arena *arena,
                          const struct client *client, struct client_stream *stream,
                          const char *method, struct err *err)
{
    memset(exchange, 0, sizeof(*exchange));
    buf_init(&exchange->body, arena);
    exchange->stream = stream;
    exchange->err = err;
    exchange->client = client;
    exchange->begun_ms = clock_monotonic_ms(clock_system());
    exchange->heard_ms = exchange->begun_ms;
    exchange->tick_ms = exchange->heard_ms + (stream == NULL ? 0 : stream->tick_ms);
    answer_reader_init(&exchange->reader, stream == NULL ? LIMIT_ANSWER_BYTES : UINT64_MAX,
                       client_body_take, exchange);
    exchange->reader.is_head_only = strcmp(method, "HEAD") == 0;
}

static bool is_repeatable(const struct client_request *request)
{
    return strcmp(request->method, "GET") == 0 || request->idempotency_key.length > 0;
}

/* Sends a request to one address, and repeats it if the connection breaks. */
MUST_CHECK static bool client_call_one(struct arena *arena, const struct client *client,
                                       const struct client_request *request, uint64_t deadline_ms,
                                       struct exchange *exchange, struct err *err)
{
    for (int i = 1;; i++) {
        exchange_init(exchange, arena, client, NULL, request->method, err);
        if (exchange_run(arena, client, request, exchange, deadline_ms, err)) {
            return true;
        }
        if (err->code != CODE_R0018 || !is_repeatable(request) || i == CLIENT_TRIES) {
            return false;
        }
    }
}

/* client_attempts returns the number of addresses. client_attempt returns the client for an attempt
 * by number, from 0. */
static size_t client_attempts(const struct client *client)
{
    return client->addresses == NULL ? 1 : client->addresses->count;
}

static struct client client_attempt(const struct client *client, size_t attempt)
{
    struct client one = *client;

    if (client->addresses != NULL) {
        const struct client_addresses *all = client->addresses;

        one.address = all->items[(all->at + attempt) % all->count];
    }
    return one;
}

/* Records that the address of this attempt has answered, so that it is tried first next time. */
static void client_answered(const struct client *client, size_t attempt)
{
    if (client->addresses != NULL) {
        client->addresses->at = (client->addresses->at + attempt) % client->addresses->count;
    }
}

bool client_call(struct arena *arena, const struct client *client,
                 const struct client_request *request, struct client_answer *out, struct err *err)
{
    uint64_t deadline_ms = clock_monotonic_ms(clock_system()) + client->timeout_ms;
    struct exchange *exchange = arena_one(arena, struct exchange);

    assert(client->timeout_ms > 0);
    for (size_t i = 0; i < client_attempts(client); i++) {
        struct client one = client_attempt(client, i);

        if (client_call_one(arena, &one, request, deadline_ms, exchange, err)) {
            client_answered(client, i);
            *out = (struct client_answer){ exchange->reader.head, buf_text(&exchange->body) };
            return true;
        }
        /* a request that may have had an effect is repeated only if the manager recognizes the
         * repetition by its key */
        if ((exchange->is_connected && !is_repeatable(request)) ||
            (err->code != CODE_R0015 && err->code != CODE_R0016 && err->code != CODE_R0018)) {
            break;
        }
    }
    if (err->code == CODE_R0018 && strcmp(request->method, "GET") != 0) {
        err_hint(err, "the request may have taken effect: check with reeve get or reeve events "
                      "before you try again");
    }
    return false;
}

/* Reads a stream from the first address that can be reached. */
MUST_CHECK static bool client_stream_open(struct arena *arena, const struct client *client,
                                          const struct client_request *request,
                                          struct client_stream *stream, struct exchange *exchange,
                                          struct err *err)
{
    uint64_t deadline_ms = clock_monotonic_ms(clock_system()) + client->timeout_ms;

    for (size_t i = 0;; i++) {
        struct client *one = arena_one(arena, struct client);

        *one = client_attempt(client, i);
        exchange_init(exchange, arena, one, stream, request->method, err);
        event_reader_init(&exchange->events, stream->event, stream->arg);
        if (exchange_run(arena, one, request, exchange, deadline_ms, err)) {
            client_answered(client, i);
            return true;
        }
        if (exchange->is_connected || i + 1 == client_attempts(client)) {
            return false;
        }
        event_reader_fini(&exchange->events);
    }
}

bool client_stream_read(struct arena *arena, const struct client *client,
                        const struct client_request *request, struct client_stream *stream,
                        struct client_answer *out, struct err *err)
{
    struct arena_mark mark = arena_mark(arena);
    struct exchange *exchange = arena_one(arena, struct exchange);
    bool is_done;

    assert(stream->tick == NULL || stream->tick_ms > 0);
    stream->is_over = false;
    is_done = client_stream_open(arena, client, request, stream, exchange, err);
    stream->is_enough = exchange->events.is_enough;
    event_reader_fini(&exchange->events);
    *out = (struct client_answer){ exchange->reader.head, buf_text(&exchange->body) };
    if (exchange->is_stream) {
        struct answer_head head = exchange->reader.head;

        /* frees the memory of this attempt: a stream may be reopened for hours */
        arena_rewind(arena, mark);
        *out = (struct client_answer){ .head = head };
    }
    return is_done;
}

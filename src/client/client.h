#ifndef REEVE_CLIENT_CLIENT_H
#define REEVE_CLIENT_CLIENT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/secret.h"
#include "client/address.h"
#include "client/event_reader.h"
#include "client/answer_reader.h"

/* The addresses of managers that share a store. A request goes to the address that answered last.
 * The next address is tried if no connection can be made, or if the connection breaks and the
 * request may be sent again. */
struct client_addresses {
    const struct address *items;
    size_t count;
    size_t at; /* index of the address that answered last */
};

/* The manager and the credentials for requests. All members are owned by the caller. */
struct client {
    struct address address;
    struct client_addresses *addresses; /* NULL: only `address` */
    struct secret token;                /* empty: no token is sent */
    struct text tenant;                 /* empty: the manager's default */
    const char *ca;                     /* certificates for TLS; NULL: the system's */
    uint64_t timeout_ms;                /* time limit for one request */
    /* Called once if no answer has arrived after LIMIT_SLOW_ANSWER_MS. May be NULL. */
    void (*slow)(void *arg);
    void *slow_arg;
};

/* One request. All texts except method and path may be empty. */
struct client_request {
    const char *method;
    struct text path; /* begins with /, encoded (client_path_add) */
    const char *accept;
    const char *content_type;
    struct text body;
    /* If set, the request may be sent again when its outcome is unknown. */
    struct text idempotency_key;
    struct text if_match; /* the revision for If-Match */
    struct text last_event_id;
};

struct client_answer {
    struct answer_head head;
    struct text body;
};

/* Sends a request and waits for the answer; any status is a success. The answer lives in the arena.
 * A GET request, or a request with an idempotency key, is sent again if the connection broke. Fails
 * with R0015 to R0018, R0020, R0025 or R0409. */
MUST_CHECK bool client_call(struct arena *arena, const struct client *client,
                            const struct client_request *request, struct client_answer *out,
                            struct err *err);

/* Sends a request and passes on its events (of application/jsonl and text/plain: its lines). It
 * ends when `event` returns false, when the stream ends or breaks, or at the deadline
 * (clock_monotonic_ms; UINT64_MAX: none). Reaching the deadline is not an error; it sets is_over.
 * An answer that is not a stream is stored in *out, as by client_call. */
struct client_stream {
    client_event_fn *event;
    void (*tick)(void *arg); /* called every tick_ms during the stream; may be NULL */
    uint64_t tick_ms;
    void *arg;
    uint64_t deadline_ms;
    bool is_over;   /* out: the deadline has passed; the stream has not ended */
    bool is_enough; /* out: `event` returned false */
};
MUST_CHECK bool client_stream_read(struct arena *arena, const struct client *client,
                                   const struct client_request *request,
                                   struct client_stream *stream, struct client_answer *out,
                                   struct err *err);

/* Appends a part of a path, or a value of a query. All special characters except slashes are
 * encoded. */
void client_path_add(struct buf *path, struct text part);

#endif

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

/* The manager and the credentials of a request. Everything is borrowed. */
struct client {
    struct address address;
    struct secret token; /* empty: none is sent */
    struct text tenant;  /* empty: the manager's standard */
    const char *ca;      /* certificates for TLS; NULL = the system's */
    uint64_t timeout_ms; /* of one request */
    void (*slow)(
        void *
            arg); /* called once where no answer has come after LIMIT_SLOW_ANSWER_MS; may be NULL */
    void *slow_arg;
};

/* One request. Texts may be empty but for method and path. */
struct client_request {
    const char *method;
    struct text path; /* from / on, encoded (client_path_add) */
    const char *accept;
    const char *content_type;
    struct text body;
    struct text idempotency_key; /* with one it may be sent again when its fate is not known */
    struct text if_match;        /* a revision */
    struct text last_event_id;
};

struct client_answer {
    struct answer_head head;
    struct text body;
};

/* Send it and wait for the answer, whatever its status. What is made lives in the arena. A request
 * that is a GET or has a key is sent once more where the connection broke. R0015 to R0018, R0020,
 * R0025, R0409. */
MUST_CHECK bool client_call(struct arena *arena, const struct client *client,
                            const struct client_request *request, struct client_answer *out,
                            struct err *err);

/* Send it and hand out events (or lines, of application/jsonl) until `event` says enough, the
 * stream ends or breaks, or the deadline (of clock_monotonic_ms; UINT64_MAX = none) is over, which
 * is not an error: *out_is_over. An answer that is no stream comes in *out, as from client_call. */
struct client_stream {
    client_event_fn *event;
    void (*tick)(void *arg); /* called every tick_ms while it lasts; may be NULL */
    uint64_t tick_ms;
    void *arg;
    uint64_t deadline_ms;
    bool is_over;   /* out: the deadline, and not the stream, has ended */
    bool is_enough; /* out: `event` said so */
};
MUST_CHECK bool client_stream_read(struct arena *arena, const struct client *client,
                                   const struct client_request *request,
                                   struct client_stream *stream, struct client_answer *out,
                                   struct err *err);

/* Append a part of a path, or a value of a query, with everything encoded that would mean something
 * there; slashes stay. */
void client_path_add(struct buf *path, struct text part);

#endif

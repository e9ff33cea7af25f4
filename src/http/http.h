#ifndef REEVE_HTTP_HTTP_H
#define REEVE_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/secret.h"
#include "http/target.h"
#include "sys/loop.h"

/* A server of HTTP/1.1 inside the loop of the process. A request is handed over when all of it is
 * there; it is answered once, then or later. All calls are on the loop thread. */
struct http_server;
struct http_exchange;

/* Headers that this program reads. Each may be once in a request. */
enum http_header {
    HTTP_ACCEPT,
    HTTP_ACCEPT_ENCODING,
    HTTP_AUTHORIZATION,
    HTTP_CONTENT_LENGTH,
    HTTP_CONTENT_TYPE,
    HTTP_COOKIE,
    HTTP_EXPECT,
    HTTP_HOST,
    HTTP_IDEMPOTENCY_KEY,
    HTTP_IF_MATCH,
    HTTP_IF_NONE_MATCH,
    HTTP_LAST_EVENT_ID,
    HTTP_ORIGIN,
    HTTP_REEVE_CSRF,
    HTTP_REEVE_TENANT,
    HTTP_TRACEPARENT,
    HTTP_TRANSFER_ENCODING,
    HTTP_X_FORWARDED_FOR, /* may be more than once: the last one counts */
    HTTP_HEADER_COUNT,
};

enum { HTTP_PEER_GROUPS = 64, HTTP_ADDRESS_BYTES = 64 };

/* Who is at the other end. */
struct http_peer {
    /* A process of this machine, on a unix socket: uid and gid are the kernel's word. */
    bool is_local;
    bool is_tls;
    uid_t uid;
    gid_t gid;
    gid_t groups[HTTP_PEER_GROUPS]; /* his others */
    size_t group_count;
    char address[HTTP_ADDRESS_BYTES]; /* in words, for the log */
    bool is_proxy; /* one whose X-Forwarded-For is believed (struct http_crowd) */
};

/* A request. Everything lives in its arena, which is freed when it has been answered. */
struct http_request {
    struct arena *arena;
    struct text method;
    struct target target;
    struct text headers[HTTP_HEADER_COUNT]; /* data NULL: it is not there */
    struct text body;
    bool is_body_dropped; /* there was one, and body_max did not want it */
    const struct http_peer *peer;
    struct text client; /* address of the sender: the peer's, or the one that a proxy reports */
    const struct err *fault; /* not NULL: it cannot be served; the answer should say so */
};

/* A header of an answer; both end in NUL. */
struct http_field {
    const char *name;
    const char *value;
};

/* An answer in pieces: a stream, or one that is too long to be held in memory. */
struct http_stream {
    /* Write at most `room` bytes and return how many. 0: nothing now, http_stream_wake asks again;
     * or, where *is_end is set, that was all. */
    size_t (*read)(void *arg, char *out, size_t room, bool *is_end);
    /* Nobody reads it any more. The exchange is gone after this. */
    void (*closed)(void *arg);
    void *arg;
    uint64_t bytes; /* of all of it, all of which is there to be read; 0: not known */
    /* It is closed as soon as the client has gone, not only when something is to be sent. */
    bool is_ended_by_close;
    /* All of it can be read and must be received in time, though its length is not known. */
    bool has_end;
};

/* An answer. What it points to lives in the request's arena, or longer than the exchange. */
struct http_answer {
    unsigned status;
    const char *content_type; /* NULL = there is no body */
    struct text body;
    const struct http_stream *stream; /* in place of a body; copied */
    const struct http_field *fields;
    size_t field_count;
};

/* Who answers. */
struct http_handler {
    /* The headers are there, and a body follows: how many bytes of a body are wanted? The bodies of
     * those who may not ask are not kept: 0. */
    size_t (*body_max)(void *arg, const struct http_request *request);
    /* A request is complete: http_answer_give, now or later, once. */
    void (*serve)(void *arg, struct http_exchange *exchange, const struct http_request *request);
    void *arg;
};

/* How long a client may take. The deadlines are absolute: no byte resets them. */
struct http_deadlines {
    uint64_t
        head_ms; /* from connecting, by TLS from the end of its first words, to the last header */
    uint64_t idle_ms;   /* from an answer to the next request's last header */
    uint64_t body_ms;   /* for a body */
    uint64_t answer_ms; /* to take an answer, however fast it reads */
};

/* Defaults: LIMIT_HTTP_*_MS. */
struct http_deadlines http_deadlines_default(void);

/* How many connections one address may have, and which addresses are proxies that stand before many
 * clients: they are limited by LIMIT_HTTP_CONNECTIONS alone, and what they say in X-Forwarded-For
 * is believed. */
struct http_crowd {
    size_t per_address;
    bool (*is_proxy)(void *arg, struct text address); /* NULL: none is */
    void *arg;
};

/* A server without listeners. Ended by http_server_free, which every exchange must be answered
 * before. */
struct http_server *http_server_new(struct loop *loop, const struct http_handler *handler,
                                    const struct http_deadlines *deadlines);
void http_server_free(struct http_server *server);

/* Before the first listener; else LIMIT_HTTP_CONNECTIONS_ADDRESS holds, and nothing is a proxy. */
void http_server_crowd(struct http_server *server, const struct http_crowd *crowd);

/* Serve who connects to a listening socket, which the server takes over, also where it fails. With
 * a certificate and its key, both PEM, only by TLS 1.3. R0551 where that cannot be. */
struct http_listen {
    int fd;
    bool is_local; /* a unix socket */
    const char *certificate;
    struct secret key;
};
MUST_CHECK bool http_server_listen(struct http_server *server, const struct http_listen *listen,
                                   struct err *err);

/* Let a TLS listener, by its number in the order of http_server_listen, use another certificate
 * from the next connection on; those that are open go on with the old one. R0551: it cannot be
 * used, and nothing changes. */
MUST_CHECK bool http_server_renew(struct http_server *server, size_t number,
                                  const char *certificate, struct secret key, struct err *err);

/* Take no more connections, and close those on which nothing is under way. Streams are notified of
 * their end by
 * their owners. */
void http_server_drain(struct http_server *server);

/* Exchanges that are under way; connections, also those that have not said anything; connections
 * that were refused because there were too many. */
size_t http_server_exchanges(const struct http_server *server);
size_t http_server_connections(const struct http_server *server);
uint64_t http_server_refused(const struct http_server *server);

/* Answer. Once for each exchange, which may be gone when this returns. */
void http_answer_give(struct http_exchange *exchange, const struct http_answer *answer);

/* The stream of this exchange has something to read. */
void http_stream_wake(struct http_exchange *exchange);

#endif

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

/* A server of HTTP/1.1 inside the loop of the process. The server passes a request to its handler
 * when it is complete. The handler answers it exactly once, immediately or later. All calls run on
 * the loop thread. */
struct http_server;
struct http_exchange;

/* Headers that this program reads. Each may occur once in a request. */
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
    HTTP_RANGE,
    HTTP_REEVE_CSRF,
    HTTP_REEVE_FORWARDED,
    HTTP_REEVE_TENANT,
    HTTP_TRACEPARENT,
    HTTP_TRANSFER_ENCODING,
    HTTP_X_FORWARDED_FOR, /* may occur more than once; the last one is used */
    HTTP_HEADER_COUNT,
};

enum { HTTP_PEER_GROUPS = 64, HTTP_ADDRESS_BYTES = 64, HTTP_NAME_BYTES = 65 };

/* The other end of a connection. */
struct http_peer {
    /* A process of this machine, connected by a unix socket: the kernel reports its uid and gid. */
    bool is_local;
    bool is_tls;
    uid_t uid;
    gid_t gid;
    gid_t groups[HTTP_PEER_GROUPS]; /* supplementary groups */
    size_t group_count;
    char address[HTTP_ADDRESS_BYTES]; /* readable, for the log */
    /* Common name of the verified certificate of the client, on listeners that request one;
     * otherwise empty. */
    char name[HTTP_NAME_BYTES];
    unsigned tag;  /* tag of its listener */
    bool is_proxy; /* X-Forwarded-For of this address is trusted (struct http_crowd) */
};

/* A request. All of its data lives in its arena, which is freed after the answer. */
struct http_request {
    struct arena *arena;
    struct text method;
    struct target target;
    struct text raw_target;                 /* target as it was sent */
    struct text headers[HTTP_HEADER_COUNT]; /* data NULL: not sent */
    struct text body;
    /* A body was sent and dropped, because the callback body_max did not accept one. */
    bool is_body_dropped;
    const struct http_peer *peer;
    /* Address of the sender: the peer's, or the one that a proxy reports. */
    struct text client;
    /* Not NULL: the request cannot be served, and the answer should report this error. */
    const struct err *fault;
};

/* A header of an answer; both strings are NUL-terminated. */
struct http_field {
    const char *name;
    const char *value;
};

/* An answer that is sent in pieces: a stream, or an answer too long to be held in memory. */
struct http_stream {
    /* Writes at most `room` bytes and returns their number. With 0 and *is_end set, the answer is
     * complete. With 0 otherwise, there is nothing now; it is called again after
     * http_stream_wake. */
    size_t (*read)(void *arg, char *out, size_t room, bool *is_end);
    /* Called when the stream is no longer read. The exchange is invalid afterwards. */
    void (*closed)(void *arg);
    void *arg;
    /* Total length, if all of it is available now; 0: unknown. */
    uint64_t bytes;
    /* Close the stream as soon as the client disconnects, not only at the next write. */
    bool is_ended_by_close;
    /* All of the stream is available, so the client must receive it within answer_ms although its
     * length is unknown. */
    bool has_end;
};

/* An answer. Everything that it points to lives in the request's arena or outlives the exchange. */
struct http_answer {
    unsigned status;
    const char *content_type; /* NULL: no body */
    struct text body;
    const struct http_stream *stream; /* replaces the body; copied */
    const struct http_field *fields;
    size_t field_count;
};

/* The handler of requests. */
struct http_handler {
    /* Called after the headers if a body follows. Returns the maximum number of body bytes to keep;
     * 0 for a sender without permission. */
    size_t (*body_max)(void *arg, const struct http_request *request);
    /* Called when a request is complete. The handler calls http_answer_give exactly once, now or
     * later. */
    void (*serve)(void *arg, struct http_exchange *exchange, const struct http_request *request);
    void *arg;
};

/* Time limits for a client. The deadlines are absolute: receiving bytes does not extend them. */
struct http_deadlines {
    /* From the connection (with TLS: from the end of the client's first handshake message) to the
     * last header. */
    uint64_t head_ms;
    uint64_t idle_ms; /* time limit from an answer to the next request's last header */
    uint64_t body_ms; /* time limit for a body */
    /* For receiving an answer, at any reading speed. */
    uint64_t answer_ms;
};

/* Defaults: LIMIT_HTTP_*_MS. */
struct http_deadlines http_deadlines_default(void);

/* The maximum number of connections per address, and the addresses of trusted proxies, each of
 * which forwards for many clients. A proxy is limited only by LIMIT_HTTP_CONNECTIONS, and its
 * X-Forwarded-For is trusted. */
struct http_crowd {
    size_t per_address;
    bool (*is_proxy)(void *arg, struct text address); /* NULL: no address is a proxy */
    void *arg;
};

/* Creates a server without listeners. http_server_free ends it; every exchange must be answered
 * before that call. */
struct http_server *http_server_new(struct loop *loop, const struct http_handler *handler,
                                    const struct http_deadlines *deadlines);
void http_server_free(struct http_server *server);

/* Sets the limits per address. Call it before the first listener. Without this call,
 * LIMIT_HTTP_CONNECTIONS_ADDRESS applies, and no address is a proxy. */
void http_server_crowd(struct http_server *server, const struct http_crowd *crowd);

/* Serves the connections to a listening socket. The server owns the socket, even if this call
 * fails. With a certificate and its key (both PEM) it accepts only TLS 1.3. With an authority (PEM)
 * clients must present a client certificate that it issued: a request of any other client arrives
 * with `fault` set. */
struct http_listen {
    int fd;
    bool is_local; /* a unix socket */
    unsigned tag;  /* copied into the peer of each request; only the handler knows its meaning */
    const char *certificate;
    struct secret key;
    const char *authority; /* NULL: clients send no certificate */
};
MUST_CHECK bool http_server_listen(struct http_server *server, const struct http_listen *listen,
                                   struct err *err);

/* Sets another certificate for a TLS listener. `number` is its position in the order of
 * http_server_listen. New connections use the new certificate; open connections keep the old one.
 * `listen` has the certificate, its key and the authority; its other members are not read. R0551:
 * the certificate cannot be used, and nothing changes. */
MUST_CHECK bool http_server_renew(struct http_server *server, size_t number,
                                  const struct http_listen *listen, struct err *err);

/* Accepts no more connections, and closes the idle ones. The owners of streams end them. */
void http_server_drain(struct http_server *server);

/* http_server_exchanges returns the number of active exchanges, http_server_connections that of
 * open connections, including those that have not sent anything, and http_server_refused that of
 * connections that were refused because there were too many. */
size_t http_server_exchanges(const struct http_server *server);
size_t http_server_connections(const struct http_server *server);
uint64_t http_server_refused(const struct http_server *server);

/* Answers an exchange. Call it once per exchange, which may be invalid when it returns. */
void http_answer_give(struct http_exchange *exchange, const struct http_answer *answer);

/* Reports that the stream of this exchange has data to read. */
void http_stream_wake(struct http_exchange *exchange);

/* Ends the stream of this exchange before its end: the connection is closed, so that the client
 * notices that the answer is incomplete. */
void http_stream_break(struct http_exchange *exchange);

#endif

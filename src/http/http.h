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

/* An HTTP/1.1 server inside the loop of the process. It passes each complete request to the
 * handler, which answers it exactly once, immediately or later. All calls run on the loop
 * thread. */
struct http_server;
struct http_exchange;

/* The headers that this program reads. Each may occur only once in a request. */
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
    /* true: a process of this machine, connected by a unix socket; the kernel reports its uid and
     * gid */
    bool is_local;
    bool is_tls;
    uid_t uid;
    gid_t gid;
    gid_t groups[HTTP_PEER_GROUPS]; /* supplementary groups */
    size_t group_count;
    char address[HTTP_ADDRESS_BYTES]; /* address as text, for the log */
    /* Common name in the verified certificate of the client, if the listener requests one;
     * otherwise empty. */
    char name[HTTP_NAME_BYTES];
    unsigned tag;  /* tag of its listener */
    bool is_proxy; /* the address is a trusted proxy, so its X-Forwarded-For is used (struct
                    * http_crowd) */
};

/* A request. All of its data lives in its arena, which is freed after the answer. */
struct http_request {
    struct arena *arena;
    struct text method;
    struct target target;
    struct text raw_target;                 /* target as it was sent */
    struct text headers[HTTP_HEADER_COUNT]; /* data NULL: not sent */
    struct text body;
    /* true: a body was sent and discarded, because the callback body_max returned 0 */
    bool is_body_dropped;
    const struct http_peer *peer;
    /* address of the sender: that of the peer, or the one that a trusted proxy reports */
    struct text client;
    /* not NULL: the request cannot be served, and the handler must answer with this error */
    const struct err *fault;
};

/* A header of an answer; both strings are NUL-terminated. */
struct http_field {
    const char *name;
    const char *value;
};

/* An answer that is sent in pieces: a stream, or an answer too long to be held in memory. */
struct http_stream {
    /* Writes at most `room` bytes and returns their number. If it returns 0 and sets *is_end, the
     * answer is complete. If it only returns 0, no data is available now; it is called again after
     * http_stream_wake. */
    size_t (*read)(void *arg, char *out, size_t room, bool *is_end);
    /* Called when the stream is no longer read. The exchange is invalid afterwards. */
    void (*closed)(void *arg);
    void *arg;
    /* Total length in bytes, if the whole stream is available now; 0: unknown. */
    uint64_t bytes;
    /* true: close the stream as soon as the client disconnects, and not only at the next write */
    bool is_ended_by_close;
    /* true: the whole stream is available, so the client must receive it within answer_ms although
     * its length is unknown */
    bool has_end;
};

/* An answer. Everything that it points to lives in the request's arena or outlives the exchange. */
struct http_answer {
    unsigned status;
    const char *content_type; /* NULL: no body */
    struct text body;
    const struct http_stream *stream; /* the body as a stream; copied; NULL: `body` is used */
    const struct http_field *fields;
    size_t field_count;
};

/* The handler of requests. */
struct http_handler {
    /* Called after the headers if a body follows. Returns the maximum number of body bytes to keep;
     * 0 if the sender has no permission. */
    size_t (*body_max)(void *arg, const struct http_request *request);
    /* Called when a request is complete. The handler calls http_answer_give exactly once, now or
     * later. */
    void (*serve)(void *arg, struct http_exchange *exchange, const struct http_request *request);
    void *arg;
};

/* Time limits for a client, in ms. Each limit is absolute: bytes that arrive do not extend it. */
struct http_deadlines {
    /* from the connection (with TLS: from the end of the client's first handshake message) to the
     * last header */
    uint64_t head_ms;
    uint64_t idle_ms; /* time limit from an answer to the next request's last header */
    uint64_t body_ms; /* time limit for a body */
    /* for the client to receive an answer, whatever its speed */
    uint64_t answer_ms;
};

/* Returns the defaults: LIMIT_HTTP_*_MS. */
struct http_deadlines http_deadlines_default(void);

/* The maximum number of connections per address, and the trusted proxies. A proxy forwards requests
 * of many clients, so only LIMIT_HTTP_CONNECTIONS limits it, and its X-Forwarded-For is used. */
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
 * fails. With a certificate and its key (both PEM) it accepts only TLS 1.3. With an authority
 * (PEM), clients must present a certificate that the authority issued: a request of any other
 * client has `fault` set. */
struct http_listen {
    int fd;
    bool is_local; /* a unix socket */
    unsigned tag;  /* copied into the peer of each request; only the handler interprets it */
    const char *certificate;
    struct secret key;
    const char *authority; /* NULL: no certificate is requested from clients */
};
MUST_CHECK bool http_server_listen(struct http_server *server, const struct http_listen *listen,
                                   struct err *err);

/* Replaces the certificate of a TLS listener. `number` is its position in the order of
 * http_server_listen. New connections use the new certificate; open connections keep the old one.
 * Of `listen`, only the certificate, its key and the authority are used. R0551: the certificate
 * cannot be used, and nothing changes. */
MUST_CHECK bool http_server_renew(struct http_server *server, size_t number,
                                  const struct http_listen *listen, struct err *err);

/* Accepts no more connections, and closes idle ones. Active streams must be ended by their
 * owners. */
void http_server_drain(struct http_server *server);

/* Numbers for metrics. http_server_exchanges: active exchanges. http_server_connections: open
 * connections, including those that have not sent anything. http_server_refused: connections that
 * were refused because there were too many. */
size_t http_server_exchanges(const struct http_server *server);
size_t http_server_connections(const struct http_server *server);
uint64_t http_server_refused(const struct http_server *server);

/* Answers an exchange. Call it once per exchange; the exchange may be freed when it returns. */
void http_answer_give(struct http_exchange *exchange, const struct http_answer *answer);

/* Reports that the stream of this exchange has data to read. */
void http_stream_wake(struct http_exchange *exchange);

/* Aborts the stream of this exchange. The connection is closed, so that the client notices that the
 * answer is incomplete. */
void http_stream_break(struct http_exchange *exchange);

#endif

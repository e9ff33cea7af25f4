#ifndef REEVE_HTTP_SERVER_H
#define REEVE_HTTP_SERVER_H

#include <microhttpd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/stock.h"
#include "http/http.h"

/* private to src/http */
/* names: http_ exchange_ connection_ */

/* Inside of http.h: what server.c (listeners, connections, deadlines), gate.c (who is let in) and
 * exchange.c (one request and its answer) share. */

/* What a connection is waiting for; each kind has one length, so that the first of a row is due
 * first. */
enum http_wait {
    HTTP_WAIT_HEAD,
    HTTP_WAIT_IDLE,
    HTTP_WAIT_BODY,
    HTTP_WAIT_READER, /* for the client to take the answer */
    HTTP_WAIT_COUNT,
    HTTP_WAIT_NONE = HTTP_WAIT_COUNT, /* for ourselves, or a stream */
};

struct connection {
    struct connection *next; /* of the row it waits in */
    struct connection *before;
    struct listener *listener;
    uint64_t due_ms;
    int fd;
    enum http_wait wait;
    struct visitor *visitor; /* as whose it counts; NULL: one of this machine */
    struct http_peer peer;
};

struct connection_row {
    struct connection *first;
    struct connection *last;
};

/* The peer of a connection from a gate, while it is handed to the library. */
struct arrival {
    struct visitor *visitor;
    bool is_taken;
};

/* Who waits before a TLS gate. */
struct waiter_row {
    struct waiter *first;
    struct waiter *last;
};

struct listener {
    struct listener *next;
    struct http_server *server;
    struct gate *gate;
    struct MHD_Daemon *daemon;
    struct loop_descriptor *descriptor;
    bool is_local;
    bool is_tls;
    size_t number;                /* in the order they were made */
    struct loop_task *run_wanted; /* NULL: it is not */
    bool is_replaced;             /* takes no more; ends with its last connection */
};

struct http_server {
    struct arena *memory;
    struct loop *loop;
    struct loop_timer *sweep;
    struct http_handler handler;
    struct listener *listeners;
    size_t listener_count;
    struct gate *gates;
    size_t guests;           /* connections, from being accepted to their end */
    size_t guests_max;       /* fewer than there are descriptors */
    struct arrival *arrival; /* NULL: no client connects at the moment */
    struct map visitors;     /* key to struct visitor */
    struct http_crowd crowd;
    struct pool *visitor_pool;
    struct pool *waiter_pool;
    struct waiter_row silent; /* waits for his first bytes */
    struct waiter_row spoken; /* waits for his turn */
    int spare_fd;             /* to refuse with, where there is no other */
    bool is_hello_wanted;
    uint64_t refused;
    struct pool *connections;
    struct pool *exchanges;
    struct stock arenas; /* of exchanges */
    uint64_t wait_ms[HTTP_WAIT_COUNT];
    struct connection_row rows[HTTP_WAIT_COUNT];
    size_t body_bytes; /* of all that are being received */
    bool is_draining;
};

/* One request and its answer. */
struct http_exchange {
    struct connection *connection;
    struct MHD_Connection *mhd;
    struct http_request request;
    struct text raw;    /* target as it was sent */
    const char *target; /* where the library has received it; valid until the headers are taken */
    struct buf body;
    size_t body_max;
    size_t skipped;
    struct err fault;
    struct http_stream stream;
    struct MHD_Response *response;
    unsigned status;
    struct loop_descriptor *gone; /* reports a disconnected client; NULL: unused */
    bool is_gone;
    bool has_head;
    bool is_served;
    bool is_answered;
    bool is_suspended;
    bool is_in_callback;
    bool closes;
};

/* An address in words; empty where it is of another kind. Is it one of a proxy? */
void http_address_format(const struct sockaddr_storage *address, char out[HTTP_ADDRESS_BYTES]);
bool http_address_is_proxy(const struct http_server *server, const char *address);

/* The connection waits for this from now on. */
void connection_wait(struct connection *connection, enum http_wait wait);

/* A descriptor that is kept to be given up; FD_NONE: there is none. */
int http_spare_open(void);

/* Give the listener a run in this turn of the loop or the next. */
void http_listener_wake(struct listener *listener);

/* Callbacks of the library, on an exchange's life: its target is known, its parts come, it is
 * over. */
void *exchange_begin(void *arg, const char *target, struct MHD_Connection *mhd);
enum MHD_Result exchange_go_on(void *arg, struct MHD_Connection *mhd, const char *url,
                               const char *method, const char *version, const char *data,
                               size_t *bytes, void **context);
void exchange_end(void *arg, struct MHD_Connection *mhd, void **context,
                  enum MHD_RequestTerminationCode reason);

#endif

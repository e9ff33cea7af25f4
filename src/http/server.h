#ifndef REEVE_HTTP_SERVER_H
#define REEVE_HTTP_SERVER_H

#include <microhttpd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/stock.h"
#include "http/http.h"

/* private to src/http */
/* public names start with: http_ exchange_ connection_ */

/* Declarations that server.c (listeners, connections, deadlines), gate.c (admission of connections)
 * and exchange.c (one request and its answer) share. */

/* The event that a connection waits for. All connections with one event have the same time limit,
 * so in each list the first connection is due first. */
enum http_wait {
    HTTP_WAIT_HEAD,
    HTTP_WAIT_IDLE,
    HTTP_WAIT_BODY,
    HTTP_WAIT_READER, /* waits for the client to receive the answer */
    HTTP_WAIT_COUNT,
    HTTP_WAIT_NONE = HTTP_WAIT_COUNT, /* waits for this process, or is a stream: no time limit */
};

struct connection {
    struct connection *next; /* next connection in its list of waiting connections */
    struct connection *before;
    struct listener *listener;
    uint64_t due_ms;
    int fd;
    enum http_wait wait;
    struct visitor
        *visitor; /* the address that it counts for; NULL: a connection from this machine */
    struct http_peer peer;
};

struct connection_row {
    struct connection *first;
    struct connection *last;
};

/* The source of a connection while a gate passes it to the library. */
struct arrival {
    struct visitor *visitor;
    bool is_taken;
};

/* Connections that wait at a TLS gate. */
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
    bool has_authority; /* clients must present a certificate */
    unsigned tag;
    size_t number;                /* position in the order of http_server_listen */
    struct loop_task *run_wanted; /* NULL: no run is pending */
    /* true: the listener accepts no more connections and is freed after its last one */
    bool is_replaced;
};

struct http_server {
    struct arena *memory;
    struct loop *loop;
    struct loop_timer *sweep;
    struct http_handler handler;
    struct listener *listeners;
    size_t listener_count;
    struct gate *gates;
    size_t guests;           /* number of connections, from acceptance to their end */
    size_t guests_max;       /* maximum of `guests`; lower than the limit of descriptors */
    struct arrival *arrival; /* the connection that is being passed to the library; NULL: none */
    /* true: the library checks the ends of lines itself; it may be newer than the header that this
     * program was compiled with */
    bool has_strict_library;
    struct map visitors; /* key to struct visitor */
    struct http_crowd crowd;
    struct pool *visitor_pool;
    struct pool *waiter_pool;
    struct waiter_row silent; /* connections that wait for their first bytes */
    struct waiter_row spoken; /* connections that have sent bytes and wait to be passed on */
    int spare_fd; /* descriptor that is closed to accept and reject a connection when no other is
                   * free */
    bool is_hello_wanted;
    uint64_t refused;
    struct pool *connections;
    struct pool *exchanges;
    struct stock arenas; /* memory of exchanges */
    uint64_t wait_ms[HTTP_WAIT_COUNT];
    struct connection_row rows[HTTP_WAIT_COUNT];
    size_t body_bytes; /* size of all bodies that are being received */
    bool is_draining;
};

/* One request and its answer. */
struct http_exchange {
    struct connection *connection;
    struct MHD_Connection *mhd;
    struct http_request request;
    struct text raw; /* target as sent */
    /* The target in the library's receive buffer; valid until the headers are read. */
    const char *target;
    struct buf body;
    size_t body_max;
    size_t skipped;
    struct err fault;
    struct http_stream stream;
    struct MHD_Response *response;
    unsigned status;
    struct loop_descriptor *gone; /* reports a disconnected client; NULL: not watched */
    bool is_gone;
    bool has_head;
    bool is_served;
    bool is_answered;
    bool is_suspended;
    bool is_in_callback;
    bool closes;
};

/* http_address_format writes an address as text; empty for other address families.
 * http_address_is_proxy returns whether an address is that of a trusted proxy. */
void http_address_format(const struct sockaddr_storage *address, char out[HTTP_ADDRESS_BYTES]);
bool http_address_is_proxy(const struct http_server *server, const char *address);

/* Sets the event that the connection waits for, and thereby its deadline. */
void connection_wait(struct connection *connection, enum http_wait wait);

/* Opens the spare descriptor, which is closed when no other descriptor is free. FD_NONE: it cannot
 * be opened. */
int http_spare_open(void);

/* Runs the listener in this iteration of the loop or the next. */
void http_listener_wake(struct listener *listener);

/* Callbacks of libmicrohttpd for an exchange: exchange_begin when its target is known,
 * exchange_go_on when a part of the request has arrived, exchange_end when it has ended. */
void *exchange_begin(void *arg, const char *target, struct MHD_Connection *mhd);
enum MHD_Result exchange_go_on(void *arg, struct MHD_Connection *mhd, const char *url,
                               const char *method, const char *version, const char *data,
                               size_t *bytes, void **context);
void exchange_end(void *arg, struct MHD_Connection *mhd, void **context,
                  enum MHD_RequestTerminationCode reason);

#endif

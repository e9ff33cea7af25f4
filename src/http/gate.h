#ifndef REEVE_HTTP_GATE_H
#define REEVE_HTTP_GATE_H

#include "http/server.h"

/* private to src/http */
/* public names start with: gate_ gates_ visitor_ */

/* Internals of http.h: admission of connections. A gate is a listening socket. It accepts
 * connections, rejects those beyond the limits, and passes the others to its listener. A connection
 * to a TLS gate waits until its first bytes arrive.
 *
 * Every connection counts for its source address until visitor_leave. */

/* The source of connections: an IPv4 address, or an IPv6 network. */
struct visitor {
    char key[HTTP_ADDRESS_BYTES];
    size_t count;
};

/* Returns the size of a struct waiter, for its pool. */
size_t gate_waiter_bytes(void);

/* Opens a gate on listen->fd. The gate owns the descriptor, even if this call fails. It accepts
 * nothing before the first gate_pass, which sets its listener. */
MUST_CHECK bool gate_open(struct http_server *server, const struct http_listen *listen,
                          struct gate **out, struct err *err);

/* Accepts connections and passes them to this listener from now on. */
void gate_pass(struct gate *gate, struct listener *listener);

/* Closes all gates: they accept no more connections, and waiting ones are dropped. */
void gates_close(struct http_server *server);

/* Closes connections that have sent nothing for too long, and retries gates that had no descriptor
 * left. */
void gates_sweep(struct http_server *server);

/* Records that a connection of this visitor has ended. NULL is allowed. */
void visitor_leave(struct http_server *server, struct visitor *visitor);

#endif

#ifndef REEVE_HTTP_GATE_H
#define REEVE_HTTP_GATE_H

#include "http/server.h"

/* private to src/http */
/* public names start with: gate_ gates_ visitor_ */

/* Admission of connections; internal to http.h. A gate is a listening socket. It accepts
 * connections, rejects those beyond the limits, and passes the others to its listener. A connection
 * to a TLS gate waits until its first bytes arrive.
 *
 * A connection counts for its source address until visitor_leave is called. */

/* The source of connections: an IPv4 address, or a network of IPv6 addresses. */
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

/* Sets the listener of the gate, and starts to accept connections for it. */
void gate_pass(struct gate *gate, struct listener *listener);

/* Closes all gates: they accept no more connections, and waiting ones are dropped. */
void gates_close(struct http_server *server);

/* Closes connections that have sent nothing for too long. Resumes gates that were paused because no
 * descriptor was free. */
void gates_sweep(struct http_server *server);

/* Records that a connection of this visitor has ended. NULL is allowed. */
void visitor_leave(struct http_server *server, struct visitor *visitor);

#endif

#ifndef REEVE_HTTP_GATE_H
#define REEVE_HTTP_GATE_H

#include "http/server.h"

/* private to src/http */
/* names: gate_ gates_ visitor_ */

/* Inside of http.h: who is let in. A gate is a listening socket: it takes connections, refuses
 * those that are too many, and hands the others to its listener. A connection to a TLS gate waits
 * until its first bytes arrive.
 *
 * Every connection counts for the address it comes from, until it is given back with
 * visitor_leave. */

/* Where connections come from: an address, of IPv6 its network. */
struct visitor {
    char key[HTTP_ADDRESS_BYTES];
    size_t count;
};

/* Memory of one who waits. */
size_t gate_waiter_bytes(void);

/* Take connections from listen->fd, which the gate owns from now on, also where this fails. Waits
 * for the first gate_pass, which comes with the listener. */
MUST_CHECK bool gate_open(struct http_server *server, const struct http_listen *listen,
                          struct gate **out, struct err *err);

/* Accept connections to this listener from now on. */
void gate_pass(struct gate *gate, struct listener *listener);

/* Take no more, and forget those who wait: of all gates. */
void gates_close(struct http_server *server);

/* Close connections that have sent nothing for too long, and retry gates that had no descriptor
 * left. */
void gates_sweep(struct http_server *server);

/* The connection of a visitor has ended. NULL is allowed. */
void visitor_leave(struct http_server *server, struct visitor *visitor);

#endif

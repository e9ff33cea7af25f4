#ifndef REEVE_CLIENT_WIRE_H
#define REEVE_CLIENT_WIRE_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "client/address.h"

#include <stddef.h>
#include <stdint.h>

/* A connection whose operations end at a deadline, in milliseconds of the monotonic clock
 * (clock_monotonic_ms). Errors: R0015, no manager listens; R0016, the deadline has passed; R0018,
 * the connection broke; R0409, this user has no permission; R0025, TLS is not available. */
struct wire {
    int fd;
    struct tls *tls; /* NULL: a plain socket */
};

/* AUTO(wire): closed when the block ends. */
#define AUTO_wire __attribute__((cleanup(wire_close))) struct wire

/* Connects. `ca` is a file of certificates for TLS; NULL: the system's certificates. The caller
 * closes the connection with wire_close. */
MUST_CHECK bool wire_open(const struct address *address, const char *ca, uint64_t deadline_ms,
                          struct wire *out, struct err *err);

/* Closes a connection. A connection that was never opened ({ FD_NONE, NULL }) is allowed. */
void wire_close(struct wire *wire);

/* Writes all bytes. */
MUST_CHECK bool wire_write(const struct wire *wire, struct text bytes, uint64_t deadline_ms,
                           struct err *err);

/* Reads the available bytes, at most `room`. *out_length 0: the other end has closed. */
MUST_CHECK bool wire_read(const struct wire *wire, char *out, size_t room, uint64_t deadline_ms,
                          size_t *out_length, struct err *err);

/* A connection with TLS by libcurl. The library is loaded when the first connection is opened, so
 * that a command which uses a unix socket does not load it. The certificate of the server is always
 * checked. libcurl only transports the bytes; HTTP is implemented here. */
struct tls;

/* Connects. `ca` is a file of certificates to trust; NULL: the certificates of the system.
 * The caller closes it with tls_free. R0025: libcurl is missing; R0015, R0016, R0018 as for a
 * socket. */
MUST_CHECK bool tls_open(const struct address *address, const char *ca, uint64_t timeout_ms,
                         struct tls **out, struct err *err);

/* Closes and frees a connection. NULL is allowed. */
void tls_free(struct tls *tls);

/* Returns the descriptor of a connection, for polling. */
int tls_fd(const struct tls *tls);

/* The result of one attempt. */
enum tls_result { TLS_OK, TLS_AGAIN, TLS_BROKEN };

/* tls_write tries to write, tls_read tries to read. If tls_read returns TLS_OK and *out_length is
 * 0, the other end has closed the connection. */
enum tls_result tls_write(struct tls *tls, struct text bytes, size_t *out_length);
enum tls_result tls_read(struct tls *tls, char *out, size_t room, size_t *out_length);

#endif

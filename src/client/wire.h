#ifndef REEVE_CLIENT_WIRE_H
#define REEVE_CLIENT_WIRE_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "client/address.h"

#include <stddef.h>
#include <stdint.h>

/* A connection of which every use ends at a deadline: milliseconds of the clock that never goes
 * back (clock_monotonic_ms). R0015: nobody listens; R0016: too late; R0018: the connection broke;
 * R0409: this user may not; R0025: no TLS here. */
struct wire {
    int fd;
    struct tls *tls; /* NULL: a plain socket */
};

/* AUTO(wire): closed when the block ends. */
#define AUTO_wire __attribute__((cleanup(wire_close))) struct wire

/* Connect. `ca`: certificates for TLS, NULL = the system's. The caller closes it. */
MUST_CHECK bool wire_open(const struct address *address, const char *ca, uint64_t deadline_ms,
                          struct wire *out, struct err *err);

/* Close; one that was never opened ({ FD_NONE, NULL }) stays closed. */
void wire_close(struct wire *wire);

/* Write all of it. */
MUST_CHECK bool wire_write(const struct wire *wire, struct text bytes, uint64_t deadline_ms,
                           struct err *err);

/* Read what there is, at most `room` bytes; *out_length 0: the other end has closed. */
MUST_CHECK bool wire_read(const struct wire *wire, char *out, size_t room, uint64_t deadline_ms,
                          size_t *out_length, struct err *err);

/* A connection with TLS, made by libcurl, which is loaded when the first one is opened: a command
 * that talks to a socket never pays for it. The certificate is always checked. What is said over it
 * is none of libcurl's business; we speak HTTP ourselves. */
struct tls;

/* Connect. `ca` names a file of certificates to trust instead of the system's, NULL = the system's.
 * The caller closes it with tls_free. R0025: no libcurl; R0015, R0016, R0018 as for a socket. */
MUST_CHECK bool tls_open(const struct address *address, const char *ca, uint64_t timeout_ms,
                         struct tls **out, struct err *err);

/* Close and free. NULL is allowed. */
void tls_free(struct tls *tls);

/* Its descriptor, to wait for. */
int tls_fd(const struct tls *tls);

/* What one attempt came to. */
enum tls_result { TLS_OK, TLS_AGAIN, TLS_BROKEN };

/* Try to write, to read. *out_length 0 from a reading that is TLS_OK: the other end has closed. */
enum tls_result tls_write(struct tls *tls, struct text bytes, size_t *out_length);
enum tls_result tls_read(struct tls *tls, char *out, size_t room, size_t *out_length);

#endif

#ifndef REEVE_CLIENT_WIRE_H
#define REEVE_CLIENT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "client/address.h"
#include "client/tls.h"

/* A connection of which every use ends at a deadline: milliseconds of the clock that never goes back
 * (clock_monotonic_ms). R0015: nobody listens; R0016: too late; R0018: the connection broke; R0409: this
 * user may not; R0025: no TLS here. */
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

#endif

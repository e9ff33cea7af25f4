#ifndef REEVE_CLIENT_TLS_H
#define REEVE_CLIENT_TLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "client/address.h"

/* A connection with TLS, made by libcurl, which is loaded when the first one is opened: a command that
 * talks to a socket never pays for it. The certificate is always checked. What is said over it is none
 * of libcurl's business; we speak HTTP ourselves. */
struct tls;

/* Connect. `ca` names a file of certificates to trust instead of the system's, NULL = the system's. The
 * caller closes it with tls_free. R0025: no libcurl; R0015, R0016, R0018 as for a socket. */
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

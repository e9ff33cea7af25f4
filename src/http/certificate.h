#ifndef REEVE_HTTP_CERTIFICATE_H
#define REEVE_HTTP_CERTIFICATE_H

#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"

/* public names start with: certificate_ */

/* Space for the common name of a certificate with its NUL. */
enum { CERTIFICATE_NAME_BYTES = 65 };

/* Verifies the peer's certificate in a TLS session against the authorities of the session's
 * credentials. is_client selects the required use: client or server. Writes the common name. R0586:
 * there is no certificate, it is not valid now or not for this use, or another authority issued
 * it. */
MUST_CHECK bool certificate_peer_read(gnutls_session_t session, bool is_client,
                                      char out[CERTIFICATE_NAME_BYTES], struct err *err);

/* Writes the common name of the first certificate in the PEM text. R0586: the certificate cannot be
 * parsed, or has no such name. */
MUST_CHECK bool certificate_name_read(const char *pem, size_t bytes,
                                      char out[CERTIFICATE_NAME_BYTES], struct err *err);

#endif

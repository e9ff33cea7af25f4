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

/* Verifies the certificate of the other end of a TLS session against the authorities of the
 * session's credentials, for the use as a client or as a server, and writes its common name. R0586:
 * there is no certificate, it is not valid now or not for this use, or another authority issued
 * it. */
MUST_CHECK bool certificate_peer_read(gnutls_session_t session, bool is_client,
                                      char out[CERTIFICATE_NAME_BYTES], struct err *err);

/* Writes the common name of the first certificate in PEM. R0586: it cannot be parsed, or has no
 * such name. */
MUST_CHECK bool certificate_name_read(const char *pem, size_t bytes,
                                      char out[CERTIFICATE_NAME_BYTES], struct err *err);

#endif

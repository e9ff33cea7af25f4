#ifndef REEVE_ACCESS_MANAGER_CERTIFICATE_H
#define REEVE_ACCESS_MANAGER_CERTIFICATE_H

#include "access/authority.h"

/* The TLS certificate by which the other managers of the store authenticate this manager
 * (docs/spec/MANAGERS.md section 12). The signer has a separate authority for managers, so each
 * manager with the signer's key issues its own certificate. The files are:
 *
 *     DATA/peer/key.pem          the private key, generated when the manager starts
 *     DATA/peer/ca.pem           the authority's certificates: two while it is rotated
 *     DATA/peer/certificate.pem  written last; names: the id of the manager and its addresses
 *
 * A reader must treat files that do not match as an incomplete write. A certificate is valid for 30
 * days and is renewed at half of that. If DATA/peer/external exists, an operator provides these
 * files, and reeve does not write them. */
struct manager_certificate;

struct manager_certificate_options {
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct random random;
    struct authorities *authorities;
    int folder;             /* descriptor of the folder DATA; the caller closes it */
    struct text id;         /* id of this manager */
    struct text *addresses; /* names and addresses; copied */
    size_t address_count;
    uint32_t time_scale; /* divisor of the time after which the certificate is renewed */
};

/* Starts to maintain the certificate. The first certificate is issued later. Fails with R0532 if
 * the loop has no free slot, and with R0534 if the folder cannot be created. */
MUST_CHECK bool manager_certificate_open(const struct manager_certificate_options *options,
                                         struct manager_certificate **out, struct err *err);

/* Returns the reason why no certificate is valid. Empty: a certificate is valid, or the first one
 * was only just requested. Valid until the next iteration of the loop. */
struct text manager_certificate_problem(const struct manager_certificate *certificate);

/* Stops. Must be called after authorities_close and before authorities_free. NULL is allowed. */
void manager_certificate_close(struct manager_certificate *certificate);

#endif

#ifndef REEVE_ACCESS_MANAGER_CERTIFICATE_H
#define REEVE_ACCESS_MANAGER_CERTIFICATE_H

#include "access/authority.h"

/* The TLS certificate by which the other managers of the store authenticate this one
 * (docs/spec/MANAGERS.md section 12). The authority of the managers is one of the signer's, so that
 * each manager with the signer's key issues its own certificate. It is written to files:
 *
 *     DATA/peer/key.pem          the private key, generated when the manager starts
 *     DATA/peer/ca.pem           the authority's certificates: two while it is rotated
 *     DATA/peer/certificate.pem  written last; names: the id of the manager and its addresses
 *
 * A reader must treat a mismatch as an incomplete write. A certificate is valid for 30
 * days and is renewed at half of that. If DATA/peer/external exists, an operator writes these
 * files. */
struct manager_certificate;

struct manager_certificate_options {
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct random random;
    struct authorities *authorities;
    int folder;             /* the folder DATA; it belongs to the caller */
    struct text id;         /* id of this manager */
    struct text *addresses; /* names and addresses; copied */
    size_t address_count;
    uint32_t time_scale; /* divisor of the time after which it is renewed */
};

/* Starts; the first certificate follows later. Fails with R0532 if the loop has no free slot, and
 * with R0534 if the folder cannot be created. */
MUST_CHECK bool manager_certificate_open(const struct manager_certificate_options *options,
                                         struct manager_certificate **out, struct err *err);

/* Returns why there is no valid certificate; empty: there is one, or the first one was only just
 * requested. Valid until the next iteration of the loop. */
struct text manager_certificate_problem(const struct manager_certificate *certificate);

/* Stops. Must be called after authorities_close and before authorities_free. NULL is allowed. */
void manager_certificate_close(struct manager_certificate *certificate);

#endif

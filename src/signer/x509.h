#ifndef REEVE_SIGNER_X509_H
#define REEVE_SIGNER_X509_H

#include "base/mem.h"
#include "base/text.h"
#include "ssh/key.h"

/* X.509 certificates with Ed25519 keys (RFC 5280, RFC 8410), with which managers authenticate each
 * other over TLS. They are encoded here, because the signer, in its sandbox, links no TLS library.
 * Nothing is parsed. Texts live in the arena. */

/* Returns the certificate of an authority as PEM. The same key always gives the same certificate,
 * so it is not stored. */
struct text x509_authority(struct arena *arena,
                           const unsigned char secret[static SSH_SECRET_BYTES]);

/* A certificate of a key, valid for servers and clients. */
struct x509_leaf {
    struct ssh_key key;
    struct text name;          /* name of the subject, which is also the first of its alternative
                                * names */
    const struct text *others; /* further alternative names, and addresses */
    size_t other_count;
    bool has_no_names;        /* no alternative names: it is valid from any address */
    unsigned char serial[16]; /* serial number; its first bit is ignored */
    int64_t after_s;          /* start of validity, in s since 1970 */
    int64_t before_s;
};

/* Returns the certificate as PEM. The authority with this secret signs it. */
struct text x509_sign(struct arena *arena, const struct x509_leaf *leaf,
                      const unsigned char secret[static SSH_SECRET_BYTES]);

/* Returns a private key as PEM (PKCS #8). The caller wipes it. */
struct text x509_private(struct arena *arena, const unsigned char secret[static SSH_SECRET_BYTES]);

#endif

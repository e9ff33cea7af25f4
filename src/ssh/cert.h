#ifndef REEVE_SSH_CERT_H
#define REEVE_SSH_CERT_H

#include "ssh/key.h"

/* names: ssh_ */

/* Certificates of OpenSSH, `ssh-ed25519-cert-v01@openssh.com`, as OpenSSH's PROTOCOL.certkeys has them: an authority says by
 * its signature that a key is good for some names, for a while. */

#define SSH_CERT_FORMAT "ssh-ed25519-cert-v01@openssh.com"

/* As the format numbers them. */
enum ssh_cert_kind { SSH_CERT_USER = 1, SSH_CERT_HOST = 2 };

enum { SSH_NONCE_BYTES = 32 };

/* A critical option or an extension: its name, and its value as it stands there (packed once more, or empty). */
struct ssh_option {
    struct text name;
    struct text value;
};

struct ssh_cert {
    unsigned char nonce[SSH_NONCE_BYTES];
    struct ssh_key key; /* whose certificate it is */
    uint64_t serial;
    enum ssh_cert_kind kind;
    struct text id;                /* for logs, and for revoking by it */
    const struct text *principals; /* users, or names of hosts */
    size_t principal_count;        /* up to LIMIT_SSH_PRINCIPALS; none: good for every name */
    uint64_t after_s;              /* since 1970 */
    uint64_t before_s;             /* not any more */
    const struct ssh_option *must; /* critical options: who does not know one must refuse */
    size_t must_count;             /* up to LIMIT_SSH_OPTIONS, in order of their names */
    const struct ssh_option *may;  /* extensions: what a session is allowed; in order */
    size_t may_count;
    struct ssh_key authority;
    unsigned char signature[SSH_SIGNATURE_BYTES];
};

/* Fill in authority and signature, by the authority's secret. */
void ssh_cert_sign(struct ssh_cert *cert, const unsigned char secret[static SSH_SECRET_BYTES]);

/* Its line, as it stands in a file NAME-cert.pub, without its end. */
struct text ssh_cert_format(struct arena *arena, const struct ssh_cert *cert, struct text comment);

/* Append all that is signed. */
void ssh_cert_add_body(struct buf *buf, const struct ssh_cert *cert);

/* Read such a line. Texts and lists live in the arena. It says nothing yet: ssh_cert_check does. R0741: it is none, is
 * damaged, or of another kind of key. */
MUST_CHECK bool ssh_cert_parse(struct arena *arena, struct text line, struct ssh_cert *out,
                               struct err *err);

/* What is asked of a certificate. */
struct ssh_claim {
    enum ssh_cert_kind kind;
    const struct ssh_key *authorities; /* any of which may have signed it */
    size_t authority_count;
    struct text principal; /* that it has to name */
    uint64_t now_s;
};

/* Does it hold for this? Its signature is checked here. R0742, with the reason: it does not. */
MUST_CHECK bool ssh_cert_check(const struct ssh_cert *cert, const struct ssh_claim *claim,
                               struct err *err);

#endif

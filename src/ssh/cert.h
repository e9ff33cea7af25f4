#ifndef REEVE_SSH_CERT_H
#define REEVE_SSH_CERT_H

#include "ssh/key.h"

/* public names start with: ssh_ */

/* Certificates of OpenSSH, `ssh-ed25519-cert-v01@openssh.com`, by OpenSSH's PROTOCOL.certkeys: an
 * authority signs that a key is valid for some names, for a limited time. */

#define SSH_CERT_FORMAT "ssh-ed25519-cert-v01@openssh.com"

/* The values are those in the format of certificates. */
enum ssh_cert_kind { SSH_CERT_USER = 1, SSH_CERT_HOST = 2 };

enum { SSH_NONCE_BYTES = 32 };

/* A critical option or an extension: its name, and its value in the encoding of the format (a
 * packed string, or empty). */
struct ssh_option {
    struct text name;
    struct text value;
};

struct ssh_cert {
    unsigned char nonce[SSH_NONCE_BYTES];
    struct ssh_key key; /* the key that is certified */
    uint64_t serial;
    enum ssh_cert_kind kind;
    struct text id;                /* id for logs, and for revocation by id */
    const struct text *principals; /* users, or names of hosts */
    size_t principal_count;        /* up to LIMIT_SSH_PRINCIPALS; 0: valid for every name */
    uint64_t after_s;              /* valid from; seconds since 1970 */
    uint64_t before_s;             /* invalid from; seconds since 1970 */
    const struct ssh_option *must; /* critical options: a reader must reject unknown ones */
    size_t must_count;             /* up to LIMIT_SSH_OPTIONS, sorted by name */
    const struct ssh_option *may;  /* extensions: permissions of a session; sorted by name */
    size_t may_count;
    struct ssh_key authority;
    unsigned char signature[SSH_SIGNATURE_BYTES];
};

/* Set authority and signature with the authority's secret. */
void ssh_cert_sign(struct ssh_cert *cert, const unsigned char secret[static SSH_SECRET_BYTES]);

/* The content of a file NAME-cert.pub, without its line end. The text lives in the arena. */
struct text ssh_cert_format(struct arena *arena, const struct ssh_cert *cert, struct text comment);

/* Appends all bytes that the signature covers. */
void ssh_cert_add_body(struct buf *buf, const struct ssh_cert *cert);

/* Reads the line of a file NAME-cert.pub. Texts and lists live in the arena. The certificate is not
 * verified; ssh_cert_check() verifies it. Fails with R0741 if the line is not a certificate, is
 * damaged, or has another kind of key. */
MUST_CHECK bool ssh_cert_parse(struct arena *arena, struct text line, struct ssh_cert *out,
                               struct err *err);

/* The requirements for a certificate. */
struct ssh_claim {
    enum ssh_cert_kind kind;
    /* One of these authorities must have signed the certificate. */
    const struct ssh_key *authorities;
    size_t authority_count;
    struct text principal; /* name that the certificate must contain */
    uint64_t now_s;
};

/* Checks the signature of the certificate and that it satisfies the claim. Fails with R0742 and the
 * reason. */
MUST_CHECK bool ssh_cert_check(const struct ssh_cert *cert, const struct ssh_claim *claim,
                               struct err *err);

#endif

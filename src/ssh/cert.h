#ifndef REEVE_SSH_CERT_H
#define REEVE_SSH_CERT_H

#include "ssh/key.h"

/* public names start with: ssh_ */

/* Certificates of OpenSSH, `ssh-ed25519-cert-v01@openssh.com` (PROTOCOL.certkeys of OpenSSH). With
 * a certificate, an authority signs that a key is valid for some names, for a limited time. */

#define SSH_CERT_FORMAT "ssh-ed25519-cert-v01@openssh.com"

/* The numbers are those of the certificate format. */
enum ssh_cert_kind { SSH_CERT_USER = 1, SSH_CERT_HOST = 2 };

enum { SSH_NONCE_BYTES = 32 };

/* A critical option or an extension: its name, and its value as encoded in the certificate (a
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
    struct text id;                /* id in the logs of sshd, by which the certificate can be
                                    * revoked */
    const struct text *principals; /* users, or host names */
    size_t principal_count;        /* up to LIMIT_SSH_PRINCIPALS; 0: valid for every name */
    uint64_t after_s;              /* start of validity, in s since 1970 */
    uint64_t before_s;             /* end of validity, in s since 1970 */
    const struct ssh_option *must; /* critical options; a reader rejects the certificate if it does
                                    * not know one of them */
    size_t must_count;             /* up to LIMIT_SSH_OPTIONS, sorted by name */
    const struct ssh_option *may;  /* extensions: permissions in a session; sorted by name */
    size_t may_count;
    struct ssh_key authority;
    unsigned char signature[SSH_SIGNATURE_BYTES];
};

/* Sign the certificate with the authority's secret: sets its authority and its signature. */
void ssh_cert_sign(struct ssh_cert *cert, const unsigned char secret[static SSH_SECRET_BYTES]);

/* Return the content of a file NAME-cert.pub, without its line end. The text lives in the arena. */
struct text ssh_cert_format(struct arena *arena, const struct ssh_cert *cert, struct text comment);

/* Appends all bytes that the signature covers. */
void ssh_cert_add_body(struct buf *buf, const struct ssh_cert *cert);

/* Reads the line of a file NAME-cert.pub. Texts and lists live in the arena. The signature is not
 * verified; use ssh_cert_check(). Fails with R0741 if the line is not a certificate, is damaged, or
 * has another kind of key. */
MUST_CHECK bool ssh_cert_parse(struct arena *arena, struct text line, struct ssh_cert *out,
                               struct err *err);

/* The requirements that a certificate must satisfy. */
struct ssh_claim {
    enum ssh_cert_kind kind;
    /* one of these authorities must have signed it */
    const struct ssh_key *authorities;
    size_t authority_count;
    struct text principal; /* name for which the certificate must be valid */
    uint64_t now_s;
};

/* Checks the signature of the certificate, and that it satisfies the claim. Fails with R0742 and
 * the reason. */
MUST_CHECK bool ssh_cert_check(const struct ssh_cert *cert, const struct ssh_claim *claim,
                               struct err *err);

#endif

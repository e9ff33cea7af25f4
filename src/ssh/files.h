#ifndef REEVE_SSH_FILES_H
#define REEVE_SSH_FILES_H

#include "ssh/key.h"

/* public names start with: ssh_ */

/* Lines and files for sshd and ssh. Names and paths come from users. A text that would have another
 * meaning in such a file is an error (R0744). Texts are never escaped, because these formats have
 * no escapes that all versions support. */

/* Append one line of known_hosts, with its line end: the authority of these hosts, the key of these
 * hosts, or a revoked key. There must be at least one host: a name, an address, `[NAME]:PORT`, or a
 * pattern with * and ?. */
enum ssh_known { SSH_KNOWN_AUTHORITY, SSH_KNOWN_HOST, SSH_KNOWN_REVOKED };
MUST_CHECK bool ssh_known_host_add(struct buf *buf, enum ssh_known known, const struct text *hosts,
                                   size_t count, const struct ssh_key *key, struct err *err);

/* Append the content of the file of principals (AuthorizedPrincipalsFile) that may log in as one
 * user, one per line. */
MUST_CHECK bool ssh_principals_add(struct buf *buf, const struct text *principals, size_t count,
                                   struct err *err);

/* Append the content of the file of authorities that sign user certificates (TrustedUserCAKeys). */
void ssh_authorities_add(struct buf *buf, const struct ssh_key *keys, size_t count);

/* Settings for sshd's configuration, which ssh_sshd_add() appends. Paths are absolute. If a path is
 * NULL, its line is omitted. */
struct ssh_sshd {
    const char *authorities; /* file of the authorities that sign user certificates */
    const char *host_key;
    const char *host_cert;
    const char *principals; /* file of the principals, with %u for the name of the user */
    const char *revoked;    /* revocation list; sshd must be able to read it, or it rejects every
                             * key */
};
MUST_CHECK bool ssh_sshd_add(struct buf *buf, const struct ssh_sshd *sshd, struct err *err);

/* True if a name can be a principal of a certificate and a line of a file. It must consist of
 * visible ASCII without blanks, commas, quotes, backslashes and patterns, must not begin with # or
 * -, and has at most LIMIT_SSH_NAME_BYTES. */
bool ssh_is_principal(struct text name);

#endif

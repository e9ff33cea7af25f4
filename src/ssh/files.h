#ifndef REEVE_SSH_FILES_H
#define REEVE_SSH_FILES_H

#include "ssh/key.h"

/* names: ssh_ */

/* Lines and files that sshd and ssh read. Names and paths come from people: what would mean something else in such a file is
 * refused (R0744), never escaped, for these formats have no escapes that all versions know. */

/* One line of known_hosts, with its end: who signs for these hosts, the key of these hosts, or a key that nobody may use
 * any more. Hosts are names, addresses, `[NAME]:PORT` or patterns with * and ?; at least one. */
enum ssh_known { SSH_KNOWN_AUTHORITY, SSH_KNOWN_HOST, SSH_KNOWN_REVOKED };
MUST_CHECK bool ssh_known_host_add(struct buf *buf, enum ssh_known known, const struct text *hosts,
                                   size_t count, const struct ssh_key *key, struct err *err);

/* The file of principals (AuthorizedPrincipalsFile) that may log in as one user, one a line. */
MUST_CHECK bool ssh_principals_add(struct buf *buf, const struct text *principals, size_t count,
                                   struct err *err);

/* The file of authorities that sign for users (TrustedUserCAKeys). */
void ssh_authorities_add(struct buf *buf, const struct ssh_key *keys, size_t count);

/* The part of sshd's configuration. Paths are absolute; NULL: the line is left out. */
struct ssh_sshd {
    const char *authorities; /* of users */
    const char *host_key;
    const char *host_cert;
    const char *principals; /* of the user %u */
    const char *revoked;    /* has to be there and readable: without it sshd refuses every key */
};
MUST_CHECK bool ssh_sshd_add(struct buf *buf, const struct ssh_sshd *sshd, struct err *err);

/* May it stand as a principal of a certificate, and in a line of its own? Visible ASCII without blanks, commas, quotes,
 * backslashes and patterns, not beginning with # or -, up to LIMIT_SSH_NAME_BYTES. */
bool ssh_is_principal(struct text name);

#endif

#ifndef REEVE_REMOTE_TRUST_H
#define REEVE_REMOTE_TRUST_H

#include "ssh/key.h"

/* The trusted keys and certificates of a node, as the files that programs/trust.sh and classic.sh
 * install. Pure. */

struct trust {
    /* For sshd: user CAs, principals that may log in, and revoked keys. */
    const struct ssh_key *user_authorities;
    size_t user_authority_count;
    const struct text *principals; /* principals that may log in as root */
    size_t principal_count;
    /* A revocation list. Never empty, because sshd without a list rejects every key. */
    struct text revoked;
    /* For ssh: CAs of the members' host keys. The facts of all members list the hosts. */
    const struct ssh_key *host_authorities;
    size_t host_authority_count;
    /* The user for logins from outside (empty: root), and the user's lines of authorized_keys. They
     * replace the lines in the file that begin with `mark`, if any. Other lines stay. */
    struct text user;
    struct text lines;
    struct text mark;
    /* certificates of this node's keys, one line each; empty: the current ones stay */
    struct text host_certificate;
    struct text root_certificate;
    struct text user_certificate;
};

/* Formats the archive for node_trust. It lives in the arena. Fails with R0744 if a name cannot be
 * written into such a file, and with R0741 if there is no revocation list. */
MUST_CHECK bool trust_format(struct arena *arena, const struct trust *trust, struct text *out,
                             struct err *err);

/* Formats the archive for node_trust with a block name (sshTrust: classic): lines of
 * authorized_keys and known_hosts. If there are no lines, the block is removed. Fails with R0744 if
 * a line is empty, contains a line end or begins with `#`. */
MUST_CHECK bool trust_classic(struct arena *arena, const struct text *keys, size_t key_count,
                              const struct text *hosts, size_t host_count, struct text *out,
                              struct err *err);

#endif

#ifndef REEVE_REMOTE_TRUST_H
#define REEVE_REMOTE_TRUST_H

#include "ssh/key.h"

/* The trusted keys and certificates of a node, as the files that programs/trust.sh and classic.sh
 * install. Pure. */

struct trust {
    /* For sshd: the user CAs, the principals that may log in, and the revoked keys. */
    const struct ssh_key *user_authorities;
    size_t user_authority_count;
    const struct text *principals; /* principals that may log in as root */
    size_t principal_count;
    /* Revocation list. It is never empty, because sshd rejects every key if there is no list. */
    struct text revoked;
    /* For ssh: the CAs of the members' host keys. The hosts themselves are in the facts of all
     * members. */
    const struct ssh_key *host_authorities;
    size_t host_authority_count;
    /* The user for logins from outside (empty: root), and lines for the user's authorized_keys.
     * They replace those lines of the file that begin with `mark`. Other lines are kept. */
    struct text user;
    struct text lines;
    struct text mark;
    /* certificates of this node's keys, one line each; empty: the node keeps its current ones */
    struct text host_certificate;
    struct text root_certificate;
    struct text user_certificate;
};

/* Formats the archive for node_trust. It lives in the arena. Fails with R0744 if a name cannot be
 * written into such a file, and with R0741 if the revocation list is missing. */
MUST_CHECK bool trust_format(struct arena *arena, const struct trust *trust, struct text *out,
                             struct err *err);

/* Formats the archive for node_trust with a block name (sshTrust: classic): lines for
 * authorized_keys and known_hosts. Without lines, the block is removed from the files. Fails with
 * R0744 if a line is empty, contains a line end or begins with `#`. */
MUST_CHECK bool trust_classic(struct arena *arena, const struct text *keys, size_t key_count,
                              const struct text *hosts, size_t host_count, struct text *out,
                              struct err *err);

#endif

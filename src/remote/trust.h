#ifndef REEVE_REMOTE_TRUST_H
#define REEVE_REMOTE_TRUST_H

#include "ssh/key.h"

/* What a node is to trust, as the files that programs/trust.sh and classic.sh install. Pure. */

struct trust {
    /* sshd: who signs for users, who may log in as whom, who may not any more */
    const struct ssh_key *user_authorities;
    size_t user_authority_count;
    const struct text *principals; /* may log in as root */
    size_t principal_count;
    struct text
        revoked; /* a revocation list; never empty, for sshd without one refuses every key */
    /* ssh: who signs for the hosts of members; which hosts those are comes with the facts of all */
    const struct ssh_key *host_authorities;
    size_t host_authority_count;
    /* who logs in from outside (empty: root), and the lines by which he may: they take the place of those in his authorized_keys that
     * begin with `mark`, where there are any; what has another shape stays as it is */
    struct text user;
    struct text lines;
    struct text mark;
    /* certificates of this node's own keys, one line each; empty: what is there stays */
    struct text host_certificate;
    struct text root_certificate;
    struct text user_certificate;
};

/* The archive for node_trust. It lives in the arena. R0744: a name that cannot stand in such a file; R0741: no revocation
 * list. */
MUST_CHECK bool trust_format(struct arena *arena, const struct trust *trust, struct text *out,
                             struct err *err);

/* The archive for node_trust with a block's name (sshTrust: classic): lines of authorized_keys and known_hosts; none: the block
 * is taken away. R0744: a line that is no single line, or a mark. */
MUST_CHECK bool trust_classic(struct arena *arena, const struct text *keys, size_t key_count,
                              const struct text *hosts, size_t host_count, struct text *out,
                              struct err *err);

#endif

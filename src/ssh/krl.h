#ifndef REEVE_SSH_KRL_H
#define REEVE_SSH_KRL_H

#include "ssh/cert.h"

/* public names start with: ssh_ */

/* Key revocation lists (PROTOCOL.krl of OpenSSH): keys and certificates that sshd rejects although
 * their authority has signed them. */

/* The serial numbers from `first` to `last`. */
struct ssh_serials {
    uint64_t first; /* above 0, because 0 means that a certificate has no number */
    uint64_t last;
};

/* The revocations of one authority. */
struct ssh_krl_part {
    struct ssh_key authority;
    const struct ssh_serials *serials;
    size_t serial_count;
    const struct text *ids;
    size_t id_count;
};

struct ssh_krl {
    uint64_t version; /* version of the list, which increases with each published list */
    uint64_t at_s;
    struct text comment;
    const struct ssh_krl_part *parts;
    size_t part_count;
    const struct ssh_key *keys; /* revoked keys; a certificate of such a key is revoked too */
    size_t key_count;
};

/* Return the bytes of the list, in the arena. It has at most LIMIT_KRL_ENTRIES entries in total. */
struct text ssh_krl_format(struct arena *arena, const struct ssh_krl *krl);

/* Reads a list. Arrays live in the arena; texts are borrowed. Serial numbers are returned as
 * ranges; adjacent numbers are joined. Fails with R0743 if the bytes are not a revocation list, are
 * damaged or too large, or have entries that reeve does not support: other kinds of keys, digests
 * of keys, signatures. */
MUST_CHECK bool ssh_krl_parse(struct arena *arena, struct text bytes, struct ssh_krl *out,
                              struct err *err);

/* True if the list revokes this certificate. */
bool ssh_krl_has(const struct ssh_krl *krl, const struct ssh_cert *cert);

#endif

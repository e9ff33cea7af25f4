#ifndef REEVE_SSH_KRL_H
#define REEVE_SSH_KRL_H

#include "ssh/cert.h"

/* names: ssh_ */

/* Key revocation lists, as OpenSSH's PROTOCOL.krl has them: what sshd refuses although its authority has signed it. */

/* Serial numbers from first to last. */
struct ssh_serials {
    uint64_t first; /* above 0, which stands for no number */
    uint64_t last;
};

/* What is taken back of one authority. */
struct ssh_krl_part {
    struct ssh_key authority;
    const struct ssh_serials *serials;
    size_t serial_count;
    const struct text *ids;
    size_t id_count;
};

struct ssh_krl {
    uint64_t version; /* grows with each list that is given out */
    uint64_t at_s;
    struct text comment;
    const struct ssh_krl_part *parts;
    size_t part_count;
    const struct ssh_key *keys; /* by themselves, and every certificate of theirs */
    size_t key_count;
};

/* The bytes of the list. At most LIMIT_KRL_ENTRIES in all. */
struct text ssh_krl_format(struct arena *arena, const struct ssh_krl *krl);

/* Read one. Lists live in the arena, texts are borrowed. Lists of serial numbers become ranges, neighbours one. R0743: it is none, is damaged,
 * too large, or has what reeve does not read: other kinds of keys, digests of keys, signatures. */
MUST_CHECK bool ssh_krl_parse(struct arena *arena, struct text bytes, struct ssh_krl *out,
                              struct err *err);

/* Does the list take this certificate back? */
bool ssh_krl_has(const struct ssh_krl *krl, const struct ssh_cert *cert);

#endif

#ifndef REEVE_SIGNER_RING_H
#define REEVE_SIGNER_RING_H

#include "ssh/cert.h"
#include "ssh/rotation.h"
#include "sys/seal.h"

/* The keyring of one cluster's authority: one key signs user certificates, the other host
 * certificates. A rotation has four steps (ssh/rotation.h). */
enum { RING_NOW, RING_NEXT, RING_SLOTS };
enum { RING_USERS, RING_HOSTS, RING_KINDS };

/* A keyring with its secrets. The caller keeps it in locked memory that is never dumped, and wipes
 * it. */
struct ring {
    unsigned char secrets[RING_KINDS][RING_SLOTS][SSH_SECRET_BYTES];
    uint64_t generation; /* increases with every step */
    enum rotation_phase phase;
};

/* Generates keys for a new authority. */
void ring_draw(struct ring *out);

/* Executes the next rotation step. Fails with R0750 if `to` is not the next phase. */
MUST_CHECK bool ring_step(struct ring *ring, uint64_t to, struct err *err);

/* Returns the sealed keyring, which is bound to the name of the authority. It lives in the
 * arena. */
struct text ring_seal(struct arena *arena, const struct seal_key *key, struct text name,
                      const struct ring *ring);

/* Opens a sealed keyring. Fails with R0749 if it was sealed for another name or with another key,
 * or is damaged. */
MUST_CHECK bool ring_open(const struct seal_key *key, struct text name, struct text sealed,
                          struct ring *out, struct err *err);

/* Returns the secret key that signs at present. */
const unsigned char *ring_secret(const struct ring *ring, enum ssh_cert_kind kind);

/* Writes the keys that are trusted at present, one or two. The key that signs comes first. Returns
 * their number. */
size_t ring_trusted(const struct ring *ring, enum ssh_cert_kind kind,
                    struct ssh_key out[static RING_SLOTS]);

#endif

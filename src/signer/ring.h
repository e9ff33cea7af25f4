#ifndef REEVE_SIGNER_RING_H
#define REEVE_SIGNER_RING_H

#include "ssh/cert.h"
#include "sys/seal.h"

/* The keys of one cluster's authorities: one signs users, one signs hosts. They are changed in four steps, so that in between
 * both are trusted everywhere and no login fails:
 *
 *     STEADY   one key each
 *     MADE     the next ones are drawn, and known to nobody
 *     TRUSTED  machines are told to trust both; the old ones sign
 *     SIGNS    the new ones sign; certificates of the old ones run out, or are made anew
 *     STEADY   the old ones are gone
 */
enum ring_phase { RING_STEADY, RING_MADE, RING_TRUSTED, RING_SIGNS, RING_PHASE_COUNT };

enum { RING_NOW, RING_NEXT, RING_SLOTS };
enum { RING_KINDS = 2 };

/* Secrets stand in memory that is locked and that nobody dumps: the caller's, who wipes it. */
struct ring {
    unsigned char secrets[RING_KINDS][RING_SLOTS][SSH_SECRET_BYTES];
    uint64_t generation; /* grows with every step */
    enum ring_phase phase;
};

/* Draw keys for a new authority. */
void ring_draw(struct ring *out);

/* Take the next step. R0750: `to` is not the phase after this one. */
MUST_CHECK bool ring_step(struct ring *ring, uint64_t to, struct err *err);

/* As it is kept: sealed, for the authority of this name alone. */
struct text ring_seal(struct arena *arena, const struct seal_key *key, struct text name,
                      const struct ring *ring);

/* Open it again. R0749: it is of another name or key, or damaged. */
MUST_CHECK bool ring_open(const struct seal_key *key, struct text name, struct text sealed,
                          struct ring *out, struct err *err);

/* The secret that signs now. */
const unsigned char *ring_secret(const struct ring *ring, enum ssh_cert_kind kind);

/* The keys that are trusted now, one or two; the one that signs comes first. */
size_t ring_trusted(const struct ring *ring, enum ssh_cert_kind kind,
                    struct ssh_key out[static RING_SLOTS]);

#endif

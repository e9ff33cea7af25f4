#ifndef REEVE_SIGNER_TAKEN_H
#define REEVE_SIGNER_TAKEN_H

#include "base/map.h"
#include "signer/ring.h"
#include "ssh/krl.h"
#include "wire/sign.h"

/* The revocations of one authority: certificates by serial number or id, and keys. They are freed
 * together. */
struct taken {
    struct arena *arena;
    struct map ids;
    struct map keys; /* revoked keys, by their bytes */
    struct ssh_serials *serials;
    size_t serial_count;
    size_t count; /* total number of entries */
};

/* Returns an empty set. */
struct taken *taken_new(void);

/* Frees a set. NULL is allowed. */
void taken_free(struct taken *taken);

/* Adds the revocations of a request. Fails with R0746 if an entry is invalid, and with R0747 if
 * there are more than LIMIT_SIGNER_REVOKED. After a failure some entries may have been added, so
 * the caller must free the set. */
MUST_CHECK bool taken_add(struct taken *taken, const struct sign_ask *ask, struct err *err);

/* Returns whether the key or the id is revoked. If `taken` is NULL, nothing is revoked. */
bool taken_has(const struct taken *taken, const struct ssh_key *key, struct text id);

/* Returns the revocation list in sshd's format, for all trusted keys of the authority. Fails with
 * R0747 if it would be too large. */
MUST_CHECK bool taken_list(struct arena *arena, const struct taken *taken, const struct ring *ring,
                           uint64_t version, uint64_t now_s, struct text *out, struct err *err);

#endif

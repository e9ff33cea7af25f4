#ifndef REEVE_SIGNER_TAKEN_H
#define REEVE_SIGNER_TAKEN_H

#include "base/map.h"
#include "signer/ring.h"
#include "ssh/krl.h"
#include "wire/sign.h"

/* What is taken back of one authority: certificates by number or by id, and keys. All of it dies at once. */
struct taken {
    struct arena *arena;
    struct map ids;
    struct map keys; /* by their bytes */
    struct ssh_serials *serials;
    size_t serial_count;
    size_t count; /* of all */
};

/* Nothing taken back. */
struct taken *taken_new(void);

/* NULL is allowed. */
void taken_free(struct taken *taken);

/* Add what a question names. R0746: something that is none of these. R0747: more than LIMIT_SIGNER_REVOKED. Some of it may be
 * in then: it is to be freed. */
MUST_CHECK bool taken_add(struct taken *taken, const struct sign_ask *ask, struct err *err);

/* Is this key, or this id, among them? NULL has nothing. */
bool taken_has(const struct taken *taken, const struct ssh_key *key, struct text id);

/* The list as sshd reads it, for all authorities that are trusted. R0747: it would be too large. */
MUST_CHECK bool taken_list(struct arena *arena, const struct taken *taken, const struct ring *ring,
                           uint64_t version, uint64_t now_s, struct text *out, struct err *err);

#endif

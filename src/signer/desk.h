#ifndef REEVE_SIGNER_DESK_H
#define REEVE_SIGNER_DESK_H

#include "signer/book.h"
#include "sys/clock.h"
#include "sys/seal.h"
#include "wire/sign.h"

/* Validates and answers requests. It does not trust the manager, so all limits are enforced here.
 * An attacker who controls a manager gets no certificate that stays valid for more than
 * LIMIT_SIGNER_TTL_MAX_S after the attack, none for another cluster, and none without a line in the
 * log. */
struct desk;

/* Creates the server. The caller owns the key and the log, which must outlive it. The authorities'
 * keys are in memory that is locked if the system permits it, and that is never dumped. */
struct desk *desk_new(const struct seal_key *key, struct book *book, struct clock clock);

/* Wipes all keys and frees the server. */
void desk_free(struct desk *desk);

/* Returns whether the memory of the keys is locked, so that no key is swapped to a disk. */
bool desk_is_locked(const struct desk *desk);

/* Answers a request. Texts and lists live in the arena or in the request. Codes: R0740, R0746 to
 * R0750. */
void desk_answer(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                 struct sign_reply *out);

#endif

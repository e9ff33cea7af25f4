#ifndef REEVE_SIGNER_DESK_H
#define REEVE_SIGNER_DESK_H

#include "signer/book.h"
#include "sys/clock.h"
#include "sys/seal.h"
#include "wire/sign.h"

/* Where questions are judged and answered. It believes nobody: what a manager may ask for is bounded here, so that whoever has
 * taken over a manager gets no certificate that outlives it by more than LIMIT_SIGNER_TTL_MAX_S, none for another cluster, and
 * none without a line in the book. */
struct desk;

/* Make it; the key and the book are the caller's, and outlive it. The keys of authorities get memory that is locked where the
 * system lets us, and is never dumped. */
struct desk *desk_new(const struct seal_key *key, struct book *book, struct clock clock);

/* Wipe all keys. */
void desk_free(struct desk *desk);

/* Is its memory locked, so that no key gets to a swap device? */
bool desk_is_locked(const struct desk *desk);

/* Answer. Texts and lists live in the arena or in the question. Codes: R0740, R0746 to R0750. */
void desk_answer(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                 struct sign_reply *out);

#endif

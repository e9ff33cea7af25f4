#ifndef REEVE_BASE_SUGGEST_H
#define REEVE_BASE_SUGGEST_H

#include "base/text.h"

/* Finds the word that is most similar to the user's input: add candidates with suggest_offer(),
 * then read suggest_best(). One rule applies to verbs, kinds, flags, fields, enum values, names and
 * codes (UX.md 3.8): the Damerau-Levenshtein distance is at most max(1, length / 3), and the
 * candidate is clearly the nearest. */
struct suggest {
    struct text wrong;
    struct text best;
    unsigned best_distance;
    unsigned next_distance; /* distance of the second-best candidate */
};

/* Start a search for the correction of `wrong`. Borrows the text. */
struct suggest suggest_start(struct text wrong);

/* Consider one candidate. Borrows it. */
void suggest_offer(struct suggest *suggest, struct text candidate);

/* Return the nearest candidate, or an empty text if none is clearly nearest. */
struct text suggest_best(const struct suggest *suggest);

#endif

#ifndef REEVE_BASE_SUGGEST_H
#define REEVE_BASE_SUGGEST_H

#include "base/text.h"

/* The search for the one word that somebody most likely meant: fill with suggest_offer, read with
 * suggest_best. One rule for verbs, kinds, flags, fields, enum values, names and codes (UX.md 3.8):
 * Damerau-Levenshtein distance of at most max(1, length / 3), and clearly nearest. */
struct suggest {
    struct text wrong;
    struct text best;
    unsigned best_distance;
    unsigned next_distance; /* of the runner-up */
};

/* Begin a search for what `wrong` should have been. Borrows the text. */
struct suggest suggest_start(struct text wrong);

/* Weigh one allowed word. Borrows it. */
void suggest_offer(struct suggest *suggest, struct text candidate);

/* The word that was meant, or an empty text where none is clearly nearest. */
struct text suggest_best(const struct suggest *suggest);

#endif

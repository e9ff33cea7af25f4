#ifndef REEVE_BASE_SET_H
#define REEVE_BASE_SET_H

#include "base/map.h"

/* An ordered set of texts. It borrows the texts, as struct map borrows keys. */
struct set {
    struct map map;
};

/* Initialize an empty set in memory of the caller. */
void set_init(struct set *set, struct arena *arena);

/* Add a text. Returns true if it was not in the set. */
bool set_add(struct set *set, struct text text);

/* True if the text is in the set. */
bool set_has(const struct set *set, struct text text);

/* Return the number of texts. */
size_t set_count(const struct set *set);

#endif

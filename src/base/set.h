#ifndef REEVE_BASE_SET_H
#define REEVE_BASE_SET_H

#include "base/map.h"

/* An ordered set of texts; borrows them as struct map borrows keys. */
struct set {
    struct map map;
};

/* Make an empty set in memory of the caller. */
void set_init(struct set *set, struct arena *arena);

/* Add a text. True where it was not there before. */
bool set_add(struct set *set, struct text text);

/* Is the text in the set? */
bool set_has(const struct set *set, struct text text);

/* Number of texts. */
size_t set_count(const struct set *set);

#endif

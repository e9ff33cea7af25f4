#ifndef REEVE_STATE_DAMAGE_H
#define REEVE_STATE_DAMAGE_H

#include "state/cache.h"

/* public names start with: damage_ */

/* Describe the unreadable content of a damaged store as lines of text, with the names of clusters.
 * Returns the number of lines, which live in the arena. */
size_t damage_lines(struct arena *arena, struct cache *cache, const struct store_damage *damage,
                    struct text **out);

#endif

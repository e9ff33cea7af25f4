#ifndef REEVE_STATE_DAMAGE_H
#define REEVE_STATE_DAMAGE_H

#include "state/cache.h"

/* names: damage_ */

/* What a damaged store cannot show, a line each, with the names of clusters as users know them. */
size_t damage_lines(struct arena *arena, struct cache *cache, const struct store_damage *damage,
                    struct text **out);

#endif

#ifndef REEVE_STATE_NAMES_H
#define REEVE_STATE_NAMES_H

#include "state/objects.h"

/* An index of the member names in each cluster, by group. With it, a change of one group among ten
 * thousand is checked only against the groups whose members could have the same names. The index is
 * built at the first query for a cluster; then a watch keeps it current. */
struct names;

/* Creates an index that follows a cache. */
struct names *names_new(struct cache *cache);

/* Frees the index, after the cache. NULL is allowed. */
void names_free(struct names *names);

/* Return the groups of a cluster except those in `without`, for a caller that does not read the
 * groups itself. The result lives in the arena and is valid until the current callback returns.
 * NULL: unknown; the caller must check all groups. */
const struct model_others *names_others(struct names *names, struct arena *arena,
                                        const struct cache_object *cluster,
                                        const struct set *without);

#endif

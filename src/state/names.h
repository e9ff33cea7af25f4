#ifndef REEVE_STATE_NAMES_H
#define REEVE_STATE_NAMES_H

#include "state/objects.h"

/* An index of the member names of the groups of each cluster. With it, a change of one group among
 * ten thousand only checks the groups whose members could have the same names. It is built at the
 * first query for a cluster, then kept current by a watch. */
struct names;

/* Follow a cache. */
struct names *names_new(struct cache *cache);

/* Free it, after the cache. NULL is allowed. */
void names_free(struct names *names);

/* The groups of a cluster except those in `without`, for a set that does not read them itself. The
 * result lives in the arena and is valid until the current callback returns. NULL: unknown; check
 * all groups. */
const struct model_others *names_others(struct names *names, struct arena *arena,
                                        const struct cache_object *cluster,
                                        const struct set *without);

#endif

#ifndef REEVE_STATE_NAMES_H
#define REEVE_STATE_NAMES_H

#include "state/objects.h"

/* What the groups of a cluster are called, kept beside the cache: so that a change of one group of ten
 * thousand looks at those alone whose members could have the same names. Made for a cluster when it is
 * first asked for, then kept up to date by a watch. */
struct names;

/* Follow a cache. */
struct names *names_new(struct cache *cache);

/* End it, after the cache. NULL is allowed. */
void names_free(struct names *names);

/* The groups of a cluster but those with these paths, for a set that does not look at them. Lives in the
 * arena and is true within the turn of the loop. NULL where it is not known: look at all groups. */
const struct model_others *names_others(struct names *names, struct arena *arena,
                                        const struct cache_object *cluster,
                                        const struct set *without);

#endif

#ifndef REEVE_RECORDS_PINS_H
#define REEVE_RECORDS_PINS_H

#include "state/cache.h"
#include "wire/frame.h"

/* Pins: the values to which symbolic values of a group's machines were resolved when a plan was
 * checked, for example "/image" "debian" to "ami-0abc". They are stored by group and generation, so
 * that all machines of a generation are alike and a repeated request does not differ:
 * /TENANT/Pins/CLUSTER/GENERATION/GROUP/base, a map of pointer to value as canonical JSON. */
#define PINS_KIND "Pins"

/* Return the key of the values of a generation. */
struct text pins_key(struct arena *arena, struct text tenant, struct text cluster,
                     struct text group, struct text generation);

/* Format the values, a list of struct wire_pair. */
struct text pins_format(struct arena *arena, const struct wire_list *pins);

/* Read the values of a generation; an empty list if there are none, or if they cannot be parsed.
 * They live in the arena. */
struct wire_list pins_read(struct arena *arena, const struct cache *cache, struct text tenant,
                           struct text cluster, struct text group, struct text generation);

#endif

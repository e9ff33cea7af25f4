#ifndef REEVE_STATE_FLAT_H
#define REEVE_STATE_FLAT_H

#include "state/objects.h"

/* Objects in the flat form of specification files: kind and name are on the same level as the other
 * fields, and a NodeGroup contains the name of its cluster. */

/* Makes the flat form of the object as it is stored, with `from` as one of its fields. */
struct doc flat_make(struct arena *arena, const struct stored_object *stored);

/* Makes the flat form of the object as it is resolved from its sources, so that the result is
 * self-contained (FILE.md 9). Fields that null removed remain null. Otherwise a source in another
 * installation would restore them. */
struct doc flat_export(struct arena *arena, const struct stored_object *stored, struct text id);

/* Returns `shown` with the nulls of `own` added for which `shown` has no value. These are removed
 * fields, and removed groups that `below` has. */
struct doc flat_nulls(struct arena *arena, const struct doc *shown, const struct doc *own,
                      const struct doc *below);

#endif

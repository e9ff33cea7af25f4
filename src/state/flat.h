#ifndef REEVE_STATE_FLAT_H
#define REEVE_STATE_FLAT_H

#include "state/objects.h"

/* Objects in the flat form of specification files: kind and name are beside the other fields, and a
 * NodeGroup names its cluster. */

/* Make the flat form of the object as stored, with its `from` as a field. */
struct doc flat_make(struct arena *arena, const struct stored_object *stored);

/* Make the flat form of the object resolved from its sources, so that it is self-contained (FILE.md
 * 9). Fields that null removed remain null. Otherwise a source that another installation has would
 * restore them. */
struct doc flat_export(struct arena *arena, const struct stored_object *stored, struct text id);

/* Returns `shown` with the nulls of `own` at which `shown` has no value: removed fields, and
 * removed groups that `below` has. */
struct doc flat_nulls(struct arena *arena, const struct doc *shown, const struct doc *own,
                      const struct doc *below);

#endif

#ifndef REEVE_STATE_FLAT_H
#define REEVE_STATE_FLAT_H

#include "state/objects.h"

/* Objects in the flat form that users write and apply reads: kind and name beside the fields, a
 * NodeGroup with its cluster. */

/* The object as stored, with its `from` as a field. */
struct doc flat_make(struct arena *arena, const struct stored_object *stored);

/* The object resolved from its sources, so that it is self-contained (FILE.md 9). Fields that null
 * removed remain null: elsewhere, a known source would otherwise restore them. */
struct doc flat_export(struct arena *arena, const struct stored_object *stored, struct text id);

/* `shown` with the nulls of `own` where `shown` has no value: removed fields, and groups that
 * `below` has. */
struct doc flat_nulls(struct arena *arena, const struct doc *shown, const struct doc *own,
                      const struct doc *below);

#endif

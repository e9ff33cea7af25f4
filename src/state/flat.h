#ifndef REEVE_STATE_FLAT_H
#define REEVE_STATE_FLAT_H

#include "state/objects.h"

/* Objects in the flat form that people write and that apply takes: kind and name beside the fields, a
 * NodeGroup with its cluster. */

/* As it stands, its `from` among the fields. */
struct doc flat_make(struct arena *arena, const struct stored_object *stored);

/* The same without what it was made from, so that it stands for itself (FILE.md 9); what was dropped by null
 * is still dropped by null, or it would come back where that source is known. */
struct doc flat_export(struct arena *arena, const struct stored_object *stored, struct text id);

/* `shown` with the nulls of `own` where nothing stands in `shown`: fields that are taken away, and groups that `below` has. */
struct doc flat_nulls(struct arena *arena, const struct doc *shown, const struct doc *own,
                      const struct doc *below);

#endif

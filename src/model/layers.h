#ifndef REEVE_MODEL_LAYERS_H
#define REEVE_MODEL_LAYERS_H

#include "base/mem.h"
#include "codec/doc.h"

/* The stored form of a layer that an object was made from: one list item per origin, {kind:
 * "template", name, revision, values}. So the origin of every value is kept. */

/* Convert a layer to the list. The document lives in the arena. */
struct doc layers_format(struct arena *arena, const struct doc *layer);

/* Convert the list back to a layer. Returns an absent document for anything else. */
struct doc layers_parse(struct arena *arena, const struct doc *list);

#endif

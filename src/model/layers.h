#ifndef REEVE_MODEL_LAYERS_H
#define REEVE_MODEL_LAYERS_H

#include "base/mem.h"
#include "codec/doc.h"

/* A layer that something was made from, as a document of its own: every value of it knows its origin,
 * and that is kept, one list item an origin: {kind: "template", name, revision, values}. */

/* The list. */
struct doc layers_format(struct arena *arena, const struct doc *layer);

/* The layer that such a list tells of; what is no such list gives an absent one. */
struct doc layers_parse(struct arena *arena, const struct doc *list);

#endif

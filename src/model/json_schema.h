#ifndef REEVE_MODEL_JSON_SCHEMA_H
#define REEVE_MODEL_JSON_SCHEMA_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/schema.h"

/* The JSON Schema (draft 2020-12) of one kind of document, or with kind NULL of all that may stand in
 * a file, made from schema.def. Editors use it to complete and to mark; reeve itself never reads it.
 * It accepts what reeve accepts as far as JSON Schema can say it: aliases too, null everywhere (it
 * drops what a lower layer gave), required fields only where nothing else may give them. */
struct doc json_schema_make(struct arena *arena, const struct schema_kind *kind);

#endif

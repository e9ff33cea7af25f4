#ifndef REEVE_MODEL_JSON_SCHEMA_H
#define REEVE_MODEL_JSON_SCHEMA_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/schema.h"

/* Make the JSON Schema (draft 2020-12) of one kind of document from schema.def. If kind is NULL,
 * make the schema of all documents in files. Editors use it to complete fields and to mark errors;
 * reeve itself never reads it. The schema accepts what reeve accepts, as far as JSON Schema can
 * express it: also aliases, and null everywhere (null drops a value of a lower layer). It requires
 * a field only if no other layer can provide it. The document lives in the arena. */
struct doc json_schema_make(struct arena *arena, const struct schema_kind *kind);

#endif

#ifndef REEVE_MODEL_JSON_SCHEMA_H
#define REEVE_MODEL_JSON_SCHEMA_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/schema.h"

/* The JSON Schema (draft 2020-12) of one kind of document, made from schema.def. With kind NULL it
 * is the schema of all documents that a file may contain. Editors use it to complete fields and to
 * mark errors; reeve itself never reads it. It accepts what reeve accepts, as far as JSON Schema
 * can express it. It accepts aliases, and null everywhere (null drops a value of a lower layer). It
 * requires a field only if no other layer can provide it. The document lives in the arena. */
struct doc json_schema_make(struct arena *arena, const struct schema_kind *kind);

#endif

#ifndef REEVE_CLI_TERM_EXPORT_TEXT_H
#define REEVE_CLI_TERM_EXPORT_TEXT_H

#include "base/buf.h"
#include "codec/doc.h"
#include "model/schema.h"

/* Write an object in its flat form as YAML that a user would write: fields in the order of the
 * schema, groups by name (FILE.md 9). Parsing the result gives the same document. */
void export_text_write(struct buf *out, const struct doc *flat, enum schema_owner owner);

/* Write the sources of an object and of its groups as comments, because the output has the values
 * of the sources instead of references. `spec` is the object's spec in the answer to GET. */
void export_text_sources(struct buf *out, const struct doc *spec);

#endif

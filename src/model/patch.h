#ifndef REEVE_MODEL_PATCH_H
#define REEVE_MODEL_PATCH_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Applies a patch to a document. The result shares branches with the document and the patch. */

/* Apply a merge patch (RFC 7396): maps merge key by key, null removes a key, any other value
 * replaces the old one. */
struct doc patch_merge(struct arena *arena, const struct doc *doc, const struct doc *patch);

/* Apply a JSON patch (RFC 6902): a list of {op, path, value, from}. Applies all operations or none.
 * Fails at the first operation that cannot be applied, and sets its position in the patch: R0345
 * for an invalid patch, R0411 for a failed `test`, R0403 for a path that does not exist. */
MUST_CHECK bool patch_json(struct arena *arena, const struct doc *doc, const struct doc *patch,
                           struct doc *out, struct err *err);

#endif

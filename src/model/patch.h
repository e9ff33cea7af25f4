#ifndef REEVE_MODEL_PATCH_H
#define REEVE_MODEL_PATCH_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Applies a patch to a document. Results share branches with both; unchanged values are not
 * copied. */

/* RFC 7396: maps merge key by key, null removes a key, all else replaces. */
struct doc patch_merge(struct arena *arena, const struct doc *doc, const struct doc *patch);

/* RFC 6902: a list of {op, path, value, from}. Applies all operations or none. Fails at the first
 * operation that is invalid or does not fit, with its position in the patch: R0345 for an invalid
 * patch, R0411 for a failed `test`, R0403 for a path that does not exist. */
MUST_CHECK bool patch_json(struct arena *arena, const struct doc *doc, const struct doc *patch,
                           struct doc *out, struct err *err);

#endif

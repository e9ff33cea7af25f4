#ifndef REEVE_MODEL_PATCH_H
#define REEVE_MODEL_PATCH_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* A document changed by a patch. Results share branches with both; nothing is copied that stays. */

/* RFC 7396: maps merge key by key, null takes a key out, everything else replaces. */
struct doc patch_merge(struct arena *arena, const struct doc *doc, const struct doc *patch);

/* RFC 6902: a list of {op, path, value, from}. The document changes as a whole or not at all. Fails at
 * the first operation that is wrong or does not fit, with its place in the patch: R0345 for what is no
 * patch, R0411 for a `test` that does not hold, R0403 for a path that is not there. */
MUST_CHECK bool patch_json(struct arena *arena, const struct doc *doc, const struct doc *patch,
                           struct doc *out, struct err *err);

#endif

#ifndef REEVE_CODEC_YAML_GUARD_H
#define REEVE_CODEC_YAML_GUARD_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/doc.h"

/* names: yaml_ */

/* What must not reach libfyaml. */

/* Refuse what reeve does not read and libfyaml would not stop at (control characters, a directive other
 * than %YAML 1.2, a carriage return alone), and what costs libfyaml 0.7.12 more than its length in time or
 * memory, or breaks it (docs/decisions/0010). bytes have passed source_check and begin with no byte
 * order mark. */
MUST_CHECK bool yaml_guard(struct text bytes, const struct origin *origin, struct err *err);

/* Has a line more brackets, commas and colons than yaml_guard lets pass? JSON without line breaks has. */
bool yaml_is_crowded(struct text bytes);

#endif

#ifndef REEVE_CODEC_YAML_GUARD_H
#define REEVE_CODEC_YAML_GUARD_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/doc.h"

/* public names start with: yaml_ */

/* Checks before libfyaml reads a text. */

/* Reject input that reeve does not read although libfyaml would accept it: control characters, a
 * directive other than %YAML 1.2, a single carriage return. Also reject input for which libfyaml
 * 0.7.12 needs more than linear time or memory, or fails (docs/decisions/0010). source_check() must
 * have accepted the bytes, without a byte order mark at their start. */
MUST_CHECK bool yaml_guard(struct text bytes, const struct origin *origin, struct err *err);

/* True if a line has more brackets, commas and colons than yaml_guard() accepts, as JSON without
 * line breaks has. */
bool yaml_is_crowded(struct text bytes);

#endif

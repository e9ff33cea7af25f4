#ifndef REEVE_CODEC_YAML_QUOTED_H
#define REEVE_CODEC_YAML_QUOTED_H

#include "base/mem.h"
#include "base/text.h"

/* public names start with: yaml_ */

/* yaml_unquote_single returns the text between two single quotes of YAML, with '' resolved and
 * lines folded. yaml_unquote_double returns the text between two double quotes, with escapes
 * resolved. libfyaml has checked that `inside` is well-formed. The result borrows from `inside` if
 * nothing changes, otherwise it lives in the arena. It contains NUL if there is an escape for
 * NUL. */
struct text yaml_unquote_single(struct arena *arena, struct text inside);
struct text yaml_unquote_double(struct arena *arena, struct text inside);

/* Fold the lines of a text without quotes, which may have several lines. */
struct text yaml_fold_plain(struct arena *arena, struct text text);

#endif

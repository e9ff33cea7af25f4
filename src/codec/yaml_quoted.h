#ifndef REEVE_CODEC_YAML_QUOTED_H
#define REEVE_CODEC_YAML_QUOTED_H

#include "base/mem.h"
#include "base/text.h"

/* names: yaml_ */

/* The text that stands between two single (double) quotes of YAML: '' and escapes resolved, lines folded.
 * `inside` is what is between the quotes; libfyaml has found it well-formed. The text borrows from it
 * where nothing has to change, else it lives in the arena; it may hold NUL, if an escape said so. */
struct text yaml_unquote_single(struct arena *arena, struct text inside);
struct text yaml_unquote_double(struct arena *arena, struct text inside);

/* The same for a text without quotes, which may go over several lines. */
struct text yaml_fold_plain(struct arena *arena, struct text text);

#endif

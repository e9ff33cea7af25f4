#ifndef REEVE_CODEC_YAML_SCAN_H
#define REEVE_CODEC_YAML_SCAN_H

#include "base/text.h"

/* public names start with: yaml_ */

/* Positions in the bytes of a YAML text that no parser event has. */

/* Return the position of the | or > of the block scalar whose text begins at `start`. It is on the
 * line above, after `after`. SIZE_MAX if it is not found. */
size_t yaml_find_block_header(struct text bytes, size_t after, size_t start);

/* Return the position of the first byte at or after `after` that is one of those in `any`. Only
 * blanks and comments are skipped; SIZE_MAX if another byte comes first. */
size_t yaml_find_indicator(struct text bytes, size_t after, const char *any);

/* Return the position of the '!' of a tag, searched for at `start` and before it on the same
 * line. */
size_t yaml_find_tag(struct text bytes, size_t start);

#endif

#ifndef REEVE_CODEC_YAML_SCAN_H
#define REEVE_CODEC_YAML_SCAN_H

#include "base/text.h"

/* names: yaml_ */

/* Places in the bytes of a YAML text that no event of the parser tells. */

/* The | or > of the block scalar whose text begins at `start`; it stands in the line above, behind
 * `after`. SIZE_MAX where it is not found. */
size_t yaml_find_block_header(struct text bytes, size_t after, size_t start);

/* The next byte of the string `any`, at or behind `after`, over blanks and comments only. SIZE_MAX where
 * something else comes first. */
size_t yaml_find_indicator(struct text bytes, size_t after, const char *any);

/* The '!' with which a tag begins, looked for at `start` and before it in the same line. */
size_t yaml_find_tag(struct text bytes, size_t start);

#endif

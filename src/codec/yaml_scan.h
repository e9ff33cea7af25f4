#ifndef REEVE_CODEC_YAML_SCAN_H
#define REEVE_CODEC_YAML_SCAN_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/doc.h"

/* names: yaml_ */

/* Looks at the bytes of a YAML text that need no parser: what must not reach libfyaml, and places
 * that its events do not tell. */

/* Refuse what reeve does not read and libfyaml would not stop at (control characters, a directive other
 * than %YAML 1.2, a carriage return alone), and what breaks libfyaml 0.7.12 (docs/decisions/0010): tag handles so long
 * that its message overflows the stack, tabs behind a ':' after a `? `. bytes have passed
 * source_check. */
MUST_CHECK bool yaml_guard(struct text bytes, const struct origin *origin, struct err *err);

/* The | or > of the block scalar whose text begins at `start`; it stands in the line above, behind
 * `after`. SIZE_MAX where it is not found. */
size_t yaml_find_block_header(struct text bytes, size_t after, size_t start);

/* The next byte of the string `any`, at or behind `after`, over blanks and comments only. SIZE_MAX where
 * something else comes first. */
size_t yaml_find_indicator(struct text bytes, size_t after, const char *any);

/* The '!' with which a tag begins, looked for at `start` and before it in the same line. */
size_t yaml_find_tag(struct text bytes, size_t start);

#endif

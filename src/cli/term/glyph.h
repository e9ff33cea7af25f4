#ifndef REEVE_CLI_TERM_GLYPH_H
#define REEVE_CLI_TERM_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

/* Displays code points on a terminal. The width tables are built in and not taken from the locale,
 * so that a caret has the same position on every machine. */

/* Return the code point at *at, and advance *at past it. A byte that is not valid UTF-8 is returned
 * as 0xDC00 + byte, which no valid text contains. */
uint32_t glyph_next(struct text text, size_t *at);

/* Return the number of columns that glyph_write uses for a code point: 0 for combining marks, 2 for
 * wide characters, the length of the visible form for control characters. The caller handles
 * tabs. */
unsigned glyph_columns(uint32_t point);

/* Return the number of columns that glyph_write_text uses for a text. */
size_t glyph_text_columns(struct text text);

/* Return the larger of `so_far` and the number of columns of a text. A text wider than `most` is
 * ignored, so that one long value does not push all other columns to the right. */
size_t glyph_widest(size_t so_far, struct text text, size_t most);

/* Write a code point. A code point that controls the terminal or changes the writing direction is
 * written in a visible form: \x1b, \u202e. */
void glyph_write(struct buf *buf, uint32_t point);

/* Write a text, each code point as glyph_write does. Line feeds count as control characters; tabs
 * are written unchanged. */
void glyph_write_text(struct buf *buf, struct text text);

/* Same as glyph_write_text, but removes colours and other escape codes, because the output of a
 * machine must not control the terminal. */
void glyph_write_plain(struct buf *buf, struct text text);

#endif

#ifndef REEVE_CLI_TERM_GLYPH_H
#define REEVE_CLI_TERM_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

/* How code points look on a terminal. No locale is asked: the tables are our own, so that a caret
 * is at the same place on every machine. */

/* Take the code point that begins at *at and step after it; a byte that is not valid UTF-8 is taken
 * alone and given as 0xDC00 + byte, which no valid text contains. */
uint32_t glyph_next(struct text text, size_t *at);

/* Columns a code point takes when written by glyph_write: 0 for combining marks, 2 for wide ones,
 * as many as its visible form has for control characters. A tab is for the caller. */
unsigned glyph_columns(uint32_t point);

/* Columns of a whole text, written by glyph_write. */
size_t glyph_text_columns(struct text text);

/* The larger of a width so far and the columns of a text, unless the text is wider than `most`: one
 * long value must not push all others aside. */
size_t glyph_widest(size_t so_far, struct text text, size_t most);

/* Write a code point; what would steer the terminal or turn the direction of writing is made
 * visible: \x1b, \u202e. */
void glyph_write(struct buf *buf, uint32_t point);

/* Write a text so. Line feeds count as control characters, tabs stay. */
void glyph_write_text(struct buf *buf, struct text text);

#endif

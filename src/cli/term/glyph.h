#ifndef REEVE_CLI_TERM_GLYPH_H
#define REEVE_CLI_TERM_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

/* Display of code points on a terminal. The tables are built in instead of taken from the locale,
 * so that a caret has the same position on every machine. */

/* Take the code point at *at and advance *at past it. A byte that is not valid UTF-8 is taken alone
 * and returned as 0xDC00 + byte, which no valid text contains. */
uint32_t glyph_next(struct text text, size_t *at);

/* Columns that a code point takes when glyph_write writes it: 0 for combining marks, 2 for wide
 * ones, the length of the visible form for control characters. The caller handles tabs. */
unsigned glyph_columns(uint32_t point);

/* Columns of a whole text as glyph_write_text writes it. */
size_t glyph_text_columns(struct text text);

/* The larger of `so_far` and the columns of a text. A text wider than `most` is ignored, so that
 * one long value does not push all other columns to the right. */
size_t glyph_widest(size_t so_far, struct text text, size_t most);

/* Write a code point. One that would control the terminal or change the writing direction is
 * written in a visible form: \x1b, \u202e. */
void glyph_write(struct buf *buf, uint32_t point);

/* Write a text, each code point as glyph_write does. Line feeds count as control characters, tabs
 * stay. */
void glyph_write_text(struct buf *buf, struct text text);

/* Write a text like this, but remove colours and other escape codes: the output of a machine must
 * not control the terminal. */
void glyph_write_plain(struct buf *buf, struct text text);

#endif

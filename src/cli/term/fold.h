#ifndef REEVE_CLI_TERM_FOLD_H
#define REEVE_CLI_TERM_FOLD_H

#include <stddef.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

/* Folds finished lines to the width of a terminal, so that the code that writes a line need not
 * know the width. A line that is too wide is broken between its words. A continuation line starts
 * below the first character after the marker or tree branch of the line; tree branches are
 * continued. If the last column of a line starts in the left half, continuation lines start below
 * that column. Words are never cut; a word that is longer than a line exceeds the width. Colour
 * codes have no width. */

/* Fold the text in `buf` from offset `from` on, in place. With columns 0, there is no limit and
 * nothing changes. `hang` is the indentation of continuation lines; 0: derive it from each line.
 * Folding folded text again changes nothing. */
void fold_lines(struct arena *arena, struct buf *buf, size_t from, size_t columns, size_t hang);

/* Return the number of terminal rows that finished lines occupy, including lines that exceed the
 * width. */
size_t fold_rows(struct text lines, size_t columns);

#endif

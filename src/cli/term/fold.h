#ifndef REEVE_CLI_TERM_FOLD_H
#define REEVE_CLI_TERM_FOLD_H

#include <stddef.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

/* Lines for people, made to fit a terminal after they were written: the code that writes them need
 * not know its width. A line that is too wide is broken between its words. It goes on below its own
 * text: behind the mark or the branch that it begins with (branches of a tree go on), and below its
 * last column where that begins in the left half. A word is never cut: one that is too long for any
 * line stands out. Codes of colour have no width. */

/* Fold what `buf` holds from `from` on, in place; 0 columns: no bound, nothing changes. `hang` is
 * where a line goes on (0: as the line itself says). What was folded is not changed by folding it
 * again. */
void fold_lines(struct arena *arena, struct buf *buf, size_t from, size_t columns, size_t hang);

/* Rows of a terminal that finished lines take, with those that stand out. */
size_t fold_rows(struct text lines, size_t columns);

#endif

#ifndef REEVE_CLI_TERM_TABLE_H
#define REEVE_CLI_TERM_TABLE_H

#include "cli/term/output.h"

/* Write rows as a table (also wide), csv, tsv or md, with a header row; a cell is the value that
 * the column's path finds in the row. On a terminal a table fits the width: droppable columns are
 * dropped from the right, then the longest cells are cut. Elsewhere nothing is dropped or cut. */
void table_write(struct arena *arena, struct output *output, const struct style *style,
                 const struct doc *rows, size_t row_count, struct buf *out);

#endif

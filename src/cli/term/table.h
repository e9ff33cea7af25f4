#ifndef REEVE_CLI_TERM_TABLE_H
#define REEVE_CLI_TERM_TABLE_H

#include "cli/term/output.h"

/* Write rows as a table (also wide), csv, tsv or md, with a header row. A cell is the value at the
 * column's path in the row. On a terminal, a table is fitted to the width: droppable columns are
 * dropped from the right, then the longest cells are cut. Otherwise nothing is dropped or cut. */
void table_write(struct arena *arena, struct output *output, const struct style *style,
                 const struct doc *rows, size_t row_count, struct buf *out);

#endif

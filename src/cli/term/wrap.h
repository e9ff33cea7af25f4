#ifndef REEVE_CLI_TERM_WRAP_H
#define REEVE_CLI_TERM_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"

/* Write prose with line breaks between words, so that no line is longer than `columns` where words
 * allow it. Each line begins with `indent` blanks, the first one only where is_begun is false (the
 * caller has written up to there). Line ends in the text stay. Ends in a newline. */
void wrap_write(struct buf *out, struct text text, size_t indent, size_t columns, bool is_begun);

#endif

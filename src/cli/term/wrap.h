#ifndef REEVE_CLI_TERM_WRAP_H
#define REEVE_CLI_TERM_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"

/* Write prose with line breaks between words, so that no line is longer than `columns`, except a
 * line with a single longer word. Each line begins with `indent` blanks. With is_begun, the caller
 * has already written the start of the first line, which then gets no blanks. Line ends in the text
 * are kept. The output ends in a newline. */
void wrap_write(struct buf *out, struct text text, size_t indent, size_t columns, bool is_begun);

#endif

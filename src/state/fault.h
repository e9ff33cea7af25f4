#ifndef REEVE_STATE_FAULT_H
#define REEVE_STATE_FAULT_H

#include "base/err.h"
#include "codec/doc.h"

/* What is wrong with a request, or odd about it, as programs are told it: {code, document, hint, note, pointer, severity,
 * text}; where what was sent is a file, its place there as well: {line, column, length, noteAt}. */
struct doc fault_show(struct arena *arena, const struct err *err, bool is_file);

#endif

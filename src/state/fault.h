#ifndef REEVE_STATE_FAULT_H
#define REEVE_STATE_FAULT_H

#include "base/err.h"
#include "codec/doc.h"

/* Make the document in which API clients receive an error or note about a request: {code, document,
 * hint, note, pointer, severity, text}. If the request was a file, it also has the position in the
 * file: {line, column, length, noteAt}. */
struct doc fault_show(struct arena *arena, const struct err *err, bool is_file);

#endif

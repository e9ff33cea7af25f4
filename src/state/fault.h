#ifndef REEVE_STATE_FAULT_H
#define REEVE_STATE_FAULT_H

#include "base/err.h"
#include "codec/doc.h"

/* An error or note about a request, as API clients receive it: {code, document, hint, note,
 * pointer, severity, text}. If the request was a file, also the position in it: {line, column,
 * length, noteAt}. */
struct doc fault_show(struct arena *arena, const struct err *err, bool is_file);

#endif

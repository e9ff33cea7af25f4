#ifndef REEVE_API_REQUEST_FORM_H
#define REEVE_API_REQUEST_FORM_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"

/* public names start with: form_ */

enum { FORM_VALUES_MAX = 32 };

/* Reads a body of the type application/x-www-form-urlencoded: values[i] gets the value of names[i].
 * Other values are ignored. R0429: the body is not such a form, has more than FORM_VALUES_MAX
 * values, or one of them twice. */
MUST_CHECK bool form_read(struct arena *arena, struct text body, const char *const *names,
                          size_t count, struct text *values, struct err *err);

#endif

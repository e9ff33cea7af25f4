#ifndef REEVE_CONFORMANCE_OBJECT_H
#define REEVE_CONFORMANCE_OBJECT_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* public names start with: object_ */

/* Checks that the bytes are a shared object for this machine that exports reeve_plugin. Nothing is
 * loaded. Fails with R0620, which says what it is and what to do. If the exports are unknown, only
 * loading shows them. */
MUST_CHECK bool object_check(struct text bytes, struct err *err);

#endif

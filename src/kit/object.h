#ifndef REEVE_KIT_OBJECT_H
#define REEVE_KIT_OBJECT_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* names: object_ */

/* Is it a shared object for this machine that exports reeve_plugin? Only its bytes are looked at, nothing is loaded.
 * R0620 says what it is instead, and what to do. Where an object does not say what it exports, loading tells. */
MUST_CHECK bool object_check(struct text bytes, struct err *err);

#endif

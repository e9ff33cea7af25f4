#ifndef REEVE_CONFORMANCE_OBJECT_H
#define REEVE_CONFORMANCE_OBJECT_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* public names start with: object_ */

/* Checks that the bytes are a shared object for this machine that exports reeve_plugin. Nothing is
 * loaded. Fails with R0620, which describes the file and the remedy. If the exports cannot be
 * determined, the check passes; a missing export is then found when the plugin is loaded. */
MUST_CHECK bool object_check(struct text bytes, struct err *err);

#endif

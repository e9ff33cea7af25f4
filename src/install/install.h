#ifndef REEVE_INSTALL_INSTALL_H
#define REEVE_INSTALL_INSTALL_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* public names start with: install_ */

/* The fields of a group that determine how its image is installed. */

enum { INSTALL_WORD_BYTES = 128 };

/* A kernel argument: printable ASCII without blanks, quotes and backslashes. R0310. */
MUST_CHECK bool install_argument_check(struct text value, struct err *err);

/* A pattern of the name of a disk: lower-case letters, digits, `*`, `?`. R0310. */
MUST_CHECK bool install_pattern_check(struct text value, struct err *err);

#endif

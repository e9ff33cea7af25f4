#ifndef REEVE_PLAYBOOK_UNPACK_H
#define REEVE_PLAYBOOK_UNPACK_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Writes the members of a canonical archive (remote/bundle.h) below an empty folder. Fails with
 * R0843 if a file cannot be written, or with the errors of the archive. */
MUST_CHECK bool unpack_archive(struct text archive, const char *folder, struct err *err);

#endif

#ifndef REEVE_CLI_MANAGER_TAR_H
#define REEVE_CLI_MANAGER_TAR_H

#include "base/buf.h"

/* names: tar_ */

/* An archive in the format of POSIX ustar, in memory. */

/* Append a file: its name (up to 99 bytes), its bytes, its time in seconds since 1970. Mode 0600. */
void tar_add(struct buf *tar, const char *name, struct text bytes, int64_t time_s);

/* End the archive. */
void tar_end(struct buf *tar);

#endif

#ifndef REEVE_DAEMON_BACKUP_FILE_H
#define REEVE_DAEMON_BACKUP_FILE_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#include <stdint.h>

/* names: backup_ */

/* The file of a backup: a copy of the embedded store (sqlite/sqlite.h), and after it a trailer of
 * fixed length with the SHA-256 of all before it. SQLite does not read beyond the pages that its
 * header counts, so the file with its trailer is opened as it is. */

enum { BACKUP_TRAILER_BYTES = 128 };

/* The trailer of a file with so many bytes and this digest (in hex). */
void backup_trailer_format(uint64_t bytes, const char *sha256,
                           char out[static BACKUP_TRAILER_BYTES + 1]);

/* Read all of a file and compare it with its trailer. R0524: it cannot be read, it is not a backup,
 * or it is not what was written. On true *out_bytes is how long it is without its trailer. */
MUST_CHECK bool backup_file_check(const char *path, uint64_t *out_bytes, struct err *err);

#endif

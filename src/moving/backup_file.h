#ifndef REEVE_MOVING_BACKUP_FILE_H
#define REEVE_MOVING_BACKUP_FILE_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#include <stdint.h>

/* public names start with: backup_ */

/* The format of a backup file: a copy of the embedded store (sqlite/sqlite.h), followed by a
 * trailer of fixed length with the SHA-256 of all bytes before the trailer. SQLite reads only the
 * pages that its header counts, so it can open the file with the trailer. */

enum { BACKUP_TRAILER_BYTES = 128 };

/* Formats the trailer of a file of `bytes` bytes with this digest (in hex). */
void backup_trailer_format(uint64_t bytes, const char *sha256,
                           char out[static BACKUP_TRAILER_BYTES + 1]);

/* Reads the whole file and compares it with its trailer. *out_bytes is its length without the
 * trailer. Fails with R0524 if the file cannot be read, is not a backup, or was changed after it
 * was written. */
MUST_CHECK bool backup_file_check(const char *path, uint64_t *out_bytes, struct err *err);

#endif

#ifndef REEVE_SQLITE_SQLITE_RESTORE_H
#define REEVE_SQLITE_SQLITE_RESTORE_H

#include "base/err.h"
#include "base/macros.h"

#include <stdbool.h>

/* names: sqlite_ */

/* Internal to the SQLite driver: ownership of a store's folder, and restores in it. */

/* Locks the folder with a lock on a file, which the kernel releases when the process ends. *out is
 * the descriptor that holds it, or FD_NONE if the disk is read-only and no lock file exists. Fails
 * with R0507 or R0505. */
MUST_CHECK bool sqlite_folder_lock(const char *folder, int *out, struct err *err);

/* Completes a decided restore; requires the lock. Fails with R0505. */
MUST_CHECK bool sqlite_restore_finish(const char *folder, struct err *err);

#endif

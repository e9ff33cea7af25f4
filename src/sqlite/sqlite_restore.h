#ifndef REEVE_SQLITE_SQLITE_RESTORE_H
#define REEVE_SQLITE_SQLITE_RESTORE_H

#include "base/err.h"
#include "base/macros.h"

#include <stdbool.h>

/* names: sqlite_ */

/* Inside of the SQLite driver: who owns the folder of a store, and the current state in it. */

/* Take the folder: a lock on a file in it, gone with the process, however it ends. On true *out is the
 * descriptor that holds it, or FD_NONE where the disk is read-only and no lock was ever made. R0507,
 * or R0505. */
MUST_CHECK bool sqlite_folder_lock(const char *folder, int *out, struct err *err);

/* With the lock: carry through a restore that was decided. R0505. */
MUST_CHECK bool sqlite_restore_finish(const char *folder, struct err *err);

#endif

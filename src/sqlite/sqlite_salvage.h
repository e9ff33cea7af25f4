#ifndef REEVE_SQLITE_SQLITE_SALVAGE_H
#define REEVE_SQLITE_SQLITE_SALVAGE_H

#include "base/err.h"
#include "base/macros.h"
#include "sqlite/sqlite_db.h"

#include <sqlite3.h>
#include <stdbool.h>

/* public names start with: sqlite_salvage sqlite_ */

/* Internal to the SQLite driver: reads the undamaged part of a damaged store.
 *
 * The file and its write-ahead log are read into memory; nothing on disk is changed. Every
 * reachable row with a correct checksum is copied into a second database in memory, which a
 * connection reads like any other. A key is included only if its latest row is proven: `current`
 * and `log` agree, or `log` is complete and only `current` is damaged. Other keys are omitted and
 * reported, so that no old value is mistaken for the latest one. Earlier revisions cannot be read
 * (R0503), because they are incomplete.
 *
 * The first page of the file has the header and the table names, which never change. If it is
 * damaged, it is replaced by the first page of a new store. */

/* Reads the undamaged part of a store that could not be opened because of *err (R0506 or R0508).
 * The description of the damage lives in the arena. Returns false with R0508 if the store really
 * has a newer version. */
MUST_CHECK bool sqlite_salvage(const struct sqlite_opening *opening, struct arena *arena,
                               struct store_damage *out_damage, struct sqlite_db **out,
                               struct err *err);

/* Internal to the SQLite driver: ownership of a store's folder, and restores in it. */

/* Locks the folder by a lock on a file, which the kernel releases when the process ends. *out is
 * the descriptor that holds the lock; FD_NONE if the disk is read-only and has no lock file. Fails
 * with R0507 or R0505. */
MUST_CHECK bool sqlite_folder_lock(const char *folder, int *out, struct err *err);

/* Completes a restore that was interrupted after it took effect. The lock must be held. Fails with
 * R0505. */
MUST_CHECK bool sqlite_restore_finish(const char *folder, struct err *err);

/* Keeps the files of a folder's store, if there is one, in the folder FOLDER/NAME. Fails with
 * R0505. */
MUST_CHECK bool sqlite_former_keep(struct arena *arena, const char *folder, const char *name,
                                   struct err *err);

/* Internal to the SQLite driver: reads the new location of a moved store from its database
 * (sqlite_move.h). */
struct sqlite_moved;
void sqlite_moved_of(sqlite3 *handle, struct sqlite_moved *out);

#endif

#ifndef REEVE_SQLITE_SQLITE_BACKUP_H
#define REEVE_SQLITE_SQLITE_BACKUP_H

#include "sqlite/sqlite_store.h"

#include <sqlite3.h>

/* public names start with: sqlite_ */

/* Internal to the SQLite driver: copies of a store. They always use the system's VFS. */

/* Properties of a copy. */
struct sqlite_copy {
    const char *path;                 /* path of the copy; the file must not exist */
    const unsigned char *incarnation; /* incarnation of the copy; NULL: that of the source */
    bool (*is_to_stop)(void *arg);    /* called at intervals; if it returns true, the copy is
                                       * stopped; NULL: never stop */
    void *arg;
};

/* Copies the connection's current state to a new file. On success the file is complete, checked and
 * durable, and *out_revision is its revision. On failure the file is removed. Fails with R0506 (the
 * source is damaged) or R0522. */
MUST_CHECK bool sqlite_copy_make(sqlite3 *source, const struct sqlite_copy *copy,
                                 uint64_t *out_revision, struct err *err);

/* Syncs the folder of a path. */
MUST_CHECK bool sqlite_folder_sync(const char *path);

/* Executes a backup request. For the backup thread. */
void sqlite_backup_run(struct sqlite_store *sqlite, struct request *request);

#endif

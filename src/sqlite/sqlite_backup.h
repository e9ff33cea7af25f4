#ifndef REEVE_SQLITE_SQLITE_BACKUP_H
#define REEVE_SQLITE_SQLITE_BACKUP_H

#include "sqlite/sqlite_store.h"

#include <sqlite3.h>

/* names: sqlite_ */

/* Inside of the SQLite driver: copies of a store, on the system's files. */

/* What a copy is to be. */
struct sqlite_copy {
    const char *path;                 /* of a file that does not exist */
    const unsigned char *incarnation; /* NULL: that of the source */
    bool (*is_to_stop)(void *arg);    /* asked now and then; NULL: it is not */
    void *arg;
};

/* Copy what a connection shows now to a new file; whole, checked and durable when this returns true,
 * gone when false. On true *out_revision is the one it is at. R0506 (the source is damaged), R0522. */
MUST_CHECK bool sqlite_copy_make(sqlite3 *source, const struct sqlite_copy *copy,
                                 uint64_t *out_revision, struct err *err);

/* Make what happened in the folder of a path durable. */
MUST_CHECK bool sqlite_folder_sync(const char *path);

/* The reconciler's: carry out a request for a backup. */
void sqlite_backup_run(struct sqlite_store *sqlite, struct request *request);

#endif

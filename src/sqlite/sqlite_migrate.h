#ifndef REEVE_SQLITE_SQLITE_MIGRATE_H
#define REEVE_SQLITE_SQLITE_MIGRATE_H

#include "state/store.h"

#include <sqlite3.h>

/* public names start with: sqlite_migrate_ */

/* Internal to the SQLite driver: migration of a store of an earlier format (state/migrate.h).
 *
 * One transaction translates every row of `log` and `current` in place and then raises the format
 * number. After an interruption at any point, the file has either the old or the new format. Rows
 * keep their revisions; watches and history are not affected. Events keep their bytes, because the
 * audit chain is computed over them. The transaction records the id of the newest event; events up
 * to that id are translated when they are read. */

/* Returns the format of a database; 0: it cannot be read. */
uint64_t sqlite_migrate_format(sqlite3 *handle);

/* Migrates the database to the current format, and reports the progress to `reading` (NULL: no
 * receiver). Damaged rows are not changed. Fails with R0505 or R0506; the database is then
 * unchanged. */
MUST_CHECK bool sqlite_migrate(sqlite3 *handle, const struct store_reading *reading,
                               struct err *err);

/* Returns the id of the newest event with names of an earlier format; 0: there is no such event. */
uint64_t sqlite_migrate_events(sqlite3 *handle);

/* For a database of an earlier format that is not writable: replaces the connection by one to a
 * migrated copy in memory. On failure *handle is unchanged. */
MUST_CHECK bool sqlite_migrate_copy(sqlite3 **handle, struct err *err);

#endif

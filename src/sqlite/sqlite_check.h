#ifndef REEVE_SQLITE_SQLITE_CHECK_H
#define REEVE_SQLITE_SQLITE_CHECK_H

#include "base/err.h"
#include "base/macros.h"
#include "state/store.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* public names start with: sqlite_check */

/* Internal to the SQLite driver: checks whether a database is a complete and undamaged store. */

/* Determines whether the database is empty. Fails with R0521 if the disk cannot be read. */
MUST_CHECK bool sqlite_check_is_new(sqlite3 *handle, bool *out, struct err *err);

/* Checks the whole store without writing:
 *
 * - It is a store (otherwise R0506), of a known format (newer: R0508), with the expected tables.
 * - Its pages, free list and indexes are consistent (SQLite's integrity_check).
 * - Every row of log, events and meta has its checksum; event numbers have no gap.
 * - Each key of current has one chain of rows of log, complete as far back as compaction allows.
 *   Every row of log belongs to one chain.
 *
 * Fails with R0506, with the last good revision of the log if it can be determined, or with R0521
 * if the disk cannot be read. Takes about 0.25 s for 100,000 objects of 1 KiB. */
struct sqlite_report {
    uint64_t revision; /* the newest revision, if it can be determined */
    /* The damage is limited to single rows. Reads of these rows fail, and no other row is
     * missing. */
    bool is_readable;
};
MUST_CHECK bool sqlite_check(sqlite3 *handle, struct sqlite_report *out, struct err *err);

/* Like sqlite_check, but also passes the content to `reading` (NULL: no receiver). SQLite's own
 * check runs in parallel, on a second thread with the connection `second` to the same file (NULL:
 * the checks run one after the other). No process may write during the check. When the function
 * returns, both checks have ended. */
MUST_CHECK bool sqlite_check_beside(sqlite3 *handle, sqlite3 *second,
                                    const struct store_reading *reading, struct sqlite_report *out,
                                    struct err *err);

/* Returns whether this SQLite code means a system error, and not a damaged file. */
bool sqlite_check_is_failure(int code);

#endif

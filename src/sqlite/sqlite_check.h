#ifndef REEVE_SQLITE_SQLITE_CHECK_H
#define REEVE_SQLITE_SQLITE_CHECK_H

#include "base/err.h"
#include "base/macros.h"
#include "state/store.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* names: sqlite_check */

/* Inside of the SQLite driver: is a database a store, and all of it what was written? */

/* Is it a database in which nothing was made yet? False: R0521, the disk did not let us look. */
MUST_CHECK bool sqlite_check_is_new(sqlite3 *handle, bool *out, struct err *err);

/* Look at all of it, reading only:
 *
 * - it is a store (else R0506), of a format we know (of a newer one: R0508), with our tables;
 * - its pages, free list and indexes agree (SQLite's own integrity_check);
 * - every row of log, events and meta has its checksum; event numbers have no gap;
 * - each key of current stands for one chain of rows of log, complete as far back as compaction allows;
 *   every row of log belongs to one.
 *
 * False: R0506 names the last revision up to which the log is good, where it can be told; R0521: the
 * disk did not let us look. Takes about 0.25 s for 100,000 objects of 1 KiB. */
struct sqlite_report {
    uint64_t revision; /* the newest; where that can be told */
    /* where it is damaged: only in single rows, which each read that meets them refuses, while all
     * others are accounted for */
    bool is_readable;
};
MUST_CHECK bool sqlite_check(sqlite3 *handle, struct sqlite_report *out, struct err *err);

/* The same, told to `reading` (NULL: nobody), while SQLite's own check reads by a second connection to the same file, in a thread: nobody may write
 * meanwhile. Both ended when it returns. NULL: there is none, one follows the other. */
MUST_CHECK bool sqlite_check_beside(sqlite3 *handle, sqlite3 *second,
                                    const struct store_reading *reading, struct sqlite_report *out,
                                    struct err *err);

/* Does this code of SQLite say that the system failed, and nothing of the current state in the file? */
bool sqlite_check_is_failure(int code);

#endif

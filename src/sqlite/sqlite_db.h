#ifndef REEVE_SQLITE_SQLITE_DB_H
#define REEVE_SQLITE_SQLITE_DB_H

#include "base/limits.h"
#include "base/mem.h"
#include "state/store.h"

#include <sqlite3.h>

/* public names start with: sqlite_ */

/* Internal to the SQLite driver: one connection and its operations, all blocking. The driver
 * (sqlite.c) gives each of its threads one connection.
 *
 *   log      id = revision * 256 + position in its transaction; one row per change, with the value;
 *            `prev` is the id of the key's previous change
 *   current  the newest id of each key; a deleted key is `dead` until it is compacted
 *   events   id as in log; numbered per cluster
 *   meta     revision, compacted, sweep (progress of compaction), incarnation
 *
 * Opening for writing checks everything (sqlite_wal.h, sqlite_check.h) before anything is changed.
 * Every row of log, events and meta has a checksum over all its columns. A mismatch is R0506; such
 * data is never returned. */
struct sqlite_db;

/* Result of an operation. */
struct sqlite_result {
    enum outcome outcome;
    struct err err; /* error; set if the outcome is not OK */
};

/* How to open a store. */
struct sqlite_opening {
    const char *path;
    const char *vfs;                  /* NULL: the system's VFS */
    const unsigned char *incarnation; /* incarnation of a new store */
    /* receives the content during the check of an open for writing; NULL: no receiver */
    const struct store_reading *reading;
    bool is_read_only; /* never write, even if the disk allows it */
    bool is_brief;     /* the connection makes few commits: the WAL is not extended in advance */
};

/* Opens the database file for writing; creates it if missing. Fails with R0505 to R0508 or
 * R0521. */
MUST_CHECK bool sqlite_db_open(const struct sqlite_opening *opening, struct sqlite_db **out,
                               struct err *err);

/* Opens a second, read-only connection to a store that is open for writing. */
MUST_CHECK bool sqlite_db_open_reader(const struct sqlite_opening *opening, struct sqlite_db **out,
                                      struct err *err);

/* Opens a store for reading after the open for writing has failed with *err. This is possible only
 * if reads cannot silently miss data: only single rows are damaged (*err is R0506 with the last
 * good revision), or the store is only not writable (R0505). */
MUST_CHECK bool sqlite_db_open_still(const struct sqlite_opening *opening, struct sqlite_db **out,
                                     struct err *err);

/* Opens a database in memory for reading; takes ownership of `handle`. */
MUST_CHECK bool sqlite_db_open_view(const struct sqlite_opening *opening, sqlite3 *handle,
                                    struct sqlite_db **out, struct err *err);

/* Returns the URI for reading a file that does not change. SQLite then creates no files beside
 * it. */
const char *sqlite_immutable_name(struct arena *arena, const char *path);

/* Returns whether a write to the disk has failed. The connection is then closed without cleanup, as
 * by a crash. */
bool sqlite_db_is_tainted(const struct sqlite_db *db);

/* Closes the connection. NULL is allowed. */
void sqlite_db_close(struct sqlite_db *db);

/* Frees the result of sqlite_db_open_view, but leaves the caller's SQLite handle open. */
void sqlite_db_close_view(struct sqlite_db *db);

/* Numbers that describe the newest state. */
struct sqlite_figures {
    uint64_t revision;
    uint64_t compacted;
    uint64_t bytes;
    unsigned char incarnation[16];
};
MUST_CHECK bool sqlite_db_figures(struct sqlite_db *db, struct sqlite_figures *out,
                                  struct err *err);

/* Verifies the chain of events (sqlite_audit.h) of the latest state. The answer lives in the
 * arena. */
void sqlite_db_audit(struct sqlite_db *db, struct arena *arena, struct text path, bool is_deep,
                     struct sqlite_result *result, struct store_answer *answer);

/* Returns the error in the chain that was found when the connection was opened for writing; empty:
 * none. */
const char *sqlite_db_audit_fault(const struct sqlite_db *db);

/* Checks the links of the chain. Called when the connection is opened for writing. */
void sqlite_db_audit_look(struct sqlite_db *db, const char *path);

/* Writes the head to the file beside the database. Does nothing if there are no new events since
 * `*written`, or if the chain has an error. */
void sqlite_db_audit_note(struct sqlite_db *db, const char *path, uint64_t *written);

/* Changes of keys. All changes of a revision are included. */
struct sqlite_changes {
    struct store_change *items;
    size_t count;
    uint64_t next_revision; /* revision at which the next read continues; 0: there were no
                             * changes */
};

/* One transaction of a group and its result. */
struct sqlite_write {
    const struct store_txn *txn; /* the caller has checked its sizes */
    struct sqlite_result *result;
    struct store_answer *answer; /* receives revision and failed_compare */
    /* Receives the changes. It has room for all operations, and its texts are borrowed from `txn`.
     * NULL: the changes are not needed. */
    struct sqlite_changes *changes;
};

/* Writes a group of transactions in one commit. If the commit fails because of one of them, each
 * transaction is written alone, so that each gets its own result. */
void sqlite_db_write(struct sqlite_db *db, struct sqlite_write *writes, size_t count);

/* Moves a long WAL into the database. Called between two groups, after the first one was answered,
 * so that no write waits for it. */
void sqlite_db_checkpoint(struct sqlite_db *db);

/* Implement calls of the port. Answers live in the arena. */
void sqlite_db_list(struct sqlite_db *db, struct arena *arena, const struct store_range *range,
                    struct sqlite_result *result, struct store_answer *answer);
void sqlite_db_events(struct sqlite_db *db, struct arena *arena, struct text cluster,
                      uint64_t after_number, size_t limit, struct sqlite_result *result,
                      struct store_answer *answer);

/* Reads the newest events below a number or revision (0: no bound), in ascending order. */
void sqlite_db_events_before(struct sqlite_db *db, struct arena *arena, struct text cluster,
                             uint64_t before_number, size_t limit, struct sqlite_result *result,
                             struct store_answer *answer);
void sqlite_db_history(struct sqlite_db *db, struct arena *arena, struct text key,
                       struct sqlite_result *result, struct store_answer *answer);

/* Reads changes from a revision on, in whole revisions. If the revision is compacted, the result is
 * REFUSED with R0503. */
void sqlite_db_changes(struct sqlite_db *db, struct arena *arena, struct text prefix,
                       uint64_t from_revision, struct sqlite_result *result,
                       struct sqlite_changes *out);

/* Records that revisions before this one may be removed. sqlite_db_sweep removes them. */
void sqlite_db_compact(struct sqlite_db *db, uint64_t revision, struct sqlite_result *result);

/* Removes a slice of compacted rows. It reads or deletes at most SQLITE_SWEEP_ROWS_MAX rows, which
 * takes a few milliseconds, because a write may be waiting. Returns false if no rows are left to
 * remove. */
enum { SQLITE_SWEEP_ROWS_MAX = 1500 };
bool sqlite_db_sweep(struct sqlite_db *db);

/* Returns the number of rows that the latest slice read or deleted. */
size_t sqlite_db_sweep_rows(const struct sqlite_db *db);

/* Progress of dropping events. */
enum sqlite_drop_pass {
    SQLITE_DROP_COUNT,
    SQLITE_DROP_WALK,
    SQLITE_DROP_CLUSTERS,
};

/* State of a store_events_drop. At the start, all members except the two limits are 0. */
struct sqlite_drop {
    uint64_t before_ms;
    uint64_t rows_max;
    enum sqlite_drop_pass pass;
    /* number of events; later: number of events that exceed the limit and must still be dropped */
    uint64_t rows;
    uint64_t id; /* events up to this id exceed the limit */
    size_t cluster_bytes;
    char cluster[LIMIT_STORE_KEY_BYTES]; /* the last cluster that this pass has completed */
};

/* Processes one slice, of the same size as in sqlite_db_sweep. Returns false at the end; *result is
 * then set. */
bool sqlite_db_events_drop(struct sqlite_db *db, struct sqlite_drop *drop,
                           struct sqlite_result *result);

#endif

#ifndef REEVE_SQLITE_SQLITE_DB_H
#define REEVE_SQLITE_SQLITE_DB_H

#include "base/limits.h"
#include "base/mem.h"
#include "state/store.h"

#include <sqlite3.h>

/* names: sqlite_ */

/* Inside of the SQLite driver: one connection and what is done with it, all blocking. The driver
 * (sqlite.c) gives each of its threads one.
 *
 *   log      id = revision * 256 + place in its transaction; one row a change, the value stands here
 *            and nowhere else; `prev` is the id of the key's change before
 *   current  the newest id of each key; a deleted key is `dead` until it is compacted away
 *   events   id as in log; numbered per cluster
 *   meta     revision, compacted, sweep (how far compaction has deleted), incarnation
 *
 * Opening for writing checks all of it (sqlite_wal.h, sqlite_check.h) before anything is changed.
 * Every row of log, events and meta carries a checksum over all its columns; one that does not fit is
 * R0506, never data. */
struct sqlite_db;

/* What a call of the connection came to. */
struct sqlite_result {
    enum outcome outcome;
    struct err err; /* where not OK */
};

/* What is opened, and how. */
struct sqlite_opening {
    const char *path;
    const char *vfs;                     /* NULL = the system's files */
    const unsigned char *incarnation;    /* of a store that is made */
    const struct store_reading *reading; /* told while it is checked to be written; NULL = nobody */
    bool is_read_only;                   /* never written, whatever becomes of the disk */
    bool is_brief;                       /* for few commits: no WAL is made for many beforehand */
};

/* Open the database file to write, made where it is missing. Failing is R0505 to R0508 or R0521. */
MUST_CHECK bool sqlite_db_open(const struct sqlite_opening *opening, struct sqlite_db **out,
                               struct err *err);

/* Open what has been opened to write once more, to read from another thread. */
MUST_CHECK bool sqlite_db_open_reader(const struct sqlite_opening *opening, struct sqlite_db **out,
                                      struct err *err);

/* Open what could not be opened to write, as *err says, to be read, where that can be done without
 * missing anything in silence: single rows are damaged (*err is R0506 then and says up to where all is
 * good), or nothing is wrong but that it cannot be written (R0505). */
MUST_CHECK bool sqlite_db_open_still(const struct sqlite_opening *opening, struct sqlite_db **out,
                                     struct err *err);

/* Read from a database in memory, which is taken over. */
MUST_CHECK bool sqlite_db_open_view(const struct sqlite_opening *opening, sqlite3 *handle,
                                    struct sqlite_db **out, struct err *err);

/* The name under which SQLite reads a file that nobody changes, without making others beside it. */
const char *sqlite_immutable_name(struct arena *arena, const char *path);

/* Has the disk failed to write? Then the connection is closed as a crash would leave it. */
bool sqlite_db_is_tainted(const struct sqlite_db *db);

/* Close it. NULL is allowed. */
void sqlite_db_close(struct sqlite_db *db);

/* Figures of the newest state. */
struct sqlite_figures {
    uint64_t revision;
    uint64_t compacted;
    uint64_t bytes;
    unsigned char incarnation[16];
};
MUST_CHECK bool sqlite_db_figures(struct sqlite_db *db, struct sqlite_figures *out,
                                  struct err *err);

/* Verify the chain of events (sqlite_audit.h), as it stands in the newest state; the answer lives in the arena. */
void sqlite_db_audit(struct sqlite_db *db, struct arena *arena, struct text path, bool is_deep,
                     struct sqlite_result *result, struct store_answer *answer);

/* What was wrong with it when the connection was opened to write; empty: nothing. */
const char *sqlite_db_audit_fault(const struct sqlite_db *db);

/* Look at the chain, by its links alone, when the connection was opened to write. */
void sqlite_db_audit_look(struct sqlite_db *db, const char *path);

/* Write its head into the file beside the database, where it has moved since `*written`, and nothing was wrong with it. */
void sqlite_db_audit_note(struct sqlite_db *db, const char *path, uint64_t *written);

/* Changes of keys, of whole revisions. */
struct sqlite_changes {
    struct store_change *items;
    size_t count;
    uint64_t next_revision; /* where to go on; 0: nothing was changed */
};

/* One transaction of a group, and what came of it. */
struct sqlite_write {
    const struct store_txn *txn; /* within its limits */
    struct sqlite_result *result;
    struct store_answer *answer; /* revision, failed_compare */
    struct sqlite_changes
        *changes; /* has room for its operations, borrows from txn; NULL: nobody asks */
};

/* Do a group of transactions in one commit. Where that fails for a reason of one of them, each is
 * done alone. After the call every result is what truly was. */
void sqlite_db_write(struct sqlite_db *db, struct sqlite_write *writes, size_t count);

/* Move what is in the WAL to the database where it has grown long. Between two groups, after their
 * answers: no write waits for it. */
void sqlite_db_checkpoint(struct sqlite_db *db);

/* The calls of the port; answers live in the arena. */
void sqlite_db_list(struct sqlite_db *db, struct arena *arena, const struct store_range *range,
                    struct sqlite_result *result, struct store_answer *answer);
void sqlite_db_events(struct sqlite_db *db, struct arena *arena, struct text cluster,
                      uint64_t after_number, size_t limit, struct sqlite_result *result,
                      struct store_answer *answer);

/* The newest events below a number or revision (0: of all), in ascending order. */
void sqlite_db_events_before(struct sqlite_db *db, struct arena *arena, struct text cluster,
                             uint64_t before_number, size_t limit, struct sqlite_result *result,
                             struct store_answer *answer);
void sqlite_db_history(struct sqlite_db *db, struct arena *arena, struct text key,
                       struct sqlite_result *result, struct store_answer *answer);

/* Changes from a revision on, whole revisions only. COMPACTED: result is REFUSED with R0503. */
void sqlite_db_changes(struct sqlite_db *db, struct arena *arena, struct text prefix,
                       uint64_t from_revision, struct sqlite_result *result,
                       struct sqlite_changes *out);

/* Note that what was before a revision may be forgotten; sweep deletes it. */
void sqlite_db_compact(struct sqlite_db *db, uint64_t revision, struct sqlite_result *result);

/* Delete a slice of what may be forgotten: no more work than so many rows looked at or deleted, a few
 * milliseconds, for a write may wait behind it. False: nothing is left to do. */
enum { SQLITE_SWEEP_ROWS_MAX = 1500 };
bool sqlite_db_sweep(struct sqlite_db *db);

/* Rows of the newest slice. */
size_t sqlite_db_sweep_rows(const struct sqlite_db *db);

/* How far the dropping of events has come. */
enum sqlite_drop_pass {
    SQLITE_DROP_COUNT,
    SQLITE_DROP_WALK,
    SQLITE_DROP_CLUSTERS,
};

/* Events to be dropped, as store_events_drop has it. All but the two bounds is zero at the beginning. */
struct sqlite_drop {
    uint64_t before_ms;
    uint64_t rows_max;
    enum sqlite_drop_pass pass;
    uint64_t rows; /* counted; then of those that are too many the ones still to be walked over */
    uint64_t id;   /* events up to this one are too many */
    size_t cluster_bytes;
    char cluster[LIMIT_STORE_KEY_BYTES]; /* this pass is done up to and with it */
};

/* Do a slice of it, as large as one of sqlite_db_sweep. False: it has ended, and *result says how. */
bool sqlite_db_events_drop(struct sqlite_db *db, struct sqlite_drop *drop,
                           struct sqlite_result *result);

#endif

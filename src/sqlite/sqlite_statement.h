#ifndef REEVE_SQLITE_SQLITE_STATEMENT_H
#define REEVE_SQLITE_SQLITE_STATEMENT_H

#include "sqlite/sqlite_audit.h"
#include "sqlite/sqlite_db.h"
#include "sqlite/sqlite_row.h"
#include "sqlite/sqlite_wal.h"

#include <sqlite3.h>

/* public names start with: statement_ result_ transaction_ meta_ log_row_ current_ sqlite_db_ */

/* Internal to the SQLite driver: the statements of one connection, and small reads and writes
 * shared by sqlite_write.c, sqlite_read.c and sqlite_forget.c. */

enum statement {
    SQL_BEGIN_WRITE,
    SQL_BEGIN_READ,
    SQL_COMMIT,
    SQL_ROLLBACK,
    SQL_META_GET,
    SQL_META_PUT,
    SQL_CURRENT_GET,
    SQL_CURRENT_PUT,
    SQL_CURRENT_DROP,
    SQL_CURRENT_RANGE,
    SQL_LOG_GET,
    SQL_LOG_ADD,
    SQL_LOG_DROP,
    SQL_LOG_FROM,
    SQL_NEWEST,
    SQL_EVENT_ADD,
    SQL_EVENT_LAST,
    SQL_EVENTS_OF,
    SQL_EVENTS_ALL,
    SQL_EVENTS_OF_BEFORE,
    SQL_EVENTS_ALL_BEFORE,
    SQL_EVENT_CLUSTER,
    SQL_EVENT_AHEAD,
    SQL_EVENT_DROP,
    SQL_AUDIT_GET,
    SQL_AUDIT_PUT,
    SQL_COUNT,
};

/* SQL texts of the statements. */
extern const char *const statement_sql[SQL_COUNT];

struct sqlite_db {
    sqlite3 *handle;
    sqlite3_stmt *statements[SQL_COUNT];
    struct sqlite_wal *wal;        /* set for the writer */
    uint64_t revision;             /* revision of the next commit */
    uint32_t frames;               /* frames in the WAL */
    size_t sweep_rows;             /* number of rows that the newest slice has read or deleted */
    struct store_audit_head audit; /* head of the event chain, during a transaction of the writer */
    /* Error in the chain that was found when the store was opened for writing; empty: none. */
    char audit_fault[160];
    uint64_t former_events; /* events up to this id have names of an earlier format */
    bool is_writer;
    bool is_tainted; /* a write to the disk has failed: close the connection as by a crash */
};

/* Translates a failed SQLite call. A full or read-only disk (R0505) and damage (R0506) give
 * REFUSED, because nothing was committed; all other failures give UNKNOWN (R0501). */
void result_fail(const struct sqlite_db *db, struct sqlite_result *result);

/* Sets the result for a damaged row of this revision. */
void result_damage(struct sqlite_result *result, uint64_t revision);

/* Resets a statement and returns it, so that its columns can be bound. */
sqlite3_stmt *statement_start(struct sqlite_db *db, enum statement statement);

/* statement_bind_text binds a text to a column, statement_bind_number a number. Columns are counted
 * from 1. A text is borrowed until the statement has been run. */
void statement_bind_text(sqlite3_stmt *handle, int at, struct text text);
void statement_bind_number(sqlite3_stmt *handle, int at, uint64_t number);

/* Runs a bound statement that returns nothing. Returns false if SQLite failed. */
MUST_CHECK bool statement_run(struct sqlite_db *db, enum statement statement);

/* Records if a SQLite code means a failed write to the disk. */
void statement_taints(struct sqlite_db *db, int code);

/* Runs a statement without columns to bind. */
MUST_CHECK bool statement_do(struct sqlite_db *db, enum statement statement);

/* Ends a transaction that failed or only read. SQLite may have ended it already. */
void transaction_rollback(struct sqlite_db *db);

/* meta_get reads a number of the table meta, meta_put writes it. They return false if SQLite failed
 * or the row is damaged. */
MUST_CHECK bool meta_get(struct sqlite_db *db, const char *name, uint64_t *out);
MUST_CHECK bool meta_put(struct sqlite_db *db, const char *name, uint64_t value);

/* Returns the newest revision. It is derived from rows, so that commits need not write it. The
 * exception: compaction and dropping of events write it to meta, because they remove rows. */
MUST_CHECK bool meta_newest(struct sqlite_db *db, uint64_t *out);

/* Writes an event, whose number is set, and appends it to the chain of events. It must be called in
 * a transaction of the writer. Returns false if SQLite failed. */
MUST_CHECK bool sqlite_db_event_put(struct sqlite_db *db, const struct store_event *event,
                                    uint64_t id);

enum found { FOUND, MISSING, DAMAGED, FAILED };

/* Finds the row of log with this id. The row is borrowed until the next SQL_LOG_GET. */
enum found log_row_find(struct sqlite_db *db, uint64_t id, struct log_row *out);

/* The row of a key in the table `current`. */
struct current {
    uint64_t id; /* 0: the key has never existed */
    uint64_t created;
    uint64_t version;
    bool is_dead;
};

/* Reads the row of a key in `current`. If the key has never existed, the result is dead and has id
 * 0. Returns false if SQLite failed. */
MUST_CHECK bool current_get(struct sqlite_db *db, struct text key, struct current *out);

#endif

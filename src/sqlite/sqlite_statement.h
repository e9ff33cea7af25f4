#ifndef REEVE_SQLITE_SQLITE_STATEMENT_H
#define REEVE_SQLITE_SQLITE_STATEMENT_H

#include "sqlite/sqlite_audit.h"
#include "sqlite/sqlite_db.h"
#include "sqlite/sqlite_row.h"
#include "sqlite/sqlite_wal.h"

#include <sqlite3.h>

/* names: statement_ result_ transaction_ meta_ log_row_ current_ */

/* Inside of the SQLite driver: one connection's statements, and the small reads and writes that
 * writing (sqlite_write.c), reading (sqlite_read.c) and forgetting (sqlite_forget.c) share. */

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

/* Their texts. */
extern const char *const statement_sql[SQL_COUNT];

struct sqlite_db {
    sqlite3 *handle;
    sqlite3_stmt *statements[SQL_COUNT];
    struct sqlite_wal *wal;        /* the writer's */
    uint64_t revision;             /* that the next commit leads to */
    uint32_t frames;               /* of the WAL */
    size_t sweep_rows;             /* that the newest slice has looked at or deleted */
    struct store_audit_head audit; /* the writer's, within a transaction */
    char audit_fault[160]; /* what was found when it was opened to be written; empty: nothing */
    bool is_writer;
    bool is_tainted; /* the disk has failed: to be closed as a crash would */
};

/* What a failed call of SQLite means to the caller. A full or read-only disk refuses, for nothing was
 * committed; of anything else it is not known what became of it. */
void result_fail(const struct sqlite_db *db, struct sqlite_result *result);

/* A row of this revision is not what was written: refused. */
void result_damage(struct sqlite_result *result, uint64_t revision);

/* A statement to be bound and stepped, from its beginning. */
sqlite3_stmt *statement_start(struct sqlite_db *db, enum statement statement);

/* Bind a column, counted from 1. A text is borrowed until the statement was run. */
void statement_bind_text(sqlite3_stmt *handle, int at, struct text text);
void statement_bind_number(sqlite3_stmt *handle, int at, uint64_t number);

/* Run a started and bound statement that returns nothing. False: SQLite failed. */
MUST_CHECK bool statement_run(struct sqlite_db *db, enum statement statement);

/* Take notice of a code of SQLite's: has the disk failed to write? */
void statement_taints(struct sqlite_db *db, int code);

/* Start and run one that binds nothing. */
MUST_CHECK bool statement_do(struct sqlite_db *db, enum statement statement);

/* End a transaction that failed, or that only read. There may be none any more: SQLite ends some by
 * itself. */
void transaction_rollback(struct sqlite_db *db);

/* A number of meta. False: SQLite failed, or it is not what was written. */
MUST_CHECK bool meta_get(struct sqlite_db *db, const char *name, uint64_t *out);
MUST_CHECK bool meta_put(struct sqlite_db *db, const char *name, uint64_t value);

/* The newest revision. Rows tell it, so that no commit has to write it; what compaction and the drop
 * of events might make rows forget, they note in meta. */
MUST_CHECK bool meta_newest(struct sqlite_db *db, uint64_t *out);

enum found { FOUND, MISSING, DAMAGED, FAILED };

/* The row of log with this id; borrowed until the next SQL_LOG_GET. */
enum found log_row_find(struct sqlite_db *db, uint64_t id, struct log_row *out);

/* What current says of a key. */
struct current {
    uint64_t id; /* 0 = the key was never there */
    uint64_t created;
    uint64_t version;
    bool is_dead;
};

/* Read it; a key that was never there is dead, with id 0. False: SQLite failed. */
MUST_CHECK bool current_get(struct sqlite_db *db, struct text key, struct current *out);

#endif

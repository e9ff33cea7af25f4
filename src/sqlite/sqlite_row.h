#ifndef REEVE_SQLITE_SQLITE_ROW_H
#define REEVE_SQLITE_SQLITE_ROW_H

#include "state/store.h"

#include <sqlite3.h>

/* public names start with: column_ log_row_ event_ meta_ sqlite_ */

/* Internal to the SQLite driver: the columns of rows, and their checksums. Connections read and
 * write rows with these functions; sqlite_check.c checks a whole file with them. */

enum {
    ROW_APPLICATION = 0x72656576, /* "reev", the application id of the file */
    ROW_PLACES = 256,             /* number of ids per revision */
};

/* SQL that creates the tables of an empty database. */
extern const char sqlite_schema[];

/* Rows of meta that contain a number. They exist since the creation of the store. */
#define META_REVISION    "revision"
#define META_COMPACTED   "compacted"
#define META_SWEEP       "sweep"
#define META_INCARNATION "incarnation" /* 16 bytes */

/* One row of log. */
struct log_row {
    uint64_t id;
    struct text key;
    struct text value;
    bool is_delete;
    uint64_t created;
    uint64_t prev;
    uint64_t version;
};

/* Return a column of the current row of a statement, as a number or as a text. The text is valid
 * until the next step. */
uint64_t column_number(sqlite3_stmt *handle, int at);
struct text column_text(sqlite3_stmt *handle, int at);

/* Return the checksum over all columns of a row. It fits into SQLite's signed integers. */
uint64_t log_row_checksum(const struct log_row *row);
uint64_t event_checksum(const struct store_event *event, uint64_t id);
uint64_t meta_checksum(struct text name, struct text bytes, uint64_t number);

/* Reads the current row of a statement on (id,key,value,created,prev,version,checksum). The row is
 * borrowed until the next step of the statement. Returns false if the row is damaged. */
MUST_CHECK bool log_row_read(sqlite3_stmt *handle, struct log_row *out);

/* Reads the event of a statement on (id,cluster,number,time_ms,body,checksum) in the same way. */
MUST_CHECK bool event_read(sqlite3_stmt *handle, struct store_event *out);

/* Returns whether the row before this one may have been compacted. `newest_version` is that of the
 * key, `compacted` the compacted revision. */
bool log_row_prev_may_be_gone(const struct log_row *row, uint64_t newest_version,
                              uint64_t compacted);

/* Returns whether compaction keeps the history of the key. */
bool log_row_has_history(struct text key);

#endif

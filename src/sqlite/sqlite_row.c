#include "sqlite/sqlite_row.h"

#include "base/limits.h"
#include "sqlite/sqlite_audit.h"
#include "store/checksum.h"

const char sqlite_schema[] =
    "CREATE TABLE meta(name TEXT PRIMARY KEY,value,checksum INTEGER) WITHOUT ROWID;"
    "CREATE TABLE log(id INTEGER PRIMARY KEY,key BLOB,value BLOB,created INTEGER,prev INTEGER,"
    "version INTEGER,checksum INTEGER);"
    "CREATE TABLE current(key BLOB PRIMARY KEY,id INTEGER,created INTEGER,version INTEGER,"
    "dead INTEGER) WITHOUT ROWID;"
    "CREATE TABLE events(id INTEGER PRIMARY KEY,cluster BLOB,number INTEGER,time_ms INTEGER,"
    "body BLOB,checksum INTEGER);"
    "CREATE UNIQUE INDEX events_number ON events(cluster,number);";

uint64_t column_number(sqlite3_stmt *handle, int at)
{
    return (uint64_t)sqlite3_column_int64(handle, at);
}

struct text column_text(sqlite3_stmt *handle, int at)
{
    const char *data = sqlite3_column_blob(handle, at);

    return (struct text){ data == NULL ? "" : data, (size_t)sqlite3_column_bytes(handle, at) };
}

uint64_t log_row_checksum(const struct log_row *row)
{
    uint64_t hash = checksum_number(row->id, 0);

    hash = checksum_number(row->created, hash);
    hash = checksum_number(row->prev, hash);
    hash = checksum_number(row->version, hash);
    hash = checksum_number(row->is_delete, hash);
    hash = checksum_text(row->key, hash);
    return checksum_text(row->value, hash) >> 1; /* shifted, because SQLite's integers are signed */
}

uint64_t event_checksum(const struct store_event *event, uint64_t id)
{
    uint64_t hash = checksum_number(id, 0);

    hash = checksum_number(event->number, hash);
    hash = checksum_number(event->time_ms, hash);
    hash = checksum_text(event->cluster, hash);
    return checksum_text(event->body, hash) >> 1;
}

uint64_t meta_checksum(struct text name, struct text bytes, uint64_t number)
{
    return checksum_number(number, checksum_text(bytes, checksum_text(name, 0))) >> 1;
}

bool log_row_read(sqlite3_stmt *handle, struct log_row *out)
{
    *out = (struct log_row){
        .id = column_number(handle, 0),
        .key = column_text(handle, 1),
        .value = column_text(handle, 2),
        .is_delete = sqlite3_column_type(handle, 2) == SQLITE_NULL,
        .created = column_number(handle, 3),
        .prev = column_number(handle, 4),
        .version = column_number(handle, 5),
    };
    return log_row_checksum(out) == column_number(handle, 6);
}

bool event_read(sqlite3_stmt *handle, struct store_event *out)
{
    uint64_t id = column_number(handle, 0);
    struct audit_mark mark;

    *out =
        (struct store_event){ column_text(handle, 1), column_text(handle, 4),
                              column_number(handle, 2), id / ROW_PLACES, column_number(handle, 3) };
    /* an event that is older than the chain has a number in this column */
    return sqlite3_column_type(handle, 5) == SQLITE_BLOB
               ? audit_mark_parse(column_text(handle, 5), &mark) &&
                     audit_mark_checksum(&mark, out, id) == mark.checksum
               : event_checksum(out, id) == column_number(handle, 5);
}

bool log_row_has_history(struct text key)
{
    return text_has_suffix(key, TEXT("/spec"));
}

bool log_row_prev_may_be_gone(const struct log_row *row, uint64_t newest_version,
                              uint64_t compacted)
{
    return row->id / ROW_PLACES <= compacted &&
           (!log_row_has_history(row->key) ||
            row->version - 1 + LIMIT_STORE_HISTORY <= newest_version);
}

#include "store/sqlite_row.h"

#include "base/limits.h"

#include <endian.h>
#include <string.h>

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

/* FNV eats a byte a step, which would be half of the time of opening a large store; this one eats
 * eight. Each step can be undone, so rows that differ in one word agree only by the bit that the
 * checksums drop in the end. */
static uint64_t number_hash(uint64_t number, uint64_t seed)
{
    uint64_t hash = (seed ^ number) * UINT64_C(0x9e3779b97f4a7c15);

    return hash ^ hash >> 32;
}

static uint64_t bytes_hash(struct text text, uint64_t seed)
{
    uint64_t hash = number_hash(text.length, seed);
    uint64_t word;
    size_t i = 0;

    for (; i + sizeof(word) <= text.length; i += sizeof(word)) {
        memcpy(&word, text.data + i, sizeof(word));
        hash = number_hash(le64toh(word), hash);
    }
    if (i < text.length) {
        word = 0;
        memcpy(&word, text.data + i, text.length - i);
        hash = number_hash(le64toh(word), hash);
    }
    return hash;
}

uint64_t log_row_checksum(const struct log_row *row)
{
    uint64_t hash = number_hash(row->id, 0);

    hash = number_hash(row->created, hash);
    hash = number_hash(row->prev, hash);
    hash = number_hash(row->version, hash);
    hash = number_hash(row->is_delete, hash);
    hash = bytes_hash(row->key, hash);
    return bytes_hash(row->value, hash) >> 1; /* SQLite's integers are signed */
}

uint64_t event_checksum(const struct store_event *event, uint64_t id)
{
    uint64_t hash = number_hash(id, 0);

    hash = number_hash(event->number, hash);
    hash = number_hash(event->time_ms, hash);
    hash = bytes_hash(event->cluster, hash);
    return bytes_hash(event->body, hash) >> 1;
}

uint64_t meta_checksum(struct text name, struct text bytes, uint64_t number)
{
    return number_hash(number, bytes_hash(bytes, bytes_hash(name, 0))) >> 1;
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

    *out =
        (struct store_event){ column_text(handle, 1), column_text(handle, 4),
                              column_number(handle, 2), id / ROW_PLACES, column_number(handle, 3) };
    return event_checksum(out, id) == column_number(handle, 5);
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

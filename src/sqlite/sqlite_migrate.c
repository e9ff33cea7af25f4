#include "sqlite/sqlite_migrate.h"

#include "base/limits.h"
#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_row.h"
#include "state/migrate.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Row of meta: the id of the newest event of an earlier format, 8 bytes, most significant byte
 * first. */
#define META_FORMER_EVENTS "formerEvents"

enum {
    BATCH_ROWS = 256,
    PROGRESS_ROWS = 100000, /* number of rows between two progress reports */
    ID_BYTES = 8,
};

/* A migration. The statements are prepared on one database. */
struct migrating {
    sqlite3 *handle;
    sqlite3_stmt *rows_get;
    sqlite3_stmt *row_put;
    sqlite3_stmt *key_put;
    const struct store_reading *reading;
    uint64_t rows;
    uint64_t done;
    uint64_t last; /* id of the last row that was read */
};

/* A translated row. It is written after its batch has been read. */
struct translated {
    struct log_row row;
    struct text former_key;
};

/* ---- numbers ---- */

static uint64_t migrate_number_read(sqlite3 *handle, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    uint64_t number = 0;

    if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        number = column_number(statement, 0);
    }
    sqlite3_finalize(statement);
    return number;
}

uint64_t sqlite_migrate_format(sqlite3 *handle)
{
    return migrate_number_read(handle, "PRAGMA user_version");
}

uint64_t sqlite_migrate_events(sqlite3 *handle)
{
    const char *sql = "SELECT value,checksum FROM meta WHERE name='" META_FORMER_EVENTS "'";
    sqlite3_stmt *statement = NULL;
    uint64_t id = 0;

    if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        struct text bytes = column_text(statement, 0);
        bool is_good = bytes.length == ID_BYTES && meta_checksum(TEXT(META_FORMER_EVENTS), bytes,
                                                                 0) == column_number(statement, 1);

        for (size_t i = 0; is_good && i < ID_BYTES; i++) {
            id = id << 8 | (unsigned char)bytes.data[i];
        }
    }
    sqlite3_finalize(statement);
    return id;
}

/* Records that the names in all existing events are of the earlier format. */
MUST_CHECK static bool former_events_put(sqlite3 *handle)
{
    uint64_t id = migrate_number_read(handle, "SELECT max(id) FROM events");
    sqlite3_stmt *statement = NULL;
    char bytes[ID_BYTES];
    struct text value = { bytes, sizeof(bytes) };
    bool is_good;

    for (int i = 0; i < ID_BYTES; i++) {
        bytes[i] = (char)(id >> (56 - 8 * i));
    }
    is_good = sqlite3_prepare_v2(handle,
                                 "INSERT OR REPLACE INTO meta(name,value,checksum) "
                                 "VALUES('" META_FORMER_EVENTS "',?1,?2)",
                                 -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_bind_blob(statement, 1, bytes, ID_BYTES, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_int64(
                  statement, 2, (sqlite3_int64)meta_checksum(TEXT(META_FORMER_EVENTS), value, 0)) ==
                  SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return is_good;
}

/* ---- rows ---- */

static bool migrate_text_bind(sqlite3_stmt *statement, int at, struct text text)
{
    return sqlite3_bind_blob64(statement, at, text.data, text.length, SQLITE_STATIC) == SQLITE_OK;
}

/* Runs a bound statement that returns nothing. */
MUST_CHECK static bool migrate_step(sqlite3_stmt *statement)
{
    bool is_good = sqlite3_step(statement) == SQLITE_DONE;

    return sqlite3_reset(statement) == SQLITE_OK && is_good;
}

MUST_CHECK static bool translated_write(struct migrating *migrating,
                                        const struct translated *translated)
{
    const struct log_row *row = &translated->row;
    sqlite3_stmt *put = migrating->row_put;

    if (!migrate_text_bind(put, 1, row->key) ||
        (row->is_delete ? sqlite3_bind_null(put, 2) != SQLITE_OK
                        : !migrate_text_bind(put, 2, row->value)) ||
        sqlite3_bind_int64(put, 3, (sqlite3_int64)log_row_checksum(row)) != SQLITE_OK ||
        sqlite3_bind_int64(put, 4, (sqlite3_int64)row->id) != SQLITE_OK || !migrate_step(put)) {
        return false;
    }
    return text_is_equal(row->key, translated->former_key) ||
           (migrate_text_bind(migrating->key_put, 1, row->key) &&
            migrate_text_bind(migrating->key_put, 2, translated->former_key) &&
            migrate_step(migrating->key_put));
}

/* Reads the next batch of rows, and translates those that change. *out_count is the number of
 * translated rows. Returns false if SQLite failed. */
MUST_CHECK static bool batch_read(struct migrating *migrating, struct arena *arena,
                                  struct translated *out, size_t *out_count, bool *out_has_more)
{
    sqlite3_stmt *get = migrating->rows_get;
    int code = sqlite3_bind_int64(get, 1, (sqlite3_int64)migrating->last);
    size_t rows = 0;

    *out_count = 0;
    while (code == SQLITE_OK && (code = sqlite3_step(get)) == SQLITE_ROW) {
        struct translated *translated = &out[*out_count];
        struct log_row row;

        migrating->last = column_number(get, 0);
        rows++;
        if (log_row_read(get, &row) &&
            migrate_item(arena, row.key, row.value, &translated->row.key, &translated->row.value)) {
            struct text key = arena_text(arena, translated->row.key);
            struct text value = arena_text(arena, translated->row.value);

            translated->former_key = arena_text(arena, row.key);
            translated->row = row;
            translated->row.key = key;
            translated->row.value = value;
            (*out_count)++;
        }
        code = SQLITE_OK;
    }
    migrating->done += rows;
    *out_has_more = rows == BATCH_ROWS;
    return sqlite3_reset(get) == SQLITE_OK && code == SQLITE_DONE;
}

static void migrate_report(const struct migrating *migrating, bool is_over)
{
    const struct store_reading *reading = migrating->reading;

    if (reading != NULL && reading->migrating != NULL) {
        reading->migrating(reading->migrating_arg, migrating->done, migrating->rows, is_over);
    }
}

MUST_CHECK static bool migrate_rows(struct migrating *migrating)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct translated batch[BATCH_ROWS];
    uint64_t reported = 0;
    bool has_more = true;

    while (has_more) {
        struct arena_mark mark = arena_mark(arena);
        size_t count;

        if (!batch_read(migrating, arena, batch, &count, &has_more)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            if (!translated_write(migrating, &batch[i])) {
                return false;
            }
        }
        arena_rewind(arena, mark);
        if (migrating->done - reported >= PROGRESS_ROWS) {
            reported = migrating->done;
            migrate_report(migrating, false);
        }
    }
    return true;
}

/* ---- the transaction ---- */

MUST_CHECK static bool migrate_prepare(struct migrating *migrating)
{
    static const char rows_get[] = "SELECT id,key,value,created,prev,version,checksum FROM log "
                                   "WHERE id>?1 ORDER BY id LIMIT 256";
    sqlite3 *handle = migrating->handle;

    _Static_assert(BATCH_ROWS == 256, "the limit in rows_get");
    return sqlite3_prepare_v2(handle, rows_get, -1, &migrating->rows_get, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(handle, "UPDATE log SET key=?1,value=?2,checksum=?3 WHERE id=?4", -1,
                              &migrating->row_put, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(handle, "UPDATE current SET key=?1 WHERE key=?2", -1,
                              &migrating->key_put, NULL) == SQLITE_OK;
}

MUST_CHECK static bool migrate_run(sqlite3 *handle, const char *sql)
{
    return sqlite3_exec(handle, sql, NULL, NULL, NULL) == SQLITE_OK;
}

MUST_CHECK static bool migrate_failed(sqlite3 *handle, struct err *err)
{
    int code = sqlite3_errcode(handle) & 0xff;
    const char *path = sqlite3_db_filename(handle, "main");

    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_CONSTRAINT) {
        return err_set(err, CODE_R0506, "the database file is damaged: it cannot be migrated: %s",
                       sqlite3_errmsg(handle));
    }
    err_set(err, CODE_R0505, "'%s' cannot be migrated to format %d: %s", path == NULL ? "" : path,
            STORE_FORMAT, sqlite3_errmsg(handle));
    return err_hint(err, "make the folder writable, with free space for the size of the store");
}

bool sqlite_migrate(sqlite3 *handle, const struct store_reading *reading, struct err *err)
{
    struct migrating migrating = { .handle = handle, .reading = reading };
    char sql[64];
    bool is_good;

    snprintf(sql, sizeof(sql), "PRAGMA user_version=%d", STORE_FORMAT);
    migrating.rows = migrate_number_read(handle, "SELECT count(*) FROM log");
    migrate_report(&migrating, false);
    is_good = migrate_run(handle, "BEGIN IMMEDIATE") && migrate_prepare(&migrating) &&
              migrate_rows(&migrating) && former_events_put(handle) && migrate_run(handle, sql) &&
              migrate_run(handle, "COMMIT");
    is_good = is_good || migrate_failed(handle, err);
    sqlite3_finalize(migrating.rows_get);
    sqlite3_finalize(migrating.row_put);
    sqlite3_finalize(migrating.key_put);
    if (!sqlite3_get_autocommit(handle)) {
        (void)!migrate_run(handle, "ROLLBACK");
    }
    if (is_good) {
        migrate_report(&migrating, true);
    }
    return is_good;
}

/* ---- a copy in memory ---- */

bool sqlite_migrate_copy(sqlite3 **handle, struct err *err)
{
    sqlite3 *copy = NULL;
    sqlite3_backup *backup = NULL;
    int code = sqlite3_open_v2(
        ":memory:", &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

    if (code == SQLITE_OK) {
        backup = sqlite3_backup_init(copy, "main", *handle, "main");
        code = backup == NULL ? sqlite3_errcode(copy) : sqlite3_backup_step(backup, -1);
        sqlite3_backup_finish(backup);
    }
    if (code != SQLITE_DONE) {
        err_set(err, CODE_R0521, "the database file cannot be read: %s", sqlite3_errstr(code));
        sqlite3_close(copy);
        return false;
    }
    if (!sqlite_migrate(copy, NULL, err)) {
        sqlite3_close(copy);
        return false;
    }
    sqlite3_close(*handle);
    *handle = copy;
    return true;
}

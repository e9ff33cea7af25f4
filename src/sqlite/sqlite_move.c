#include "sqlite/sqlite_move.h"

#include "base/buf.h"
#include "base/limits.h"
#include "sqlite/sqlite_backup.h"
#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_migrate.h"
#include "sqlite/sqlite_salvage.h"
#include "sqlite/sqlite_statement.h"
#include "state/migrate.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads a whole store for a move, and marks a store that was moved (sqlite_move.h). */

struct sqlite_source {
    struct arena *memory;
    struct sqlite_db *db; /* NULL: the source is a backup */
    sqlite3 *handle;
    uint64_t former_events; /* events up to this id have names of an earlier format */
    int lock;
    unsigned char incarnation[16];
};

MUST_CHECK static bool source_failed(const struct sqlite_source *source, struct err *err)
{
    return err_set(err, CODE_R0521, "the store cannot be read: %s", sqlite3_errmsg(source->handle));
}

bool sqlite_source_open(const char *folder, struct sqlite_source **out, struct err *err)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_source *source = arena_one(memory, struct sqlite_source);
    struct sqlite_opening opening = { .path = arena_printf(memory, "%s/store.db", folder).data,
                                      .incarnation = source->incarnation,
                                      .is_brief = true };

    *source = (struct sqlite_source){ .memory = memory, .lock = FD_NONE };
    if (!sqlite_folder_lock(folder, &source->lock, err) || !sqlite_restore_finish(folder, err)) {
        sqlite_source_close(source);
        return false;
    }
    if (access(opening.path, F_OK) != 0) {
        sqlite_source_close(source);
        return err_set(err, CODE_R0593, "there is no store in '%s'", folder);
    }
    if (!sqlite_db_open(&opening, &source->db, err)) {
        sqlite_source_close(source);
        return false;
    }
    source->handle = source->db->handle;
    source->former_events = source->db->former_events;
    *out = source;
    return true;
}

bool sqlite_source_open_backup(const char *path, struct sqlite_source **out, struct err *err)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_source *source = arena_one(memory, struct sqlite_source);
    struct sqlite_report report;

    *source = (struct sqlite_source){ .memory = memory, .lock = FD_NONE };
    if (sqlite3_open_v2(sqlite_immutable_name(memory, path), &source->handle,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                        NULL) != SQLITE_OK) {
        sqlite_source_close(source);
        return err_set(err, CODE_R0524, "'%s' cannot be read", path);
    }
    if (!sqlite_check(source->handle, &report, err)) {
        sqlite_source_close(source);
        return false;
    }
    if (sqlite_migrate_format(source->handle) == STORE_FORMAT_OLDEST &&
        !sqlite_migrate_copy(&source->handle, err)) {
        sqlite_source_close(source);
        return false;
    }
    source->former_events = sqlite_migrate_events(source->handle);
    *out = source;
    return true;
}

void sqlite_source_close(struct sqlite_source *source)
{
    if (source == NULL) {
        return;
    }
    if (source->db != NULL) {
        sqlite_db_close(source->db);
    } else {
        sqlite3_close(source->handle);
    }
    fd_cleanup(&source->lock);
    arena_free(source->memory);
}

/* ---- reading ---- */

/* Passes on a row, unless it is an old version that is no longer readable. */
MUST_CHECK static bool source_row(sqlite3_stmt *handle, const struct store_dump_sink *sink,
                                  struct err *err)
{
    uint64_t newest_version = column_number(handle, 8);
    struct store_dump_row out;
    struct log_row row;
    bool has_history;

    if (!log_row_read(handle, &row)) {
        return err_set(err, CODE_R0506, "a row of revision %llu differs from what was written",
                       (unsigned long long)(row.id / ROW_PLACES));
    }
    has_history = log_row_has_history(row.key);
    out = (struct store_dump_row){
        .key = row.key,
        .value = row.value,
        .created = row.created,
        .revision = row.id / ROW_PLACES,
        .number = has_history ? row.version : 1,
        .is_delete = row.is_delete,
        .is_newest = column_number(handle, 7) == row.id,
    };
    if (has_history ? row.version + LIMIT_STORE_HISTORY <= newest_version
                    : !out.is_newest || out.is_delete) {
        return true;
    }
    return sink->row(sink->arg, &out, err);
}

MUST_CHECK static bool source_rows(struct sqlite_source *source, const struct store_dump_sink *sink,
                                   struct err *err)
{
    sqlite3_stmt *handle = NULL;
    bool is_good = true;
    int code = sqlite3_prepare_v2(
        source->handle,
        "SELECT l.id,l.key,l.value,l.created,l.prev,l.version,l.checksum,c.id,c.version "
        "FROM log l JOIN current c ON c.key=l.key ORDER BY l.id",
        -1, &handle, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(handle);
        if (code == SQLITE_ROW && !source_row(handle, sink, err)) {
            is_good = false;
            break;
        }
    }
    if (is_good && code != SQLITE_DONE) {
        is_good = source_failed(source, err);
    }
    sqlite3_finalize(handle);
    return is_good;
}

MUST_CHECK static bool source_event(const struct sqlite_source *source, sqlite3_stmt *handle,
                                    const struct store_dump_sink *sink, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    uint64_t id = column_number(handle, 0);
    struct store_event event;

    if (!event_read(handle, &event)) {
        return err_set(err, CODE_R0506, "an event of revision %llu differs from what was written",
                       (unsigned long long)(id / ROW_PLACES));
    }
    if (id <= source->former_events) {
        event.body = migrate_event(arena, event.body);
    }
    return sink->event(sink->arg, &event, (unsigned)(id % ROW_PLACES), err);
}

MUST_CHECK static bool source_events(struct sqlite_source *source,
                                     const struct store_dump_sink *sink, struct err *err)
{
    sqlite3_stmt *handle = NULL;
    bool is_good = true;
    int code = sqlite3_prepare_v2(
        source->handle, "SELECT id,cluster,number,time_ms,body,checksum FROM events ORDER BY id",
        -1, &handle, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(handle);
        if (code == SQLITE_ROW && !source_event(source, handle, sink, err)) {
            is_good = false;
            break;
        }
    }
    if (is_good && code != SQLITE_DONE) {
        is_good = source_failed(source, err);
    }
    sqlite3_finalize(handle);
    return is_good;
}

bool sqlite_source_dump(struct sqlite_source *source, const struct store_dump_sink *sink,
                        struct store_dump_head *out, struct err *err)
{
    struct sqlite_opening opening = { .path = "" };
    struct sqlite_figures figures = { 0 };
    struct sqlite_db *view = source->db;
    bool is_good = view != NULL || sqlite_db_open_view(&opening, source->handle, &view, err);

    is_good = is_good && sqlite_db_figures(view, &figures, err);
    if (is_good) {
        out->revision = figures.revision;
        memcpy(out->incarnation, figures.incarnation, sizeof(out->incarnation));
    }
    if (source->db == NULL && view != NULL) {
        sqlite_db_close_view(view);
    }
    return is_good &&
           (sink == NULL || (source_rows(source, sink, err) && source_events(source, sink, err)));
}

/* ---- the mark of a store that was moved ---- */

#define META_MOVED "moved"

bool sqlite_source_mark(struct sqlite_source *source, const unsigned char move[16],
                        struct text place, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_result result;
    struct buf bytes;
    sqlite3_stmt *handle;
    char sql[64];

    assert(source->db != NULL && "a backup is not marked");
    buf_init(&bytes, arena);
    buf_add(&bytes, (struct text){ (const char *)move, 16 });
    buf_add(&bytes, text_slice(place, 0, SQLITE_PLACE_BYTES - 1));
    snprintf(sql, sizeof(sql), "PRAGMA user_version=%d", STORE_FORMAT_MOVED);
    if (statement_do(source->db, SQL_BEGIN_WRITE)) {
        handle = statement_start(source->db, SQL_META_PUT);
        sqlite3_bind_text(handle, 1, META_MOVED, -1, SQLITE_STATIC);
        statement_bind_text(handle, 2, buf_text(&bytes));
        statement_bind_number(handle, 3, meta_checksum(TEXT(META_MOVED), buf_text(&bytes), 0));
        if (statement_run(source->db, SQL_META_PUT) &&
            sqlite3_exec(source->handle, sql, NULL, NULL, NULL) == SQLITE_OK &&
            statement_do(source->db, SQL_COMMIT)) {
            return true;
        }
    }
    result_fail(source->db, &result);
    transaction_rollback(source->db);
    *err = result.err;
    return false;
}

/* Reads the marker of a moved store from a database. */
void sqlite_moved_of(sqlite3 *handle, struct sqlite_moved *out)
{
    sqlite3_stmt *statement = NULL;

    *out = (struct sqlite_moved){ .is_moved = false };
    if (sqlite_migrate_format(handle) == STORE_FORMAT_MOVED &&
        sqlite3_prepare_v2(handle, "SELECT value FROM meta WHERE name='" META_MOVED "'", -1,
                           &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && column_text(statement, 0).length >= 16) {
        struct text bytes = column_text(statement, 0);

        out->is_moved = true;
        memcpy(out->move, bytes.data, sizeof(out->move));
        snprintf(out->place, sizeof(out->place), "%.*s", TEXT_ARG(text_slice(bytes, 16, SIZE_MAX)));
    }
    sqlite3_finalize(statement);
}

void sqlite_moved_read(const char *folder, struct sqlite_moved *out)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    sqlite3 *handle = NULL;

    *out = (struct sqlite_moved){ .is_moved = false };
    if (sqlite3_open_v2(arena_printf(arena, "%s/store.db", folder).data, &handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
        sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        sqlite_moved_of(handle, out);
    }
    sqlite3_close(handle);
}

/* ---- a store that arrives ---- */

bool sqlite_arrive(const char *folder, const char *path, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const char *decided = arena_printf(arena, "%s/store.db-restored", folder).data;

    if (!sqlite_restore_finish(folder, err) ||
        !sqlite_former_keep(arena, folder, "store.before-move", err)) {
        return false;
    }
    if (rename(path, decided) != 0 || !sqlite_folder_sync(decided)) {
        return err_set(err, CODE_R0505, "'%s' cannot be written: %s", decided, strerror(errno));
    }
    return sqlite_restore_finish(folder, err);
}

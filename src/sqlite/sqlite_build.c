#include "sqlite/sqlite_move.h"

#include "base/limits.h"
#include "sqlite/sqlite_backup.h"
#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_statement.h"
#include "state/migrate.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes a store whose content arrives in the order of another engine. Row ids are derived from
 * revisions. So the content is first collected in a second database beside the file, and then
 * written in the order of revisions. */

enum {
    STAGE_ROW,   /* INSERT of a row */
    STAGE_EVENT, /* INSERT of an event */
    STAGE_COUNT
};

struct sqlite_build {
    struct arena *memory;
    const char *path;
    const char *part;
    const char *stage;
    sqlite3 *handle;
    struct sqlite_db *db;
    sqlite3_stmt *inserts[STAGE_COUNT];
    bool is_complete;
};

MUST_CHECK static bool build_failed(const struct sqlite_build *build, struct err *err)
{
    int code = build->handle == NULL ? SQLITE_NOMEM : sqlite3_errcode(build->handle);

    if ((code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_IOERR) {
        err_set(err, CODE_R0522, "'%s' cannot be made: %s", build->path,
                sqlite3_errmsg(build->handle));
        return err_hint(err, "the copy needs about three times the size of the store on this disk");
    }
    return err_set(err, CODE_R0522, "'%s' cannot be made: %s", build->path,
                   build->handle == NULL ? "no memory" : sqlite3_errmsg(build->handle));
}

MUST_CHECK static bool build_begin(struct sqlite_build *build, const unsigned char incarnation[16])
{
    static const char *const inserts[STAGE_COUNT] = {
        [STAGE_ROW] = "INSERT INTO stage.rows VALUES(?1,?2,?3,?4,?5,?6)",
        [STAGE_EVENT] = "INSERT INTO stage.events VALUES(?1,?2,?3,?4,?5,?6)",
    };
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_opening opening = { .path = build->part };
    struct text bytes = { (const char *)incarnation, 16 };
    sqlite3_stmt *statement;
    char *attach = sqlite3_mprintf("ATTACH %Q AS stage", build->stage);
    const char *head = arena_printf(arena, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                                    ROW_APPLICATION, STORE_FORMAT)
                           .data;
    struct err err;
    bool is_good =
        sqlite3_open_v2(build->part, &build->handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) == SQLITE_OK &&
        sqlite3_exec(build->handle, attach, NULL, NULL, NULL) == SQLITE_OK &&
        /* nothing has to be durable before the end, so no journal and no sync */
        sqlite3_exec(build->handle,
                     "PRAGMA main.journal_mode=OFF; PRAGMA main.synchronous=OFF;"
                     "PRAGMA stage.journal_mode=OFF; PRAGMA stage.synchronous=OFF;"
                     "CREATE TABLE stage.rows(revision INTEGER,key BLOB,value BLOB,created INTEGER,"
                     "number INTEGER,is_newest INTEGER);"
                     "CREATE TABLE stage.events(revision INTEGER,place INTEGER,cluster BLOB,"
                     "number INTEGER,time_ms INTEGER,body BLOB);",
                     NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(build->handle, sqlite_schema, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(build->handle, head, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite_db_open_view(&opening, build->handle, &build->db, &err);

    sqlite3_free(attach);
    if (!is_good || !statement_do(build->db, SQL_BEGIN_WRITE)) {
        return false;
    }
    statement = statement_start(build->db, SQL_META_PUT);
    sqlite3_bind_text(statement, 1, META_INCARNATION, -1, SQLITE_STATIC);
    statement_bind_text(statement, 2, bytes);
    statement_bind_number(statement, 3, meta_checksum(TEXT(META_INCARNATION), bytes, 0));
    is_good = statement_run(build->db, SQL_META_PUT);
    for (size_t i = 0; is_good && i < STAGE_COUNT; i++) {
        is_good = sqlite3_prepare_v2(build->handle, inserts[i], -1, &build->inserts[i], NULL) ==
                  SQLITE_OK;
    }
    return is_good;
}

bool sqlite_build_open(const char *path, const unsigned char incarnation[16],
                       struct sqlite_build **out, struct err *err)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_build *build = arena_one(memory, struct sqlite_build);
    AUTO(fd) file = FD_NONE;

    *build = (struct sqlite_build){ .memory = memory,
                                    .path = arena_printf(memory, "%s", path).data,
                                    .part = arena_printf(memory, "%s.part", path).data,
                                    .stage = arena_printf(memory, "%s.stage", path).data };
    unlink(build->part); /* left by a process that was killed */
    unlink(build->stage);
    if (access(path, F_OK) == 0) {
        sqlite_build_close(build);
        return err_set(err, CODE_R0522, "'%s' cannot be made: %s", path, strerror(EEXIST));
    }
    file = open(build->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        err_set(err, CODE_R0522, "'%s' cannot be made: %s", path, strerror(errno));
        sqlite_build_close(build);
        return false;
    }
    if (!build_begin(build, incarnation)) {
        (void)!build_failed(build, err);
        sqlite_build_close(build);
        return false;
    }
    *out = build;
    return true;
}

/* Closes the connections and removes the second database. */
static void build_disconnect(struct sqlite_build *build)
{
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        sqlite3_finalize(build->inserts[i]);
        build->inserts[i] = NULL;
    }
    if (build->db != NULL) {
        sqlite_db_close(build->db); /* also closes the handle */
    } else {
        sqlite3_close(build->handle);
    }
    build->db = NULL;
    build->handle = NULL;
    unlink(build->stage);
}

void sqlite_build_close(struct sqlite_build *build)
{
    if (build == NULL) {
        return;
    }
    build_disconnect(build);
    if (!build->is_complete) {
        unlink(build->part);
    }
    arena_free(build->memory);
}

/* ---- receiving ---- */

MUST_CHECK static bool build_row(void *arg, const struct store_dump_row *row, struct err *err)
{
    struct sqlite_build *build = arg;
    sqlite3_stmt *handle = build->inserts[STAGE_ROW];

    statement_bind_number(handle, 1, row->revision);
    statement_bind_text(handle, 2, row->key);
    if (row->is_delete) {
        sqlite3_bind_null(handle, 3);
    } else {
        statement_bind_text(handle, 3, row->value);
    }
    statement_bind_number(handle, 4, row->created);
    statement_bind_number(handle, 5, row->number);
    statement_bind_number(handle, 6, row->is_newest);
    if (sqlite3_step(handle) != SQLITE_DONE) {
        (void)!build_failed(build, err);
        sqlite3_reset(handle);
        return false;
    }
    sqlite3_reset(handle);
    return true;
}

MUST_CHECK static bool build_event(void *arg, const struct store_event *event, unsigned index,
                                   struct err *err)
{
    struct sqlite_build *build = arg;
    sqlite3_stmt *handle = build->inserts[STAGE_EVENT];

    statement_bind_number(handle, 1, event->revision);
    statement_bind_number(handle, 2, index);
    statement_bind_text(handle, 3, event->cluster);
    statement_bind_number(handle, 4, event->number);
    statement_bind_number(handle, 5, event->time_ms);
    statement_bind_text(handle, 6, event->body);
    if (sqlite3_step(handle) != SQLITE_DONE) {
        (void)!build_failed(build, err);
        sqlite3_reset(handle);
        return false;
    }
    sqlite3_reset(handle);
    return true;
}

struct store_dump_sink sqlite_build_sink(struct sqlite_build *build)
{
    return (struct store_dump_sink){ build_row, build_event, build };
}

/* ---- writing in order ---- */

MUST_CHECK static bool build_row_write(struct sqlite_build *build, sqlite3_stmt *from, uint64_t id)
{
    struct sqlite_db *db = build->db;
    struct log_row row = {
        .id = id,
        .key = column_text(from, 1),
        .value = column_text(from, 2),
        .is_delete = sqlite3_column_type(from, 2) == SQLITE_NULL,
        .created = column_number(from, 3),
        .version = column_number(from, 4),
    };
    struct current current;
    sqlite3_stmt *handle;

    if (!current_get(db, row.key, &current)) {
        return false;
    }
    row.prev = current.id;
    handle = statement_start(db, SQL_LOG_ADD);
    statement_bind_number(handle, 1, row.id);
    statement_bind_text(handle, 2, row.key);
    if (row.is_delete) {
        sqlite3_bind_null(handle, 3);
    } else {
        statement_bind_text(handle, 3, row.value);
    }
    statement_bind_number(handle, 4, row.created);
    statement_bind_number(handle, 5, row.prev);
    statement_bind_number(handle, 6, row.version);
    statement_bind_number(handle, 7, log_row_checksum(&row));
    if (!statement_run(db, SQL_LOG_ADD)) {
        return false;
    }
    handle = statement_start(db, SQL_CURRENT_PUT);
    statement_bind_text(handle, 1, row.key);
    statement_bind_number(handle, 2, row.id);
    statement_bind_number(handle, 3, row.created);
    statement_bind_number(handle, 4, row.version);
    statement_bind_number(handle, 5, row.is_delete);
    return statement_run(db, SQL_CURRENT_PUT);
}

MUST_CHECK static bool build_event_write(struct sqlite_build *build, sqlite3_stmt *from,
                                         uint64_t id)
{
    struct store_event event = { .cluster = column_text(from, 2),
                                 .body = column_text(from, 5),
                                 .number = column_number(from, 3),
                                 .time_ms = column_number(from, 4) };

    return sqlite_db_event_put(build->db, &event, id);
}

/* Writes rows and events, both in order of revisions. Those of one revision get consecutive ids. */
MUST_CHECK static bool build_all_write(struct sqlite_build *build, sqlite3_stmt *rows,
                                       sqlite3_stmt *events)
{
    int row = sqlite3_step(rows);
    int event = sqlite3_step(events);
    uint64_t revision = 0;
    uint64_t place = 0;

    while (row == SQLITE_ROW || event == SQLITE_ROW) {
        uint64_t row_revision = row == SQLITE_ROW ? column_number(rows, 0) : UINT64_MAX;
        uint64_t event_revision = event == SQLITE_ROW ? column_number(events, 0) : UINT64_MAX;
        bool is_row = row_revision <= event_revision;
        uint64_t next = is_row ? row_revision : event_revision;

        place = next == revision ? place + 1 : 0;
        revision = next;
        if (place >= ROW_PLACES) {
            return false;
        }
        if (!(is_row ? build_row_write(build, rows, revision * ROW_PLACES + place)
                     : build_event_write(build, events, revision * ROW_PLACES + place))) {
            return false;
        }
        row = is_row ? sqlite3_step(rows) : row;
        event = is_row ? event : sqlite3_step(events);
    }
    return row == SQLITE_DONE && event == SQLITE_DONE;
}

MUST_CHECK static bool build_content_write(struct sqlite_build *build, uint64_t revision)
{
    sqlite3_stmt *rows = NULL;
    sqlite3_stmt *events = NULL;
    bool is_good =
        sqlite3_exec(build->handle,
                     "CREATE INDEX stage.rows_by ON rows(revision);"
                     "CREATE INDEX stage.events_by ON events(revision,place);",
                     NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(build->handle,
                           "SELECT revision,key,value,created,number FROM stage.rows "
                           "ORDER BY revision,rowid",
                           -1, &rows, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(build->handle,
                           "SELECT revision,place,cluster,number,time_ms,body FROM stage.events "
                           "ORDER BY revision,place",
                           -1, &events, NULL) == SQLITE_OK &&
        sqlite_db_audit_begin(build->db) && build_all_write(build, rows, events) &&
        sqlite_db_audit_end(build->db) && meta_put(build->db, META_REVISION, revision) &&
        /* only the newest state is readable, and the histories of specifications */
        meta_put(build->db, META_COMPACTED, revision) &&
        meta_put(build->db, META_SWEEP, (revision + 1) * ROW_PLACES);

    sqlite3_finalize(rows);
    sqlite3_finalize(events);
    return is_good && statement_do(build->db, SQL_COMMIT);
}

/* Checks the file and gives it its final name. */
MUST_CHECK static bool build_name(struct sqlite_build *build, struct err *err)
{
    AUTO(fd) file = open(build->part, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct sqlite_report report = { 0 };
    sqlite3 *written = NULL;
    bool is_good =
        file >= 0 && sqlite3_open_v2(build->part, &written,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;

    if (!is_good) {
        err_set(err, CODE_R0522, "'%s' cannot be read after it was written", build->part);
    }
    is_good = is_good && sqlite_check(written, &report, err);
    sqlite3_close(written);
    if (is_good &&
        (fsync(file) != 0 ||
         renameat2(AT_FDCWD, build->part, AT_FDCWD, build->path, RENAME_NOREPLACE) != 0 ||
         !sqlite_folder_sync(build->path))) {
        return err_set(err, CODE_R0522, "'%s' cannot be made: %s", build->path, strerror(errno));
    }
    return is_good;
}

bool sqlite_build_end(struct sqlite_build *build, uint64_t revision, struct err *err)
{
    if (!build_content_write(build, revision)) {
        return build_failed(build, err);
    }
    build_disconnect(build);
    build->is_complete = build_name(build, err);
    return build->is_complete;
}

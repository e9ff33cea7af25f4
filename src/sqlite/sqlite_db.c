#include "sqlite/sqlite_db.h"

#include "sqlite/sqlite_ahead.h"
#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_file.h"
#include "sqlite/sqlite_migrate.h"
#include "sqlite/sqlite_statement.h"
#include "sqlite/sqlite_wal.h"
#include "state/migrate.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { BUSY_MS = 10000, SYNCHRONOUS_FULL = 2 };

/* Sizes of page caches. PAGES_KIB is SQLite's default. A connection that reads a file once,
 * sequentially, gets PAGES_ONCE_KIB: index lookups of the check are almost in order, so a larger
 * cache would only use more memory. */
enum { PAGES_KIB = 2000, PAGES_ONCE_KIB = 512 };

static bool exec(struct sqlite_db *db, const char *sql)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Sets the cache size. If that fails, the old size remains. */
static void pages_keep(sqlite3 *handle, int kib)
{
    char sql[64];

    snprintf(sql, sizeof(sql), "PRAGMA cache_size=-%d", kib);
    (void)!sqlite3_exec(handle, sql, NULL, NULL, NULL);
}

static uint64_t pragma_number(struct sqlite_db *db, const char *sql)
{
    sqlite3_stmt *handle = NULL;
    uint64_t number = 0;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &handle, NULL) == SQLITE_OK &&
        sqlite3_step(handle) == SQLITE_ROW) {
        number = column_number(handle, 0);
    }
    sqlite3_finalize(handle);
    return number;
}

/* Switches to WAL mode with a sync per commit. If the disk fails during the switch, SQLite stays in
 * another mode, and only the result of the statement shows that. */
MUST_CHECK static bool wal_begin(struct sqlite_db *db)
{
    sqlite3_stmt *handle = NULL;
    bool is_good =
        sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode=WAL", -1, &handle, NULL) == SQLITE_OK &&
        sqlite3_step(handle) == SQLITE_ROW && text_is(column_text(handle, 0), "wal");

    sqlite3_finalize(handle);
    return is_good && exec(db, "PRAGMA synchronous=FULL") &&
           pragma_number(db, "PRAGMA synchronous") == SYNCHRONOUS_FULL;
}

MUST_CHECK static bool incarnation_put(struct sqlite_db *db, const unsigned char incarnation[16])
{
    sqlite3_stmt *handle = NULL;
    struct text bytes = { (const char *)incarnation, 16 };
    bool is_good =
        sqlite3_prepare_v2(db->handle, statement_sql[SQL_META_PUT], -1, &handle, NULL) == SQLITE_OK;

    if (is_good) {
        sqlite3_bind_text(handle, 1, META_INCARNATION, -1, SQLITE_STATIC);
        statement_bind_text(handle, 2, bytes);
        statement_bind_number(handle, 3, meta_checksum(TEXT(META_INCARNATION), bytes, 0));
        is_good = sqlite3_step(handle) == SQLITE_DONE;
    }
    sqlite3_finalize(handle);
    return is_good;
}

/* Creates the tables of a new store, atomically. */
MUST_CHECK static bool store_make(struct sqlite_db *db, const unsigned char incarnation[16])
{
    static const char *const numbers[] = { META_REVISION, META_COMPACTED, META_SWEEP };
    char sql[160];

    snprintf(sql, sizeof(sql), "PRAGMA application_id=%d; PRAGMA user_version=%d", ROW_APPLICATION,
             STORE_FORMAT);
    if (!wal_begin(db) || !exec(db, "BEGIN IMMEDIATE") || !exec(db, sqlite_schema) ||
        !exec(db, sql) || !incarnation_put(db, incarnation)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        snprintf(sql, sizeof(sql), "INSERT INTO meta VALUES('%s',0,%llu)", numbers[i],
                 (unsigned long long)meta_checksum(text_from(numbers[i]), TEXT(""), 0));
        if (!exec(db, sql)) {
            return false;
        }
    }
    return exec(db, "COMMIT");
}

/* Sets *err for a failed opening. */
MUST_CHECK static bool opening_failed(const struct sqlite_db *db, struct err *err)
{
    struct sqlite_result result;

    if (sqlite_check_is_failure(sqlite3_errcode(db->handle)) ||
        sqlite3_errcode(db->handle) == SQLITE_OK) {
        return err_set(err, CODE_R0505, "'%s' cannot be written: %s",
                       sqlite3_db_filename(db->handle, "main"), sqlite3_errmsg(db->handle));
    }
    result_fail(db, &result);
    *err = result.err;
    return false;
}

MUST_CHECK static bool noted_check(uint64_t revision, uint64_t noted, struct err *err)
{
    return revision >= noted ||
           err_set(err, CODE_R0506,
                   "the store ends at revision %llu, but had acknowledged revision %llu",
                   (unsigned long long)revision, (unsigned long long)noted);
}

/* Opens a read-only connection with read-ahead for the check. Returns NULL on failure. */
static sqlite3 *look_open(const struct sqlite_opening *opening, const struct sqlite_ahead *ahead)
{
    sqlite3 *look = NULL;

    if (ahead == NULL ||
        sqlite3_open_v2(opening->path, &look, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        sqlite_ahead_name(ahead)) != SQLITE_OK) {
        sqlite3_close(look);
        return NULL;
    }
    sqlite3_extended_result_codes(look, 1);
    sqlite3_busy_timeout(look, BUSY_MS);
    sqlite3_db_config(look, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    pages_keep(look, PAGES_ONCE_KIB);
    return look;
}

/* Checks the whole store over two separate connections or, if they cannot be opened, over the
 * existing one. */
MUST_CHECK static bool sqlite_db_whole_check(struct sqlite_db *db,
                                             const struct sqlite_opening *opening,
                                             struct sqlite_report *report, struct err *err)
{
    struct sqlite_ahead *ahead = sqlite_ahead_new(sqlite_file_layer(opening->vfs));
    sqlite3 *first = look_open(opening, ahead);
    sqlite3 *second = look_open(opening, ahead);
    bool is_good;

    if (first == NULL) {
        pages_keep(db->handle, PAGES_ONCE_KIB);
    }
    is_good = sqlite_check_beside(first == NULL ? db->handle : first, second, opening->reading,
                                  report, err);
    if (first == NULL) {
        pages_keep(db->handle, PAGES_KIB);
    }
    sqlite3_close(first);
    sqlite3_close(second);
    sqlite_ahead_free(ahead);
    return is_good;
}

/* Migrates a store of an earlier format that has passed the check. A migration can write as much as
 * the whole database, so its WAL is moved into the database immediately afterwards. */
MUST_CHECK static bool store_migrate(struct sqlite_db *db, const struct sqlite_opening *opening,
                                     struct err *err)
{
    struct sqlite_report report;

    if (!sqlite_migrate(db->handle, opening->reading, err)) {
        return false;
    }
    (void)!exec(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    return sqlite_db_whole_check(db, opening, &report, err);
}

/* Checks that the writer's file is a complete store and contains everything in the note; or creates
 * a new store. If the check fails, nothing on disk is changed. */
MUST_CHECK static bool store_check(struct sqlite_db *db, const struct sqlite_opening *opening,
                                   uint64_t noted, struct err *err)
{
    struct sqlite_opening former = *opening;
    struct sqlite_report report;
    bool is_former;
    bool is_new;

    if (!sqlite_check_is_new(db->handle, &is_new, err)) {
        return false;
    }
    if (noted == 0 && is_new) {
        return store_make(db, opening->incarnation) || opening_failed(db, err);
    }
    former.reading = NULL; /* not now: the content is passed on during the migration */
    is_former = sqlite_migrate_format(db->handle) == STORE_FORMAT_OLDEST;
    if (!sqlite_db_whole_check(db, is_former ? &former : opening, &report, err) ||
        !noted_check(report.revision, noted, err)) {
        return false;
    }
    db->revision = report.revision;
    return (wal_begin(db) || opening_failed(db, err)) &&
           (!is_former || store_migrate(db, opening, err));
}

/* Called after each commit and its sync. */
static int committed(void *arg, sqlite3 *handle, const char *name, int frames)
{
    struct sqlite_db *db = arg;

    (void)handle;
    (void)name;
    db->frames = (uint32_t)frames;
    sqlite_wal_note(db->wal, db->frames, db->revision);
    return SQLITE_OK;
}

void sqlite_db_checkpoint(struct sqlite_db *db)
{
    if (db->frames >= SQLITE_WAL_CHECKPOINT_FRAMES) {
        statement_taints(
            db, sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL));
    }
}

bool sqlite_db_is_tainted(const struct sqlite_db *db)
{
    return db->is_tainted;
}

static struct sqlite_db *db_new(const struct sqlite_opening *opening)
{
    struct sqlite_db *db = sqlite3_malloc(sizeof(*db));

    assert(db != NULL);
    memset(db, 0, sizeof(*db));
    db->wal = sqlite_wal_new(sqlite_file_layer(opening->vfs), opening->path);
    return db;
}

/* Opens the file. The WAL then survives the close of the connection, until the writer changes that
 * setting. */
MUST_CHECK static bool file_open(struct sqlite_db *db, const char *path, int flags, const char *vfs,
                                 struct err *err)
{
    if (sqlite3_open_v2(path, &db->handle, flags | SQLITE_OPEN_NOMUTEX, vfs) != SQLITE_OK) {
        return err_set(err, CODE_R0505, "'%s' cannot be opened: %s", path,
                       sqlite3_errmsg(db->handle));
    }
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return true;
}

/* Completes the opening: returns the connection with its statements, or closes it. */
MUST_CHECK static bool open_end(struct sqlite_db *db, bool is_good, struct sqlite_db **out,
                                struct err *err)
{
    for (int i = 0; is_good && i < SQL_COUNT; i++) {
        int code = sqlite3_prepare_v3(db->handle, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                                      &db->statements[i], NULL);

        if (code != SQLITE_OK) {
            is_good = opening_failed(db, err);
        }
    }
    if (!is_good) {
        sqlite_db_close(db);
        return false;
    }
    db->former_events = sqlite_migrate_events(db->handle);
    *out = db;
    return true;
}

bool sqlite_db_open(const struct sqlite_opening *opening, struct sqlite_db **out, struct err *err)
{
    struct sqlite_db *db = db_new(opening);
    uint64_t noted = 0;
    bool is_good = sqlite_wal_check(db->wal, &noted, err) && sqlite_wal_renew(db->wal, err) &&
                   file_open(db, opening->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                             opening->vfs, err) &&
                   store_check(db, opening, noted, err) &&
                   (opening->is_brief || sqlite_wal_lengthen(db->wal, err));

    if (is_good) {
        db->is_writer = true;
        sqlite3_wal_hook(db->handle, committed, db);
    }
    return open_end(db, is_good, out, err);
}

bool sqlite_db_open_reader(const struct sqlite_opening *opening, struct sqlite_db **out,
                           struct err *err)
{
    struct sqlite_db *db = db_new(opening);

    return open_end(db, file_open(db, opening->path, SQLITE_OPEN_READWRITE, opening->vfs, err), out,
                    err);
}

/* Returns a path as a SQLite URI with options. */
static const char *uri_make(struct arena *arena, const char *path, const char *options)
{
    struct text uri = TEXT("");

    for (const char *at = path; *at != '\0'; at++) {
        bool is_plain = strchr("%?#", *at) == NULL;

        uri = arena_printf(arena, is_plain ? "%.*s%c" : "%.*s%%%02x", TEXT_ARG(uri),
                           (unsigned char)*at);
    }
    return arena_printf(arena, "file:%.*s?%s", TEXT_ARG(uri), options).data;
}

const char *sqlite_immutable_name(struct arena *arena, const char *path)
{
    return uri_make(arena, path, "immutable=1");
}

/* Opens the file read-only. No file beside it is created or changed, because the disk may be
 * read-only. No process writes during this time, so no locks are needed. The WAL index is kept in
 * memory. */
MUST_CHECK static bool file_open_still(struct sqlite_db *db, const struct sqlite_opening *opening,
                                       struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const char *vfs = opening->vfs == NULL ? "unix-none" : opening->vfs;
    const char *options = sqlite_wal_is_there(db->wal) ? "mode=ro" : "immutable=1";

    if (!file_open(db, uri_make(arena, opening->path, options),
                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs, err)) {
        return false;
    }
    return exec(db, "PRAGMA locking_mode=EXCLUSIVE") || opening_failed(db, err);
}

bool sqlite_db_open_still(const struct sqlite_opening *opening, struct sqlite_db **out,
                          struct err *err)
{
    struct sqlite_db *db = db_new(opening);
    struct sqlite_report report = { 0 };
    struct err why = { 0 };
    uint64_t noted = 0;
    bool is_good = err->code != CODE_R0508 && sqlite_wal_check(db->wal, &noted, &why) &&
                   file_open_still(db, opening, &why);

    if (is_good && sqlite_check(db->handle, &report, &why)) {
        is_good = noted_check(report.revision, noted, &why);
        if (is_good && err->code != CODE_R0505) {
            err_set(err, CODE_R0505, "'%s' is read-only", opening->path);
        }
    } else if (is_good) {
        is_good = report.is_readable && report.revision >= noted;
        if (is_good) {
            *err = why;
        }
    }
    /* the error of the open for writing is more precise, because a full disk also leaves an empty
     * file */
    if (!is_good && opening->is_read_only && why.code == CODE_R0506) {
        *err = why;
    }
    if (is_good && sqlite_migrate_format(db->handle) == STORE_FORMAT_OLDEST) {
        is_good = sqlite_migrate_copy(&db->handle, err);
    }
    return open_end(db, is_good, out, &why);
}

bool sqlite_db_open_view(const struct sqlite_opening *opening, sqlite3 *handle,
                         struct sqlite_db **out, struct err *err)
{
    struct sqlite_db *db = db_new(opening);

    db->handle = handle;
    return open_end(db, true, out, err);
}

void sqlite_db_close(struct sqlite_db *db)
{
    if (db == NULL) {
        return;
    }
    for (int i = 0; i < SQL_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
    }
    if (db->is_writer && !db->is_tainted) {
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    }
    sqlite3_close(db->handle);
    sqlite_wal_free(db->wal);
    sqlite3_free(db);
}

void sqlite_db_close_view(struct sqlite_db *db)
{
    for (int i = 0; i < SQL_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
    }
    sqlite_wal_free(db->wal);
    sqlite3_free(db);
}

bool sqlite_db_figures(struct sqlite_db *db, struct sqlite_figures *out, struct err *err)
{
    sqlite3_stmt *handle = statement_start(db, SQL_META_GET);
    struct sqlite_result result;

    sqlite3_bind_text(handle, 1, META_INCARNATION, -1, SQLITE_STATIC);
    if (sqlite3_step(handle) == SQLITE_ROW && column_text(handle, 0).length == 16) {
        memcpy(out->incarnation, column_text(handle, 0).data, 16);
    }
    sqlite3_reset(handle);
    if (!meta_newest(db, &out->revision) || !meta_get(db, META_COMPACTED, &out->compacted)) {
        result_fail(db, &result);
        *err = result.err;
        return false;
    }
    out->bytes = pragma_number(db, "PRAGMA page_count") * pragma_number(db, "PRAGMA page_size");
    return true;
}

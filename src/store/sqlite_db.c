#include "store/sqlite_db.h"

#include "store/sqlite_check.h"
#include "store/sqlite_file.h"
#include "store/sqlite_statement.h"
#include "store/sqlite_wal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { CHECKPOINT_FRAMES = 4000, BUSY_MS = 10000 };

static bool exec(struct sqlite_db *db, const char *sql)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK;
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

/* Make the tables of a new store, all or nothing. */
MUST_CHECK static bool store_make(struct sqlite_db *db, const unsigned char incarnation[16])
{
    static const char *const numbers[] = { META_REVISION, META_COMPACTED, META_SWEEP };
    char sql[160];

    snprintf(sql, sizeof(sql), "PRAGMA application_id=%d; PRAGMA user_version=%d", ROW_APPLICATION,
             ROW_FORMAT);
    if (!exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; BEGIN IMMEDIATE") ||
        !exec(db, sqlite_schema) || !exec(db, sql) || !incarnation_put(db, incarnation)) {
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

/* See that the writer's file is a whole store and shows what was noted, or make a new one. Nothing is
 * changed on disk where it is not. */
MUST_CHECK static bool store_check(struct sqlite_db *db, const unsigned char incarnation[16],
                                   uint64_t noted, struct err *err)
{
    struct sqlite_result result;

    if (noted == 0 && sqlite_check_is_new(db->handle)) {
        if (store_make(db, incarnation)) {
            return true;
        }
        result_fail(db, &result);
        *err = result.err;
        return false;
    }
    if (!sqlite_check(db->handle, &db->revision, err)) {
        return false;
    }
    if (db->revision < noted) {
        return err_set(err, CODE_R0506,
                       "the store ends at revision %llu, but had acknowledged revision %llu",
                       (unsigned long long)db->revision, (unsigned long long)noted);
    }
    if (!exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")) {
        result_fail(db, &result);
        *err = result.err;
        return false;
    }
    return true;
}

/* After each commit, and after its sync. */
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
    if (db->frames >= CHECKPOINT_FRAMES) {
        (void)!sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    }
}

/* Open the file; of the writer only after a look at its WAL. */
MUST_CHECK static bool file_open(struct sqlite_db *db, const struct sqlite_opening *opening,
                                 bool is_writer, struct err *err)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | (is_writer ? SQLITE_OPEN_CREATE : 0);
    uint64_t noted = 0;

    db->wal = is_writer ? sqlite_wal_new(sqlite_file_layer(opening->vfs), opening->path) : NULL;
    if (is_writer && !sqlite_wal_check(db->wal, &noted, err)) {
        return false;
    }
    if (sqlite3_open_v2(opening->path, &db->handle, flags, opening->vfs) != SQLITE_OK) {
        return err_set(err, CODE_R0505, "the database file cannot be opened: %s",
                       sqlite3_errmsg(db->handle));
    }
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    if (is_writer) {
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        if (!store_check(db, opening->incarnation, noted, err)) {
            return false;
        }
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        sqlite3_wal_hook(db->handle, committed, db);
    }
    return true;
}

bool sqlite_db_open(const struct sqlite_opening *opening, bool is_writer, struct sqlite_db **out,
                    struct err *err)
{
    struct sqlite_db *db = sqlite3_malloc(sizeof(*db));
    bool is_good;

    assert(db != NULL);
    memset(db, 0, sizeof(*db));
    is_good = file_open(db, opening, is_writer, err);
    for (int i = 0; is_good && i < SQL_COUNT; i++) {
        if (sqlite3_prepare_v3(db->handle, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &db->statements[i], NULL) != SQLITE_OK) {
            is_good = err_set(err, CODE_R0506, "the database file is not a store: %s",
                              sqlite3_errmsg(db->handle));
        }
    }
    if (!is_good) {
        sqlite_db_close(db);
        return false;
    }
    *out = db;
    return true;
}

void sqlite_db_close(struct sqlite_db *db)
{
    if (db == NULL) {
        return;
    }
    for (int i = 0; i < SQL_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
    }
    sqlite3_close(db->handle);
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

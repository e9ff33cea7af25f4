#include "sqlite/sqlite_statement.h"

#include <assert.h>

const char *const statement_sql[SQL_COUNT] = {
    [SQL_AUDIT_GET] = audit_get_sql,
    [SQL_AUDIT_PUT] = audit_put_sql,
    [SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [SQL_BEGIN_READ] = "BEGIN",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_META_GET] = "SELECT value,checksum FROM meta WHERE name=?1",
    [SQL_META_PUT] =
        "INSERT INTO meta(name,value,checksum) VALUES(?1,?2,?3) "
        "ON CONFLICT(name) DO UPDATE SET value=excluded.value,checksum=excluded.checksum",
    [SQL_CURRENT_GET] = "SELECT id,created,version,dead FROM current WHERE key=?1",
    [SQL_CURRENT_PUT] = "INSERT INTO current(key,id,created,version,dead) VALUES(?1,?2,?3,?4,?5) "
                        "ON CONFLICT(key) DO UPDATE SET id=excluded.id,created=excluded.created,"
                        "version=excluded.version,dead=excluded.dead",
    [SQL_CURRENT_DROP] = "DELETE FROM current WHERE key=?1 AND id=?2 AND dead",
    [SQL_CURRENT_RANGE] = "SELECT key,id FROM current WHERE key>=?1 AND key>?2 ORDER BY key",
    [SQL_LOG_GET] = "SELECT id,key,value,created,prev,version,checksum FROM log WHERE id=?1",
    [SQL_LOG_ADD] = "INSERT INTO log(id,key,value,created,prev,version,checksum) "
                    "VALUES(?1,?2,?3,?4,?5,?6,?7)",
    [SQL_LOG_DROP] = "DELETE FROM log WHERE id=?1",
    [SQL_LOG_FROM] = "SELECT id,key,value,created,prev,version,checksum FROM log WHERE id>=?1 "
                     "ORDER BY id LIMIT ?2",
    [SQL_NEWEST] = "SELECT max(ifnull((SELECT max(id) FROM log),0),"
                   "ifnull((SELECT max(id) FROM events),0))",
    [SQL_EVENT_ADD] = "INSERT INTO events(id,cluster,number,time_ms,body,checksum) "
                      "VALUES(?1,?2,?3,?4,?5,?6)",
    [SQL_EVENT_LAST] = "SELECT number FROM events WHERE cluster=?1 ORDER BY number DESC LIMIT 1",
    [SQL_EVENTS_OF] = "SELECT id,cluster,number,time_ms,body,checksum FROM events "
                      "WHERE cluster=?1 AND number>?2 ORDER BY number LIMIT ?3",
    [SQL_EVENTS_ALL] = "SELECT id,cluster,number,time_ms,body,checksum FROM events "
                       "WHERE id>=?2 ORDER BY id LIMIT ?3",
    [SQL_EVENTS_OF_BEFORE] = "SELECT id,cluster,number,time_ms,body,checksum FROM events "
                             "WHERE cluster=?1 AND number<?2 ORDER BY number DESC LIMIT ?3",
    [SQL_EVENTS_ALL_BEFORE] = "SELECT id,cluster,number,time_ms,body,checksum FROM events "
                              "WHERE id<?2 ORDER BY id DESC LIMIT ?3",
    /* finds a cluster with its first and last event number, each by an index lookup */
    [SQL_EVENT_CLUSTER] =
        "SELECT cluster,(SELECT min(f.number) FROM events f WHERE f.cluster=e.cluster),"
        "(SELECT max(l.number) FROM events l WHERE l.cluster=e.cluster) FROM events e "
        "WHERE cluster>?1 ORDER BY cluster LIMIT 1",
    [SQL_EVENT_AHEAD] = "SELECT id FROM events WHERE id>?1 ORDER BY id LIMIT 1 OFFSET ?2",
    [SQL_EVENT_DROP] = "DELETE FROM events WHERE id=?1",
};

/* ---- results ---- */

/* Returns the folder of the database file. */
static struct text folder_of(const struct sqlite_db *db)
{
    const char *path = sqlite3_db_filename(db->handle, "main");
    struct text folder = text_from(path == NULL ? "" : path);

    while (folder.length > 0 && folder.data[folder.length - 1] != '/') {
        folder.length--;
    }
    folder.length -= folder.length > 1;
    return folder;
}

void result_fail(const struct sqlite_db *db, struct sqlite_result *result)
{
    struct text folder = folder_of(db);
    int code = sqlite3_errcode(db->handle);

    result->outcome = OUTCOME_REFUSED;
    switch (code & 0xff) {
    case SQLITE_FULL:
        err_set(&result->err, CODE_R0505, "the disk is full: no space left in '%.*s'",
                TEXT_ARG(folder));
        err_hint(&result->err, "free space on that disk; the store then recovers automatically");
        break;
    case SQLITE_READONLY:
        err_set(&result->err, CODE_R0505, "the store in '%.*s' cannot be written to",
                TEXT_ARG(folder));
        break;
    case SQLITE_OK: /* no error of SQLite, but a checksum is wrong */
    case SQLITE_ROW:
    case SQLITE_DONE:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        err_set(&result->err, CODE_R0506, "the database file is damaged");
        break;
    default:
        result->outcome = OUTCOME_UNKNOWN;
        err_set(&result->err, CODE_R0501, "the store failed: %s", sqlite3_errmsg(db->handle));
        break;
    }
}

void result_damage(struct sqlite_result *result, uint64_t revision)
{
    result->outcome = OUTCOME_REFUSED;
    err_set(&result->err, CODE_R0506, "a row of revision %llu differs from what was written",
            (unsigned long long)revision);
}

/* ---- statements ---- */

sqlite3_stmt *statement_start(struct sqlite_db *db, enum statement statement)
{
    sqlite3_stmt *handle = db->statements[statement];

    sqlite3_reset(handle);
    return handle;
}

void statement_bind_text(sqlite3_stmt *handle, int at, struct text text)
{
    /* a NULL pointer would bind NULL, which means "deleted" */
    sqlite3_bind_blob64(handle, at, text.data == NULL ? "" : text.data, text.length, SQLITE_STATIC);
}

void statement_bind_number(sqlite3_stmt *handle, int at, uint64_t number)
{
    sqlite3_bind_int64(handle, at, (sqlite3_int64)number);
}

bool statement_run(struct sqlite_db *db, enum statement statement)
{
    sqlite3_stmt *handle = db->statements[statement];
    int code = sqlite3_step(handle);

    sqlite3_reset(handle);
    statement_taints(db, code);
    return code == SQLITE_DONE;
}

void statement_taints(struct sqlite_db *db, int code)
{
    bool is_reading = code == SQLITE_IOERR_READ || code == SQLITE_IOERR_SHORT_READ;

    db->is_tainted = db->is_tainted || ((code & 0xff) == SQLITE_IOERR && !is_reading);
}

bool statement_do(struct sqlite_db *db, enum statement statement)
{
    statement_start(db, statement);
    return statement_run(db, statement);
}

void transaction_rollback(struct sqlite_db *db)
{
    /* a statement that is not reset would keep the snapshot open */
    sqlite3_reset(db->statements[SQL_LOG_GET]);
    if (!sqlite3_get_autocommit(db->handle)) {
        statement_start(db, SQL_ROLLBACK);
        (void)!statement_run(db, SQL_ROLLBACK);
    }
}

bool meta_get(struct sqlite_db *db, const char *name, uint64_t *out)
{
    sqlite3_stmt *handle = statement_start(db, SQL_META_GET);
    bool is_good;

    sqlite3_bind_text(handle, 1, name, -1, SQLITE_STATIC);
    is_good = sqlite3_step(handle) == SQLITE_ROW;
    if (is_good) {
        *out = column_number(handle, 0);
        is_good = meta_checksum(text_from(name), TEXT(""), *out) == column_number(handle, 1);
    }
    sqlite3_reset(handle);
    return is_good;
}

bool meta_put(struct sqlite_db *db, const char *name, uint64_t value)
{
    sqlite3_stmt *handle = statement_start(db, SQL_META_PUT);

    sqlite3_bind_text(handle, 1, name, -1, SQLITE_STATIC);
    statement_bind_number(handle, 2, value);
    statement_bind_number(handle, 3, meta_checksum(text_from(name), TEXT(""), value));
    return statement_run(db, SQL_META_PUT);
}

bool meta_newest(struct sqlite_db *db, uint64_t *out)
{
    sqlite3_stmt *handle = statement_start(db, SQL_NEWEST);
    int code = sqlite3_step(handle);
    uint64_t newest = code == SQLITE_ROW ? column_number(handle, 0) / ROW_PLACES : 0;
    uint64_t noted;

    sqlite3_reset(handle);
    if (code != SQLITE_ROW || !meta_get(db, META_REVISION, &noted)) {
        return false;
    }
    *out = newest > noted ? newest : noted;
    return true;
}

enum found log_row_find(struct sqlite_db *db, uint64_t id, struct log_row *out)
{
    sqlite3_stmt *handle = statement_start(db, SQL_LOG_GET);
    int code;

    statement_bind_number(handle, 1, id);
    code = sqlite3_step(handle);
    if (code == SQLITE_DONE) {
        return MISSING;
    }
    if (code != SQLITE_ROW) {
        return FAILED;
    }
    return log_row_read(handle, out) ? FOUND : DAMAGED;
}

bool current_get(struct sqlite_db *db, struct text key, struct current *out)
{
    sqlite3_stmt *handle = statement_start(db, SQL_CURRENT_GET);
    int code;

    statement_bind_text(handle, 1, key);
    code = sqlite3_step(handle);
    *out = (struct current){ .is_dead = true };
    if (code == SQLITE_ROW) {
        *out = (struct current){ column_number(handle, 0), column_number(handle, 1),
                                 column_number(handle, 2), column_number(handle, 3) != 0 };
    }
    sqlite3_reset(handle);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

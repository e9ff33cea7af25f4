#include "base/limits.h"
#include "sqlite/sqlite_statement.h"

#include <assert.h>

/* Rows per slice. A slice also ends after its rows have caused as many further rows to be read or
 * deleted: a single row can cause a search through the whole kept history of a key. */
enum { SWEEP_ROWS = SQLITE_SWEEP_ROWS_MAX / 2 - LIMIT_STORE_HISTORY - 4 };

void sqlite_db_compact(struct sqlite_db *db, uint64_t revision, struct sqlite_result *result)
{
    uint64_t newest;
    uint64_t compacted;

    result->outcome = OUTCOME_OK;
    if (!statement_do(db, SQL_BEGIN_WRITE) || !meta_newest(db, &newest) ||
        !meta_get(db, META_COMPACTED, &compacted)) {
        result_fail(db, result);
    } else if (revision > newest || revision < compacted) {
        result->outcome = OUTCOME_REFUSED;
        err_set(&result->err, CODE_R0503,
                revision > newest ? "the revision does not exist yet"
                                  : "the revision has been compacted away");
    } else if (!meta_put(db, META_REVISION, newest) || !meta_put(db, META_COMPACTED, revision) ||
               !statement_do(db, SQL_COMMIT)) {
        result_fail(db, result);
    }
    transaction_rollback(db);
}

MUST_CHECK static bool sqlite_forget_row_drop(struct sqlite_db *db, uint64_t id)
{
    db->sweep_rows++;
    statement_bind_number(statement_start(db, SQL_LOG_DROP), 1, id);
    return statement_run(db, SQL_LOG_DROP);
}

/* If this row is at or below the compacted revision, removes the rows that it makes obsolete. These
 * are its previous row, for a spec the rows beyond the last LIMIT_STORE_HISTORY, and, if it is a
 * deletion, the row itself. */
MUST_CHECK static bool sqlite_forget_row_sweep(struct sqlite_db *db, const struct log_row *row)
{
    uint64_t drop = row->prev;
    struct current current;
    struct log_row older;

    if (log_row_has_history(row->key)) {
        enum found found = FOUND;

        if (!current_get(db, row->key, &current)) {
            return false;
        }
        if (current.version <= LIMIT_STORE_HISTORY) {
            return true; /* no row is obsolete */
        }
        while (drop != 0 && (found = log_row_find(db, drop, &older)) == FOUND) {
            uint64_t before = older.prev;

            db->sweep_rows++;
            if (older.version + LIMIT_STORE_HISTORY <= current.version &&
                !sqlite_forget_row_drop(db, drop)) {
                return false;
            }
            drop = before;
        }
        return found != FAILED;
    }
    if (drop != 0 && !sqlite_forget_row_drop(db, drop)) {
        return false;
    }
    if (row->is_delete) {
        sqlite3_stmt *handle = statement_start(db, SQL_CURRENT_DROP);

        statement_bind_text(handle, 1, row->key);
        statement_bind_number(handle, 2, row->id);
        if (!statement_run(db, SQL_CURRENT_DROP)) {
            return false;
        }
        return sqlite3_changes(db->handle) == 0 || sqlite_forget_row_drop(db, row->id);
    }
    return true;
}

/* Processes the rows of one slice. *position becomes the position after them. */
MUST_CHECK static bool slice_sweep(struct sqlite_db *db, uint64_t *position, uint64_t bound)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct log_row *rows = arena_array(arena, struct log_row, SWEEP_ROWS);
    sqlite3_stmt *handle = statement_start(db, SQL_LOG_FROM);
    size_t count = 0;
    size_t done = 0;
    int code;

    statement_bind_number(handle, 1, *position);
    statement_bind_number(handle, 2, SWEEP_ROWS);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW && column_number(handle, 0) < bound) {
        if (!log_row_read(handle, &rows[count])) {
            sqlite3_reset(handle);
            return false; /* damaged rows are not swept; reads report the damage */
        }
        rows[count].key = arena_text(arena, rows[count].key);
        count++;
    }
    sqlite3_reset(handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return false;
    }
    db->sweep_rows = count;
    while (done < count && db->sweep_rows < 2 * SWEEP_ROWS) {
        if (!sqlite_forget_row_sweep(db, &rows[done])) {
            return false;
        }
        done++;
    }
    assert(db->sweep_rows <= SQLITE_SWEEP_ROWS_MAX);
    *position = done == count && count < SWEEP_ROWS ? bound : rows[done - 1].id + 1;
    return true;
}

size_t sqlite_db_sweep_rows(const struct sqlite_db *db)
{
    return db->sweep_rows;
}

bool sqlite_db_sweep(struct sqlite_db *db)
{
    uint64_t compacted;
    uint64_t position;
    bool is_done;

    if (!meta_get(db, META_COMPACTED, &compacted) || !meta_get(db, META_SWEEP, &position) ||
        position >= (compacted + 1) * ROW_PLACES || !statement_do(db, SQL_BEGIN_WRITE)) {
        return false;
    }
    is_done = slice_sweep(db, &position, (compacted + 1) * ROW_PLACES) &&
              meta_put(db, META_SWEEP, position) && statement_do(db, SQL_COMMIT);
    transaction_rollback(db);
    return is_done && position < (compacted + 1) * ROW_PLACES;
}

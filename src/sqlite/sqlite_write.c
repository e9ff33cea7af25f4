#include "sqlite/sqlite_statement.h"

#include <assert.h>
#include <string.h>

MUST_CHECK static bool op_write(struct sqlite_db *db, const struct store_op *op,
                                const struct current *current, uint64_t id)
{
    struct log_row row = {
        .id = id,
        .key = op->key,
        .value = op->is_delete ? TEXT("") : op->value,
        .is_delete = op->is_delete,
        .created = current->is_dead ? id / ROW_PLACES : current->created,
        .prev = current->id,
        .version = current->version + 1,
    };
    sqlite3_stmt *handle = statement_start(db, SQL_LOG_ADD);

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

bool sqlite_db_event_put(struct sqlite_db *db, const struct store_event *event, uint64_t id)
{
    struct audit_mark mark = audit_mark_make(&db->audit, event, id);
    unsigned char bytes[AUDIT_BYTES];
    sqlite3_stmt *handle;

    audit_mark_format(&mark, bytes);
    db->audit.id = id;
    db->audit.written++;
    memcpy(db->audit.link, mark.link, sizeof(mark.link));
    handle = statement_start(db, SQL_EVENT_ADD);
    statement_bind_number(handle, 1, id);
    statement_bind_text(handle, 2, event->cluster);
    statement_bind_number(handle, 3, event->number);
    statement_bind_number(handle, 4, event->time_ms);
    statement_bind_text(handle, 5, event->body);
    statement_bind_text(handle, 6, (struct text){ (const char *)bytes, sizeof(bytes) });
    return statement_run(db, SQL_EVENT_ADD);
}

MUST_CHECK static bool sqlite_write_event_write(struct sqlite_db *db, struct store_event event,
                                                uint64_t id)
{
    sqlite3_stmt *handle = statement_start(db, SQL_EVENT_LAST);
    int code;

    statement_bind_text(handle, 1, event.cluster);
    code = sqlite3_step(handle);
    event.number = code == SQLITE_ROW ? column_number(handle, 0) + 1 : 1;
    sqlite3_reset(handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return false;
    }
    return sqlite_db_event_put(db, &event, id);
}

/* Records a change, with which watches are notified later. */
static void change_note(struct sqlite_write *write, const struct store_op *op,
                        const struct current *current, uint64_t revision)
{
    struct sqlite_changes *changes = write->changes;

    if (changes == NULL) {
        return;
    }
    changes->next_revision = revision + 1;
    changes->items[changes->count++] = (struct store_change){
        .item = { .key = op->key,
                  .value = op->is_delete ? TEXT("") : op->value,
                  .create_revision = current->is_dead ? revision : current->created,
                  .revision = revision },
        .is_delete = op->is_delete,
    };
}

/* Checks the compares and writes the changes of one transaction at *revision + 1. *revision
 * advances if the transaction had an effect. Returns false if SQLite failed. */
MUST_CHECK static bool txn_write(struct sqlite_db *db, struct sqlite_write *write,
                                 uint64_t *revision)
{
    const struct store_txn *txn = write->txn;
    uint64_t id = (*revision + 1) * ROW_PLACES;
    struct current current;

    write->result->outcome = OUTCOME_OK;
    if (write->changes != NULL) { /* drop the changes of a failed attempt: after a failed group,
                                   * each transaction is written alone */
        write->changes->count = 0;
        write->changes->next_revision = 0;
    }
    for (size_t i = 0; i < txn->compare_count; i++) {
        if (!current_get(db, txn->compares[i].key, &current)) {
            return false;
        }
        if ((current.is_dead ? 0 : current.id / ROW_PLACES) != txn->compares[i].revision) {
            write->result->outcome = OUTCOME_REFUSED;
            err_set(&write->result->err, CODE_R0502, "a key has changed since it was read");
            write->answer->failed_compare = i;
            write->answer->revision = *revision;
            return true;
        }
    }
    for (size_t i = 0; i < txn->op_count; i++) {
        if (!current_get(db, txn->ops[i].key, &current)) {
            return false;
        }
        if (txn->ops[i].is_delete && current.is_dead) {
            continue;
        }
        if (!op_write(db, &txn->ops[i], &current, id++)) {
            return false;
        }
        change_note(write, &txn->ops[i], &current, *revision + 1);
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        if (!sqlite_write_event_write(db, txn->events[i], id++)) {
            return false;
        }
    }
    assert(id - (*revision + 1) * ROW_PLACES <= ROW_PLACES);
    *revision += id > (*revision + 1) * ROW_PLACES;
    write->answer->revision = *revision;
    return true;
}

/* Writes a group in one commit. If it returns false, nothing was committed; with *out_is_unknown,
 * everything may have been committed. */
MUST_CHECK static bool sqlite_write_group_write(struct sqlite_db *db, struct sqlite_write *writes,
                                                size_t count, bool *out_is_unknown)
{
    uint64_t revision;
    uint64_t reached;
    uint64_t written;

    *out_is_unknown = false;
    if (!statement_do(db, SQL_BEGIN_WRITE) || !meta_newest(db, &revision) ||
        !sqlite_db_audit_begin(db)) {
        return false;
    }
    written = db->audit.written;
    for (size_t i = 0; i < count; i++) {
        if (!txn_write(db, &writes[i], &revision)) {
            return false;
        }
    }
    if (db->audit.written != written && !sqlite_db_audit_end(db)) {
        return false;
    }
    reached = db->revision;
    db->revision = revision;
    if (!statement_do(db, SQL_COMMIT)) {
        int code = sqlite3_errcode(db->handle) & 0xff;

        db->revision = reached;
        *out_is_unknown = code != SQLITE_FULL && code != SQLITE_READONLY && code != SQLITE_BUSY;
        return false;
    }
    return true;
}

void sqlite_db_write(struct sqlite_db *db, struct sqlite_write *writes, size_t count)
{
    struct sqlite_result failure;
    bool is_unknown;

    assert(count > 0);
    if (sqlite_write_group_write(db, writes, count, &is_unknown)) {
        return;
    }
    result_fail(db, &failure);
    if (is_unknown) {
        failure.outcome = OUTCOME_UNKNOWN;
    } else if (failure.outcome == OUTCOME_UNKNOWN) {
        failure.outcome = OUTCOME_REFUSED; /* the failure was before the commit, so nothing was
                                            * written */
    }
    transaction_rollback(db);
    for (size_t i = 0; i < count; i++) {
        if (count > 1 && !is_unknown && !db->is_tainted) {
            sqlite_db_write(db, &writes[i], 1);
        } else {
            *writes[i].result = failure;
        }
    }
}

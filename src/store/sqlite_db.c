#include "store/sqlite_db.h"

#include "base/limits.h"
#include "store/sqlite_check.h"
#include "store/sqlite_row.h"
#include "store/sqlite_wal.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum {
    PLACES = ROW_PLACES,
    CHECKPOINT_FRAMES = 4000,
    SWEEP_ROWS = 500,
    CHANGES_ROWS = 2000,
    BUSY_MS = 10000,
};

enum statement {
    BEGIN_WRITE,
    BEGIN_READ,
    COMMIT,
    ROLLBACK,
    META_GET,
    META_PUT,
    CURRENT_GET,
    CURRENT_PUT,
    CURRENT_DROP,
    CURRENT_RANGE,
    LOG_GET,
    LOG_ADD,
    LOG_DROP,
    LOG_FROM,
    NEWEST,
    EVENT_ADD,
    EVENT_LAST,
    EVENTS_OF,
    EVENTS_ALL,
    EVENTS_OLD,
    STATEMENT_COUNT,
};

static const char *const statement_sql[STATEMENT_COUNT] = {
    [BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [BEGIN_READ] = "BEGIN",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [META_GET] = "SELECT value,checksum FROM meta WHERE name=?1",
    [META_PUT] = "INSERT INTO meta(name,value,checksum) VALUES(?1,?2,?3) "
                 "ON CONFLICT(name) DO UPDATE SET value=excluded.value,checksum=excluded.checksum",
    [CURRENT_GET] = "SELECT id,created,version,dead FROM current WHERE key=?1",
    [CURRENT_PUT] = "INSERT INTO current(key,id,created,version,dead) VALUES(?1,?2,?3,?4,?5) "
                    "ON CONFLICT(key) DO UPDATE SET id=excluded.id,created=excluded.created,"
                    "version=excluded.version,dead=excluded.dead",
    [CURRENT_DROP] = "DELETE FROM current WHERE key=?1 AND id=?2 AND dead",
    [CURRENT_RANGE] = "SELECT key,id FROM current WHERE key>=?1 AND key>?2 ORDER BY key",
    [LOG_GET] = "SELECT id,key,value,created,prev,version,checksum FROM log WHERE id=?1",
    [LOG_ADD] = "INSERT INTO log(id,key,value,created,prev,version,checksum) "
                "VALUES(?1,?2,?3,?4,?5,?6,?7)",
    [LOG_DROP] = "DELETE FROM log WHERE id=?1",
    [LOG_FROM] = "SELECT id,key,value,created,prev,version,checksum FROM log WHERE id>=?1 "
                 "ORDER BY id LIMIT ?2",
    [NEWEST] = "SELECT max(ifnull((SELECT max(id) FROM log),0),"
               "ifnull((SELECT max(id) FROM events),0))",
    [EVENT_ADD] = "INSERT INTO events(id,cluster,number,time_ms,body,checksum) "
                  "VALUES(?1,?2,?3,?4,?5,?6)",
    [EVENT_LAST] = "SELECT number FROM events WHERE cluster=?1 ORDER BY number DESC LIMIT 1",
    [EVENTS_OF] = "SELECT id,cluster,number,time_ms,body,checksum FROM events "
                  "WHERE cluster=?1 AND number>?2 ORDER BY number LIMIT ?3",
    [EVENTS_ALL] = "SELECT id,cluster,number,time_ms,body,checksum FROM events "
                   "WHERE id>=?2 ORDER BY id LIMIT ?3",
    /* always the first numbers of a cluster, so that a gap is never anything but damage */
    [EVENTS_OLD] = "WITH bound(cluster,number) AS MATERIALIZED (SELECT cluster,ifnull(min(CASE "
                   "WHEN time_ms>=?1 AND id>ifnull((SELECT id FROM events ORDER BY id DESC LIMIT 1 "
                   "OFFSET ?2),0) THEN number END),max(number)) FROM events GROUP BY cluster) "
                   "DELETE FROM events WHERE number<(SELECT b.number FROM bound b "
                   "WHERE b.cluster=events.cluster)",
};

struct sqlite_db {
    sqlite3 *handle;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct sqlite_wal *wal; /* the writer's */
    uint64_t revision;      /* that the next commit leads to */
    uint32_t frames;        /* of the WAL */
};

/* ---- results ---- */

/* What a failed call of SQLite means to the caller. A full or read-only disk refuses, for nothing was
 * committed; of anything else it is not known what became of it. */
static void fail(const struct sqlite_db *db, struct sqlite_result *result)
{
    int code = sqlite3_errcode(db->handle);

    result->outcome = OUTCOME_REFUSED;
    switch (code & 0xff) {
    case SQLITE_FULL:
        err_set(&result->err, CODE_R0505, "the disk is full");
        break;
    case SQLITE_READONLY:
        err_set(&result->err, CODE_R0505, "the store cannot be written to");
        break;
    case SQLITE_OK: /* SQLite is content, our checksum was not */
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

static void damage(struct sqlite_result *result, uint64_t revision)
{
    result->outcome = OUTCOME_REFUSED;
    err_set(&result->err, CODE_R0506, "a row of revision %llu is not what was written",
            (unsigned long long)revision);
}

/* ---- statements ---- */

static sqlite3_stmt *statement_start(struct sqlite_db *db, enum statement statement)
{
    sqlite3_stmt *handle = db->statements[statement];

    sqlite3_reset(handle);
    return handle;
}

static void bind_text(sqlite3_stmt *handle, int at, struct text text)
{
    /* a NULL pointer would bind NULL, which means "deleted" here */
    sqlite3_bind_blob64(handle, at, text.data == NULL ? "" : text.data, text.length, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *handle, int at, uint64_t number)
{
    sqlite3_bind_int64(handle, at, (sqlite3_int64)number);
}

/* Run a statement that returns nothing. */
MUST_CHECK static bool statement_run(struct sqlite_db *db, enum statement statement)
{
    sqlite3_stmt *handle = db->statements[statement];
    int code = sqlite3_step(handle);

    sqlite3_reset(handle);
    return code == SQLITE_DONE;
}

MUST_CHECK static bool simple_run(struct sqlite_db *db, enum statement statement)
{
    statement_start(db, statement);
    return statement_run(db, statement);
}

/* End a transaction that failed, or that only read. There may be none any more: SQLite ends some by
 * itself. A statement that still stands at a row would keep the snapshot open. */
static void rollback(struct sqlite_db *db)
{
    sqlite3_reset(db->statements[LOG_GET]);
    if (!sqlite3_get_autocommit(db->handle)) {
        statement_start(db, ROLLBACK);
        (void)!statement_run(db, ROLLBACK);
    }
}

/* A number of meta. False: SQLite failed, or it is not what was written. */
MUST_CHECK static bool meta_get(struct sqlite_db *db, const char *name, uint64_t *out)
{
    sqlite3_stmt *handle = statement_start(db, META_GET);
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

MUST_CHECK static bool meta_put(struct sqlite_db *db, const char *name, uint64_t value)
{
    sqlite3_stmt *handle = statement_start(db, META_PUT);

    sqlite3_bind_text(handle, 1, name, -1, SQLITE_STATIC);
    bind_number(handle, 2, value);
    bind_number(handle, 3, meta_checksum(text_from(name), TEXT(""), value));
    return statement_run(db, META_PUT);
}

/* The newest revision. Rows tell it, so that no commit has to write it; what compaction and the drop
 * of events might make rows forget, they note in meta. */
MUST_CHECK static bool newest_get(struct sqlite_db *db, uint64_t *out)
{
    sqlite3_stmt *handle = statement_start(db, NEWEST);
    int code = sqlite3_step(handle);
    uint64_t newest = code == SQLITE_ROW ? column_number(handle, 0) / PLACES : 0;
    uint64_t noted;

    sqlite3_reset(handle);
    if (code != SQLITE_ROW || !meta_get(db, META_REVISION, &noted)) {
        return false;
    }
    *out = newest > noted ? newest : noted;
    return true;
}

/* ---- rows ---- */

enum found { FOUND, MISSING, DAMAGED, FAILED };

/* The row with this id; borrowed until the next LOG_GET. */
static enum found row_find(struct sqlite_db *db, uint64_t id, struct log_row *out)
{
    sqlite3_stmt *handle = statement_start(db, LOG_GET);
    int code;

    bind_number(handle, 1, id);
    code = sqlite3_step(handle);
    if (code == SQLITE_DONE) {
        return MISSING;
    }
    if (code != SQLITE_ROW) {
        return FAILED;
    }
    return log_row_read(handle, out) ? FOUND : DAMAGED;
}

/* ---- writing ---- */

struct current {
    uint64_t id; /* 0 = the key was never there */
    uint64_t created;
    uint64_t version;
    bool is_dead;
};

MUST_CHECK static bool current_get(struct sqlite_db *db, struct text key, struct current *out)
{
    sqlite3_stmt *handle = statement_start(db, CURRENT_GET);
    int code;

    bind_text(handle, 1, key);
    code = sqlite3_step(handle);
    *out = (struct current){ .is_dead = true };
    if (code == SQLITE_ROW) {
        *out = (struct current){ column_number(handle, 0), column_number(handle, 1),
                                 column_number(handle, 2), column_number(handle, 3) != 0 };
    }
    sqlite3_reset(handle);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

MUST_CHECK static bool op_write(struct sqlite_db *db, const struct store_op *op,
                                const struct current *current, uint64_t id)
{
    struct log_row row = {
        .id = id,
        .key = op->key,
        .value = op->is_delete ? TEXT("") : op->value,
        .is_delete = op->is_delete,
        .created = current->is_dead ? id / PLACES : current->created,
        .prev = current->id,
        .version = current->version + 1,
    };
    sqlite3_stmt *handle = statement_start(db, LOG_ADD);

    bind_number(handle, 1, row.id);
    bind_text(handle, 2, row.key);
    if (row.is_delete) {
        sqlite3_bind_null(handle, 3);
    } else {
        bind_text(handle, 3, row.value);
    }
    bind_number(handle, 4, row.created);
    bind_number(handle, 5, row.prev);
    bind_number(handle, 6, row.version);
    bind_number(handle, 7, log_row_checksum(&row));
    if (!statement_run(db, LOG_ADD)) {
        return false;
    }
    handle = statement_start(db, CURRENT_PUT);
    bind_text(handle, 1, row.key);
    bind_number(handle, 2, row.id);
    bind_number(handle, 3, row.created);
    bind_number(handle, 4, row.version);
    bind_number(handle, 5, row.is_delete);
    return statement_run(db, CURRENT_PUT);
}

MUST_CHECK static bool event_write(struct sqlite_db *db, struct store_event event, uint64_t id)
{
    sqlite3_stmt *handle = statement_start(db, EVENT_LAST);
    int code;

    bind_text(handle, 1, event.cluster);
    code = sqlite3_step(handle);
    event.number = code == SQLITE_ROW ? column_number(handle, 0) + 1 : 1;
    sqlite3_reset(handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return false;
    }
    handle = statement_start(db, EVENT_ADD);
    bind_number(handle, 1, id);
    bind_text(handle, 2, event.cluster);
    bind_number(handle, 3, event.number);
    bind_number(handle, 4, event.time_ms);
    bind_text(handle, 5, event.body);
    bind_number(handle, 6, event_checksum(&event, id));
    return statement_run(db, EVENT_ADD);
}

/* Check the compares and write the changes of one transaction at the revision after *revision, which
 * is moved where it had an effect. False: SQLite failed. */
MUST_CHECK static bool txn_write(struct sqlite_db *db, struct sqlite_write *write,
                                 uint64_t *revision)
{
    const struct store_txn *txn = write->txn;
    uint64_t id = (*revision + 1) * PLACES;
    struct current current;

    write->result.outcome = OUTCOME_OK;
    for (size_t i = 0; i < txn->compare_count; i++) {
        if (!current_get(db, txn->compares[i].key, &current)) {
            return false;
        }
        if ((current.is_dead ? 0 : current.id / PLACES) != txn->compares[i].revision) {
            write->result.outcome = OUTCOME_REFUSED;
            err_set(&write->result.err, CODE_R0502, "a key has changed since it was read");
            write->answer->failed_compare = i;
            write->answer->revision = *revision;
            return true;
        }
    }
    for (size_t i = 0; i < txn->op_count; i++) {
        if (!current_get(db, txn->ops[i].key, &current)) {
            return false;
        }
        if (!(txn->ops[i].is_delete && current.is_dead) &&
            !op_write(db, &txn->ops[i], &current, id++)) {
            return false;
        }
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        if (!event_write(db, txn->events[i], id++)) {
            return false;
        }
    }
    assert(id - (*revision + 1) * PLACES <= PLACES);
    *revision += id > (*revision + 1) * PLACES;
    write->answer->revision = *revision;
    return true;
}

/* All of a group in one commit. False: nothing of it happened, or (*out_is_unknown) perhaps all. */
MUST_CHECK static bool group_write(struct sqlite_db *db, struct sqlite_write *writes, size_t count,
                                   bool *out_is_unknown)
{
    uint64_t revision;
    uint64_t reached;

    *out_is_unknown = false;
    if (!simple_run(db, BEGIN_WRITE) || !newest_get(db, &revision)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!txn_write(db, &writes[i], &revision)) {
            return false;
        }
    }
    reached = db->revision;
    db->revision = revision;
    if (!simple_run(db, COMMIT)) {
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
    if (group_write(db, writes, count, &is_unknown)) {
        return;
    }
    fail(db, &failure);
    if (is_unknown) {
        failure.outcome = OUTCOME_UNKNOWN;
    } else if (failure.outcome == OUTCOME_UNKNOWN) {
        failure.outcome = OUTCOME_REFUSED; /* the commit was not reached */
    }
    rollback(db);
    for (size_t i = 0; i < count; i++) {
        if (count > 1 && !is_unknown) {
            sqlite_db_write(db, &writes[i], 1);
        } else {
            writes[i].result = failure;
        }
    }
}

/* ---- reading ---- */

/* Begin to read a snapshot. The revision is 0 for the newest; it is set to what is read. */
MUST_CHECK static bool snapshot_begin(struct sqlite_db *db, uint64_t *revision,
                                      struct sqlite_result *result)
{
    uint64_t newest;
    uint64_t compacted;

    result->outcome = OUTCOME_OK;
    if (!simple_run(db, BEGIN_READ) || !newest_get(db, &newest) ||
        !meta_get(db, META_COMPACTED, &compacted)) {
        fail(db, result);
        rollback(db);
        return false;
    }
    if (*revision == 0) {
        *revision = newest;
    }
    if (*revision < compacted || *revision > newest) {
        result->outcome = OUTCOME_REFUSED;
        err_set(&result->err, CODE_R0503,
                *revision > newest ? "the revision does not exist yet"
                                   : "the revision has been compacted away");
        rollback(db);
        return false;
    }
    return true;
}

static struct store_item item_make(struct arena *arena, const struct log_row *row)
{
    return (struct store_item){
        .key = arena_text(arena, row->key),
        .value = arena_text(arena, row->value),
        .create_revision = row->created,
        .revision = row->id / PLACES,
    };
}

/* The newest row of a key at a revision, which is not compacted, from its newest id on. */
static enum found row_at(struct sqlite_db *db, uint64_t id, uint64_t revision, struct log_row *out)
{
    enum found found = row_find(db, id, out);

    while (found == FOUND && out->id / PLACES > revision) {
        if (out->prev == 0) {
            return MISSING;
        }
        found = row_find(db, out->prev, out);
    }
    return found == MISSING ? DAMAGED : found;
}

struct items {
    struct arena *arena;
    struct store_item *data;
    size_t count;
    size_t room;
};

static void items_add(struct items *items, struct store_item item)
{
    if (items->count == items->room) {
        size_t room = items->room * 2 + 4;

        items->data =
            arena_grow(items->arena, items->data, items->room * sizeof(item), room * sizeof(item));
        items->room = room;
    }
    items->data[items->count++] = item;
}

static bool range_has(const struct store_range *range, struct text key)
{
    return range->is_exact ? text_is_equal(key, range->prefix)
                           : text_has_prefix(key, range->prefix);
}

void sqlite_db_list(struct sqlite_db *db, struct arena *arena, const struct store_range *range,
                    struct sqlite_result *result, struct store_answer *answer)
{
    uint64_t revision = range->at_revision;
    size_t limit =
        range->limit == 0 || range->limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : range->limit;
    struct items items = { .arena = arena };
    sqlite3_stmt *handle;
    int code;

    if (!snapshot_begin(db, &revision, result)) {
        return;
    }
    handle = statement_start(db, CURRENT_RANGE);
    bind_text(handle, 1, range->prefix);
    bind_text(handle, 2, range->after);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct text key = column_text(handle, 0);
        struct log_row row;
        enum found found;

        if (!range_has(range, key)) {
            code = SQLITE_DONE;
            break;
        }
        found = row_at(db, column_number(handle, 1), revision, &row);
        if (found == DAMAGED || (found == FOUND && !text_is_equal(row.key, key))) {
            damage(result, column_number(handle, 1) / PLACES);
            break;
        }
        if (found == FAILED) {
            code = SQLITE_ERROR;
            break;
        }
        if (found == MISSING || row.is_delete) {
            continue;
        }
        if (items.count == limit) {
            answer->has_more = true;
            code = SQLITE_DONE;
            break;
        }
        items_add(&items, item_make(arena, &row));
    }
    if (result->outcome == OUTCOME_OK && code != SQLITE_DONE) {
        fail(db, result);
    }
    sqlite3_reset(handle);
    rollback(db);
    answer->revision = revision;
    answer->items = items.data;
    answer->count = items.count;
}

void sqlite_db_history(struct sqlite_db *db, struct arena *arena, struct text key,
                       struct sqlite_result *result, struct store_answer *answer)
{
    struct items items = { .arena = arena };
    uint64_t revision = 0;
    uint64_t compacted = 0;
    struct current current;
    struct log_row row;
    enum found found;
    bool may_be_gone = false;

    if (!snapshot_begin(db, &revision, result)) {
        return;
    }
    if (!meta_get(db, META_COMPACTED, &compacted) || !current_get(db, key, &current)) {
        fail(db, result);
        rollback(db);
        return;
    }
    found = current.id == 0 ? MISSING : row_find(db, current.id, &row);
    while (found == FOUND && items.count < LIMIT_STORE_HISTORY) {
        items_add(&items, item_make(arena, &row));
        if (row.prev == 0 || (!log_row_has_history(key) && row.id / PLACES <= compacted)) {
            break; /* what is older was compacted, or may be any moment */
        }
        may_be_gone = log_row_prev_may_be_gone(&row, current.version, compacted);
        found = row_find(db, row.prev, &row);
    }
    if (found == DAMAGED || (found == MISSING && current.id != 0 && !may_be_gone)) {
        damage(result, current.id / PLACES);
    } else if (found == FAILED) {
        fail(db, result);
    }
    rollback(db);
    answer->revision = revision;
    answer->items = items.data;
    answer->count = items.count;
}

void sqlite_db_changes(struct sqlite_db *db, struct arena *arena, struct text prefix,
                       uint64_t from_revision, struct sqlite_result *result,
                       struct sqlite_changes *out)
{
    uint64_t revision = 0;
    uint64_t compacted;
    struct store_change *changes = arena_array(arena, struct store_change, CHANGES_ROWS);
    uint64_t last = 0; /* revision of the row before */
    size_t rows = 0;
    size_t whole = 0; /* changes of revisions that are complete */
    size_t count = 0;
    sqlite3_stmt *handle;
    int code;

    if (!snapshot_begin(db, &revision, result)) {
        return;
    }
    if (!meta_get(db, META_COMPACTED, &compacted) || from_revision <= compacted) {
        result->outcome = OUTCOME_REFUSED;
        err_set(&result->err, CODE_R0503, "the revision has been compacted away");
        rollback(db);
        return;
    }
    handle = statement_start(db, LOG_FROM);
    bind_number(handle, 1, from_revision * PLACES);
    bind_number(handle, 2, CHANGES_ROWS);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct log_row row;

        if (!log_row_read(handle, &row)) {
            damage(result, column_number(handle, 0) / PLACES);
            break;
        }
        rows++;
        if (row.id / PLACES != last) {
            whole = count;
            last = row.id / PLACES;
        }
        if (text_has_prefix(row.key, prefix)) {
            changes[count++] = (struct store_change){ item_make(arena, &row), row.is_delete };
        }
    }
    if (code != SQLITE_DONE && result->outcome == OUTCOME_OK) {
        fail(db, result);
    }
    sqlite3_reset(handle);
    rollback(db);
    out->items = changes;
    out->count = rows < CHANGES_ROWS ? count : whole; /* the last revision may go on behind */
    out->next_revision = rows < CHANGES_ROWS ? revision + 1 : last;
}

void sqlite_db_events(struct sqlite_db *db, struct arena *arena, struct text cluster,
                      uint64_t after_number, size_t limit, struct sqlite_result *result,
                      struct store_answer *answer)
{
    enum statement statement = cluster.length == 0 ? EVENTS_ALL : EVENTS_OF;
    struct store_event *events = NULL;
    uint64_t revision = 0;
    size_t room = 0;
    size_t count = 0;
    sqlite3_stmt *handle;
    int code;

    if (limit == 0 || limit > LIMIT_STORE_LIST) {
        limit = LIMIT_STORE_LIST;
    }
    if (!snapshot_begin(db, &revision, result)) {
        return;
    }
    handle = statement_start(db, statement);
    bind_text(handle, 1, cluster);
    bind_number(handle, 2, cluster.length == 0 ? (after_number + 1) * PLACES : after_number);
    bind_number(handle, 3, limit + 1);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        uint64_t id = column_number(handle, 0);
        struct store_event event;

        if (!event_read(handle, &event)) {
            damage(result, id / PLACES);
            break;
        }
        if (count == limit) {
            answer->has_more = true;
            code = SQLITE_DONE;
            break;
        }
        if (count == room) {
            events =
                arena_grow(arena, events, room * sizeof(event), (room * 2 + 4) * sizeof(event));
            room = room * 2 + 4;
        }
        event.cluster = arena_text(arena, event.cluster);
        event.body = arena_text(arena, event.body);
        events[count++] = event;
    }
    if (code != SQLITE_DONE && result->outcome == OUTCOME_OK) {
        fail(db, result);
    }
    sqlite3_reset(handle);
    rollback(db);
    answer->revision = revision;
    answer->events = events;
    answer->count = count;
}

/* ---- forgetting ---- */

void sqlite_db_compact(struct sqlite_db *db, uint64_t revision, struct sqlite_result *result)
{
    uint64_t newest;
    uint64_t compacted;

    result->outcome = OUTCOME_OK;
    if (!simple_run(db, BEGIN_WRITE) || !newest_get(db, &newest) ||
        !meta_get(db, META_COMPACTED, &compacted)) {
        fail(db, result);
    } else if (revision > newest || revision < compacted) {
        result->outcome = OUTCOME_REFUSED;
        err_set(&result->err, CODE_R0503,
                revision > newest ? "the revision does not exist yet"
                                  : "the revision has been compacted away");
    } else if (!meta_put(db, META_REVISION, newest) || !meta_put(db, META_COMPACTED, revision) ||
               !simple_run(db, COMMIT)) {
        fail(db, result);
    }
    rollback(db);
}

MUST_CHECK static bool row_drop(struct sqlite_db *db, uint64_t id)
{
    bind_number(statement_start(db, LOG_DROP), 1, id);
    return statement_run(db, LOG_DROP);
}

/* What this row, which is at or below the compacted revision, makes forgettable: the row before it,
 * of a spec the rows behind the last LIMIT_STORE_HISTORY; and a deletion itself. */
MUST_CHECK static bool row_sweep(struct sqlite_db *db, const struct log_row *row)
{
    uint64_t drop = row->prev;
    struct current current;
    struct log_row older;

    if (log_row_has_history(row->key)) {
        enum found found = FOUND;

        if (!current_get(db, row->key, &current)) {
            return false;
        }
        while (drop != 0 && (found = row_find(db, drop, &older)) == FOUND) {
            uint64_t before = older.prev;

            if (older.version + LIMIT_STORE_HISTORY <= current.version && !row_drop(db, drop)) {
                return false;
            }
            drop = before;
        }
        return found != FAILED;
    }
    if (drop != 0 && !row_drop(db, drop)) {
        return false;
    }
    if (row->is_delete) {
        sqlite3_stmt *handle = statement_start(db, CURRENT_DROP);

        bind_text(handle, 1, row->key);
        bind_number(handle, 2, row->id);
        if (!statement_run(db, CURRENT_DROP)) {
            return false;
        }
        return sqlite3_changes(db->handle) == 0 || row_drop(db, row->id);
    }
    return true;
}

/* The rows of one slice; *position is moved behind them. */
MUST_CHECK static bool slice_sweep(struct sqlite_db *db, uint64_t *position, uint64_t bound)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct log_row *rows = arena_array(arena, struct log_row, SWEEP_ROWS);
    sqlite3_stmt *handle = statement_start(db, LOG_FROM);
    size_t count = 0;
    int code;

    bind_number(handle, 1, *position);
    bind_number(handle, 2, SWEEP_ROWS);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW && column_number(handle, 0) < bound) {
        if (!log_row_read(handle, &rows[count])) {
            sqlite3_reset(handle);
            return false; /* damage is told to whoever reads it; nothing is swept over it */
        }
        rows[count].key = arena_text(arena, rows[count].key);
        count++;
    }
    sqlite3_reset(handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!row_sweep(db, &rows[i])) {
            return false;
        }
    }
    *position = count < SWEEP_ROWS ? bound : rows[count - 1].id + 1;
    return true;
}

bool sqlite_db_sweep(struct sqlite_db *db)
{
    uint64_t compacted;
    uint64_t position;
    bool is_done;

    if (!meta_get(db, META_COMPACTED, &compacted) || !meta_get(db, META_SWEEP, &position) ||
        position >= (compacted + 1) * PLACES || !simple_run(db, BEGIN_WRITE)) {
        return false;
    }
    is_done = slice_sweep(db, &position, (compacted + 1) * PLACES) &&
              meta_put(db, META_SWEEP, position) && simple_run(db, COMMIT);
    rollback(db);
    return is_done && position < (compacted + 1) * PLACES;
}

void sqlite_db_events_drop(struct sqlite_db *db, uint64_t before_ms, uint64_t rows_max,
                           struct sqlite_result *result)
{
    uint64_t newest;
    bool is_done = simple_run(db, BEGIN_WRITE) && newest_get(db, &newest) &&
                   meta_put(db, META_REVISION, newest);

    result->outcome = OUTCOME_OK;
    if (is_done) {
        bind_number(statement_start(db, EVENTS_OLD), 1, before_ms);
        bind_number(db->statements[EVENTS_OLD], 2, rows_max);
        is_done = statement_run(db, EVENTS_OLD) && simple_run(db, COMMIT);
    }
    if (!is_done) {
        fail(db, result);
    }
    rollback(db);
}

/* ---- opening ---- */

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
        sqlite3_prepare_v2(db->handle, statement_sql[META_PUT], -1, &handle, NULL) == SQLITE_OK;

    if (is_good) {
        sqlite3_bind_text(handle, 1, META_INCARNATION, -1, SQLITE_STATIC);
        bind_text(handle, 2, bytes);
        bind_number(handle, 3, meta_checksum(TEXT(META_INCARNATION), bytes, 0));
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
        fail(db, &result);
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
        fail(db, &result);
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
MUST_CHECK static bool file_open(struct sqlite_db *db, const char *path, bool is_writer,
                                 const unsigned char incarnation[16], struct err *err)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | (is_writer ? SQLITE_OPEN_CREATE : 0);
    uint64_t noted = 0;

    db->wal = is_writer ? sqlite_wal_new(path) : NULL;
    if (is_writer && !sqlite_wal_check(db->wal, &noted, err)) {
        return false;
    }
    if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK) {
        return err_set(err, CODE_R0505, "the database file cannot be opened: %s",
                       sqlite3_errmsg(db->handle));
    }
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    if (is_writer) {
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        if (!store_check(db, incarnation, noted, err)) {
            return false;
        }
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        sqlite3_wal_hook(db->handle, committed, db);
    }
    return true;
}

bool sqlite_db_open(const char *path, bool is_writer, const unsigned char incarnation[16],
                    struct sqlite_db **out, struct err *err)
{
    struct sqlite_db *db = sqlite3_malloc(sizeof(*db));
    bool is_good;

    assert(db != NULL);
    memset(db, 0, sizeof(*db));
    is_good = file_open(db, path, is_writer, incarnation, err);
    for (int i = 0; is_good && i < STATEMENT_COUNT; i++) {
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
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
    }
    sqlite3_close(db->handle);
    sqlite_wal_free(db->wal);
    sqlite3_free(db);
}

bool sqlite_db_figures(struct sqlite_db *db, struct sqlite_figures *out, struct err *err)
{
    sqlite3_stmt *handle = statement_start(db, META_GET);
    struct sqlite_result result;

    sqlite3_bind_text(handle, 1, META_INCARNATION, -1, SQLITE_STATIC);
    if (sqlite3_step(handle) == SQLITE_ROW && column_text(handle, 0).length == 16) {
        memcpy(out->incarnation, column_text(handle, 0).data, 16);
    }
    sqlite3_reset(handle);
    if (!newest_get(db, &out->revision) || !meta_get(db, META_COMPACTED, &out->compacted)) {
        fail(db, &result);
        *err = result.err;
        return false;
    }
    out->bytes = pragma_number(db, "PRAGMA page_count") * pragma_number(db, "PRAGMA page_size");
    return true;
}

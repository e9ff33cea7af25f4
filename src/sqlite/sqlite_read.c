#include "base/limits.h"
#include "sqlite/sqlite_statement.h"
#include "state/migrate.h"

#include <assert.h>

/* Limits for one read of changes. CHANGES_ROWS exceeds the number of rows in any revision. After
 * CHANGES_BYTES, no further revision is added. */
enum { CHANGES_ROWS = 500, CHANGES_BYTES = 512 * 1024 };

_Static_assert((int)CHANGES_ROWS > (int)ROW_PLACES, "a revision is read as a whole");

/* Begins to read a snapshot. *revision is the requested revision, or 0 for the newest; it becomes
 * the revision that is read. */
MUST_CHECK static bool snapshot_begin(struct sqlite_db *db, uint64_t *revision,
                                      struct sqlite_result *result)
{
    uint64_t newest;
    uint64_t compacted;

    result->outcome = OUTCOME_OK;
    if (!statement_do(db, SQL_BEGIN_READ) || !meta_newest(db, &newest) ||
        !meta_get(db, META_COMPACTED, &compacted)) {
        result_fail(db, result);
        transaction_rollback(db);
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
        transaction_rollback(db);
        return false;
    }
    return true;
}

static struct store_item sqlite_read_item_make(struct arena *arena, const struct log_row *row)
{
    return (struct store_item){
        .key = arena_text(arena, row->key),
        .value = arena_text(arena, row->value),
        .create_revision = row->created,
        .revision = row->id / ROW_PLACES,
    };
}

/* Finds the row of a key at a revision that is not compacted, by following the chain from the key's
 * newest id. out->id is always set. */
static enum found sqlite_read_row_at(struct sqlite_db *db, uint64_t id, uint64_t revision,
                                     struct log_row *out)
{
    enum found found;

    out->id = id;
    found = log_row_find(db, id, out);

    while (found == FOUND && out->id / ROW_PLACES > revision) {
        if (out->prev == 0) {
            return MISSING;
        }
        out->id = out->prev;
        found = log_row_find(db, out->id, out);
    }
    return found == MISSING ? DAMAGED : found;
}

struct items {
    struct arena *arena;
    struct store_item *data;
    size_t count;
    size_t room;
};

static void sqlite_read_items_add(struct items *items, struct store_item item)
{
    if (items->count == items->room) {
        size_t room = items->room * 2 + 4;

        items->data =
            arena_grow(items->arena, items->data, items->room * sizeof(item), room * sizeof(item));
        items->room = room;
    }
    items->data[items->count++] = item;
}

static bool sqlite_read_range_has(const struct store_range *range, struct text key)
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
    size_t bytes_max = range->bytes == 0 ? SIZE_MAX : range->bytes;
    struct items items = { .arena = arena };
    sqlite3_stmt *handle;
    size_t bytes = 0;
    int code;

    if (!snapshot_begin(db, &revision, result)) {
        return;
    }
    handle = statement_start(db, SQL_CURRENT_RANGE);
    statement_bind_text(handle, 1, range->prefix);
    statement_bind_text(handle, 2, range->after);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct text key = column_text(handle, 0);
        struct log_row row;
        enum found found;

        if (!sqlite_read_range_has(range, key)) {
            code = SQLITE_DONE;
            break;
        }
        found = sqlite_read_row_at(db, column_number(handle, 1), revision, &row);
        if (found == DAMAGED || (found == FOUND && !text_is_equal(row.key, key))) {
            result_damage(result, row.id / ROW_PLACES);
            break;
        }
        if (found == FAILED) {
            code = SQLITE_ERROR;
            break;
        }
        if (found == MISSING || row.is_delete) {
            continue;
        }
        if (items.count == limit || bytes >= bytes_max) {
            answer->has_more = true;
            code = SQLITE_DONE;
            break;
        }
        bytes += row.key.length + row.value.length;
        sqlite_read_items_add(&items, sqlite_read_item_make(arena, &row));
    }
    if (result->outcome == OUTCOME_OK && code != SQLITE_DONE) {
        result_fail(db, result);
    }
    sqlite3_reset(handle);
    transaction_rollback(db);
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
    struct log_row row = { 0 };
    enum found found;
    bool can_be_gone = false;

    if (!snapshot_begin(db, &revision, result)) {
        return;
    }
    if (!meta_get(db, META_COMPACTED, &compacted) || !current_get(db, key, &current)) {
        result_fail(db, result);
        transaction_rollback(db);
        return;
    }
    row.id = current.id;
    found = current.id == 0 ? MISSING : log_row_find(db, current.id, &row);
    while (found == FOUND && items.count < LIMIT_STORE_HISTORY) {
        sqlite_read_items_add(&items, sqlite_read_item_make(arena, &row));
        if (row.prev == 0 || (!log_row_has_history(key) && row.id / ROW_PLACES <= compacted)) {
            break; /* older rows are compacted, or may be compacted at any time */
        }
        can_be_gone = log_row_prev_may_be_gone(&row, current.version, compacted);
        row.id = row.prev;
        found = log_row_find(db, row.id, &row);
    }
    if (found == DAMAGED || (found == MISSING && current.id != 0 && !can_be_gone)) {
        result_damage(result, row.id / ROW_PLACES);
    } else if (found == FAILED) {
        result_fail(db, result);
    }
    transaction_rollback(db);
    answer->revision = revision;
    answer->items = items.data;
    answer->count = items.count;
}

/* The changes in one read. Usually there are few, because a watch reads after every commit. */
struct changes {
    struct arena *arena;
    struct store_change *data;
    size_t count;
    size_t room;
};

static void changes_add(struct changes *changes, struct store_change change)
{
    if (changes->count == changes->room) {
        size_t room = changes->room * 2 + 16;

        changes->data = arena_grow(changes->arena, changes->data, changes->room * sizeof(change),
                                   room * sizeof(change));
        changes->room = room;
    }
    changes->data[changes->count++] = change;
}

void sqlite_db_changes(struct sqlite_db *db, struct arena *arena, struct text prefix,
                       uint64_t from_revision, struct sqlite_result *result,
                       struct sqlite_changes *out)
{
    uint64_t revision = 0;
    uint64_t compacted;
    struct changes changes = { .arena = arena };
    uint64_t last = 0; /* revision of the previous row */
    size_t rows = 0;
    size_t whole = 0; /* number of changes in complete revisions */
    bool is_cut = false;
    sqlite3_stmt *handle;
    int code;

    if (!snapshot_begin(db, &revision, result)) {
        return;
    }
    if (!meta_get(db, META_COMPACTED, &compacted) || from_revision <= compacted) {
        result->outcome = OUTCOME_REFUSED;
        err_set(&result->err, CODE_R0503, "the revision has been compacted away");
        transaction_rollback(db);
        return;
    }
    handle = statement_start(db, SQL_LOG_FROM);
    statement_bind_number(handle, 1, from_revision * ROW_PLACES);
    statement_bind_number(handle, 2, CHANGES_ROWS);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct log_row row;

        if (!log_row_read(handle, &row)) {
            result_damage(result, column_number(handle, 0) / ROW_PLACES);
            break;
        }
        rows++;
        if (row.id / ROW_PLACES != last) {
            whole = changes.count;
            last = row.id / ROW_PLACES;
            is_cut = arena_used(arena) > CHANGES_BYTES;
        }
        if (is_cut) { /* all changes of the previous revision were read, so the read may end here */
            code = SQLITE_DONE;
            break;
        }
        if (text_has_prefix(row.key, prefix)) {
            changes_add(&changes,
                        (struct store_change){ sqlite_read_item_make(arena, &row), row.is_delete });
        }
    }
    if (code != SQLITE_DONE && result->outcome == OUTCOME_OK) {
        result_fail(db, result);
    }
    sqlite3_reset(handle);
    transaction_rollback(db);
    is_cut = is_cut || rows == CHANGES_ROWS; /* there may be further rows of the last revision */
    out->items = changes.data;
    out->count = is_cut ? whole : changes.count;
    out->next_revision = is_cut ? last : revision + 1;
}

/* Runs a bound statement that reads events, at most limit + 1, to determine whether more follow. */
static void sqlite_read_events_read(struct sqlite_db *db, struct arena *arena, sqlite3_stmt *handle,
                                    size_t limit, struct sqlite_result *result,
                                    struct store_answer *answer)
{
    struct store_event *events = NULL;
    size_t room = 0;
    size_t count = 0;
    int code;

    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        uint64_t id = column_number(handle, 0);
        struct store_event event;

        if (!event_read(handle, &event)) {
            result_damage(result, id / ROW_PLACES);
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
        if (id <= db->former_events) {
            event.body = migrate_event(arena, event.body);
        }
        events[count++] = event;
    }
    if (code != SQLITE_DONE && result->outcome == OUTCOME_OK) {
        result_fail(db, result);
    }
    sqlite3_reset(handle);
    answer->events = events;
    answer->count = count;
}

void sqlite_db_events(struct sqlite_db *db, struct arena *arena, struct text cluster,
                      uint64_t after_number, size_t limit, struct sqlite_result *result,
                      struct store_answer *answer)
{
    sqlite3_stmt *handle;

    limit = limit == 0 || limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : limit;
    if (!snapshot_begin(db, &answer->revision, result)) {
        return;
    }
    handle = statement_start(db, cluster.length == 0 ? SQL_EVENTS_ALL : SQL_EVENTS_OF);
    statement_bind_text(handle, 1, cluster);
    statement_bind_number(handle, 2,
                          cluster.length == 0 ? (after_number + 1) * ROW_PLACES : after_number);
    statement_bind_number(handle, 3, limit + 1);
    sqlite_read_events_read(db, arena, handle, limit, result, answer);
    transaction_rollback(db);
}

void sqlite_db_events_before(struct sqlite_db *db, struct arena *arena, struct text cluster,
                             uint64_t before_number, size_t limit, struct sqlite_result *result,
                             struct store_answer *answer)
{
    struct store_event *events;
    sqlite3_stmt *handle;

    limit = limit == 0 || limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : limit;
    if (before_number == 0 || before_number > (uint64_t)INT64_MAX / ROW_PLACES) {
        before_number = (uint64_t)INT64_MAX / ROW_PLACES;
    }
    if (!snapshot_begin(db, &answer->revision, result)) {
        return;
    }
    handle =
        statement_start(db, cluster.length == 0 ? SQL_EVENTS_ALL_BEFORE : SQL_EVENTS_OF_BEFORE);
    statement_bind_text(handle, 1, cluster);
    statement_bind_number(handle, 2,
                          cluster.length == 0 ? before_number * ROW_PLACES : before_number);
    statement_bind_number(handle, 3, limit + 1);
    sqlite_read_events_read(db, arena, handle, limit, result, answer);
    transaction_rollback(db);
    /* the statement returns the newest event first */
    events = arena_array(arena, struct store_event, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        events[answer->count - 1 - i] = answer->events[i];
    }
    answer->events = events;
}

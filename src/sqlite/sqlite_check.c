#include "sqlite/sqlite_check.h"

#include "base/mem.h"
#include "sqlite/sqlite_move.h"
#include "sqlite/sqlite_row.h"
#include "sqlite/sqlite_salvage.h"
#include "state/migrate.h"
#include "store/checksum.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The log is read once, in order of id. For each row, the data that the chains need is kept in
 * memory (32 bytes per row). Then the chain of each key of `current` is followed. The check
 * continues after the first error, to find the lowest bad or missing id: the log is good up to
 * there. */

enum { CHUNK_ROWS = 4096 };

struct entry {
    uint64_t id;
    uint64_t prev;
    uint64_t version : 62;
    bool is_bad : 1; /* damaged: only the id of the row is known */
    bool is_visited : 1;
    uint64_t state; /* hash of the values that the row and `current` must have in common */
};

struct check {
    sqlite3 *handle;
    const struct store_reading *reading; /* receives the log; NULL: none */
    struct arena *arena;
    struct entry **chunks; /* blocks of CHUNK_ROWS entries, ordered by id */
    size_t chunk_count;
    size_t chunk_room;
    size_t rows;
    size_t visited; /* number of rows that belong to a chain */
    size_t bad_rows;
    /* Number of all errors. If it exceeds the number of bad rows, reads could silently miss
     * data. */
    size_t faults;
    bool has_failed; /* a system error occurred */
    uint64_t compacted;
    uint64_t newest;
    uint64_t bad_id; /* lowest damaged or missing id; UINT64_MAX: none */
    char what[160];  /* description of the first fault; empty: none */
};

static void sqlite_check_fault(struct check *check, uint64_t id, const char *what)
{
    check->faults++;
    if (check->what[0] == '\0') {
        snprintf(check->what, sizeof(check->what), "%s", what);
    }
    if (id < check->bad_id) {
        check->bad_id = id;
    }
}

/* Records a damaged row of log or events. */
static void sqlite_check_row_fault(struct check *check, uint64_t id, const char *what)
{
    check->bad_rows++;
    sqlite_check_fault(check, id, what);
}

/* ---- statements ---- */

bool sqlite_check_is_failure(int code)
{
    switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM:
    case SQLITE_PERM:
    case SQLITE_FULL:
    case SQLITE_READONLY:
        return true;
    default:
        return false;
    }
}

/* Classifies a failed SQLite call as a fault of the file or a system error. */
static void code_take(struct check *check, int code, uint64_t id)
{
    check->has_failed = check->has_failed || sqlite_check_is_failure(code);
    sqlite_check_fault(check, id, sqlite3_errmsg(check->handle));
}

/* Prepares a statement. A failure is a fault of the file. */
static sqlite3_stmt *prepare(struct check *check, const char *sql)
{
    sqlite3_stmt *handle = NULL;
    int code = sqlite3_prepare_v2(check->handle, sql, -1, &handle, NULL);

    if (code != SQLITE_OK) {
        code_take(check, code, UINT64_MAX);
    }
    return handle;
}

/* Finalizes a statement. `code` is the result of its last step. */
static void finish(struct check *check, sqlite3_stmt *handle, int code, uint64_t next_id)
{
    if (handle != NULL && code != SQLITE_DONE) {
        code_take(check, code, next_id);
    }
    sqlite3_finalize(handle);
}

/* Reads a number by SQL; UINT64_MAX if there is no row. Returns SQLite's code. */
static int sqlite_check_number_read(sqlite3 *database, const char *sql, uint64_t *out)
{
    sqlite3_stmt *handle = NULL;
    int code = sqlite3_prepare_v2(database, sql, -1, &handle, NULL);

    *out = UINT64_MAX;
    if (code == SQLITE_OK && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        *out = column_number(handle, 0);
    }
    sqlite3_finalize(handle);
    return code;
}

/* Returns the whole schema as text, to be freed with sqlite3_free; NULL on failure. */
static char *schema_of(sqlite3 *database)
{
    sqlite3_stmt *handle = NULL;
    char *schema = NULL;

    if (sqlite3_prepare_v2(database,
                           "SELECT group_concat(type||' '||name||' '||tbl_name||' '||"
                           "ifnull(sql,''),';') FROM (SELECT * FROM sqlite_schema ORDER BY name)",
                           -1, &handle, NULL) == SQLITE_OK &&
        sqlite3_step(handle) == SQLITE_ROW) {
        schema = sqlite3_mprintf("%s", sqlite3_column_text(handle, 0));
    }
    sqlite3_finalize(handle);
    return schema;
}

/* ---- the file as a whole ---- */

bool sqlite_check_is_new(sqlite3 *handle, bool *out, struct err *err)
{
    static const char *const zeros[] = { "SELECT count(*) FROM sqlite_schema",
                                         "PRAGMA application_id", "PRAGMA user_version" };

    *out = true;
    for (size_t i = 0; i < ARRAY_COUNT(zeros); i++) {
        uint64_t number;

        if (sqlite_check_is_failure(sqlite_check_number_read(handle, zeros[i], &number))) {
            return err_set(err, CODE_R0521, "the database file cannot be read: %s",
                           sqlite3_errmsg(handle));
        }
        *out = *out && number == 0;
    }
    return true;
}

static void schema_check(struct check *check)
{
    sqlite3 *model = NULL;
    char *wanted = NULL;
    char *found = schema_of(check->handle);

    if (sqlite3_open(":memory:", &model) == SQLITE_OK &&
        sqlite3_exec(model, sqlite_schema, NULL, NULL, NULL) == SQLITE_OK) {
        wanted = schema_of(model);
    }
    assert(wanted != NULL);
    if (found == NULL) {
        code_take(check, sqlite3_errcode(check->handle), UINT64_MAX);
    } else if (strcmp(found, wanted) != 0) {
        sqlite_check_fault(check, UINT64_MAX, "the tables are not those of a store");
    }
    sqlite3_free(found);
    sqlite3_free(wanted);
    sqlite3_close(model);
}

/* Handles one line of the result of SQLite's own check. If the disk could not read a page, the line
 * has an error code. */
static void take_result(struct check *check, const char *said)
{
    static const char head[] = "*** in database main ***\n";
    const char *code = strstr(said, "error code=");

    if (code != NULL && sqlite_check_is_failure(atoi(code + strlen("error code=")))) {
        check->has_failed = true;
    }
    sqlite_check_fault(check, UINT64_MAX,
                       strncmp(said, head, strlen(head)) == 0 ? said + strlen(head) : said);
}

static void structure_check(struct check *check)
{
    sqlite3_stmt *handle = prepare(check, "PRAGMA integrity_check(1)");
    uint64_t vacuum;
    int code = SQLITE_ERROR;

    while (handle != NULL && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(handle, 0);

        if (said == NULL || strcmp(said, "ok") != 0) {
            take_result(check, said == NULL ? "no memory" : said);
        }
    }
    finish(check, handle, code, UINT64_MAX);
    code = sqlite_check_number_read(check->handle, "PRAGMA auto_vacuum", &vacuum);
    if (code != SQLITE_ROW) {
        code_take(check, code, UINT64_MAX);
    } else if (vacuum != 0) {
        sqlite_check_fault(check, UINT64_MAX, "the head of the file is damaged");
    }
}

static void meta_check(struct check *check)
{
    sqlite3_stmt *handle = prepare(check, "SELECT name,value,checksum FROM meta");
    size_t numbers = 0;
    size_t incarnations = 0;
    int code = SQLITE_ERROR;

    while (handle != NULL && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct text name = column_text(handle, 0);
        bool is_blob = sqlite3_column_type(handle, 1) == SQLITE_BLOB;
        struct text bytes = is_blob ? column_text(handle, 1) : TEXT("");
        uint64_t number = is_blob ? 0 : column_number(handle, 1);

        if (meta_checksum(name, bytes, number) != column_number(handle, 2)) {
            sqlite_check_fault(check, UINT64_MAX, "a row of meta differs from what was written");
        }
        numbers += !is_blob;
        incarnations += is_blob && bytes.length == 16;
        if (text_is(name, META_COMPACTED)) {
            check->compacted = number;
        } else if (text_is(name, META_REVISION) && number > check->newest) {
            check->newest = number;
        }
    }
    finish(check, handle, code, UINT64_MAX);
    if (numbers != 3 || incarnations != 1) {
        sqlite_check_fault(check, UINT64_MAX, "a row of meta is missing");
    }
}

/* ---- log and current ---- */

static uint64_t state_hash(struct text key, uint64_t created, uint64_t version, bool is_dead)
{
    uint64_t hash = checksum_text(key, checksum_number(created, 0));

    return checksum_number(is_dead, checksum_number(version, hash));
}

static struct entry *sqlite_check_entry_at(const struct check *check, size_t row)
{
    return &check->chunks[row / CHUNK_ROWS][row % CHUNK_ROWS];
}

static void sqlite_check_entry_add(struct check *check, struct entry entry)
{
    if (check->rows == check->chunk_count * CHUNK_ROWS) {
        if (check->chunk_count == check->chunk_room) {
            size_t room = check->chunk_room * 2 + 16;

            check->chunks = arena_grow(check->arena, check->chunks,
                                       check->chunk_room * sizeof(check->chunks[0]),
                                       room * sizeof(check->chunks[0]));
            check->chunk_room = room;
        }
        check->chunks[check->chunk_count++] = arena_array(check->arena, struct entry, CHUNK_ROWS);
    }
    *sqlite_check_entry_at(check, check->rows++) = entry;
}

static struct entry *sqlite_check_entry_find(const struct check *check, uint64_t id)
{
    size_t low = 0;
    size_t high = check->rows;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sqlite_check_entry_at(check, middle)->id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < check->rows && sqlite_check_entry_at(check, low)->id == id
               ? sqlite_check_entry_at(check, low)
               : NULL;
}

/* Begins to pass the content to `reading`: reports the extent of the log. */
static void sqlite_check_reading_begin(struct check *check)
{
    uint64_t newest;
    int code = sqlite_check_number_read(check->handle,
                                        "SELECT max(ifnull((SELECT max(id) FROM log),0),"
                                        "ifnull((SELECT max(id) FROM events),0))",
                                        &newest);

    if (code != SQLITE_ROW) {
        code_take(check, code, UINT64_MAX);
        check->reading = NULL;
        return;
    }
    newest /= ROW_PLACES;
    check->reading->begin(check->reading->arg, check->compacted,
                          newest > check->newest ? newest : check->newest);
}

static void row_report(const struct check *check, const struct log_row *row)
{
    struct store_change change = {
        .item = { .key = row->key,
                  .value = row->value,
                  .create_revision = row->created,
                  .revision = row->id / ROW_PLACES },
        .is_delete = row->is_delete,
    };

    check->reading->change(check->reading->arg, &change);
}

static void log_check(struct check *check)
{
    sqlite3_stmt *handle =
        prepare(check, "SELECT id,key,value,created,prev,version,checksum FROM log ORDER BY id");
    uint64_t last = 0;
    int code = SQLITE_ERROR;

    while (handle != NULL && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct log_row row;

        bool is_good = log_row_read(handle, &row);

        if (row.id <= last || (is_good && row.prev >= row.id)) {
            sqlite_check_fault(check, last + 1, "the log is not in order");
            continue;
        }
        last = row.id;
        if (!is_good) {
            sqlite_check_row_fault(check, row.id, "a row of the log differs from what was written");
            sqlite_check_entry_add(check, (struct entry){ .id = row.id, .is_bad = true });
            continue;
        }
        sqlite_check_entry_add(check,
                               (struct entry){ .id = row.id,
                                               .prev = row.prev,
                                               .version = row.version & (UINT64_MAX >> 2),
                                               .state = state_hash(row.key, row.created,
                                                                   row.version, row.is_delete) });
        if (check->reading != NULL) {
            row_report(check, &row);
        }
    }
    finish(check, handle, code, last + 1);
    if (last / ROW_PLACES > check->newest) {
        check->newest = last / ROW_PLACES;
    }
}

/* Follows the chain of one key from its latest row backwards, up to the first bad row. */
static void chain_check(struct check *check, struct text key, struct entry *head)
{
    struct entry *entry = head;

    while (true) {
        struct entry *before;

        check->visited += !entry->is_visited;
        entry->is_visited = true;
        if (entry->is_bad || entry->prev == 0) {
            return;
        }
        before = sqlite_check_entry_find(check, entry->prev);
        if (before == NULL) {
            struct log_row row = { .id = entry->id, .key = key, .version = entry->version };

            if (!log_row_prev_may_be_gone(&row, head->version, check->compacted)) {
                sqlite_check_fault(check, entry->prev, "a row of the log is missing");
            }
            return;
        }
        entry = before;
    }
}

/* Checks the rows that belong to no chain. Such a row precedes a damaged row in the chain of its
 * key. If `current` does not have that key, a key is missing. */
static void unvisited_check(struct check *check)
{
    sqlite3_stmt *handle = prepare(
        check, "SELECT id,EXISTS(SELECT 1 FROM current WHERE current.key=log.key) FROM log");
    int code = SQLITE_ERROR;

    while (handle != NULL && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        const struct entry *entry = sqlite_check_entry_find(check, column_number(handle, 0));

        if (entry != NULL && !entry->is_visited && !entry->is_bad &&
            column_number(handle, 1) == 0) {
            sqlite_check_fault(check, UINT64_MAX, "a key is missing");
        }
    }
    finish(check, handle, code, UINT64_MAX);
}

static void current_check(struct check *check)
{
    sqlite3_stmt *handle =
        prepare(check, "SELECT key,id,created,version,dead FROM current ORDER BY key");
    int code = SQLITE_ERROR;

    while (handle != NULL && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct text key = column_text(handle, 0);
        struct entry *head = sqlite_check_entry_find(check, column_number(handle, 1));

        if (head == NULL ||
            (!head->is_bad &&
             head->state != state_hash(key, column_number(handle, 2), column_number(handle, 3),
                                       column_number(handle, 4) != 0))) {
            sqlite_check_fault(check, UINT64_MAX, "a key and its newest row do not agree");
            continue;
        }
        chain_check(check, key, head);
    }
    finish(check, handle, code, UINT64_MAX);
    if (check->visited != check->rows && check->bad_rows == 0) {
        sqlite_check_fault(check, UINT64_MAX, "rows of the log belong to no key");
    } else if (check->visited != check->rows) {
        unvisited_check(check);
    }
}

/* ---- events ---- */

static void events_check(struct check *check)
{
    sqlite3_stmt *handle =
        prepare(check, "SELECT id,cluster,number,time_ms,body,checksum FROM events ORDER BY id");
    uint64_t last = 0;
    int code = SQLITE_ERROR;

    while (handle != NULL && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct store_event event;

        last = column_number(handle, 0);
        if (!event_read(handle, &event)) {
            sqlite_check_row_fault(check, last, "an event differs from what was written");
        }
    }
    finish(check, handle, code, UINT64_MAX);
    if (last / ROW_PLACES > check->newest) {
        check->newest = last / ROW_PLACES;
    }
    handle = prepare(check, "SELECT 1 FROM events GROUP BY cluster "
                            "HAVING max(number)-min(number)+1<>count(*) LIMIT 1");
    code = handle == NULL ? SQLITE_ERROR : sqlite3_step(handle);
    if (code == SQLITE_ROW) {
        sqlite_check_fault(check, UINT64_MAX, "an event is missing");
        code = SQLITE_DONE;
    }
    finish(check, handle, code, UINT64_MAX);
}

MUST_CHECK static bool faults_report(const struct check *check, struct err *err)
{
    uint64_t good = check->bad_id == UINT64_MAX ? check->newest : check->bad_id / ROW_PLACES - 1;

    if (good > check->newest) {
        good = check->newest;
    }
    if (check->rows == 0) {
        return err_set(err, CODE_R0506, "the database file is damaged: %s", check->what);
    }
    return err_set(err, CODE_R0506,
                   "the database file is damaged: %s; it is intact up to revision %llu",
                   check->what, (unsigned long long)good);
}

MUST_CHECK static bool moved_refuse(sqlite3 *handle, struct err *err)
{
    struct sqlite_moved moved;

    sqlite_moved_of(handle, &moved);
    err_set(err, CODE_R0591, "the store was moved to %s", moved.place);
    return err_hint(err, "set store in reeved.yaml to that place; or move the store back: "
                         "reeve manager move-store --to sqlite");
}

/* Checks that the file is a store of a known format. */
MUST_CHECK static bool format_check(sqlite3 *handle, struct err *err)
{
    uint64_t application;
    uint64_t format = UINT64_MAX;
    int code = sqlite_check_number_read(handle, "PRAGMA application_id", &application);

    code = code == SQLITE_ROW ? sqlite_check_number_read(handle, "PRAGMA user_version", &format)
                              : code;
    if (sqlite_check_is_failure(code)) {
        return err_set(err, CODE_R0521, "the database file cannot be read: %s",
                       sqlite3_errmsg(handle));
    }
    if (application != ROW_APPLICATION) {
        return err_set(err, CODE_R0506, "the database file is not a store: %s",
                       code == SQLITE_NOTADB ? "not a database" : "reeve did not create the file");
    }
    if (format == STORE_FORMAT_MOVED) {
        return moved_refuse(handle, err);
    }
    if (format != UINT64_MAX && format > STORE_FORMAT) {
        err_set(err, CODE_R0508, "the store has format %llu, this version knows up to %d",
                (unsigned long long)format, STORE_FORMAT);
        return err_hint(
            err, "use the version that wrote the store, or restore a backup made by this version");
    }
    return format == STORE_FORMAT || format == STORE_FORMAT_OLDEST ||
           err_set(err, CODE_R0506, "the head of the database file is damaged");
}

/* ---- the whole check ---- */

static void *structure_run(void *arg)
{
    structure_check(arg);
    return NULL;
}

/* Merges the errors of the parallel check. With `is_first` the result is as if that check had run
 * first. */
static void structure_join(struct check *check, const struct check *beside, bool is_first)
{
    check->faults += beside->faults;
    check->has_failed = check->has_failed || beside->has_failed;
    if (beside->faults > 0 && is_first) {
        memcpy(check->what, beside->what, sizeof(check->what));
    }
}

bool sqlite_check_beside(sqlite3 *handle, sqlite3 *second, const struct store_reading *reading,
                         struct sqlite_report *out, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct check check = {
        .handle = handle, .reading = reading, .arena = arena, .bad_id = UINT64_MAX
    };
    struct check beside = { .handle = second, .bad_id = UINT64_MAX };
    bool has_schema;
    pthread_t thread;
    bool is_beside;

    *out = (struct sqlite_report){ 0 };
    if (!format_check(handle, err)) {
        return false;
    }
    schema_check(&check);
    has_schema = check.faults == 0;
    is_beside = second != NULL && pthread_create(&thread, NULL, structure_run, &beside) == 0;
    if (!is_beside) {
        structure_check(&check);
    }
    meta_check(&check);
    if (reading != NULL) {
        sqlite_check_reading_begin(&check);
    }
    log_check(&check);
    current_check(&check);
    events_check(&check);
    if (is_beside) {
        pthread_join(thread, NULL);
        structure_join(&check, &beside, has_schema);
    }
    out->revision = check.newest;
    out->is_readable = !check.has_failed && check.faults == check.bad_rows;
    if (check.has_failed) {
        return err_set(err, CODE_R0521, "the database file cannot be read: %s", check.what);
    }
    if (check.faults > 0) {
        return faults_report(&check, err);
    }
    if (reading != NULL) {
        reading->end(reading->arg);
    }
    return true;
}

bool sqlite_check(sqlite3 *handle, struct sqlite_report *out, struct err *err)
{
    return sqlite_check_beside(handle, NULL, NULL, out, err);
}

#include "sqlite/sqlite_salvage.h"

#include "base/limits.h"
#include "base/mem.h"
#include "sqlite/sqlite_file.h"
#include "sqlite/sqlite_migrate.h"
#include "sqlite/sqlite_row.h"
#include "sqlite/sqlite_statement.h"
#include "sqlite/sqlite_wal.h"
#include "state/migrate.h"

#include <assert.h>
#include <string.h>

enum {
    PAGE_BYTES = 4096,
    CHANGE_COUNTER_AT = 24,
    PAGE_COUNT_AT = 28,
    FORMAT_AT = 60,
    VALID_FOR_AT = 92
};

struct salvage {
    const struct sqlite_opening *opening;
    struct arena *arena;
    struct store_damage *damage;
    sqlite3 *image; /* the damaged store */
    sqlite3 *view;  /* receives the undamaged part of the store */
    sqlite3_stmt *log_put;
    sqlite3_stmt *event_put;
    uint32_t format; /* format in the file's header */
    uint64_t compacted;
    uint64_t newest;
    bool has_incarnation;
    bool is_log_whole;     /* every row of `log` was read, and its checksum is correct */
    bool is_current_whole; /* every row of the table `current` was read */
    /* true: `log` alone proves which row of a key is the newest, even if `current` lacks the key */
    bool is_log_trusted;
};

/* ---- statements ---- */

static void view_run(struct salvage *salvage, const char *sql)
{
    int code = sqlite3_exec(salvage->view, sql, NULL, NULL, NULL);

    assert(code == SQLITE_OK && "a database in memory accepts every row");
    (void)code;
}

static sqlite3_stmt *view_prepare(struct salvage *salvage, const char *sql)
{
    sqlite3_stmt *handle = NULL;
    int code = sqlite3_prepare_v2(salvage->view, sql, -1, &handle, NULL);

    assert(code == SQLITE_OK);
    (void)code;
    return handle;
}

static uint64_t view_number(struct salvage *salvage, const char *sql)
{
    sqlite3_stmt *handle = view_prepare(salvage, sql);
    uint64_t number = sqlite3_step(handle) == SQLITE_ROW ? column_number(handle, 0) : 0;

    sqlite3_finalize(handle);
    return number;
}

/* Prepares a statement on the damaged store; NULL if the schema is not readable. */
static sqlite3_stmt *image_prepare(struct salvage *salvage, const char *sql)
{
    sqlite3_stmt *handle = NULL;

    if (sqlite3_prepare_v2(salvage->image, sql, -1, &handle, NULL) != SQLITE_OK) {
        sqlite3_finalize(handle);
        return NULL;
    }
    return handle;
}

static void revision_see(struct salvage *salvage, uint64_t id)
{
    if (id / ROW_PLACES > salvage->newest) {
        salvage->newest = id / ROW_PLACES;
    }
}

/* ---- the image ---- */

/* Writes the first page of a new store, with the page counts of the damaged file. */
static bool first_page_make(unsigned char *out)
{
    sqlite3 *model = NULL;
    sqlite3_int64 bytes = 0;
    unsigned char *image = NULL;
    char *sql = sqlite3_mprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", ROW_APPLICATION,
                                STORE_FORMAT);
    bool is_made = sql != NULL && sqlite3_open(":memory:", &model) == SQLITE_OK &&
                   sqlite3_exec(model, "PRAGMA page_size=4096", NULL, NULL, NULL) == SQLITE_OK &&
                   sqlite3_exec(model, sqlite_schema, NULL, NULL, NULL) == SQLITE_OK &&
                   sqlite3_exec(model, sql, NULL, NULL, NULL) == SQLITE_OK;

    sqlite3_free(sql);
    image = is_made ? sqlite3_serialize(model, "main", &bytes, 0) : NULL;
    is_made = image != NULL && bytes >= PAGE_BYTES;
    if (is_made) {
        memcpy(out, image, PAGE_BYTES);
    }
    sqlite3_free(image);
    sqlite3_close(model);
    return is_made;
}

static void sqlite_salvage_number_put(unsigned char *at, uint32_t number)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(number >> (24 - 8 * i));
    }
}

static uint32_t sqlite_salvage_number_get(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Opens the image of the store, with its first page replaced by that of a new store. That page is
 * the same in every store. */
static bool image_open(struct salvage *salvage)
{
    struct sqlite_wal *wal =
        sqlite_wal_new(sqlite_file_layer(salvage->opening->vfs), salvage->opening->path);
    uint64_t bytes = 0;
    unsigned char *image = sqlite_wal_image(wal, &bytes);

    sqlite_wal_free(wal);
    if (image != NULL && bytes >= PAGE_BYTES) {
        salvage->format = sqlite_salvage_number_get(image + FORMAT_AT);
    }
    if (image == NULL || bytes < PAGE_BYTES || !first_page_make(image)) {
        sqlite3_free(image);
        return false;
    }
    sqlite_salvage_number_put(image + PAGE_COUNT_AT, (uint32_t)(bytes / PAGE_BYTES));
    memcpy(image + VALID_FOR_AT, image + CHANGE_COUNTER_AT, 4);
    if (sqlite3_open(":memory:", &salvage->image) != SQLITE_OK) {
        sqlite3_free(image);
        return false;
    }
    return sqlite3_deserialize(
               salvage->image, "main", image, (sqlite3_int64)bytes, (sqlite3_int64)bytes,
               SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) == SQLITE_OK;
}

/* ---- reachable rows ---- */

/* Copies a statement's current row. Returns false if it is damaged. */
typedef bool row_take(struct salvage *salvage, sqlite3_stmt *row);

/* Statements on one table. Rows are read from one end. Unreadable rows are skipped. If the next row
 * cannot be found, reading continues from the other end. */
struct table {
    const char *ahead; /* rows with ids above ?1, in order */
    const char *next;  /* the first id above ?1, without reading its row */
    const char *back;  /* rows with ids above ?1, in descending order */
    row_take *take;
};

static bool rows_ahead(struct salvage *salvage, const struct table *table, uint64_t *last,
                       bool *is_good)
{
    sqlite3_stmt *handle = image_prepare(salvage, table->ahead);
    int code = SQLITE_ERROR;

    if (handle == NULL) {
        return false;
    }
    statement_bind_number(handle, 1, *last);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        uint64_t id = column_number(handle, 0);

        if (id <= *last || id > INT64_MAX) {
            *is_good = false; /* rows are out of order, so all later rows are unreliable */
            break;
        }
        *last = id;
        *is_good = table->take(salvage, handle) && *is_good;
    }
    sqlite3_finalize(handle);
    return code == SQLITE_DONE;
}

/* Skips a row that could not be read. Returns false if the next row cannot be found. */
static bool row_skip(struct salvage *salvage, const struct table *table, uint64_t *last)
{
    sqlite3_stmt *handle = image_prepare(salvage, table->next);
    uint64_t id = 0;

    if (handle != NULL) {
        statement_bind_number(handle, 1, *last);
        id = sqlite3_step(handle) == SQLITE_ROW ? column_number(handle, 0) : 0;
    }
    sqlite3_finalize(handle);
    if (id <= *last || id > INT64_MAX) {
        return false;
    }
    *last = id;
    return true;
}

static void rows_back(struct salvage *salvage, const struct table *table, uint64_t last)
{
    sqlite3_stmt *handle = image_prepare(salvage, table->back);
    uint64_t before = UINT64_MAX;

    if (handle == NULL) {
        return;
    }
    statement_bind_number(handle, 1, last);
    while (sqlite3_step(handle) == SQLITE_ROW) {
        uint64_t id = column_number(handle, 0);

        if (id <= last || id >= before) {
            break;
        }
        before = id;
        (void)table->take(salvage, handle);
    }
    sqlite3_finalize(handle);
}

/* Reads every reachable row. Returns true if all rows were reached and are good. */
static bool sqlite_salvage_rows_read(struct salvage *salvage, const struct table *table)
{
    uint64_t last = 0;
    bool is_good = true;

    while (!rows_ahead(salvage, table, &last, &is_good)) {
        is_good = false;
        if (!row_skip(salvage, table, &last)) {
            rows_back(salvage, table, last);
            return false;
        }
    }
    return is_good;
}

/* ---- meta ---- */

static void meta_row_copy(struct salvage *salvage, sqlite3_stmt *row, struct text name,
                          struct text bytes, uint64_t number)
{
    sqlite3_stmt *put = view_prepare(salvage, "INSERT OR REPLACE INTO meta VALUES(?1,?2,?3)");

    sqlite3_bind_text(put, 1, name.data, (int)name.length, SQLITE_TRANSIENT);
    sqlite3_bind_value(put, 2, sqlite3_column_value(row, 1));
    statement_bind_number(put, 3, meta_checksum(name, bytes, number));
    (void)!sqlite3_step(put);
    sqlite3_finalize(put);
}

static void sqlite_salvage_meta_read(struct salvage *salvage)
{
    sqlite3_stmt *row = image_prepare(salvage, "SELECT name,value,checksum FROM meta");

    while (row != NULL && sqlite3_step(row) == SQLITE_ROW) {
        struct text name = column_text(row, 0);
        bool is_blob = sqlite3_column_type(row, 1) == SQLITE_BLOB;
        struct text bytes = is_blob ? column_text(row, 1) : TEXT("");
        uint64_t number = is_blob ? 0 : column_number(row, 1);

        if (meta_checksum(name, bytes, number) != column_number(row, 2)) {
            continue;
        }
        if (text_is(name, META_COMPACTED)) {
            salvage->compacted = number;
        } else if (text_is(name, META_REVISION)) {
            salvage->newest = number > salvage->newest ? number : salvage->newest;
        } else if (!text_is(name, META_SWEEP)) {
            meta_row_copy(salvage, row, name, bytes, number);
            salvage->has_incarnation |= text_is(name, META_INCARNATION) && bytes.length == 16;
        }
    }
    sqlite3_finalize(row);
}

static void meta_number_put(struct salvage *salvage, const char *name, uint64_t number)
{
    sqlite3_stmt *put = view_prepare(salvage, statement_sql[SQL_META_PUT]);

    sqlite3_bind_text(put, 1, name, -1, SQLITE_STATIC);
    statement_bind_number(put, 2, number);
    statement_bind_number(put, 3, meta_checksum(text_from(name), TEXT(""), number));
    (void)!sqlite3_step(put);
    sqlite3_finalize(put);
}

static void meta_write(struct salvage *salvage)
{
    if (!salvage->has_incarnation) {
        struct text bytes = { (const char *)salvage->opening->incarnation, 16 };
        sqlite3_stmt *put = view_prepare(salvage, statement_sql[SQL_META_PUT]);

        sqlite3_bind_text(put, 1, META_INCARNATION, -1, SQLITE_STATIC);
        statement_bind_text(put, 2, bytes);
        statement_bind_number(put, 3, meta_checksum(TEXT(META_INCARNATION), bytes, 0));
        (void)!sqlite3_step(put);
        sqlite3_finalize(put);
    }
    meta_number_put(salvage, META_REVISION, salvage->newest);
    meta_number_put(salvage, META_COMPACTED, salvage->newest);
    meta_number_put(salvage, META_SWEEP, salvage->newest * ROW_PLACES);
}

/* ---- log, current, events ---- */

/* Copies the columns of a row unchanged. */
static void row_copy(sqlite3_stmt *put, sqlite3_stmt *row, int columns)
{
    for (int i = 0; i < columns; i++) {
        sqlite3_bind_value(put, i + 1, sqlite3_column_value(row, i));
    }
    (void)!sqlite3_step(put); /* if two rows have the same id, the first one is kept */
    sqlite3_reset(put);
}

static bool sqlite_salvage_log_take(struct salvage *salvage, sqlite3_stmt *row)
{
    struct log_row read;

    if (!log_row_read(row, &read)) {
        return false;
    }
    revision_see(salvage, read.id);
    row_copy(salvage->log_put, row, 7);
    return true;
}

static bool sqlite_salvage_event_take(struct salvage *salvage, sqlite3_stmt *row)
{
    struct store_event read;

    if (!event_read(row, &read)) {
        salvage->damage->events++;
        return false;
    }
    revision_see(salvage, column_number(row, 0));
    row_copy(salvage->event_put, row, 6);
    return true;
}

static const struct table log_table = {
    "SELECT id,key,value,created,prev,version,checksum FROM log WHERE id>?1 ORDER BY id",
    "SELECT id FROM log WHERE id>?1 ORDER BY id LIMIT 1",
    "SELECT id,key,value,created,prev,version,checksum FROM log WHERE id>?1 ORDER BY id DESC",
    sqlite_salvage_log_take,
};

static const struct table events_table = {
    "SELECT id,cluster,number,time_ms,body,checksum FROM events NOT INDEXED WHERE id>?1 ORDER BY id",
    "SELECT id FROM events NOT INDEXED WHERE id>?1 ORDER BY id LIMIT 1",
    "SELECT id,cluster,number,time_ms,body,checksum FROM events NOT INDEXED WHERE id>?1 "
    "ORDER BY id DESC",
    sqlite_salvage_event_take,
};

/* Reads rows of `current` in one direction into `seen`. Returns true if the end was reached. */
static bool current_walk(struct salvage *salvage, const char *sql)
{
    sqlite3_stmt *put =
        view_prepare(salvage, "INSERT OR IGNORE INTO temp.seen VALUES(?1,?2,?3,?4,?5)");
    sqlite3_stmt *row = image_prepare(salvage, sql);
    uint64_t rows_max = view_number(salvage, "SELECT 1000000+count(*) FROM log");
    int code = SQLITE_ERROR;

    while (row != NULL && rows_max-- > 0 && (code = sqlite3_step(row)) == SQLITE_ROW) {
        row_copy(put, row, 5);
    }
    sqlite3_finalize(row);
    sqlite3_finalize(put);
    return code == SQLITE_DONE;
}

/* Looks up rows that the scan has missed but to which other rows refer. */
static void log_seek(struct salvage *salvage)
{
    sqlite3_stmt *row = image_prepare(
        salvage, "SELECT id,key,value,created,prev,version,checksum FROM log WHERE id=?1");
    size_t found = row == NULL ? 0 : 1;

    while (found > 0) {
        sqlite3_stmt *wanted = view_prepare(
            salvage, "SELECT id FROM temp.seen WHERE id NOT IN (SELECT id FROM log) UNION "
                     "SELECT prev FROM log WHERE prev>0 AND prev NOT IN (SELECT id FROM log)");

        found = 0;
        while (sqlite3_step(wanted) == SQLITE_ROW) {
            statement_bind_number(row, 1, column_number(wanted, 0));
            found += sqlite3_step(row) == SQLITE_ROW && sqlite_salvage_log_take(salvage, row);
            sqlite3_reset(row);
        }
        sqlite3_finalize(wanted);
    }
    sqlite3_finalize(row);
}

static void rows_salvage(struct salvage *salvage)
{
    static const char *const columns = "SELECT key,id,created,version,dead FROM current ";
    char *ahead = sqlite3_mprintf("%sORDER BY key", columns);
    char *back = sqlite3_mprintf("%sORDER BY key DESC", columns);

    sqlite_salvage_meta_read(salvage);
    salvage->is_log_whole = sqlite_salvage_rows_read(salvage, &log_table);
    salvage->is_current_whole = current_walk(salvage, ahead);
    if (!salvage->is_current_whole) {
        (void)current_walk(salvage, back);
    }
    if (!salvage->is_log_whole) {
        log_seek(salvage);
    }
    salvage->damage->is_events_cut = !sqlite_salvage_rows_read(salvage, &events_table);
    sqlite3_free(ahead);
    sqlite3_free(back);
}

/* ---- proven keys ---- */

/* Returns whether `log` alone is sufficient: every row and every previous row is present and good,
 * and `current` has nothing newer. The table alone is no proof, because a page that has lost its
 * last rows looks complete. */
static bool log_is_trusted(struct salvage *salvage)
{
    char *sql = sqlite3_mprintf(
        "SELECT count(*) FROM log WHERE prev>0 AND id/%d>%lld AND prev NOT IN (SELECT id FROM log)",
        ROW_PLACES, (long long)salvage->compacted);
    bool is_trusted =
        salvage->is_log_whole && view_number(salvage, sql) == 0 &&
        view_number(salvage,
                    "SELECT count(*) FROM temp.seen s WHERE id NOT IN (SELECT id FROM log) AND "
                    "coalesce((SELECT max(version) FROM log l WHERE l.key=s.key),0)<s.version") ==
            0;

    sqlite3_free(sql);
    return is_trusted;
}

/* Adds the keys for which both tables have the same latest row. If the log is trusted, also adds
 * the other keys. */
static void current_make(struct salvage *salvage)
{
    salvage->is_log_trusted = log_is_trusted(salvage);
    view_run(salvage, "INSERT OR IGNORE INTO current SELECT s.key,s.id,s.created,s.version,s.dead "
                      "FROM temp.seen s JOIN log l ON l.id=s.id WHERE l.key=s.key AND "
                      "l.created=s.created AND l.version=s.version AND (l.value IS NULL)=s.dead");
    if (salvage->is_log_trusted) {
        view_run(
            salvage,
            "DELETE FROM current WHERE id<(SELECT max(id) FROM log l WHERE l.key=current.key)");
        view_run(salvage, "INSERT OR IGNORE INTO current SELECT key,max(id),created,version,"
                          "value IS NULL FROM log GROUP BY key");
        view_run(salvage, "DELETE FROM temp.seen WHERE key IN (SELECT key FROM current) OR id IN "
                          "(SELECT id FROM log)");
    }
    view_run(salvage, "DELETE FROM temp.seen WHERE key IN (SELECT key FROM current)");
    view_run(salvage, "INSERT OR IGNORE INTO temp.seen SELECT key,max(id),0,0,value IS NULL FROM "
                      "log WHERE key NOT IN (SELECT key FROM current) GROUP BY key "
                      "HAVING value IS NOT NULL");
}

/* Reports the number of keys whose latest row is not proven, and the names of the first ones. */
static void sqlite_salvage_keys_report(struct salvage *salvage)
{
    struct store_damage *damage = salvage->damage;
    sqlite3_stmt *handle = view_prepare(salvage, "SELECT key FROM temp.seen ORDER BY key");
    struct text *keys = arena_array(salvage->arena, struct text, STORE_DAMAGE_NAMED);

    while (sqlite3_step(handle) == SQLITE_ROW) {
        if (damage->named < STORE_DAMAGE_NAMED) {
            keys[damage->named++] = arena_text(salvage->arena, column_text(handle, 0));
        }
        damage->keys++;
    }
    sqlite3_finalize(handle);
    damage->names = keys;
    damage->is_list_cut = !salvage->is_current_whole && !salvage->is_log_trusted;
}

/* Reports gaps between the events of a cluster. */
static void events_report(struct salvage *salvage)
{
    struct store_damage *damage = salvage->damage;
    sqlite3_stmt *handle =
        view_prepare(salvage, "SELECT cluster,min(number),max(number),count(*) FROM events "
                              "GROUP BY cluster HAVING max(number)-min(number)+1<>count(*)");
    struct store_damage_events *gaps =
        arena_array(salvage->arena, struct store_damage_events, STORE_DAMAGE_NAMED);
    uint64_t missing = 0;

    while (sqlite3_step(handle) == SQLITE_ROW) {
        uint64_t lost =
            column_number(handle, 2) - column_number(handle, 1) + 1 - column_number(handle, 3);

        missing += lost;
        if (damage->gap_count < STORE_DAMAGE_NAMED) {
            gaps[damage->gap_count++] = (struct store_damage_events){
                .cluster = arena_text(salvage->arena, column_text(handle, 0)), .lost = lost
            };
        }
    }
    sqlite3_finalize(handle);
    damage->gaps = gaps;
    damage->events = missing > damage->events ? missing : damage->events;
}

static void view_open(struct salvage *salvage)
{
    int code =
        sqlite3_open_v2(":memory:", &salvage->view,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

    assert(code == SQLITE_OK && "no memory");
    (void)code;
    view_run(salvage, sqlite_schema);
    view_run(salvage, "CREATE TEMP TABLE seen(key BLOB PRIMARY KEY,id INTEGER,created INTEGER,"
                      "version INTEGER,dead INTEGER)");
    view_run(salvage, "CREATE INDEX temp.seen_id ON seen(id)");
    view_run(salvage, "CREATE INDEX log_key ON log(key)");
    view_run(salvage, "BEGIN");
    salvage->log_put =
        view_prepare(salvage, "INSERT OR IGNORE INTO log VALUES(?1,?2,?3,?4,?5,?6,?7)");
    salvage->event_put =
        view_prepare(salvage, "INSERT OR IGNORE INTO events VALUES(?1,?2,?3,?4,?5,?6)");
}

/* Returns whether the number of a newer format is only a bit error: the store is a complete store
 * of the current format. */
static bool is_damaged_format(const struct salvage *salvage)
{
    return (__builtin_popcount(salvage->format ^ STORE_FORMAT) == 1 ||
            __builtin_popcount(salvage->format ^ STORE_FORMAT_OLDEST) == 1) &&
           salvage->has_incarnation && salvage->newest > 0 && salvage->damage->keys == 0 &&
           !salvage->damage->is_list_cut;
}

bool sqlite_salvage(const struct sqlite_opening *opening, struct arena *arena,
                    struct store_damage *out_damage, struct sqlite_db **out, struct err *err)
{
    const struct err why = *err;
    struct salvage salvage = { .opening = opening, .arena = arena, .damage = out_damage };

    *out_damage = (struct store_damage){ .is_damaged = true };
    view_open(&salvage);
    if (image_open(&salvage)) {
        rows_salvage(&salvage);
        current_make(&salvage);
        sqlite_salvage_keys_report(&salvage);
        events_report(&salvage);
    } else {
        out_damage->is_list_cut = true;
        out_damage->is_events_cut = true;
    }
    sqlite3_finalize(salvage.log_put);
    sqlite3_finalize(salvage.event_put);
    sqlite3_close(salvage.image);
    if (why.code == CODE_R0508 && !is_damaged_format(&salvage)) {
        sqlite3_close(salvage.view); /* the store really has a newer format */
        return false;
    }
    meta_write(&salvage);
    view_run(&salvage, "COMMIT");
    view_run(&salvage, "DROP INDEX log_key");
    view_run(&salvage, "DROP TABLE temp.seen");
    /* migrate nevertheless: the format number itself may be damaged, and repeating a migration
     * changes nothing */
    if (!sqlite_migrate(salvage.view, NULL, err)) {
        sqlite3_close(salvage.view);
        return false;
    }
    out_damage->objects = view_number(&salvage, "SELECT count(*) FROM current WHERE NOT dead");
    out_damage->revision = salvage.newest;
    return sqlite_db_open_view(opening, salvage.view, out, err);
}

#include "sqlite/sqlite_audit.h"

#include "base/hex.h"
#include "sqlite/sqlite_statement.h"
#include "store/checksum.h"
#include "sys/digest.h"
#include "sys/fd.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define META_AUDIT "audit"

enum { HEAD_BYTES = 3 * 8 + STORE_AUDIT_LINK_BYTES };

static void number_write(unsigned char *out, uint64_t number)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (unsigned char)(number >> (56 - 8 * i));
    }
}

static uint64_t sqlite_audit_number_read(const unsigned char *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++) {
        number = number << 8 | bytes[i];
    }
    return number;
}

/* ---- links ---- */

/* Computes a link of the chain. The lengths are hashed too, so that moving a byte from one field to
 * another changes the link. */
static void link_make(const unsigned char *before, const struct store_event *event, uint64_t id,
                      unsigned char out[static STORE_AUDIT_LINK_BYTES])
{
    unsigned char head[STORE_AUDIT_LINK_BYTES + 5 * 8];
    struct digest_stream *stream = digest_stream_new();
    unsigned char *at = head + STORE_AUDIT_LINK_BYTES;

    memcpy(head, before, STORE_AUDIT_LINK_BYTES);
    number_write(at, id);
    number_write(at + 8, event->number);
    number_write(at + 16, event->time_ms);
    number_write(at + 24, event->cluster.length);
    number_write(at + 32, event->body.length);
    digest_stream_add(stream, (struct text){ (const char *)head, sizeof(head) });
    digest_stream_add(stream, event->cluster);
    digest_stream_add(stream, event->body);
    digest_stream_end_raw(stream, out);
}

struct audit_mark audit_mark_make(const struct store_audit_head *head,
                                  const struct store_event *event, uint64_t id)
{
    struct audit_mark mark = { 0 };

    memcpy(mark.before, head->link, sizeof(mark.before));
    link_make(mark.before, event, id, mark.link);
    mark.checksum = audit_mark_checksum(&mark, event, id);
    return mark;
}

uint64_t audit_mark_checksum(const struct audit_mark *mark, const struct store_event *event,
                             uint64_t id)
{
    struct text before = { (const char *)mark->before, sizeof(mark->before) };
    struct text link = { (const char *)mark->link, sizeof(mark->link) };

    return checksum_text(link, checksum_text(before, event_checksum(event, id)));
}

bool audit_mark_fits(const struct audit_mark *mark, const struct store_event *event, uint64_t id)
{
    unsigned char link[STORE_AUDIT_LINK_BYTES];

    link_make(mark->before, event, id, link);
    return memcmp(link, mark->link, sizeof(link)) == 0;
}

void audit_mark_format(const struct audit_mark *mark, unsigned char out[static AUDIT_BYTES])
{
    number_write(out, mark->checksum);
    memcpy(out + 8, mark->before, sizeof(mark->before));
    memcpy(out + 8 + sizeof(mark->before), mark->link, sizeof(mark->link));
}

bool audit_mark_parse(struct text bytes, struct audit_mark *out)
{
    const unsigned char *at = (const unsigned char *)bytes.data;

    if (bytes.length != AUDIT_BYTES) {
        return false;
    }
    out->checksum = sqlite_audit_number_read(at);
    memcpy(out->before, at + 8, sizeof(out->before));
    memcpy(out->link, at + 8 + sizeof(out->before), sizeof(out->link));
    return true;
}

/* ---- the head as text ---- */

void audit_head_format(const struct store_audit_head *head, const unsigned char incarnation[16],
                       char out[static AUDIT_TEXT_BYTES])
{
    char link[2 * STORE_AUDIT_LINK_BYTES + 1];
    char life[33];

    text_format_hex(head->link, sizeof(head->link), link);
    text_format_hex(incarnation, 16, life);
    snprintf(out, AUDIT_TEXT_BYTES, "reeve-audit 1 %s %llu %llu %llu %s\n", life,
             (unsigned long long)head->id, (unsigned long long)head->written,
             (unsigned long long)head->dropped, link);
}

static bool hex_take(struct text digits, unsigned char *out, size_t bytes)
{
    if (digits.length != 2 * bytes || !hex_is(digits)) {
        return false;
    }
    hex_parse(digits, (char *)out);
    return true;
}

bool audit_head_parse(struct text text, struct store_audit_head *out,
                      unsigned char out_incarnation[16])
{
    struct text words[7];
    int64_t numbers[3];

    text = text_trim(text);
    for (size_t i = 0; i < 7; i++) {
        words[i] = text_slice(text, 0, text_find_byte(text, ' '));
        text = text_slice(text, words[i].length + 1, text.length);
    }
    for (size_t i = 0; i < 3; i++) {
        if (!text_parse_int64(words[3 + i], &numbers[i]) || numbers[i] < 0) {
            return false;
        }
    }
    *out = (struct store_audit_head){ .id = (uint64_t)numbers[0],
                                      .written = (uint64_t)numbers[1],
                                      .dropped = (uint64_t)numbers[2] };
    return text_is(words[0], "reeve-audit") && text_is(words[1], "1") &&
           hex_take(words[2], out_incarnation, 16) &&
           hex_take(words[6], out->link, sizeof(out->link));
}

/* ---- the head in meta ---- */

const char audit_get_sql[] = "SELECT value,checksum FROM meta WHERE name='" META_AUDIT "'";
const char audit_put_sql[] =
    "INSERT INTO meta(name,value,checksum) VALUES('" META_AUDIT
    "',?1,?2) ON CONFLICT(name) DO UPDATE SET value=excluded.value,checksum=excluded.checksum";

/* Reads the head with a statement of audit_get_sql. Resets the statement. */
static bool head_step(sqlite3_stmt *statement, struct store_audit_head *out)
{
    int code = sqlite3_step(statement);
    bool is_good = code == SQLITE_DONE;

    *out = (struct store_audit_head){ 0 };
    if (code == SQLITE_ROW) {
        struct text bytes = column_text(statement, 0);
        const unsigned char *at = (const unsigned char *)bytes.data;

        is_good = bytes.length == HEAD_BYTES &&
                  meta_checksum(TEXT(META_AUDIT), bytes, 0) == column_number(statement, 1);
        if (is_good) {
            out->id = sqlite_audit_number_read(at);
            out->written = sqlite_audit_number_read(at + 8);
            out->dropped = sqlite_audit_number_read(at + 16);
            memcpy(out->link, at + 24, sizeof(out->link));
        }
    }
    sqlite3_reset(statement);
    return is_good;
}

bool audit_head_get(sqlite3 *handle, struct store_audit_head *out)
{
    sqlite3_stmt *statement = NULL;
    bool is_good = sqlite3_prepare_v2(handle, audit_get_sql, -1, &statement, NULL) == SQLITE_OK &&
                   head_step(statement, out);

    sqlite3_finalize(statement);
    return is_good;
}

bool sqlite_db_audit_begin(struct sqlite_db *db)
{
    return head_step(statement_start(db, SQL_AUDIT_GET), &db->audit);
}

bool sqlite_db_audit_end(struct sqlite_db *db)
{
    const struct store_audit_head *head = &db->audit;
    sqlite3_stmt *statement = statement_start(db, SQL_AUDIT_PUT);
    unsigned char bytes[HEAD_BYTES];
    struct text text = { (const char *)bytes, sizeof(bytes) };

    number_write(bytes, head->id);
    number_write(bytes + 8, head->written);
    number_write(bytes + 16, head->dropped);
    memcpy(bytes + 24, head->link, sizeof(head->link));
    statement_bind_text(statement, 1, text);
    statement_bind_number(statement, 2, meta_checksum(TEXT(META_AUDIT), text, 0));
    return statement_run(db, SQL_AUDIT_PUT);
}

/* ---- checking ---- */

struct audit_walk {
    uint64_t count;
    uint64_t gaps;    /* number of rows whose previous link differs from the link of the row before
                       * them */
    uint64_t changed; /* number of rows whose content does not match their link */
    uint64_t id;      /* id of the last row */
    unsigned char link[STORE_AUDIT_LINK_BYTES];
    bool has_file_row; /* the event in the file exists and has that link */
};

static void sqlite_audit_row_take(struct audit_walk *walk, sqlite3_stmt *handle, bool is_deep,
                                  const struct store_audit_head *file)
{
    struct store_event event;
    struct audit_mark mark;
    uint64_t id = column_number(handle, 0);

    if (sqlite3_column_type(handle, 1) != SQLITE_BLOB ||
        !audit_mark_parse(column_text(handle, 1), &mark)) {
        return;
    }
    walk->gaps += walk->count > 0 && memcmp(mark.before, walk->link, sizeof(walk->link)) != 0;
    if (is_deep) {
        event = (struct store_event){ .cluster = column_text(handle, 2),
                                      .number = column_number(handle, 3),
                                      .time_ms = column_number(handle, 4),
                                      .body = column_text(handle, 5) };
        walk->changed += !audit_mark_fits(&mark, &event, id);
    }
    walk->has_file_row = walk->has_file_row ||
                         (id == file->id && memcmp(mark.link, file->link, sizeof(mark.link)) == 0);
    walk->count++;
    walk->id = id;
    memcpy(walk->link, mark.link, sizeof(walk->link));
}

/* Compares the file with the chain and returns the error; empty: none. The file is ignored if it
 * has another incarnation, or is older than the last dropping of events. */
static const char *file_judge(const struct audit_walk *walk, const struct store_audit_head *head,
                              const struct store_audit_head *file)
{
    return file->written == 0 || (file->dropped != head->dropped && !walk->has_file_row) ? ""
           : file->written > head->written
               ? "the store has fewer events than the audit file beside it records"
           : !walk->has_file_row ? "the event in the audit file next to the store is missing"
                                 : "";
}

static void walk_judge(const struct audit_walk *walk, const struct store_audit_head *head,
                       const struct store_audit_head *file, char out_what[static 160])
{
    uint64_t wanted = head->written - head->dropped;

    if (walk->count < wanted) {
        snprintf(out_what, 160, "%llu of %llu events are missing",
                 (unsigned long long)(wanted - walk->count), (unsigned long long)wanted);
    } else if (walk->count > wanted) {
        snprintf(out_what, 160, "there are %llu more events than were written",
                 (unsigned long long)(walk->count - wanted));
    } else if (walk->count > 0 &&
               (walk->id != head->id || memcmp(walk->link, head->link, sizeof(walk->link)) != 0)) {
        snprintf(out_what, 160, "the newest event is not the one that was written last");
    } else if (walk->gaps > 0 && head->dropped == 0) {
        snprintf(out_what, 160, "%llu events do not follow the one before them",
                 (unsigned long long)walk->gaps);
    } else if (walk->changed > 0) {
        snprintf(out_what, 160, "%llu events differ from what was written",
                 (unsigned long long)walk->changed);
    } else {
        snprintf(out_what, 160, "%s", file_judge(walk, head, file));
    }
}

bool audit_check(sqlite3 *handle, struct text file, const unsigned char incarnation[16],
                 bool is_deep, char out_what[static 160])
{
    const char *sql = is_deep ? "SELECT id,checksum,cluster,number,time_ms,body FROM events "
                                "ORDER BY id"
                              : "SELECT id,checksum FROM events ORDER BY id";
    struct store_audit_head beside = { 0 };
    unsigned char life[16];
    struct store_audit_head head;
    struct audit_walk walk = { 0 };
    sqlite3_stmt *statement = NULL;
    int code;

    out_what[0] = '\0';
    if (!audit_head_get(handle, &head)) {
        snprintf(out_what, 160, "the head of the chain differs from what was written");
        return true;
    }
    if (!audit_head_parse(file, &beside, life) || memcmp(life, incarnation, 16) != 0) {
        beside = (struct store_audit_head){ 0 };
    }
    code = sqlite3_prepare_v2(handle, sql, -1, &statement, NULL);
    code = code == SQLITE_OK ? sqlite3_step(statement) : code;
    while (code == SQLITE_ROW) {
        sqlite_audit_row_take(&walk, statement, is_deep, &beside);
        code = sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) {
        return false;
    }
    walk_judge(&walk, &head, &beside, out_what);
    return true;
}

/* ---- the file next to the database ---- */

/* Reads PATH-audit into a buffer; empty if there is none. */
static struct text sqlite_audit_file_read(const char *path, char out[static AUDIT_TEXT_BYTES])
{
    char name[LIMIT_PATH_BYTES + sizeof("-audit")];
    AUTO(fd) fd = FD_NONE;
    ssize_t bytes;

    if ((size_t)snprintf(name, sizeof(name), "%s-audit", path) >= sizeof(name)) {
        return TEXT("");
    }
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bytes = fd < 0 ? 0 : read(fd, out, AUDIT_TEXT_BYTES);
    return (struct text){ out, bytes > 0 ? (size_t)bytes : 0 };
}

/* Writes the file in place without a sync. The file is never newer than the database, whose commit
 * was synced before. A file that is incomplete after a power loss counts as missing. */
static bool sqlite_audit_file_write(const char *path, const char *text)
{
    char name[LIMIT_PATH_BYTES + sizeof("-audit")];
    AUTO(fd) fd = FD_NONE;
    size_t bytes = strlen(text);

    if ((size_t)snprintf(name, sizeof(name), "%s-audit", path) >= sizeof(name)) {
        return false;
    }
    fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd >= 0 && pwrite(fd, text, bytes, 0) == (ssize_t)bytes &&
           ftruncate(fd, (off_t)bytes) == 0;
}

/* ---- of a connection ---- */

const char *sqlite_db_audit_fault(const struct sqlite_db *db)
{
    return db->audit_fault;
}

void sqlite_db_audit(struct sqlite_db *db, struct arena *arena, struct text path, bool is_deep,
                     struct sqlite_result *result, struct store_answer *answer)
{
    struct store_audit *audit = arena_one(arena, struct store_audit);
    char *line = arena_alloc(arena, AUDIT_TEXT_BYTES);
    char *fault = arena_alloc(arena, 160);
    char file[AUDIT_TEXT_BYTES];
    struct sqlite_figures figures = { 0 };
    bool is_good = statement_do(db, SQL_BEGIN_READ) &&
                   sqlite_db_figures(db, &figures, &result->err) &&
                   audit_head_get(db->handle, &audit->head) &&
                   audit_check(db->handle, sqlite_audit_file_read(arena_string(arena, path), file),
                               figures.incarnation, is_deep, fault);

    result->outcome = OUTCOME_OK;
    if (!is_good) {
        result_fail(db, result);
        transaction_rollback(db);
        return;
    }
    transaction_rollback(db);
    audit_head_format(&audit->head, figures.incarnation, line);
    line[strcspn(line, "\n")] = '\0';
    audit->line = line;
    audit->fault = fault;
    answer->audit = audit;
    answer->revision = figures.revision;
}

void sqlite_db_audit_look(struct sqlite_db *db, const char *path)
{
    struct sqlite_figures figures = { 0 };
    char file[AUDIT_TEXT_BYTES];
    struct err err;

    if (!sqlite_db_figures(db, &figures, &err) ||
        !audit_check(db->handle, sqlite_audit_file_read(path, file), figures.incarnation, false,
                     db->audit_fault)) {
        db->audit_fault[0] = '\0'; /* other reads report read errors */
    }
}

void sqlite_db_audit_note(struct sqlite_db *db, const char *path, uint64_t *written)
{
    struct sqlite_figures figures = { 0 };
    struct store_audit_head head;
    char line[AUDIT_TEXT_BYTES];
    struct err err;

    /* an error that was found when the store was opened is kept */
    if (db->audit_fault[0] != '\0' || !audit_head_get(db->handle, &head) ||
        head.written == *written || !sqlite_db_figures(db, &figures, &err)) {
        return;
    }
    audit_head_format(&head, figures.incarnation, line);
    if (sqlite_audit_file_write(path, line)) {
        *written = head.written;
    }
}

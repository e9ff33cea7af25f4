#include "sqlite/sqlite_wal.h"

#include "base/limits.h"
#include "base/mem.h"
#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_file.h"

#include <sqlite3.h>
#include <string.h>

/* The format of the WAL: https://www.sqlite.org/fileformat2.html section 4.
 *
 * Normally, the header of the WAL is that in the note, and the frames are valid at least up to the
 * noted number. Other cases:
 *   same header, fewer frames   damage: the frames were synced before they were noted
 *   another valid header        SQLite has restarted the WAL, which requires that everything is
 *                               synced to the database; it must have the noted revision
 *   no WAL                      it was closed; the same as for another valid header
 *   invalid header              torn while the WAL was restarted, or zeros of the extension; then
 *                               the old frames are still valid, or there are none, and the database
 *                               has all of them; otherwise it is damage */

enum {
    HEADER_BYTES = 32,
    SALT_AT = 16, /* position of the salt in the header; each frame has the same bytes */
    SALT_BYTES = 8,
    SUMMED_BYTES = 24, /* bytes of the header that its checksum covers */
    FRAME_BYTES = 24,
    PAGE_BYTES_MAX = 65536,
    PAGE_BYTES_USUAL = 4096,
    NOTE_BYTES = 64,
};

static const uint32_t wal_magic = 0x377f0682; /* the lowest bit selects big-endian checksums */
static const uint64_t image_bytes_max = (uint64_t)1 << 31;

struct note {
    unsigned char header[HEADER_BYTES];
    uint64_t frames;
    uint64_t revision;
};

struct sqlite_wal {
    struct arena *arena;
    sqlite3_vfs *vfs;
    const char *path;
    const char *log_path;
    const char *note_path;
    struct sqlite_file *database; /* opened only during the check; otherwise NULL */
    struct sqlite_file *log;      /* WAL file; like `note`, it is opened at its first use */
    struct sqlite_file *note;
};

struct sum {
    uint32_t a;
    uint32_t b;
};

/* Result of reading the frames. */
struct walk {
    uint32_t page_bytes;
    uint32_t frames;     /* number of frames up to the last commit, which is included */
    uint32_t page_count; /* number of pages in the database after that commit */
};

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t little_endian(const unsigned char *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

/* Continues a checksum. The number of bytes is a multiple of 8. */
static struct sum sum_over(struct sum sum, const unsigned char *data, size_t bytes,
                           bool is_big_endian)
{
    for (size_t i = 0; i < bytes; i += 8) {
        sum.a += (is_big_endian ? big_endian : little_endian)(data + i) + sum.b;
        sum.b += (is_big_endian ? big_endian : little_endian)(data + i + 4) + sum.a;
    }
    return sum;
}

static bool sum_is(struct sum sum, const unsigned char *at)
{
    return sum.a == big_endian(at) && sum.b == big_endian(at + 4);
}

static bool header_is_valid(const unsigned char *header)
{
    uint32_t magic = big_endian(header);
    uint32_t page_bytes = big_endian(header + 8);

    return (magic & ~1U) == wal_magic && page_bytes >= 512 && page_bytes <= PAGE_BYTES_MAX &&
           (page_bytes & (page_bytes - 1)) == 0 &&
           sum_is(sum_over((struct sum){ 0 }, header, SUMMED_BYTES, magic & 1),
                  header + SUMMED_BYTES);
}

static uint64_t frame_offset(const struct walk *walk, uint32_t frame)
{
    return HEADER_BYTES + (uint64_t)frame * (FRAME_BYTES + walk->page_bytes);
}

/* Reads the frames that follow a valid header, up to the first invalid frame. */
static struct walk frames_walk(struct sqlite_file *log, const unsigned char *header)
{
    unsigned char frame[FRAME_BYTES + PAGE_BYTES_MAX];
    struct walk walk = { .page_bytes = big_endian(header + 8) };
    bool is_big_endian = big_endian(header) & 1;
    struct sum sum = { big_endian(header + SUMMED_BYTES), big_endian(header + SUMMED_BYTES + 4) };

    for (uint32_t i = 0;
         sqlite_file_read(log, frame, FRAME_BYTES + walk.page_bytes, frame_offset(&walk, i)); i++) {
        sum = sum_over(sum, frame, 8, is_big_endian);
        sum = sum_over(sum, frame + FRAME_BYTES, walk.page_bytes, is_big_endian);
        if (big_endian(frame) == 0 || memcmp(frame + 8, header + SALT_AT, SALT_BYTES) != 0 ||
            !sum_is(sum, frame + SALT_AT)) {
            break;
        }
        if (big_endian(frame + 4) != 0) {
            walk.frames = i + 1;
            walk.page_count = big_endian(frame + 4);
        }
    }
    return walk;
}

/* Returns for each page the index + 1 of the frame with its newest content; 0: no frame has the
 * page. */
static uint32_t *frames_by_page(struct sqlite_wal *wal, const struct walk *walk)
{
    uint32_t *by_page = arena_array(wal->arena, uint32_t, (size_t)walk->page_count + 1);
    unsigned char head[FRAME_BYTES];

    for (uint32_t i = 0; i < walk->frames; i++) {
        if (sqlite_file_read(wal->log, head, sizeof(head), frame_offset(walk, i)) &&
            big_endian(head) <= walk->page_count) {
            by_page[big_endian(head)] = i + 1;
        }
    }
    return by_page;
}

/* Reads a page in its newest state: from the newest frame with it, or from the database file. */
MUST_CHECK static bool sqlite_wal_page_read(struct sqlite_wal *wal, const struct walk *walk,
                                            const uint32_t *by_page, uint64_t page,
                                            unsigned char *out)
{
    return by_page[page] == 0
               ? sqlite_file_read(wal->database, out, walk->page_bytes,
                                  (page - 1) * walk->page_bytes)
               : sqlite_file_read(wal->log, out, walk->page_bytes,
                                  frame_offset(walk, by_page[page] - 1) + FRAME_BYTES);
}

/* Returns whether the database file contains the newest content of every page in the frames. */
static bool frames_are_in_database(struct sqlite_wal *wal, const struct walk *walk)
{
    unsigned char *here = arena_alloc(wal->arena, walk->page_bytes);
    unsigned char *there = arena_alloc(wal->arena, walk->page_bytes);
    const uint32_t *by_page;

    if (walk->page_count > sqlite_file_bytes(wal->database) / walk->page_bytes) {
        return false; /* this also prevents that the page table gets larger than the file permits */
    }
    by_page = frames_by_page(wal, walk);
    for (uint64_t page = 1; page <= walk->page_count; page++) {
        if (by_page[page] != 0 && (!sqlite_file_read(wal->database, here, walk->page_bytes,
                                                     (page - 1) * walk->page_bytes) ||
                                   !sqlite_wal_page_read(wal, walk, by_page, page, there) ||
                                   memcmp(here, there, walk->page_bytes) != 0)) {
            return false;
        }
    }
    return true;
}

/* Returns the revision in the image of a database; 0 if the image is incomplete. Frees the
 * image. */
static uint64_t image_revision(unsigned char *image, uint64_t bytes)
{
    sqlite3 *handle = NULL;
    struct sqlite_report report = { 0 };
    struct err err;

    if (sqlite3_open(":memory:", &handle) != SQLITE_OK) {
        sqlite3_free(image);
    } else if (sqlite3_deserialize(
                   handle, "main", image, (sqlite3_int64)bytes, (sqlite3_int64)bytes,
                   SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) != SQLITE_OK ||
               !sqlite_check(handle, &report, &err)) {
        report.revision = 0;
    }
    sqlite3_close(handle);
    return report.revision;
}

/* Returns the revision of the database with these frames applied. Uses a copy in memory. */
static uint64_t walk_revision(struct sqlite_wal *wal, const struct walk *walk)
{
    const uint32_t *by_page;
    unsigned char *image;
    uint64_t bytes = (uint64_t)walk->page_count * walk->page_bytes;

    if (bytes == 0 || bytes > image_bytes_max || (image = sqlite3_malloc64(bytes)) == NULL) {
        return 0;
    }
    memset(image, 0, bytes);
    by_page = frames_by_page(wal, walk);
    for (uint64_t page = 1; page <= walk->page_count; page++) {
        if (!sqlite_wal_page_read(wal, walk, by_page, page,
                                  image + (page - 1) * walk->page_bytes)) {
            sqlite3_free(image);
            return 0;
        }
    }
    image[18] = 1; /* a database in memory has no WAL */
    image[19] = 1;
    return image_revision(image, bytes);
}

static void note_sum(const unsigned char *bytes, unsigned char out[8])
{
    uint64_t sum = text_hash((struct text){ (const char *)bytes, NOTE_BYTES - 8 }, 0);

    memcpy(out, &sum, sizeof(sum));
}

/* Reads the note. An invalid note is ignored: it was truncated by a power loss, or is damaged. */
static bool note_read(struct sqlite_file *file, struct note *out)
{
    unsigned char bytes[NOTE_BYTES];
    unsigned char sum[8];

    if (!sqlite_file_read(file, bytes, sizeof(bytes), 0)) {
        return false;
    }
    note_sum(bytes, sum);
    memcpy(out->header, bytes, HEADER_BYTES);
    memcpy(&out->frames, bytes + HEADER_BYTES, 8);
    memcpy(&out->revision, bytes + HEADER_BYTES + 8, 8);
    return memcmp(sum, bytes + NOTE_BYTES - 8, sizeof(sum)) == 0 && header_is_valid(out->header);
}

struct sqlite_wal *sqlite_wal_new(sqlite3_vfs *vfs, const char *path)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_wal *wal = arena_one(arena, struct sqlite_wal);

    *wal = (struct sqlite_wal){
        .arena = arena,
        .vfs = vfs,
        .path = arena_string(arena, text_from(path)),
        .log_path = arena_printf(arena, "%s-wal", path).data,
        .note_path = arena_printf(arena, "%s-note", path).data,
    };
    return wal;
}

static void files_close(struct sqlite_wal *wal)
{
    sqlite_file_close(wal->database);
    sqlite_file_close(wal->log);
    sqlite_file_close(wal->note);
    wal->database = NULL;
    wal->log = NULL;
    wal->note = NULL;
}

void sqlite_wal_free(struct sqlite_wal *wal)
{
    if (wal != NULL) {
        files_close(wal);
        arena_free(wal->arena);
    }
}

MUST_CHECK static bool damage(uint64_t revision, struct err *err)
{
    if (revision == 0) {
        return err_set(err, CODE_R0506,
                       "the write-ahead log is damaged; its last good revision is unknown");
    }
    return err_set(err, CODE_R0506, "the write-ahead log is damaged after revision %llu",
                   (unsigned long long)revision);
}

/* Checks whether an invalid header of the WAL can be the result of a power loss. */
MUST_CHECK static bool torn_header_check(struct sqlite_wal *wal, const struct note *note,
                                         struct err *err)
{
    struct walk walk = frames_walk(wal->log, note->header);

    if (walk.frames >= note->frames && !frames_are_in_database(wal, &walk)) {
        return damage(note->revision, err);
    }
    return true;
}

/* Compares the note with the files. The caller must check for read errors. */
MUST_CHECK static bool files_check(struct sqlite_wal *wal, uint64_t *out_revision, struct err *err)
{
    unsigned char header[HEADER_BYTES];
    struct note note;
    struct walk walk;
    bool has_note = note_read(wal->note, &note);
    bool has_log = sqlite_file_read(wal->log, header, sizeof(header), 0);

    if (!sqlite_file_is_there(wal->database) && (has_note || has_log)) {
        return err_set(err, CODE_R0506, "the database file '%s' is missing or empty", wal->path);
    }
    *out_revision = has_note ? note.revision : 0;
    if (!has_note || !has_log) {
        return true; /* the caller checks the required revision after it has opened the database */
    }
    if (!header_is_valid(header)) {
        return torn_header_check(wal, &note, err);
    }
    if (memcmp(header, note.header, HEADER_BYTES) != 0) {
        return true; /* SQLite has restarted the WAL since the note was written */
    }
    walk = frames_walk(wal->log, header);
    if (walk.frames == 0) {
        walk.page_count = (uint32_t)(sqlite_file_bytes(wal->database) / walk.page_bytes);
    }
    return walk.frames >= note.frames || damage(walk_revision(wal, &walk), err);
}

bool sqlite_wal_check(struct sqlite_wal *wal, uint64_t *out_revision, struct err *err)
{
    bool is_good;

    files_close(wal);
    wal->database = sqlite_file_open(wal->vfs, wal->path, false);
    wal->log = sqlite_file_open(wal->vfs, wal->log_path, false);
    wal->note = sqlite_file_open(wal->vfs, wal->note_path, false);
    is_good = files_check(wal, out_revision, err);
    if (sqlite_file_has_failed(wal->database) || sqlite_file_has_failed(wal->log) ||
        sqlite_file_has_failed(wal->note)) {
        is_good = err_set(err, CODE_R0521, "the store at '%s' cannot be read", wal->path);
    }
    files_close(wal);
    return is_good;
}

/* Reads the valid frames with the header of the WAL or, if that is incomplete, with the header in
 * the note. */
static struct walk newest_walk(struct sqlite_wal *wal)
{
    struct walk walk = { .page_bytes = PAGE_BYTES_USUAL };
    unsigned char header[HEADER_BYTES];
    struct note note;
    bool has_note = note_read(wal->note, &note);

    if (sqlite_file_read(wal->log, header, sizeof(header), 0)) {
        if (header_is_valid(header)) {
            walk = frames_walk(wal->log, header);
        } else if (has_note) {
            walk = frames_walk(wal->log, note.header);
        }
    }
    if (walk.frames == 0) {
        walk.page_count = (uint32_t)(sqlite_file_bytes(wal->database) / walk.page_bytes);
    }
    return walk;
}

unsigned char *sqlite_wal_image(struct sqlite_wal *wal, uint64_t *out_bytes)
{
    unsigned char *image = NULL;
    const uint32_t *by_page;
    struct walk walk;

    files_close(wal);
    wal->database = sqlite_file_open(wal->vfs, wal->path, false);
    wal->log = sqlite_file_open(wal->vfs, wal->log_path, false);
    wal->note = sqlite_file_open(wal->vfs, wal->note_path, false);
    walk = newest_walk(wal);
    *out_bytes = (uint64_t)walk.page_count * walk.page_bytes;
    if (*out_bytes > 0 && *out_bytes <= image_bytes_max && walk.page_bytes == PAGE_BYTES_USUAL) {
        image = sqlite3_malloc64(*out_bytes);
    }
    if (image != NULL) {
        memset(image, 0, *out_bytes);
        by_page = frames_by_page(wal, &walk);
        for (uint64_t page = 1; page <= walk.page_count; page++) {
            (void)!sqlite_wal_page_read(wal, &walk, by_page, page,
                                        image + (page - 1) * walk.page_bytes);
        }
    }
    files_close(wal);
    return image;
}

bool sqlite_wal_renew(struct sqlite_wal *wal, struct err *err)
{
    struct sqlite_file *log;
    bool is_good;

    if (!sqlite_wal_is_there(wal)) {
        return true;
    }
    log = sqlite_file_open(wal->vfs, wal->log_path, true);
    is_good = sqlite_file_rewrite(log);
    sqlite_file_close(log);
    return is_good ||
           err_set(err, CODE_R0505, "the write-ahead log of '%s' cannot be written", wal->path);
}

bool sqlite_wal_lengthen(struct sqlite_wal *wal, struct err *err)
{
    struct sqlite_file *log = sqlite_file_open(wal->vfs, wal->log_path, true);
    bool is_good = sqlite_file_lengthen(log, HEADER_BYTES + (uint64_t)SQLITE_WAL_FRAMES_AHEAD *
                                                                (FRAME_BYTES + PAGE_BYTES_USUAL));

    sqlite_file_close(log);
    return is_good ||
           err_set(err, CODE_R0505, "the write-ahead log of '%s' cannot be written", wal->path);
}

bool sqlite_wal_is_there(struct sqlite_wal *wal)
{
    struct sqlite_file *log = sqlite_file_open(wal->vfs, wal->log_path, false);
    bool is_there = sqlite_file_is_there(log);

    sqlite_file_close(log);
    return is_there;
}

void sqlite_wal_note(struct sqlite_wal *wal, uint32_t frames, uint64_t revision)
{
    unsigned char bytes[NOTE_BYTES] = { 0 };
    uint64_t frames_wide = frames;

    if (wal->log == NULL || sqlite_file_has_failed(wal->log) || sqlite_file_has_failed(wal->note)) {
        files_close(wal);
        wal->log = sqlite_file_open(wal->vfs, wal->log_path, false);
        wal->note = sqlite_file_open(wal->vfs, wal->note_path, true);
    }
    if (!sqlite_file_read(wal->log, bytes, HEADER_BYTES, 0)) {
        return;
    }
    memcpy(bytes + HEADER_BYTES, &frames_wide, 8);
    memcpy(bytes + HEADER_BYTES + 8, &revision, 8);
    note_sum(bytes, bytes + NOTE_BYTES - 8);
    (void)!sqlite_file_write(wal->note, bytes, sizeof(bytes), 0);
}

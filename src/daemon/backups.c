#include "daemon/backups.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "codec/doc.h"
#include "moving/backup_file.h"
#include "moving/snapshot.h"
#include "sqlite/sqlite.h"
#include "sys/digest.h"
#include "sys/fd.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The store writes FOLDER/NAME.making in a separate thread. Then the loop computes the digest, one
 * piece per iteration, so that other work is not delayed. Finally the trailer is added, the file is
 * synced, and it gets its final name. */

enum {
    PIECE_BYTES = 256 * 1024, /* number of bytes added to the digest in one iteration */
    READ_BYTES = 1024 * 1024, /* bytes in one answer */
    NAME_BYTES = 80,
    PATH_BYTES = 4096,
    RETRY_MS = 60 * 1000, /* delay after a scheduled backup that failed */
};

static const char making_suffix[] = ".making";
static const char suffix[] = ".reevebackup";

/* A request that waits for a backup. */
struct waiter {
    struct waiter *next;
    void (*done)(void *arg, const struct doc *doc, const struct err *err);
    void *arg;
};

struct backups {
    struct backups_options options;
    uint64_t due_ms; /* time of the next scheduled backup; UINT64_MAX: none */
    struct waiter *waiters;
    bool is_making;
    bool is_closed;
    /* names of the backup in progress: final and temporary */
    char name[NAME_BYTES];
    char making[PATH_BYTES];
    char path[PATH_BYTES];
    int file;
    int64_t created_ms;
    uint64_t revision;
    uint64_t bytes;
    uint64_t digested;
    struct digest_stream *stream;
    struct loop_task *task;
    struct snapshot *snapshot; /* snapshot of a store in etcd; NULL: none was made yet */
};

struct backups *backups_new(const struct backups_options *options)
{
    struct backups *backups = rows_resize(NULL, sizeof(*backups));

    assert(options->keep > 0);
    *backups = (struct backups){ .options = *options, .file = FD_NONE, .due_ms = UINT64_MAX };
    if (options->every_ms > 0) {
        uint64_t first =
            options->first_ms < options->every_ms ? options->first_ms : options->every_ms;

        backups->due_ms = clock_monotonic_ms(options->clock) + first;
    }
    return backups;
}

static void making_drop(struct backups *backups)
{
    char sha256[DIGEST_TEXT_BYTES];

    if (backups->stream != NULL) {
        digest_stream_end(backups->stream, sha256);
        backups->stream = NULL;
    }
    if (backups->task != NULL) {
        loop_task_cancel(backups->task);
        backups->task = NULL;
    }
    if (backups->file >= 0) {
        close(backups->file);
        backups->file = FD_NONE;
    }
    if (backups->making[0] != '\0') {
        unlink(backups->making);
    }
    backups->is_making = false;
}

void backups_stop(struct backups *backups)
{
    if (backups == NULL) {
        return;
    }
    backups->is_closed = true;
    snapshot_close(backups->snapshot);
    backups->snapshot = NULL;
    making_drop(backups);
    while (backups->waiters != NULL) {
        struct waiter *waiter = backups->waiters;

        backups->waiters = waiter->next;
        rows_free(waiter);
    }
}

void backups_free(struct backups *backups)
{
    rows_free(backups);
}

/* ---- files of the folder ---- */

struct backup_entry {
    char name[NAME_BYTES];
    uint64_t bytes;
    uint64_t revision;
    struct text created;
};

static bool is_backup_name(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == 'T' ||
              c == 'Z' || c == '.')) {
            return false;
        }
    }
    return name.length < NAME_BYTES && text_has_prefix(name, TEXT("backup-")) &&
           text_has_suffix(name, text_from(suffix));
}

/* Parses a name such as backup-20261126T140000Z-812.reevebackup; names sort by their time. */
static bool entry_read(struct arena *arena, const char *folder, struct text name,
                       struct backup_entry *out)
{
    struct text rest = text_slice(name, strlen("backup-"), SIZE_MAX);
    size_t dash = text_find_byte(rest, '-');
    int64_t revision = 0;
    struct stat stat_of;

    if (!is_backup_name(name) || dash == SIZE_MAX ||
        !text_parse_int64(text_slice(rest, dash + 1, rest.length - dash - 1 - strlen(suffix)),
                          &revision) ||
        stat(arena_printf(arena, "%s/%.*s", folder, TEXT_ARG(name)).data, &stat_of) != 0 ||
        !S_ISREG(stat_of.st_mode)) {
        return false;
    }
    *out = (struct backup_entry){ .bytes = (uint64_t)stat_of.st_size,
                                  .revision = (uint64_t)revision,
                                  .created = arena_text(arena, text_slice(rest, 0, dash)) };
    snprintf(out->name, sizeof(out->name), "%.*s", TEXT_ARG(name));
    return true;
}

static int backups_entry_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return -strcmp(((const struct backup_entry *)a)->name, ((const struct backup_entry *)b)->name);
}

/* Reads the list of backups, newest first. */
static size_t backups_entries_read(struct arena *arena, const char *folder,
                                   struct backup_entry **out)
{
    DIR *dir = opendir(folder);
    struct backup_entry *entries = arena_array(arena, struct backup_entry, LIMIT_BACKUPS);
    size_t count = 0;

    *out = entries;
    if (dir == NULL) {
        return 0;
    }
    for (struct dirent *one = readdir(dir); one != NULL && count < LIMIT_BACKUPS;
         one = readdir(dir)) {
        count += entry_read(arena, folder, text_from(one->d_name), &entries[count]);
    }
    closedir(dir);
    sort_stable(arena, entries, count, sizeof(*entries), backups_entry_compare, NULL);
    return count;
}

/* Removes backups beyond the number to keep, and incomplete files of a manager that was killed. */
static void old_remove(struct backups *backups)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const char *folder = backups->options.folder;
    struct backup_entry *entries;
    size_t count = backups_entries_read(arena, folder, &entries);
    DIR *dir;

    for (size_t i = backups->options.keep; i < count; i++) {
        unlink(arena_printf(arena, "%s/%s", folder, entries[i].name).data);
    }
    dir = opendir(folder);
    for (struct dirent *one = dir == NULL ? NULL : readdir(dir); one != NULL; one = readdir(dir)) {
        struct text name = text_from(one->d_name);

        if (text_has_prefix(name, TEXT("backup-")) &&
            memmem(name.data, name.length, making_suffix, strlen(making_suffix)) != NULL) {
            unlink(arena_printf(arena, "%s/%.*s", folder, TEXT_ARG(name)).data);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

/* ---- making a backup ---- */

/* Describes a backup. `sha256` may be NULL: it is known only directly after the backup was made,
 * because later the whole file would have to be read. */
static struct doc backup_doc(struct arena *arena, const struct backup_entry *entry,
                             const char *sha256)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)entry->bytes, NULL));
    doc_builder_put(&builder, "created", doc_text(entry->created, NULL));
    doc_builder_put(&builder, "name", doc_text(arena_text(arena, text_from(entry->name)), NULL));
    doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)entry->revision, NULL));
    if (sha256 != NULL) {
        doc_builder_put(&builder, "sha256", doc_text(arena_text(arena, text_from(sha256)), NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static void waiters_answer(struct backups *backups, const struct doc *doc, const struct err *err)
{
    struct waiter *waiter = backups->waiters;

    backups->waiters = NULL;
    while (waiter != NULL) {
        struct waiter *next = waiter->next;

        waiter->done(waiter->arg, doc, err);
        rows_free(waiter);
        waiter = next;
    }
}

static void making_fail(struct backups *backups, const struct err *err)
{
    making_drop(backups);
    log_error(backups->options.log, "backups", "not_made", log_string("reason", err->text));
    if (backups->options.every_ms > 0) {
        backups->due_ms = clock_monotonic_ms(backups->options.clock) + RETRY_MS;
    }
    waiters_answer(backups, NULL, err);
}

static void backups_making_refuse(struct backups *backups, const char *what)
{
    struct err err;

    err_set(&err, CODE_R0522, "backup '%s' cannot be made: %s: %s", backups->name, what,
            strerror(errno));
    making_fail(backups, &err);
}

static bool backups_folder_sync(const char *path)
{
    AUTO(fd) folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return folder >= 0 && fsync(folder) == 0;
}

static void making_end(struct backups *backups)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char trailer[BACKUP_TRAILER_BYTES + 1];
    char sha256[DIGEST_TEXT_BYTES];
    struct backup_entry entry;
    struct doc doc;

    digest_stream_end(backups->stream, sha256);
    backups->stream = NULL;
    backup_trailer_format(backups->bytes, sha256, trailer);
    if (pwrite(backups->file, trailer, BACKUP_TRAILER_BYTES, (off_t)backups->bytes) !=
            BACKUP_TRAILER_BYTES ||
        fsync(backups->file) != 0 || rename(backups->making, backups->path) != 0 ||
        !backups_folder_sync(backups->options.folder)) {
        backups_making_refuse(backups, "the file could not be written to the disk");
        return;
    }
    backups->making[0] = '\0';
    making_drop(backups);
    old_remove(backups);
    if (backups->options.every_ms > 0) {
        backups->due_ms = clock_monotonic_ms(backups->options.clock) + backups->options.every_ms;
    }
    log_info(backups->options.log, "backups", "made", log_string("name", backups->name),
             log_int("bytes", (int64_t)backups->bytes),
             log_int("revision", (int64_t)backups->revision));
    if (!entry_read(arena, backups->options.folder, text_from(backups->name), &entry)) {
        backups_making_refuse(backups, "it cannot be read");
        return;
    }
    doc = backup_doc(arena, &entry, sha256);
    waiters_answer(backups, &doc, NULL);
}

static void piece_digest(void *arg)
{
    struct backups *backups = arg;
    char piece[PIECE_BYTES];
    uint64_t left = backups->bytes - backups->digested;
    ssize_t count;
    struct err err;

    backups->task = NULL;
    if (left == 0) {
        making_end(backups);
        return;
    }
    count = pread(backups->file, piece, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES,
                  (off_t)backups->digested);
    if (count <= 0) {
        backups_making_refuse(backups, "the written file cannot be read");
        return;
    }
    digest_stream_add(backups->stream, (struct text){ piece, (size_t)count });
    backups->digested += (uint64_t)count;
    if (!loop_task_open(backups->options.loop, piece_digest, backups, &backups->task, &err)) {
        making_fail(backups, &err);
    }
}

static void store_copied(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct backups *backups = arg;
    struct stat stat;

    if (backups->is_closed) {
        return;
    }
    if (outcome != OUTCOME_OK) {
        making_fail(backups, &answer->err);
        return;
    }
    backups->revision = answer->revision;
    snprintf(backups->name + strlen(backups->name), NAME_BYTES - strlen(backups->name), "-%llu%s",
             (unsigned long long)answer->revision, suffix);
    if ((size_t)snprintf(backups->path, sizeof(backups->path), "%s/%s", backups->options.folder,
                         backups->name) >= sizeof(backups->path)) {
        errno = ENAMETOOLONG;
        backups_making_refuse(backups, "its path");
        return;
    }
    backups->file = open(backups->making, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (backups->file < 0 || fstat(backups->file, &stat) != 0) {
        backups_making_refuse(backups, "the file cannot be opened");
        return;
    }
    backups->bytes = (uint64_t)stat.st_size;
    backups->digested = 0;
    backups->stream = digest_stream_new();
    piece_digest(backups);
}

static void backups_making_begin(struct backups *backups)
{
    time_t now = (time_t)(clock_wall_ms(backups->options.clock) / 1000);
    struct tm utc;
    struct err err;

    gmtime_r(&now, &utc);
    strftime(backups->name, sizeof(backups->name), "backup-%Y%m%dT%H%M%SZ", &utc);
    backups->is_making = true;
    backups->making[0] = '\0';
    if (mkdir(backups->options.folder, 0700) != 0 && errno != EEXIST) {
        backups_making_refuse(backups, backups->options.folder);
        return;
    }
    old_remove(backups);
    if ((size_t)snprintf(backups->making, sizeof(backups->making), "%s/%s%s",
                         backups->options.folder, backups->name,
                         making_suffix) >= sizeof(backups->making)) {
        backups->making[0] = '\0';
        errno = ENAMETOOLONG;
        backups_making_refuse(backups, "its path");
        return;
    }
    if (backups->options.etcd == NULL) {
        sqlite_backup(backups->options.store, backups->making, store_copied, backups);
        return;
    }
    snapshot_close(backups->snapshot);
    backups->snapshot = NULL;
    if (!snapshot_start(backups->options.loop, backups->options.etcd, backups->making, store_copied,
                        backups, &backups->snapshot, &err)) {
        making_fail(backups, &err);
    }
}

void backups_look(struct backups *backups)
{
    if (!backups->is_making && clock_monotonic_ms(backups->options.clock) >= backups->due_ms) {
        backups->due_ms = UINT64_MAX; /* not scheduled until the result is known */
        backups_making_begin(backups);
    }
}

/* ---- for the API ---- */

/* Requests a backup. A backup that is in progress does not satisfy the request, because it began
 * earlier. So another backup is made next, which answers all waiting requests. */
static void backups_make(void *arg,
                         void (*done)(void *done_arg, const struct doc *doc, const struct err *err),
                         void *done_arg)
{
    struct backups *backups = arg;
    struct waiter *waiter;
    struct err err;

    if (backups->is_making) {
        err_set(&err, CODE_R0522, "another backup is being made");
        err_hint(&err, "try again after that: reeve backup FILE");
        done(done_arg, NULL, &err);
        return;
    }
    waiter = rows_resize(NULL, sizeof(*waiter));
    *waiter = (struct waiter){ .done = done, .arg = done_arg };
    backups->waiters = waiter;
    backups_making_begin(backups);
}

static struct doc backups_list(void *arg, struct arena *arena)
{
    const struct backups *backups = arg;
    struct backup_entry *entries;
    size_t count = backups_entries_read(arena, backups->options.folder, &entries);
    struct doc *items = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = backup_doc(arena, &entries[i], NULL);
    }
    return doc_list(items, count, NULL);
}

MUST_CHECK static bool backup_read(void *arg, struct arena *arena, struct text name,
                                   uint64_t offset, struct text *out, struct err *err)
{
    const struct backups *backups = arg;
    AUTO(fd) file = FD_NONE;
    char *bytes;
    ssize_t count;

    if (is_backup_name(name)) {
        file = open(arena_printf(arena, "%s/%.*s", backups->options.folder, TEXT_ARG(name)).data,
                    O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    }
    if (file < 0) {
        return err_set(err, CODE_R0403, "there is no backup '%.*s'", TEXT_ARG(name));
    }
    bytes = arena_alloc(arena, READ_BYTES);
    count = pread(file, bytes, READ_BYTES, (off_t)offset);
    if (count < 0) {
        return err_set(err, CODE_R0522, "backup '%.*s' cannot be read: %s", TEXT_ARG(name),
                       strerror(errno));
    }
    *out = (struct text){ bytes, (size_t)count };
    return true;
}

struct api_backups backups_api(struct backups *backups)
{
    return (struct api_backups){ backups_make, backups_list, backup_read, backups };
}

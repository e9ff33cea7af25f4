#include "journal.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* journal_put() works as follows: KIND/.new-N is written and synced, then renamed to KIND/NAME, and
 * the folder is synced. A kill before the rename leaves .new-N, which journal_open() deletes.
 * Entries are never incomplete, because only a complete file is renamed to its final name.
 *
 * The age of an entry is the age of its file. It survives restarts and needs no format. */

enum { JOURNAL_PATH_BYTES = 4096, JOURNAL_KIND_BYTES = 32 };

#define JOURNAL_PART ".new-"

static void journal_close(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

#define JOURNAL_AUTO_FD __attribute__((cleanup(journal_close))) int

static bool is_journal_kind(const char *kind)
{
    size_t length = strlen(kind);

    return length > 0 && length < JOURNAL_KIND_BYTES &&
           strspn(kind, "abcdefghijklmnopqrstuvwxyz") == length;
}

/* Writes the path of an entry. Special bytes of the name become %XX, so that a name cannot lead out
 * of the folder or look like an unfinished entry. Returns false and sets errno if the name is empty
 * or too long. */
static bool journal_path(const struct journal *journal, const char *kind, struct text name,
                         char out[static JOURNAL_PATH_BYTES])
{
    int length = snprintf(out, JOURNAL_PATH_BYTES, "%s/%s/", journal->folder, kind);
    size_t at = (size_t)length;

    assert(is_journal_kind(kind) && length > 0);
    if (name.length == 0 || name.length > JOURNAL_NAME_BYTES ||
        at + name.length * 3 >= JOURNAL_PATH_BYTES) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 0; i < name.length; i++) {
        unsigned char byte = (unsigned char)name.data[i];

        if ((byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z') ||
            byte == '-' || byte == '_' || (byte == '.' && i > 0)) {
            out[at++] = (char)byte;
        } else {
            at += (size_t)snprintf(out + at, JOURNAL_PATH_BYTES - at, "%%%02x", byte);
        }
    }
    out[at] = '\0';
    return true;
}

/* Syncs a folder, so that the names in it are durable. */
static bool journal_sync_folder(const char *path)
{
    JOURNAL_AUTO_FD fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd >= 0 && fsync(fd) == 0;
}

/* Creates the folder of a kind if it is missing, with a durable name. */
static bool journal_make_kind(const struct journal *journal, const char *path)
{
    if (mkdir(path, 0700) == 0) {
        return journal_sync_folder(journal->folder);
    }
    return errno == EEXIST;
}

/* Writes a new file with these bytes and waits until they are on the disk. */
static bool journal_write_part(const char *path, struct text bytes)
{
    JOURNAL_AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    while (fd >= 0 && bytes.length > 0) {
        ssize_t written = write(fd, bytes.data, bytes.length);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes = text_slice(bytes, written < 0 ? 0 : (size_t)written, bytes.length);
    }
    return fd >= 0 && fsync(fd) == 0;
}

bool journal_put(const struct journal *journal, const char *kind, struct text name,
                 struct text bytes)
{
    static atomic_uint_fast64_t parts;
    char path[JOURNAL_PATH_BYTES];
    char part[JOURNAL_PATH_BYTES];
    char folder[JOURNAL_PATH_BYTES];
    int failure;

    if (bytes.length > JOURNAL_ENTRY_BYTES) {
        errno = EFBIG;
        return false;
    }
    if (!journal_path(journal, kind, name, path)) {
        return false;
    }
    (void)snprintf(folder, sizeof(folder), "%s/%s", journal->folder, kind);
    if ((size_t)snprintf(part, sizeof(part), "%s/%s/" JOURNAL_PART "%d-%llu", journal->folder, kind,
                         (int)getpid(),
                         (unsigned long long)atomic_fetch_add(&parts, 1)) >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!journal_make_kind(journal, folder)) {
        return false;
    }
    if (!journal_write_part(part, bytes) || rename(part, path) != 0) {
        failure = errno;
        (void)unlink(part);
        errno = failure;
        return false;
    }
    return journal_sync_folder(folder);
}

/* Returns the time since a file was written, by the computer's clock, in ms. */
static uint64_t journal_age_ms(const struct stat *status)
{
    struct timespec now;
    int64_t age_ms;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    age_ms = (now.tv_sec - status->st_mtim.tv_sec) * 1000 +
             (now.tv_nsec - status->st_mtim.tv_nsec) / 1000000;
    return age_ms < 0 ? 0 : (uint64_t)age_ms;
}

bool journal_find(struct arena *arena, const struct journal *journal, const char *kind,
                  struct text name, struct text *out, uint64_t *out_age_ms)
{
    char path[JOURNAL_PATH_BYTES];
    struct stat status;
    char *bytes;
    size_t length = 0;

    if (!journal_path(journal, kind, name, path)) {
        return false;
    }
    JOURNAL_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > JOURNAL_ENTRY_BYTES) {
        return false;
    }
    bytes = arena_alloc(arena, (size_t)status.st_size + 1);
    while (length < (size_t)status.st_size) {
        ssize_t got = read(fd, bytes + length, (size_t)status.st_size - length);

        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        length += got < 0 ? 0 : (size_t)got;
    }
    *out = (struct text){ bytes, length };
    if (out_age_ms != NULL) {
        *out_age_ms = journal_age_ms(&status);
    }
    return true;
}

bool journal_is_young(const struct journal *journal, const char *kind, struct text name,
                      uint64_t young_ms, uint64_t *out_left_ms)
{
    char path[JOURNAL_PATH_BYTES];
    struct stat status;
    uint64_t age_ms = young_ms;

    if (journal_path(journal, kind, name, path) && lstat(path, &status) == 0) {
        age_ms = journal_age_ms(&status);
    }
    if (out_left_ms != NULL) {
        *out_left_ms = age_ms < young_ms ? young_ms - age_ms : 0;
    }
    return age_ms < young_ms;
}

void journal_delete(const struct journal *journal, const char *kind, struct text name)
{
    char path[JOURNAL_PATH_BYTES];

    if (journal_path(journal, kind, name, path)) {
        (void)unlink(path);
    }
}

/* Deletes the old entries of one kind. If no other thread can be writing, also deletes unfinished
 * entries. */
static void journal_sweep_kind(int folder, const char *kind, bool has_writers)
{
    int fd = openat(folder, kind, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    struct stat status;

    if (listing == NULL) {
        journal_close(&fd);
        return;
    }
    while ((entry = readdir(listing)) != NULL) {
        if (fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode)) {
            continue;
        }
        if ((!has_writers && strncmp(entry->d_name, JOURNAL_PART, strlen(JOURNAL_PART)) == 0) ||
            journal_age_ms(&status) > JOURNAL_OLD_MS) {
            (void)unlinkat(fd, entry->d_name, 0);
        }
    }
    (void)closedir(listing);
}

static bool journal_sweep_kinds(const char *folder, bool has_writers)
{
    const struct dirent *entry;
    DIR *listing = opendir(folder);

    if (listing == NULL) {
        return false;
    }
    while ((entry = readdir(listing)) != NULL) {
        if (strlen(entry->d_name) < JOURNAL_KIND_BYTES && is_journal_kind(entry->d_name)) {
            journal_sweep_kind(dirfd(listing), entry->d_name, has_writers);
        }
    }
    (void)closedir(listing);
    return true;
}

bool journal_open(struct arena *arena, struct text folder, struct journal *out)
{
    out->folder = arena_string(arena, folder);
    return journal_sweep_kinds(out->folder, false);
}

void journal_sweep(const struct journal *journal)
{
    (void)journal_sweep_kinds(journal->folder, true);
}

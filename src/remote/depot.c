#include "remote/depot.h"

#include "remote/answer.h"
#include "remote/depot_parts.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* SPARE_PERCENT of the disk space is kept free, because the store is on the same disk. */
enum { SPARE_PERCENT = 5, READ_BYTES = 64 * 1024, FEW = 16 };

static DIR *depot_folder_read(const struct depot *depot)
{
    int own = openat(depot->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return own < 0 ? NULL : fdopendir(own);
}

/* Removes files whose names are not those of bundles, and counts the others. */
static void tidy(struct depot *depot)
{
    DIR *dir = depot_folder_read(depot);
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            (answer_is_digest(text_from(entry->d_name)) ||
             unlinkat(depot->folder, entry->d_name, 0) != 0)) {
            depot->count++;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

bool depot_open(const char *path, enum bundle_kind kind, struct depot **out, struct err *err)
{
    struct depot *depot;
    int folder;

    if (mkdir(path, 0700) == 0) {
        (void)!chmod(path, 0700);
    }
    if (!folder_open(path, &folder, err)) {
        return false;
    }
    if (!folder_check_owner(folder, path, err)) {
        close(folder);
        return false;
    }
    depot = rows_resize(NULL, sizeof(*depot));
    *depot = (struct depot){ .kind = kind, .folder = folder };
    for (size_t i = 0; i < REMOTE_DEPOT_OPEN; i++) {
        depot->files[i].fd = FD_NONE;
    }
    for (size_t i = 0; i < REMOTE_DEPOT_COMING; i++) {
        depot->coming[i].fd = FD_NONE;
    }
    tidy(depot);
    *out = depot;
    return true;
}

bool depot_has(const struct depot *depot, struct text digest)
{
    char name[DIGEST_TEXT_BYTES];
    struct stat status;

    if (!answer_is_digest(digest)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    return fstatat(depot->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode);
}

bool depot_room_check(const struct depot *depot, uint64_t size, struct err *err)
{
    uint64_t left;

    if (depot->count >= REMOTE_DEPOT_BUNDLES) {
        return err_set(err, CODE_R0727, "%d bundles are stored, which is the limit",
                       REMOTE_DEPOT_BUNDLES);
    }
    if (!folder_free_bytes(depot->folder, &left, err)) {
        return false;
    }
    return left >= size + left / 100 * SPARE_PERCENT ||
           err_set(err, CODE_R0727, "the bundle has %" PRIu64 " bytes, and %" PRIu64 " are free",
                   size, left);
}

bool depot_put(struct depot *depot, const struct bundle *bundle, struct err *err)
{
    if (depot_has(depot, text_from(bundle->digest))) {
        depot_use(depot, text_from(bundle->digest));
        return true;
    }
    if (!depot_room_check(depot, bundle->bytes.length, err) ||
        !file_replace(depot->folder, bundle->digest, bundle->bytes, 0600, err)) {
        return false;
    }
    depot->count++;
    return true;
}

/* ---- open files ---- */

static void depot_file_close(struct depot_file *file)
{
    fd_cleanup(&file->fd);
    *file = (struct depot_file){ .fd = FD_NONE };
}

static struct depot_file *file_find(struct depot *depot, struct text digest)
{
    for (size_t i = 0; i < REMOTE_DEPOT_OPEN; i++) {
        if (depot->files[i].fd >= 0 && text_is(digest, depot->files[i].digest)) {
            depot->files[i].used = ++depot->used;
            return &depot->files[i];
        }
    }
    return NULL;
}

/* Returns an entry for an open file. If none is free, closes the file that was unused for the
 * longest time. */
static struct depot_file *file_have(struct depot *depot, struct text digest)
{
    struct depot_file *file = file_find(depot, digest);

    if (file != NULL || !answer_is_digest(digest)) {
        return file;
    }
    file = &depot->files[0];
    for (size_t i = 1; i < REMOTE_DEPOT_OPEN; i++) {
        file = depot->files[i].used < file->used ? &depot->files[i] : file;
    }
    depot_file_close(file);
    snprintf(file->digest, sizeof(file->digest), "%.*s", TEXT_ARG(digest));
    file->fd = openat(depot->folder, file->digest, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    file->used = ++depot->used;
    return file->fd < 0 ? NULL : file;
}

static bool is_as_checked(const struct depot_file *file, const struct stat *now)
{
    const struct stat *then = &file->checked;

    return then->st_ino == now->st_ino && then->st_dev == now->st_dev &&
           then->st_size == now->st_size && then->st_ctim.tv_sec == now->st_ctim.tv_sec &&
           then->st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

static void depot_file_digest(const struct depot_file *file, char out[static DIGEST_TEXT_BYTES])
{
    struct digest_stream *stream = digest_stream_new();
    char piece[READ_BYTES];
    off_t offset = 0;
    ssize_t got;

    while ((got = pread(file->fd, piece, sizeof(piece), offset)) > 0 ||
           (got < 0 && errno == EINTR)) {
        if (got > 0) {
            digest_stream_add(stream, (struct text){ piece, (size_t)got });
            offset += got;
        }
    }
    digest_stream_end(stream, out);
}

bool depot_check(struct depot *depot, struct text digest, uint64_t *out_bytes, struct err *err)
{
    char name[DIGEST_TEXT_BYTES];
    char found[DIGEST_TEXT_BYTES];
    struct depot_file *file = file_find(depot, digest);
    struct stat named;
    struct stat now;

    if (!depot_has(depot, digest)) {
        return err_set(err, CODE_R0726, "the bundle %.*s is not stored", TEXT_ARG(digest));
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    if (file != NULL && (fstatat(depot->folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
                         fstat(file->fd, &now) != 0 || named.st_ino != now.st_ino)) {
        depot_file_close(file); /* the name now belongs to another file */
    }
    file = file_have(depot, digest);
    if (file == NULL || fstat(file->fd, &now) != 0 || !S_ISREG(now.st_mode)) {
        return err_set(err, CODE_R0726, "the bundle %s cannot be read", name);
    }
    if (!is_as_checked(file, &now)) {
        depot_file_digest(file, found);
        if (strcmp(found, name) != 0) {
            depot_file_close(file);
            depot->count -= unlinkat(depot->folder, name, 0) == 0 && depot->count > 0 ? 1 : 0;
            return err_set(err, CODE_R0726, "the bundle %s is damaged: it has the digest %s", name,
                           found);
        }
        file->checked = now;
    }
    *out_bytes = (uint64_t)now.st_size;
    return true;
}

bool depot_read(struct depot *depot, struct text digest, uint64_t offset, char *out, size_t length,
                struct err *err)
{
    const struct depot_file *file = file_have(depot, digest);
    size_t done = 0;

    while (file != NULL && done < length) {
        ssize_t got = pread(file->fd, out + done, length - done, (off_t)(offset + done));

        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (file != NULL && done == length) ||
           err_set(err, CODE_R0726, "the bundle %.*s cannot be read", TEXT_ARG(digest));
}

bool depot_map(struct depot *depot, struct text digest, struct text *out, struct err *err)
{
    uint64_t bytes;
    void *data;

    if (!depot_check(depot, digest, &bytes, err)) {
        return false;
    }
    data = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, file_have(depot, digest)->fd, 0);
    if (data == MAP_FAILED) {
        return err_set(err, CODE_R0726, "the bundle %.*s cannot be read: %s", TEXT_ARG(digest),
                       strerror(errno));
    }
    *out = (struct text){ data, (size_t)bytes };
    return true;
}

void depot_unmap(struct text bytes)
{
    (void)munmap((void *)(uintptr_t)bytes.data, bytes.length);
}

/* ---- use and removal ---- */

void depot_use(struct depot *depot, struct text digest)
{
    char name[DIGEST_TEXT_BYTES];

    if (depot_has(depot, digest)) {
        snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
        (void)utimensat(depot->folder, name, NULL, AT_SYMLINK_NOFOLLOW);
    }
}

size_t depot_list(const struct depot *depot, struct arena *arena, struct depot_row **out)
{
    struct depot_row *rows = NULL;
    DIR *dir = depot_folder_read(depot);
    const struct dirent *entry;
    struct stat status;
    size_t count = 0;
    size_t room = 0;

    while (dir != NULL && count < REMOTE_DEPOT_BUNDLES && (entry = readdir(dir)) != NULL) {
        if (answer_is_digest(text_from(entry->d_name)) &&
            fstatat(depot->folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            if (count == room) { /* usually not needed, because there are few bundles */
                rows =
                    arena_grow(arena, rows, room * sizeof(*rows), (room * 2 + FEW) * sizeof(*rows));
                room = room * 2 + FEW;
            }
            memcpy(rows[count].digest, entry->d_name, sizeof(rows[count].digest));
            rows[count].used_ms =
                (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000;
            count++;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    *out = rows;
    return count;
}

bool depot_remove(struct depot *depot, struct text digest)
{
    struct depot_file *file = file_find(depot, digest);
    char name[DIGEST_TEXT_BYTES];

    if (!depot_has(depot, digest)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    if (unlinkat(depot->folder, name, 0) != 0) {
        return false;
    }
    if (file != NULL) {
        depot_file_close(file);
    }
    depot->count -= depot->count > 0 ? 1 : 0;
    return true;
}

void depot_close(struct depot *depot)
{
    if (depot != NULL) {
        for (size_t i = 0; i < REMOTE_DEPOT_OPEN; i++) {
            depot_file_close(&depot->files[i]);
        }
        for (size_t i = 0; i < REMOTE_DEPOT_COMING; i++) {
            depot_coming_end(depot, &depot->coming[i]);
        }
        close(depot->folder);
        rows_free(depot);
    }
}

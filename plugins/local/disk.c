#include "disk.h"

#include "sys/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool disk_folder(const char *path, mode_t mode)
{
    if (mkdir(path, mode) != 0) {
        return errno == EEXIST;
    }
    return chmod(path, mode) == 0;
}

bool disk_folders(const char *path, mode_t mode)
{
    char part[4096];
    size_t length = strlen(path);

    if (length >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i <= length; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (!disk_folder(part, mode)) {
                return false;
            }
        }
    }
    return true;
}

/* Writes all bytes. */
static bool write_all(int fd, struct text bytes)
{
    while (bytes.length > 0) {
        ssize_t written = write(fd, bytes.data, bytes.length);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes = text_slice(bytes, written < 0 ? 0 : (size_t)written, bytes.length);
    }
    return true;
}

static bool write_file(const char *path, struct text bytes, mode_t mode, bool is_synced)
{
    AUTO(fd) fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);

    return fd >= 0 && fchmod(fd, mode) == 0 && write_all(fd, bytes) &&
           (!is_synced || fsync(fd) == 0);
}

bool disk_write(const char *path, struct text bytes, mode_t mode)
{
    return write_file(path, bytes, mode, false);
}

bool disk_write_synced(const char *path, struct text bytes, mode_t mode)
{
    return write_file(path, bytes, mode, true);
}

bool disk_replace(const char *path, struct text bytes, mode_t mode)
{
    char part[4096];
    char folder[4096];
    const char *slash = strrchr(path, '/');

    if (slash == NULL || slash == path ||
        (size_t)snprintf(part, sizeof(part), "%s.new", path) >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return write_file(part, bytes, mode, true) && rename(part, path) == 0 &&
           disk_sync_folder(folder);
}

bool disk_sync_folder(const char *path)
{
    AUTO(fd) fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd >= 0 && fsync(fd) == 0;
}

/* Reads an open file up to a limit. */
static bool read_all(struct arena *arena, int fd, size_t limit_bytes, struct text *out)
{
    size_t room = 4096;
    size_t length = 0;
    char *bytes = arena_alloc(arena, room);

    for (;;) {
        ssize_t got = read(fd, bytes + length, room - length);

        if (got == 0) {
            *out = (struct text){ bytes, length };
            return true;
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
        length += got < 0 ? 0 : (size_t)got;
        if (length > limit_bytes) {
            errno = EFBIG;
            return false;
        }
        if (length == room) {
            bytes = arena_grow(arena, bytes, room, room * 2);
            room *= 2;
        }
    }
}

bool disk_read(struct arena *arena, const char *path, size_t limit_bytes, struct text *out)
{
    AUTO(fd) fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && read_all(arena, fd, limit_bytes, out);
}

bool disk_read_beneath(struct arena *arena, const char *folder, const char *name,
                       size_t limit_bytes, struct text *out)
{
    struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                            .resolve =
                                RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
    AUTO(fd) top = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    AUTO(fd) fd = FD_NONE;
    struct stat status;

    if (top < 0) {
        return false;
    }
    fd = (int)syscall(SYS_openat2, top, name, &how, sizeof(how));
    if (fd < 0 || fstat(fd, &status) != 0) {
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = EINVAL;
        return false;
    }
    return read_all(arena, fd, limit_bytes, out);
}

/* Removes the content of an open folder and closes it. The depth is limited by path lengths. Each
 * level of folders needs a descriptor; a lack of descriptors is reported like other errors. */
static bool remove_within(int folder, dev_t device)
{
    DIR *entries = fdopendir(folder);
    bool is_done = true;
    const struct dirent *entry;

    if (entries == NULL) {
        (void)close(folder);
        return false;
    }
    while (is_done && (entry = readdir(entries)) != NULL) {
        int inner;
        struct stat status;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlinkat(dirfd(entries), entry->d_name, 0) == 0) {
            continue;
        }
        if (errno != EISDIR && errno != EPERM) {
            is_done = false;
            break;
        }
        inner =
            openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0 || fstat(inner, &status) != 0 || status.st_dev != device) {
            errno = inner < 0 ? errno : EBUSY;
            fd_cleanup(&inner);
            is_done = false;
            break;
        }
        is_done = remove_within(inner, device) &&
                  unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR) == 0;
    }
    (void)closedir(entries);
    return is_done;
}

bool disk_remove(const char *path)
{
    struct stat status;
    int folder;

    if (unlink(path) == 0 || errno == ENOENT) {
        return true;
    }
    if (errno != EISDIR && errno != EPERM) {
        return false;
    }
    folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || fstat(folder, &status) != 0) {
        fd_cleanup(&folder);
        return false;
    }
    return remove_within(folder, status.st_dev) && rmdir(path) == 0;
}

bool disk_is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

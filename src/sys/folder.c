#include "sys/folder.h"

#include "base/limits.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Number of attempts: openat2() must be repeated if folders are renamed at the same moment. */
enum { OPEN_TRIES = 16, PID_BYTES = 24, DISK_FULL_BYTES = 4096 };

/* openat2 rejects O_NOCTTY together with O_PATH */
#define ALL_OPENS (O_CLOEXEC | O_NOFOLLOW)

MUST_CHECK static bool name_error(const char *name, const char *what, int number, struct err *err)
{
    err_set(err, CODE_R0534, "'%s' cannot be %s: %s", name, what,
            number == EXDEV || number == ELOOP
                ? "the name leads out of its folder or through a symbolic link"
                : strerror(number));
    if (number == ENOSPC || number == EDQUOT) {
        return err_hint(err, "free space on the disk");
    }
    if (number == EACCES || number == EPERM) {
        return err_hint(err,
                        "give access to the user that reeve runs as, or run reeve as the owner");
    }
    return false;
}

/* ---- opening ---- */

/* Return the length of the first component of a name; *out_slashes is the number of slashes after
 * it. */
static size_t step_length(const char *name, size_t *out_slashes)
{
    size_t length = strcspn(name, "/");

    *out_slashes = strspn(name + length, "/");
    return length;
}

int folder_walk(int folder, const char *name, int flags)
{
    AUTO(fd) inner = FD_NONE;

    if (name[0] == '/') {
        errno = EXDEV;
        return -1;
    }
    for (;;) {
        char step[NAME_MAX + 1];
        size_t slashes;
        size_t length = step_length(name, &slashes);
        bool is_last = name[length + slashes] == '\0';
        int next;

        if (length > NAME_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(step, name, length);
        step[length] = '\0';
        if (strcmp(step, "..") == 0) {
            errno = EXDEV;
            return -1;
        }
        next =
            openat(inner >= 0 ? inner : folder, step,
                   is_last && slashes == 0 ? flags | ALL_OPENS : O_PATH | O_DIRECTORY | ALL_OPENS,
                   flags & O_CREAT ? 0600 : 0);
        if (next < 0 || is_last) {
            return next;
        }
        fd_cleanup(&inner);
        inner = next;
        name += length + slashes;
    }
}

static int openat2_call(int folder, const char *name, int flags)
{
    struct open_how how = {
        .flags = (unsigned)(flags | ALL_OPENS),
        .mode = flags & O_CREAT ? 0600 : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };

    return (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));
}

bool folder_has_openat2(void)
{
    AUTO(fd) folder = openat2_call(AT_FDCWD, ".", O_PATH | O_DIRECTORY);

    return folder >= 0 || errno != ENOSYS;
}

static int beneath_open(int folder, const char *name, int flags)
{
    int fd = -1;

    assert(folder >= 0);
    for (int i = 0; i < OPEN_TRIES; i++) {
        fd = openat2_call(folder, name, flags);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) {
            break;
        }
    }
    return fd < 0 && errno == ENOSYS ? folder_walk(folder, name, flags) : fd;
}

bool folder_open(const char *path, int *out, struct err *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) {
        return name_error(path, "opened", errno, err);
    }
    *out = fd;
    return true;
}

bool folder_resolve(struct arena *arena, const char *path, const char **out, struct err *err)
{
    char resolved[PATH_MAX];

    if (realpath(path, resolved) == NULL) {
        return name_error(path, "opened", errno, err);
    }
    *out = arena_string(arena, text_from(resolved));
    return true;
}

bool folder_open_beneath(int folder, const char *name, int *out, struct err *err)
{
    int fd = beneath_open(folder, name, O_RDONLY | O_DIRECTORY);

    if (fd < 0) {
        return name_error(name, "opened", errno, err);
    }
    *out = fd;
    return true;
}

bool file_open_beneath(int folder, const char *name, int *out, struct err *err)
{
    int fd = beneath_open(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);

    if (fd < 0) {
        return name_error(name, "opened", errno, err);
    }
    *out = fd;
    return true;
}

bool file_create_beneath(int folder, const char *name, mode_t mode, int *out, struct err *err)
{
    AUTO(fd) fd = beneath_open(folder, name, O_WRONLY | O_CREAT | O_EXCL);

    /* The file is created with owner rights only, and gets its mode afterwards. So the umask has no
     * effect, and no unauthorized user can read the file at any time. */
    if (fd < 0 || fchmod(fd, mode) != 0) {
        return name_error(name, "made", errno, err);
    }
    *out = fd;
    fd = FD_NONE;
    return true;
}

bool folder_ensure_beneath(int folder, const char *name, mode_t mode, struct err *err)
{
    const char *slash = strrchr(name, '/');
    AUTO(fd) parent = FD_NONE;
    bool is_new;

    if (slash != NULL) {
        char outer[LIMIT_PATH_BYTES];

        if ((size_t)(slash - name) >= sizeof(outer)) {
            return name_error(name, "made", ENAMETOOLONG, err);
        }
        memcpy(outer, name, (size_t)(slash - name));
        outer[slash - name] = '\0';
        parent = beneath_open(folder, outer, O_PATH | O_DIRECTORY);
        if (parent < 0) {
            return name_error(name, "made", errno, err);
        }
    }
    is_new = mkdirat(parent >= 0 ? parent : folder, slash == NULL ? name : slash + 1, 0700) == 0;
    if (!is_new && errno != EEXIST) {
        return name_error(name, "made", errno, err);
    }
    /* the mode is set before the folder is opened, because the umask may have removed this
     * process's access */
    if (is_new &&
        fchmodat(parent >= 0 ? parent : folder, slash == NULL ? name : slash + 1, mode, 0) != 0) {
        return name_error(name, "made", errno, err);
    }
    return true;
}

bool folder_make_beneath(int folder, const char *name, mode_t mode, int *out, struct err *err)
{
    return folder_ensure_beneath(folder, name, mode, err) &&
           folder_open_beneath(folder, name, out, err);
}

/* ---- checks and reads ---- */

bool folder_check_owner(int folder, const char *path, struct err *err)
{
    struct stat status;

    if (fstat(folder, &status) != 0) {
        return name_error(path, "inspected", errno, err);
    }
    if (status.st_uid != geteuid() && status.st_uid != 0) {
        err_set(err, CODE_R0536, "'%s' belongs to user %u, not to the user that reeve runs as",
                path, (unsigned)status.st_uid);
        return err_hint(err, "chown it, or name another folder");
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        err_set(err, CODE_R0536, "'%s' can be written by others (mode %04o)", path,
                (unsigned)status.st_mode & 07777);
        return err_hint(err, "chmod go-w '%s', after checking its content", path);
    }
    return true;
}

bool folder_free_bytes(int folder, uint64_t *out, struct err *err)
{
    struct statvfs status;

    if (fstatvfs(folder, &status) != 0) {
        return name_error("the folder", "inspected", errno, err);
    }
    *out = (uint64_t)status.f_bavail * status.f_frsize;
    return true;
}

bool folder_is_full(const char *path)
{
    struct statvfs status;

    return statvfs(path, &status) == 0 &&
           ((uint64_t)status.f_bavail * status.f_frsize < DISK_FULL_BYTES ||
            (status.f_files > 0 && status.f_favail == 0));
}

bool file_read_beneath(struct arena *arena, int folder, const char *name, size_t limit_bytes,
                       struct text *out, struct err *err)
{
    AUTO(fd) fd = FD_NONE;
    struct stat status;
    size_t used = 0;
    size_t room;
    char *data;

    if (!file_open_beneath(folder, name, &fd, err)) {
        return false;
    }
    if (fstat(fd, &status) != 0) {
        return name_error(name, "read", errno, err);
    }
    if (!S_ISREG(status.st_mode)) {
        return name_error(name, "read", S_ISDIR(status.st_mode) ? EISDIR : EINVAL, err);
    }
    if ((uintmax_t)status.st_size > limit_bytes) {
        return name_error(name, "read", EFBIG, err);
    }
    room = (size_t)status.st_size;
    data = arena_alloc(arena, room + 1);
    while (used < room) { /* the file does not grow: a writer replaces it */
        ssize_t count = read(fd, data + used, room - used);

        if (count < 0 && errno != EINTR) {
            return name_error(name, "read", errno, err);
        }
        if (count == 0) {
            break;
        }
        used += count > 0 ? (size_t)count : 0;
    }
    *out = (struct text){ data, used };
    return true;
}

/* ---- writing ---- */

static bool folder_bytes_write(int fd, struct text bytes)
{
    while (bytes.length > 0) {
        ssize_t count = write(fd, bytes.data, bytes.length);

        if (count < 0 && errno != EINTR) {
            return false;
        }
        bytes = text_slice(bytes, count > 0 ? (size_t)count : 0, bytes.length);
    }
    return true;
}

/* Write the new file beside the old one, sync it and rename it. Returns false with errno on
 * failure. */
static bool new_write(int folder, const char *fresh, const char *name, struct text bytes,
                      mode_t mode)
{
    AUTO(fd) file = FD_NONE;

    /* a crash may have left a file with this name */
    if (unlinkat(folder, fresh, 0) != 0 && errno != ENOENT) {
        return false;
    }
    file = beneath_open(folder, fresh, O_WRONLY | O_CREAT | O_EXCL);
    return file >= 0 && fchmod(file, mode) == 0 && folder_bytes_write(file, bytes) &&
           fsync(file) == 0 && renameat(folder, fresh, folder, name) == 0;
}

bool file_replace(int folder, const char *name, struct text bytes, mode_t mode, struct err *err)
{
    char fresh[NAME_MAX + 1];
    int length = snprintf(fresh, sizeof(fresh), ".%s.new", name);

    if (strchr(name, '/') != NULL || name[0] == '\0') {
        return name_error(name, "written", EINVAL, err);
    }
    if (length < 0 || (size_t)length >= sizeof(fresh)) {
        return name_error(name, "written", ENAMETOOLONG, err);
    }
    if (!new_write(folder, fresh, name, bytes, mode)) {
        int number = errno;

        unlinkat(folder, fresh, 0);
        return name_error(name, "written", number, err);
    }
    if (fsync(folder) != 0) { /* sync the folder too, because it has the new name */
        return name_error(name, "made durable", errno, err);
    }
    return true;
}

/* ---- locking ---- */

MUST_CHECK static bool lock_error(int fd, const char *name, struct err *err)
{
    char owner[PID_BYTES] = "";
    ssize_t count = pread(fd, owner, sizeof(owner) - 1, 0);

    owner[count > 0 ? count : 0] = '\0';
    owner[strspn(owner, "0123456789")] = '\0';
    if (owner[0] == '\0') {
        err_set(err, CODE_R0535, "'%s' is locked by another process", name);
    } else {
        err_set(err, CODE_R0535, "'%s' is locked by process %s", name, owner);
    }
    return err_hint(err, "end that process, or use another folder");
}

/* True if the name still refers to the locked file. False: the file was removed or replaced in the
 * meantime. */
static bool is_still_there(int folder, const char *name, int fd)
{
    struct stat opened;
    struct stat named;

    return fstat(fd, &opened) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool file_lock(int folder, const char *name, int *out, struct err *err)
{
    char owner[PID_BYTES];
    int length = snprintf(owner, sizeof(owner), "%ld\n", (long)getpid());

    assert(strchr(name, '/') == NULL);
    for (int i = 0; i < OPEN_TRIES; i++) {
        AUTO(fd) fd = beneath_open(folder, name, O_RDWR | O_CREAT);

        if (fd < 0) {
            return name_error(name, "opened", errno, err);
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            return errno == EWOULDBLOCK ? lock_error(fd, name, err)
                                        : name_error(name, "locked", errno, err);
        }
        if (is_still_there(folder, name, fd)) {
            /* other processes need this only for their error message, so a full disk is ignored */
            if (ftruncate(fd, 0) == 0) {
                (void)!pwrite(fd, owner, (size_t)length, 0);
            }
            *out = fd;
            fd = FD_NONE;
            return true;
        }
    }
    return name_error(name, "locked", EBUSY, err);
}

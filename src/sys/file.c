#include "sys/file.h"

#include "sys/fd.h"
#include "sys/launcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* First read size for files without a known size, such as pipes and files of /proc. */
#define FILE_READ_BYTES ((size_t)64 * 1024)

MUST_CHECK static bool limit_error(const char *name, size_t limit_bytes, struct err *err)
{
    err_set(err, CODE_R0013, "'%s' is larger than %zu bytes, which is the limit", name,
            limit_bytes);
    return err_hint(err, "split it into several files: -f A -f B");
}

MUST_CHECK static bool read_error(const char *name, int number, struct err *err)
{
    err_set(err, CODE_R0011, "'%s' cannot be read: %s", name, strerror(number));
    if (number == ENOENT) {
        return err_hint(err, "check the name and the folder you are in; - reads standard input");
    }
    if (number == EACCES) {
        return err_hint(err,
                        "ask the owner of the file for permission to read it, or run as that user");
    }
    return false;
}

/* Read to the end of the descriptor. expected_bytes is an estimate of the size. */
MUST_CHECK static bool fd_read_all(struct arena *arena, int fd, const char *name,
                                   size_t expected_bytes, size_t limit_bytes, struct text *out,
                                   struct err *err)
{
    size_t room = (expected_bytes < limit_bytes ? expected_bytes : limit_bytes) + 1;
    char *data = arena_alloc(arena, room);
    size_t used = 0;

    for (;;) {
        ssize_t count;

        if (used == room) {
            size_t wanted = room > limit_bytes / 2 ? limit_bytes + 1 : room * 2;

            data = arena_grow(arena, data, room, wanted);
            room = wanted;
        }
        count = read(fd, data + used, room - used);
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return read_error(name, errno, err);
        }
        used += count > 0 ? (size_t)count : 0;
        if (used > limit_bytes) {
            return limit_error(name, limit_bytes, err);
        }
    }
    assert(used <= limit_bytes);
    *out = (struct text){ data, used };
    return true;
}

static bool path_is_own_pipe(const char *path)
{
    return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0 ||
           strcmp(path, "/dev/stdin") == 0;
}

/* Check that files of this type can be read. Sets *err for folders, sockets and the like. */
MUST_CHECK static bool file_type_check(const char *path, mode_t mode, struct err *err)
{
    if (S_ISREG(mode) || path_is_own_pipe(path)) {
        return true;
    }
    if (S_ISDIR(mode)) {
        err_set(err, CODE_R0011, "'%s' is a folder", path);
        return err_hint(err, "name the files in it, each with -f");
    }
    if (S_ISFIFO(mode)) {
        err_set(err, CODE_R0011, "'%s' is a named pipe", path);
        return err_hint(err, "read it as standard input: -f - < '%s'", path);
    }
    err_set(err, CODE_R0011, "'%s' is a device or a socket, not a file", path);
    return false;
}

bool file_read(struct arena *arena, const char *path, size_t limit_bytes, struct text *out,
               struct err *err)
{
    struct stat status;
    /* O_NONBLOCK, because opening a named pipe without a writer would block */
    AUTO(fd) fd = launcher_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);

    if (fd < 0) {
        return read_error(path, errno, err);
    }
    if (fstat(fd, &status) != 0) {
        return read_error(path, errno, err);
    }
    if (!file_type_check(path, status.st_mode, err)) {
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        int flags = fcntl(fd, F_GETFL);

        if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0) {
            return read_error(path, errno, err);
        }
        return fd_read_all(arena, fd, path, FILE_READ_BYTES, limit_bytes, out, err);
    }
    if (status.st_size > 0 && (uintmax_t)status.st_size > limit_bytes) {
        return limit_error(path, limit_bytes, err);
    }
    return fd_read_all(arena, fd, path,
                       status.st_size > 0 ? (size_t)status.st_size : FILE_READ_BYTES, limit_bytes,
                       out, err);
}

bool file_read_stdin(struct arena *arena, size_t limit_bytes, struct text *out, struct err *err)
{
    return fd_read_all(arena, STDIN_FILENO, "<stdin>", FILE_READ_BYTES, limit_bytes, out, err);
}

MUST_CHECK static bool create_error(const char *path, int number, struct err *err)
{
    if (number == EEXIST) {
        err_set(err, CODE_R0012, "'%s' already exists", path);
        return err_hint(err, "choose another name; reeve never overwrites a file you wrote");
    }
    err_set(err, CODE_R0012, "'%s' cannot be written: %s", path, strerror(number));
    return false;
}

bool file_create(const char *path, struct text bytes, struct err *err)
{
    AUTO(fd)
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0644);
    size_t done = 0;

    if (fd < 0) {
        return create_error(path, errno, err);
    }
    while (done < bytes.length) {
        ssize_t count = write(fd, bytes.data + done, bytes.length - done);

        if (count < 0 && errno != EINTR) {
            int number = errno;

            unlink(path); /* remove a partial file, which could be mistaken for a complete one */
            return create_error(path, number, err);
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

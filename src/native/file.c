#include "native/file.h"

#include "native/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void file_wait(int fd, short events)
{
    struct pollfd polled = { .fd = fd, .events = events };

    (void)poll(&polled, 1, -1);
}

bool file_write(int fd, const void *bytes, size_t count)
{
    const char *from = bytes;

    while (count > 0) {
        ssize_t done = write(fd, from, count);

        if (done >= 0) {
            from += done;
            count -= (size_t)done;
        } else if (errno == EAGAIN) {
            file_wait(fd, POLLOUT);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool file_line(const char *path, char line[static FILE_LINE_BYTES])
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t count;
    char *end;

    if (fd < 0) {
        return false;
    }
    count = read(fd, line, FILE_LINE_BYTES - 1);
    (void)close(fd);
    if (count <= 0) {
        return false;
    }
    line[count] = '\0';
    end = memchr(line, '\n', (size_t)count);
    if (end == NULL) {
        return false;
    }
    *end = '\0';
    return true;
}

static int put_open(const char *path, unsigned mode)
{
    const int how = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat file;

    if (lstat(path, &file) == 0 && (!S_ISREG(file.st_mode) || file.st_nlink > 1) &&
        !tree_remove(path)) {
        return -1;
    }
    return open(path, how, mode);
}

bool file_put(const char *path, unsigned mode, const char *bytes, size_t count)
{
    int fd = put_open(path, mode);
    bool is_good;
    int error;

    if (fd < 0) {
        return false;
    }
    is_good = file_write(fd, bytes, count);
    error = errno;
    is_good = close(fd) == 0 && is_good;
    errno = is_good ? 0 : error;
    return is_good;
}

bool file_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_good;
    int error;

    if (fd < 0) {
        return false;
    }
    is_good = fsync(fd) == 0;
    error = errno;
    (void)close(fd);
    errno = error;
    return is_good;
}

#include "lock.h"

#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Returns the byte of the lock file that belongs to a name. */
static struct flock lock_of(const char *name)
{
    return (struct flock){ .l_type = F_WRLCK,
                           .l_whence = SEEK_SET,
                           .l_start = (off_t)(text_hash(text_from(name), 0) >> 2),
                           .l_len = 1 };
}

/* Opens a separate open file description for each lock, because locks belong to open file
 * descriptions. */
static int open_locks(struct work *work)
{
    return open(work_path(work, "locks"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

int lock_try(struct work *work, const char *name)
{
    int fd = open_locks(work);
    struct flock lock = lock_of(name);

    if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) != 0) {
        fd_cleanup(&fd);
        return -1;
    }
    return fd;
}

int lock_take(struct work *work, const char *name)
{
    unsigned rest = 1;

    for (;;) {
        int fd = lock_try(work, name);

        if (fd >= 0 || work_left_ms(work) == 0) {
            return fd;
        }
        work_rest(rest);
        rest = rest < 16 ? rest * 2 : rest;
    }
}

bool lock_is_taken(struct work *work, const char *name)
{
    AUTO(fd) fd = open_locks(work);
    struct flock lock = lock_of(name);

    return fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

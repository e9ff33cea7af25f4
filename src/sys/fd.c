#include "sys/fd.h"

#include <errno.h>
#include <unistd.h>

void fd_cleanup(int *fd)
{
    int number = errno;

    if (*fd >= 0) {
        close(*fd);
        *fd = FD_NONE;
    }
    errno = number;
}

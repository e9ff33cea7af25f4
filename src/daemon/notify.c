#include "base/macros.h"
#include "daemon/daemon_parts.h"
#include "sys/fd.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int notify_open(const char *socket_path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t length = socket_path == NULL ? 0 : strlen(socket_path);
    int fd;

    if (length == 0 || length >= sizeof(address.sun_path)) {
        return FD_NONE;
    }
    memcpy(address.sun_path, socket_path, length);
    if (address.sun_path[0] == '@') { /* an abstract socket address, whose first byte is NUL */
        address.sun_path[0] = '\0';
    }
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address,
                           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) != 0) {
        close(fd);
        return FD_NONE;
    }
    return fd;
}

void notify_send(int socket, const char *state)
{
    if (socket >= 0) {
        (void)!send(socket, state, strlen(state), MSG_NOSIGNAL);
    }
}

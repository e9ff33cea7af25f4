#include "base/macros.h"
#include "daemon/daemon_parts.h"
#include "sys/fd.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

void notify_send(const char *socket_path, const char *state)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t length = socket_path == NULL ? 0 : strlen(socket_path);
    AUTO(fd) fd = FD_NONE;

    if (length == 0 || length >= sizeof(address.sun_path)) {
        return;
    }
    memcpy(address.sun_path, socket_path, length);
    if (address.sun_path[0] == '@') { /* an abstract name */
        address.sun_path[0] = '\0';
    }
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) {
        (void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    }
}

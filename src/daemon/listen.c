#include "base/limits.h"
#include "daemon/daemon_parts.h"
#include "sys/fd.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

MUST_CHECK static bool listen_fault(const char *what, struct err *err)
{
    int number = errno;

    err_set(err, CODE_R0551, "%s: %s", what, strerror(number));
    return number == EADDRINUSE
               ? err_hint(
                     err,
                     "another process uses the address: stop that process, or choose another port")
           : number == ENOENT
               ? err_hint(
                     err,
                     "create the folder of the socket first, or name another path: --socket PATH")
               : false;
}

MUST_CHECK static bool socket_make(int family, int *out, struct err *err)
{
    *out = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return *out >= 0 || listen_fault("a socket cannot be made", err);
}

/* Returns true if a process listens at this address. */
static bool is_answering(const struct sockaddr_un *address)
{
    AUTO(fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return fd >= 0 && (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
                       errno == EAGAIN);
}

/* Removes the socket file of a process that has crashed. Any other file at that path stays. */
MUST_CHECK static bool leftover_remove(const struct sockaddr_un *address, struct err *err)
{
    struct stat info;

    if (lstat(address->sun_path, &info) != 0) {
        return true;
    }
    if (!S_ISSOCK(info.st_mode)) {
        return err_set(err, CODE_R0551, "'%s' exists and is not a socket", address->sun_path);
    }
    if (is_answering(address)) {
        err_set(err, CODE_R0551, "another process listens at '%s'", address->sun_path);
        return err_hint(err, "stop that process, or name another path: --socket PATH");
    }
    return unlink(address->sun_path) == 0 || listen_fault(address->sun_path, err);
}

bool listen_is_taken(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (strlen(path) >= sizeof(address.sun_path)) {
        return false;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    return is_answering(&address);
}

bool listen_local(const char *path, gid_t group, int *out, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    AUTO(fd) fd = FD_NONE;
    mode_t mask;
    int failed;

    if (strlen(path) >= sizeof(address.sun_path)) {
        err_set(err, CODE_R0551, "the path of the socket is longer than %zu bytes",
                sizeof(address.sun_path) - 1);
        return err_hint(err, "name a shorter path: --socket PATH");
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (!leftover_remove(&address, err) || !socket_make(AF_UNIX, &fd, err)) {
        return false;
    }
    mask = umask(0177); /* no client can connect before the group is set */
    failed = bind(fd, (const struct sockaddr *)&address, sizeof(address));
    umask(mask);
    if (failed != 0) {
        return listen_fault(path, err);
    }
    if (group != (gid_t)-1 && (chown(path, (uid_t)-1, group) != 0 || chmod(path, 0660) != 0)) {
        return listen_fault(path, err);
    }
    *out = fd;
    fd = FD_NONE;
    return true;
}

bool listen_begin(int fd, const char *path, struct err *err)
{
    return listen(fd, LIMIT_HTTP_BACKLOG) == 0 || listen_fault(path, err);
}

bool listen_tcp(const struct config_listener *listener, int *out, struct err *err)
{
    bool is_six = text_find_byte(listener->host, ':') != SIZE_MAX;
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(listener->port) };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(listener->port) };
    const struct sockaddr *address =
        is_six ? (const struct sockaddr *)&six : (const struct sockaddr *)&four;
    AUTO(fd) fd = FD_NONE;
    char host[64];
    char name[80];
    int on = 1;

    snprintf(host, sizeof(host), "%.*s", TEXT_ARG(listener->host));
    snprintf(name, sizeof(name), "%s, port %u", host, (unsigned)listener->port);
    if (inet_pton(is_six ? AF_INET6 : AF_INET, host,
                  is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr) != 1) {
        return err_set(err, CODE_R0551, "'%s' is not a valid address", host);
    }
    if (!socket_make(is_six ? AF_INET6 : AF_INET, &fd, err)) {
        return false;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, address, is_six ? sizeof(six) : sizeof(four)) != 0 ||
        listen(fd, LIMIT_HTTP_BACKLOG) != 0) {
        return listen_fault(name, err);
    }
    *out = fd;
    fd = FD_NONE;
    return true;
}

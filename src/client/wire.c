#include "client/wire.h"

#include "sys/clock.h"
#include "sys/fd.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* An address in the kernel's format. */
struct wire_address {
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    };
    socklen_t length;
};

/* Returns a hint how to start the manager. The exact command is known only for the system's
 * standard manager under systemd. */
static const char *start_words(const struct address *address)
{
    bool is_of_system = text_is(address->url, ADDRESS_STANDARD_URL);

    if (is_of_system && access("/run/systemd/system", F_OK) == 0) {
        return "start it: systemctl start reeved";
    }
    if (is_of_system && access("/etc/init.d/reeved", X_OK) == 0) {
        return "start it: service reeved start";
    }
    return text_has_prefix(address->url, TEXT("unix:"))
               ? "start reeved with this --socket and its --data folder"
               : "start reeved there, or check that the network permits the connection";
}

MUST_CHECK static bool unreachable(const struct address *address, int number, struct err *err)
{
    if (number == EACCES || number == EPERM) {
        err_set(err, CODE_R0409, "you have no permission to use the manager at %.*s: %s",
                TEXT_ARG(address->url), strerror(number));
        return err_hint(err, "members of the group reeve have it: sudo adduser $USER reeve, then "
                             "log in again");
    }
    err_set(err, CODE_R0015, "no manager reachable at %.*s: %s", TEXT_ARG(address->url),
            strerror(number));
    return err_hint(
        err, "%s; for another manager: --context or REEVE_URL; without one: reeve plan --offline",
        start_words(address));
}

MUST_CHECK static bool too_late(struct err *err)
{
    err_set(err, CODE_R0016, "the manager did not answer in time");
    return err_hint(err, "wait longer with --timeout 2m; reeve doctor looks for the cause");
}

MUST_CHECK static bool wire_broken(int number, struct err *err)
{
    return err_set(err, CODE_R0018, "the connection to the manager broke: %s", strerror(number));
}

static struct wire_address address_make(const struct address *address)
{
    struct wire_address out = { .length = 0 };
    char host[INET6_ADDRSTRLEN + 1];

    if (address->kind == ADDRESS_UNIX) {
        out.local.sun_family = AF_UNIX;
        assert(address->path.length < sizeof(out.local.sun_path));
        memcpy(out.local.sun_path, address->path.data, address->path.length);
        out.length = sizeof(out.local);
        return out;
    }
    snprintf(host, sizeof(host), "%.*s", TEXT_ARG(address->host));
    if (inet_pton(AF_INET6, host, &out.six.sin6_addr) == 1) {
        out.six.sin6_family = AF_INET6;
        out.six.sin6_port = htons(address->port);
        out.length = sizeof(out.six);
    } else {
        bool is_number = inet_pton(AF_INET, host, &out.four.sin_addr) == 1;

        out.four.sin_family = AF_INET;
        out.four.sin_port = htons(address->port);
        if (!is_number) { /* localhost is 127.0.0.1, without a resolver */
            out.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        }
        out.length = sizeof(out.four);
    }
    return out;
}

/* Waits until the descriptor is ready. Fails if the deadline passes first. */
MUST_CHECK static bool ready_wait(int fd, short events, uint64_t deadline_ms, struct err *err)
{
    for (;;) {
        struct pollfd wanted = { .fd = fd, .events = events };
        uint64_t now_ms = clock_monotonic_ms(clock_system());
        uint64_t left_ms = deadline_ms > now_ms ? deadline_ms - now_ms : 0;
        int count = poll(&wanted, 1, left_ms > INT_MAX ? INT_MAX : (int)left_ms);

        if (count > 0) {
            return true;
        }
        if (count == 0 && clock_monotonic_ms(clock_system()) >= deadline_ms) {
            return too_late(err);
        }
        if (count < 0 && errno != EINTR) {
            return wire_broken(errno, err);
        }
    }
}

MUST_CHECK static bool wire_socket_connect(const struct address *address, uint64_t deadline_ms,
                                           struct wire *out, struct err *err)
{
    struct wire_address target = address_make(address);
    AUTO(fd) fd = socket(target.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int failure = 0;
    socklen_t size = sizeof(failure);

    if (fd < 0) {
        return unreachable(address, errno, err);
    }
    if (connect(fd, &target.any, target.length) != 0) {
        if (errno != EINPROGRESS && errno != EAGAIN) {
            return unreachable(address, errno, err);
        }
        if (!ready_wait(fd, POLLOUT, deadline_ms, err)) {
            return false;
        }
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) != 0 || failure != 0) {
            return unreachable(address, failure != 0 ? failure : errno, err);
        }
    }
    *out = (struct wire){ .fd = fd };
    fd = FD_NONE;
    return true;
}

bool wire_open(const struct address *address, const char *ca, uint64_t deadline_ms,
               struct wire *out, struct err *err)
{
    uint64_t now_ms = clock_monotonic_ms(clock_system());
    struct tls *tls = NULL;

    if (address->kind != ADDRESS_TLS) {
        return wire_socket_connect(address, deadline_ms, out, err);
    }
    if (!tls_open(address, ca, deadline_ms > now_ms ? deadline_ms - now_ms : 1, &tls, err)) {
        return false;
    }
    *out = (struct wire){ .fd = tls_fd(tls), .tls = tls };
    return true;
}

void wire_close(struct wire *wire)
{
    if (wire->tls != NULL) {
        tls_free(wire->tls); /* this also closes the descriptor of the connection */
    } else {
        fd_cleanup(&wire->fd);
    }
    *wire = (struct wire){ .fd = FD_NONE };
}

/* Tries to write once. *out_length is 0 if the connection is not ready. Returns false if it
 * broke. */
MUST_CHECK static bool write_try(const struct wire *wire, struct text bytes, size_t *out_length,
                                 struct err *err)
{
    ssize_t count;

    *out_length = 0;
    if (wire->tls != NULL) {
        return tls_write(wire->tls, bytes, out_length) != TLS_BROKEN || wire_broken(EPIPE, err);
    }
    count = send(wire->fd, bytes.data, bytes.length, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        return wire_broken(errno, err);
    }
    *out_length = count > 0 ? (size_t)count : 0;
    return true;
}

bool wire_write(const struct wire *wire, struct text bytes, uint64_t deadline_ms, struct err *err)
{
    while (bytes.length > 0) {
        size_t count;

        if (!write_try(wire, bytes, &count, err)) {
            return false;
        }
        if (count == 0 && !ready_wait(wire->fd, POLLOUT, deadline_ms, err)) {
            return false;
        }
        bytes = text_slice(bytes, count, bytes.length);
    }
    return true;
}

/* Tries to read once. *is_now is true if bytes were read or the end of the stream was reached. */
MUST_CHECK static bool read_try(const struct wire *wire, char *out, size_t room, size_t *out_length,
                                bool *is_now, struct err *err)
{
    ssize_t count;

    *out_length = 0;
    /* TLS may hold bytes that poll() on the descriptor does not report */
    if (wire->tls != NULL) {
        enum tls_result result = tls_read(wire->tls, out, room, out_length);

        *is_now = result == TLS_OK;
        return result != TLS_BROKEN || wire_broken(EPIPE, err);
    }
    count = recv(wire->fd, out, room, 0);
    *is_now = count >= 0;
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        return wire_broken(errno, err);
    }
    *out_length = count > 0 ? (size_t)count : 0;
    return true;
}

bool wire_read(const struct wire *wire, char *out, size_t room, uint64_t deadline_ms,
               size_t *out_length, struct err *err)
{
    bool is_now = false;

    assert(room > 0);
    while (!is_now) {
        if (!read_try(wire, out, room, out_length, &is_now, err)) {
            return false;
        }
        if (!is_now && !ready_wait(wire->fd, POLLIN, deadline_ms, err)) {
            return false;
        }
    }
    return true;
}

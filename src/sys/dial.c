#include "sys/dial.h"

#include "base/limits.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BANNER "SSH-"

/* A server may send other lines before its banner; no more than this many bytes are read. */
enum { BANNER_BYTES_MAX = 8192 };

struct dial {
    int socket;
    int number; /* immediate errno of connect(); 0: none */
    struct loop_descriptor *descriptor;
    struct loop_timer *timer;
    /* the connection was accepted, and the banner must still arrive */
    bool is_ssh;
    bool is_connected;
    /* the first bytes of the current line, and the number of bytes in all lines so far */
    char line[sizeof(BANNER) - 1];
    size_t line_bytes;
    size_t total_bytes;
    dial_done *done;
    void *arg;
};

void dial_cancel(struct dial *dial)
{
    loop_descriptor_close(dial->descriptor);
    loop_timer_close(dial->timer);
    if (dial->socket != FD_NONE) {
        close(dial->socket);
    }
    rows_free(dial);
}

static void dial_end(struct dial *dial, enum dial_end end, const char *why)
{
    dial_done *done = dial->done;
    void *arg = dial->arg;

    dial_cancel(dial);
    done(arg, end, why);
}

static void time_over(void *arg)
{
    struct dial *dial = arg;

    dial_end(dial, dial->is_connected ? DIAL_MUTE : DIAL_SILENT,
             dial->is_connected ? "the host accepts connections, but sent no SSH banner in time"
                                : "no answer in time");
}

/* True if the line begins like a banner. */
static bool is_banner_read(struct dial *dial, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            dial->line_bytes = 0;
            continue;
        }
        if (dial->line_bytes < sizeof(dial->line)) {
            dial->line[dial->line_bytes] = bytes[i];
        }
        dial->line_bytes++;
        if (dial->line_bytes == sizeof(dial->line) &&
            memcmp(dial->line, BANNER, sizeof(dial->line)) == 0) {
            return true;
        }
    }
    return false;
}

static void banner_read(struct dial *dial)
{
    char bytes[512];
    ssize_t count = read(dial->socket, bytes, sizeof(bytes));

    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        dial_end(dial, DIAL_REFUSED, "the connection was closed before an SSH banner came");
        return;
    }
    dial->total_bytes += (size_t)count;
    if (is_banner_read(dial, bytes, (size_t)count)) {
        dial_end(dial, DIAL_OPEN, "");
    } else if (dial->total_bytes > BANNER_BYTES_MAX) {
        dial_end(dial, DIAL_REFUSED, "the program that listens there is not an SSH server");
    }
}

static void dial_socket_ready(void *arg, unsigned events)
{
    struct dial *dial = arg;
    socklen_t length = sizeof(int);
    int number = dial->number;

    (void)events;
    if (dial->is_connected) {
        banner_read(dial);
        return;
    }
    if (number == 0 && getsockopt(dial->socket, SOL_SOCKET, SO_ERROR, &number, &length) != 0) {
        number = errno;
    }
    if (number == 0 && dial->is_ssh) {
        dial->is_connected = true;
        loop_descriptor_want(dial->descriptor, LOOP_READABLE);
        return;
    }
    dial_end(dial,
             number == 0                                      ? DIAL_OPEN
             : number == ECONNREFUSED || number == ECONNRESET ? DIAL_REFUSED
                                                              : DIAL_SILENT,
             number == 0 ? "" : strerror(number));
}

MUST_CHECK static bool dial_socket_open(struct dial *dial, struct text address, uint16_t port,
                                        struct err *err)
{
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                              .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char host[LIMIT_ADDRESS_BYTES];
    char service[8];

    snprintf(host, sizeof(host), "%.*s", TEXT_ARG(address));
    snprintf(service, sizeof(service), "%u", port);
    if (address.length >= sizeof(host) || getaddrinfo(host, service, &hints, &found) != 0) {
        return err_set(err, CODE_R0532, "'%.*s' is not a valid address", TEXT_ARG(address));
    }
    dial->socket = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (dial->socket >= 0 && connect(dial->socket, found->ai_addr, found->ai_addrlen) != 0 &&
        errno != EINPROGRESS) {
        dial->number = errno; /* reported in a later iteration, like every result */
    }
    freeaddrinfo(found);
    return dial->socket >= 0 ||
           err_set(err, CODE_R0532, "the socket to reach %.*s cannot be created: %s",
                   TEXT_ARG(address), strerror(errno));
}

bool dial_start(struct loop *loop, const struct dial_target *target, dial_done *done, void *arg,
                struct dial **out, struct err *err)
{
    struct dial *dial = rows_resize(NULL, sizeof(*dial));

    assert(target->timeout_ms > 0);
    *dial = (struct dial){ .socket = FD_NONE, .is_ssh = target->is_ssh, .done = done, .arg = arg };
    if (!dial_socket_open(dial, target->address, target->port, err) ||
        !loop_descriptor_open(loop, dial->socket, dial_socket_ready, dial, &dial->descriptor,
                              err) ||
        !loop_timer_open(loop, time_over, dial, &dial->timer, err)) {
        dial_cancel(dial);
        return false;
    }
    loop_descriptor_want(dial->descriptor, LOOP_WRITABLE);
    loop_timer_start(dial->timer, target->timeout_ms, 0);
    *out = dial;
    return true;
}

#include "host/host.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EXIT_LOST = 6 };

struct out {
    pthread_mutex_t mutex;
    int socket;
};

struct out *out_new(int socket)
{
    struct out *out = rows_resize(NULL, sizeof(*out));

    *out = (struct out){ .mutex = PTHREAD_MUTEX_INITIALIZER, .socket = socket };
    return out;
}

/* Called if the plugin has closed or replaced the descriptor: no more messages can be sent. */
static void out_lost(void)
{
    static const char words[] = "the socket to the manager is closed\n";

    (void)!write(STDERR_FILENO, words, sizeof(words) - 1);
    _exit(EXIT_LOST);
}

/* Sends bytes. If the manager has ended, they are lost; the thread that reads frames notices this,
 * and ends the process. */
static void out_bytes_send(int socket, struct text bytes)
{
    while (bytes.length > 0) {
        ssize_t sent = send(socket, bytes.data, bytes.length, MSG_NOSIGNAL);

        if (sent > 0) {
            bytes = text_slice(bytes, (size_t)sent, bytes.length);
        } else if (sent < 0 && errno == EAGAIN) {
            struct pollfd room = { .fd = socket, .events = POLLOUT };

            (void)!poll(&room, 1, -1);
        } else if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
            return;
        } else if (sent == 0 || errno != EINTR) {
            out_lost();
        }
    }
}

void out_send(struct out *out, const struct wire_message *message)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct buf buf;

    buf_init(&buf, arena);
    wire_format(&buf, message);
    pthread_mutex_lock(&out->mutex);
    out_bytes_send(out->socket, buf_text(&buf));
    pthread_mutex_unlock(&out->mutex);
}

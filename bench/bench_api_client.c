/* A load generator for bench/api.py that uses little processor time itself. It has many connections
 * to a unix socket, with one request in progress on each.
 *
 *     bench_api_client SOCKET CONNECTIONS SECONDS GET PATH    repeats the same request
 *     bench_api_client SOCKET CONNECTIONS SECONDS PATCH PATH  connection i resizes cluster PATH + i
 *     bench_api_client SOCKET CONNECTIONS SECONDS WATCH PATH  all connections watch; resizes PATH
 *
 * With SECONDS 0, each connection gets one answer. With WATCH, each resize follows after all
 * watchers have received the previous event. Prints one line: number of answers, seconds, and the
 * p50, p99 and maximum latency in microseconds. For WATCH, the latency is the time from sending a
 * change until the last watcher has received it. */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 20000, SAMPLES_MAX = 4000000, ROOM = 512 * 1024, CHANGE_PAUSE_US = 20000 };

struct connection {
    int fd;
    size_t index;
    uint64_t start_us;
    uint64_t count;
    size_t length;   /* number of bytes received */
    uint64_t needed; /* length of the whole answer in bytes; 0: not known yet */
    char head[2048];
};

static struct connection connections[CONNECTIONS_MAX];
static uint32_t samples[SAMPLES_MAX];
static size_t sample_count;
static char room[ROOM];

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_api_client: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void connection_open(struct connection *connection, size_t index, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    connection->index = index;
    connection->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connection->fd < 0 ||
        connect(connection->fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        fail("connect");
    }
}

static void sample_add(uint64_t us)
{
    if (sample_count < SAMPLES_MAX) {
        samples[sample_count++] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
    }
}

static void request_send(struct connection *connection, const char *method, const char *path)
{
    char text[1024];
    char body[128];
    int body_length;
    int length;

    connection->start_us = now_us();
    connection->length = 0;
    connection->needed = 0;
    if (strcmp(method, "GET") == 0) {
        length = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    } else {
        body_length = snprintf(body, sizeof(body), "{\"groups\":{\"web\":{\"size\":%llu}}}",
                               (unsigned long long)(1 + connection->count % 1000));
        length = snprintf(text, sizeof(text),
                          "PATCH %s%zu?allow=destroy:1000 HTTP/1.1\r\nHost: x\r\nContent-Type: "
                          "application/merge-patch+json\r\nContent-Length: %d\r\n\r\n%s",
                          path, connection->index, body_length, body);
    }
    connection->count++;
    if (write(connection->fd, text, (size_t)length) != length) {
        fail("write");
    }
}

/* Determine the length of the answer after its head was received. */
static void head_read(struct connection *connection, const char *data, size_t bytes)
{
    size_t left = sizeof(connection->head) - 1 - connection->length;
    size_t taken = connection->length >= sizeof(connection->head) - 1 ? 0
                   : bytes < left                                     ? bytes
                                                                      : left;
    const char *end;
    const char *length;

    memcpy(connection->head + connection->length, data, taken);
    connection->head[connection->length + taken] = '\0';
    end = strstr(connection->head, "\r\n\r\n");
    length = strstr(connection->head, "Content-Length: ");
    if (end != NULL && length != NULL && length < end) {
        connection->needed =
            (uint64_t)(end + 4 - connection->head) + strtoull(length + 16, NULL, 10);
        if (connection->head[9] != '2') {
            fprintf(stderr, "bench_api_client: refused: %s\n", connection->head);
            exit(1);
        }
    }
}

/* Read a part of the answer. Returns true if the answer is complete. */
static bool answer_read(struct connection *connection)
{
    ssize_t bytes = read(connection->fd, room, sizeof(room));

    if (bytes <= 0) {
        fail("read");
    }
    if (connection->needed == 0) {
        head_read(connection, room, (size_t)bytes);
    }
    connection->length += (size_t)bytes;
    return connection->needed > 0 && connection->length >= connection->needed;
}

static int epoll_open(size_t count)
{
    int poll = epoll_create1(0);

    for (size_t i = 0; i < count; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &connections[i] };

        if (epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].fd, &event) != 0) {
            fail("epoll");
        }
    }
    return poll;
}

static void requests_run(size_t count, uint64_t end_us, const char *method, const char *path)
{
    struct epoll_event events[256];
    int poll = epoll_open(count);

    for (size_t i = 0; i < count; i++) {
        request_send(&connections[i], method, path);
    }
    while (now_us() < end_us || sample_count < count) {
        int ready = epoll_wait(poll, events, 256, 100);

        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;

            if (answer_read(connection)) {
                sample_add(now_us() - connection->start_us);
                if (end_us > 0) {
                    request_send(connection, method, path);
                }
            }
        }
    }
}

/* Read the bytes sent to a watcher. Returns the number of events of this kind that begin in them.
 * The manager sends each event in a separate chunk. */
static size_t watcher_read(const struct connection *connection, const char *event)
{
    ssize_t bytes = read(connection->fd, room, sizeof(room) - 1);
    size_t count = 0;

    if (bytes <= 0) {
        fail("read");
    }
    room[bytes] = '\0';
    for (const char *at = room; (at = strstr(at, event)) != NULL; at++) {
        count++;
    }
    return count;
}

/* Wait until `wanted` events were received and, unless `writer` is NULL, the answer to the writer
 * too. The connection of the writer comes after those of the watchers. */
static void watchers_wait(int poll, const char *event, size_t wanted, struct connection *writer)
{
    struct epoll_event events[256];
    bool is_answered = writer == NULL;

    while (wanted > 0 || !is_answered) {
        int ready = epoll_wait(poll, events, 256, 10000);

        if (ready <= 0) {
            fail("an event is missing");
        }
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;

            if (connection == writer) {
                is_answered = is_answered || answer_read(writer);
            } else {
                wanted -= watcher_read(connection, event);
            }
        }
        if (wanted == 0 && writer != NULL && writer->count > 0) {
            sample_add(now_us() - writer->start_us);
            writer->count = 0; /* take only one sample */
        }
    }
}

/* Make one change after the other, each after all watchers have received the previous event. */
static void watch_run(size_t count, uint64_t end_us, const char *path)
{
    static const char text[] = "GET /v1/watch?kinds=cluster HTTP/1.1\r\nHost: x\r\n\r\n";
    struct connection *writer = &connections[count];
    int poll = epoll_open(count + 1);

    for (size_t i = 0; i < count; i++) {
        if (write(connections[i].fd, text, sizeof(text) - 1) != sizeof(text) - 1) {
            fail("write");
        }
    }
    watchers_wait(poll, "event: hello", count, NULL);
    for (uint64_t change = 1; now_us() < end_us; change++) {
        writer->count = change;
        request_send(writer, "PATCH", path);
        watchers_wait(poll, "event: put", count, writer);
        usleep(CHANGE_PAUSE_US);
    }
}

static int sample_compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

int main(int argc, char **argv)
{
    size_t count = argc == 6 ? strtoul(argv[2], NULL, 10) : 0;
    double seconds = argc == 6 ? strtod(argv[3], NULL) : 0;
    bool is_watch = argc == 6 && strcmp(argv[4], "WATCH") == 0;
    uint64_t start_us;

    if (count == 0 || count + 1 > CONNECTIONS_MAX || seconds < 0) {
        fprintf(stderr,
                "usage: bench_api_client SOCKET CONNECTIONS SECONDS GET|PATCH|WATCH PATH\n");
        return 2;
    }
    for (size_t i = 0; i < count + is_watch; i++) {
        connection_open(&connections[i], is_watch ? 0 : i, argv[1]);
    }
    start_us = now_us();
    if (is_watch) {
        watch_run(count, start_us + (uint64_t)(seconds * 1e6), argv[5]);
    } else {
        requests_run(count, seconds > 0 ? start_us + (uint64_t)(seconds * 1e6) : 0, argv[4],
                     argv[5]);
    }
    seconds = (double)(now_us() - start_us) / 1e6;
    if (sample_count == 0) {
        fail("no answer");
    }
    qsort(samples, sample_count, sizeof(samples[0]), sample_compare);
    printf("%zu %.3f %u %u %u\n", sample_count, seconds, samples[sample_count / 2],
           samples[sample_count * 99 / 100], samples[sample_count - 1]);
    return 0;
}

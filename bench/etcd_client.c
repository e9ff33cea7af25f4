/* A load generator for etcd that uses as little processor time as possible: gRPC on plain HTTP/2,
 * in one event loop without a library. It corresponds to bench_api_client for the API of reeve.
 *
 * PORT is a TCP port of the loopback interface or, if it contains a slash, the path of a unix
 * socket, as bench_api_client uses it.
 *
 *     etcd_client PORT CONNECTIONS SECONDS txn BYTES   each connection compares and puts its key
 *     etcd_client PORT WATCHERS SECONDS watch BYTES     WATCHERS watches on one connection
 *     etcd_client PORT COUNT 0 fill FILE              puts COUNT keys with the bytes of the file
 *
 * watch sends each put after all watchers have received the previous event. txn and watch print one
 * line: number of answers, seconds, and the p50, p99 and maximum latency in microseconds. For
 * watch, the latency is the time from sending a put until the last watcher has received it. */

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "etcd/etcd_message.h"

enum {
    CONNECTIONS_MAX = 1024,
    SAMPLES_MAX = 1000000,
    ROOM_BYTES = 1 << 20,
    FRAME_HEAD_BYTES = 9,
    MESSAGE_HEAD_BYTES = 5,
    WINDOW_BYTES = 1 << 30,
    /* with this number of operations, a message is smaller than the initial window of a stream */
    FILL_OPS = 40,
};

enum frame_type {
    FRAME_DATA = 0,
    FRAME_HEADERS = 1,
    FRAME_SETTINGS = 4,
    FRAME_PING = 6,
    FRAME_WINDOW = 8
};
enum frame_flag { FLAG_NONE = 0, FLAG_ACK = 1, FLAG_END_STREAM = 1, FLAG_END_HEADERS = 4 };

struct connection {
    int fd;
    size_t index;
    uint32_t stream; /* stream of the request in progress */
    uint64_t start_us;
    uint64_t revision; /* revision of the key of this connection */
    uint64_t received; /* received bytes for which no window update was sent yet */
    struct arena *arena;
    struct buf in; /* received frames; the last frame may be incomplete */
    /* acknowledgements to send with the next request, or immediately if there is none */
    struct buf acks;
    struct buf message; /* received part of the answer */
};

static struct connection connections[CONNECTIONS_MAX];
static uint32_t samples[SAMPLES_MAX];
static size_t sample_count;
static char room[ROOM_BYTES];
static struct text value;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "etcd_client: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void sample_add(uint64_t us)
{
    if (sample_count < SAMPLES_MAX) {
        samples[sample_count++] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
    }
}

/* ---- frames ---- */

static void number_add(struct buf *buf, uint32_t number)
{
    uint32_t bytes = htobe32(number);

    buf_add(buf, (struct text){ (const char *)&bytes, sizeof(bytes) });
}

static void frame_add(struct buf *buf, enum frame_type type, unsigned flags, uint32_t stream,
                      struct text body)
{
    char head[5] = { (char)(body.length >> 16), (char)(body.length >> 8), (char)body.length,
                     (char)type, (char)flags };

    buf_add(buf, (struct text){ head, sizeof(head) });
    number_add(buf, stream);
    buf_add(buf, body);
}

static void bytes_send(const struct connection *connection, struct text bytes)
{
    while (bytes.length > 0) {
        ssize_t sent = write(connection->fd, bytes.data, bytes.length);

        if (sent <= 0) {
            fail("write");
        }
        bytes = text_slice(bytes, (size_t)sent, bytes.length);
    }
}

/* Add a header field in HPACK format without a dynamic table. Its name is an index of the static
 * table, or 0 followed by a text. */
static void field_add(struct buf *buf, unsigned number, const char *name, const char *text)
{
    char byte = (char)number;

    buf_add(buf, (struct text){ &byte, 1 });
    if (number == 0) {
        byte = (char)strlen(name);
        buf_add(buf, (struct text){ &byte, 1 });
        buf_add_string(buf, name);
    }
    byte = (char)strlen(text);
    buf_add(buf, (struct text){ &byte, 1 });
    buf_add_string(buf, text);
}

static void headers_add(struct buf *buf, const struct connection *connection, const char *method)
{
    struct buf fields;

    buf_init(&fields, connection->arena);
    buf_add_string(&fields, "\x83\x86"); /* :method POST, :scheme http */
    field_add(&fields, 4, ":path", method);
    field_add(&fields, 1, ":authority", "127.0.0.1");
    field_add(&fields, 0, "content-type", "application/grpc");
    field_add(&fields, 0, "te", "trailers");
    frame_add(buf, FRAME_HEADERS, FLAG_END_HEADERS, connection->stream, buf_text(&fields));
}

static void message_add(struct buf *buf, const struct connection *connection, struct text message,
                        unsigned flags)
{
    struct buf body;

    buf_init(&body, connection->arena);
    buf_add(&body, (struct text){ "", 1 });
    number_add(&body, (uint32_t)message.length);
    buf_add(&body, message);
    for (size_t at = 0; at < body.length;
         at += 16384) { /* 16384 is the largest frame size that HTTP/2 permits by default */
        struct text part =
            text_slice(buf_text(&body), at, body.length - at < 16384 ? body.length - at : 16384);

        frame_add(buf, FRAME_DATA, at + 16384 >= body.length ? flags : FLAG_NONE,
                  connection->stream, part);
    }
}

static int socket_open(const char *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    bool is_local = strchr(port, '/') != NULL;
    int fd = socket(is_local ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    int on = 1;

    snprintf(local.sun_path, sizeof(local.sun_path), "%s", port);
    if (fd < 0 || connect(fd, is_local ? (struct sockaddr *)&local : (struct sockaddr *)&address,
                          is_local ? sizeof(local) : sizeof(address)) != 0) {
        fail("connect");
    }
    if (!is_local) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    return fd;
}

static void connection_open(struct connection *connection, size_t index, const char *port)
{
    struct buf settings;
    struct buf out;

    *connection = (struct connection){ .index = index, .arena = arena_new(LIMIT_WORK_ARENA_BYTES) };
    connection->fd = socket_open(port);
    buf_init(&connection->acks, connection->arena);
    buf_init(&connection->in, connection->arena);
    buf_init(&connection->message, connection->arena);
    buf_init(&settings, connection->arena);
    buf_init(&out, connection->arena);
    buf_add(&settings, (struct text){ "\0\4", 2 }); /* setting 4 is the initial window of streams */
    number_add(&settings, WINDOW_BYTES);
    buf_add_string(&out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frame_add(&out, FRAME_SETTINGS, FLAG_NONE, 0, buf_text(&settings));
    settings.length = 0;
    number_add(&settings, WINDOW_BYTES);
    frame_add(&out, FRAME_WINDOW, FLAG_NONE, 0, buf_text(&settings));
    bytes_send(connection, buf_text(&out));
    connection->stream = (uint32_t)-1;
}

/* Begin a call, and free the memory of the previous call. */
static void call_begin(struct connection *connection, struct buf *out, const char *method)
{
    struct arena *old = connection->arena;

    connection->arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text rest = buf_text(&connection->in);

    buf_init(&connection->in, connection->arena);
    buf_add(&connection->in, rest);
    buf_init(&connection->message, connection->arena);
    buf_init(out, connection->arena);
    buf_add(out, buf_text(&connection->acks));
    buf_init(&connection->acks, connection->arena);
    arena_free(old);
    connection->stream += 2;
    headers_add(out, connection, method);
}

static void window_give(struct connection *connection, uint32_t stream)
{
    struct buf number;
    struct buf out;

    if (connection->received < WINDOW_BYTES / 2) {
        return;
    }
    buf_init(&number, connection->arena);
    buf_init(&out, connection->arena);
    number_add(&number, (uint32_t)connection->received);
    frame_add(&out, FRAME_WINDOW, FLAG_NONE, 0, buf_text(&number));
    frame_add(&out, FRAME_WINDOW, FLAG_NONE, stream, buf_text(&number));
    bytes_send(connection, buf_text(&out));
    connection->received = 0;
}

/* Process one frame. Returns true if the frame ended the call. */
static bool frame_take(struct connection *connection, enum frame_type type, unsigned flags,
                       uint32_t stream, struct text body)
{
    if ((type == FRAME_PING || type == FRAME_SETTINGS) && (flags & FLAG_ACK) == 0) {
        frame_add(&connection->acks, type, FLAG_ACK, 0, type == FRAME_PING ? body : TEXT(""));
    }
    if (type == FRAME_DATA) {
        connection->received += body.length;
        buf_add(&connection->message, body);
        window_give(connection, stream);
    }
    return type == FRAME_HEADERS && stream == connection->stream && (flags & FLAG_END_STREAM) != 0;
}

/* Read the available bytes. Returns whether the call has ended. */
static bool connection_read(struct connection *connection)
{
    ssize_t bytes = read(connection->fd, room, sizeof(room));
    bool has_ended = false;
    size_t at = 0;

    if (bytes <= 0) {
        fail("read");
    }
    buf_add(&connection->in, (struct text){ room, (size_t)bytes });
    while (connection->in.length - at >= FRAME_HEAD_BYTES) {
        const unsigned char *head = (const unsigned char *)connection->in.data + at;
        size_t length = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        uint32_t stream =
            (uint32_t)head[5] << 24 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 8 | head[8];

        if (connection->in.length - at - FRAME_HEAD_BYTES < length) {
            break;
        }
        has_ended |= frame_take(connection, head[3], head[4], stream,
                                (struct text){ (const char *)head + FRAME_HEAD_BYTES, length });
        at += FRAME_HEAD_BYTES + length;
    }
    memmove(connection->in.data, connection->in.data + at, connection->in.length - at);
    connection->in.length -= at;
    if (!has_ended && connection->acks.length > 0) {
        bytes_send(connection, buf_text(&connection->acks));
        connection->acks.length = 0;
    }
    return has_ended;
}

/* ---- transactions ---- */

static void txn_send(struct connection *connection)
{
    struct buf message;
    struct buf out;
    char key[64];

    call_begin(connection, &out, "/etcdserverpb.KV/Txn");
    buf_init(&message, connection->arena);
    snprintf(key, sizeof(key), "/bench/object/%06zu", connection->index);
    message_compare_add(&message, text_from(key), connection->revision);
    message_txn_put_add(&message, text_from(key), value);
    message_add(&out, connection, buf_text(&message), FLAG_END_STREAM);
    connection->start_us = now_us();
    bytes_send(connection, buf_text(&out));
}

/* Process the answer to a transaction. The transaction must have succeeded. */
static void txn_take(struct connection *connection)
{
    struct message_header header;
    struct message_txn_answer answer;
    struct text message = buf_text(&connection->message);

    if (message.length < MESSAGE_HEAD_BYTES ||
        !message_txn_read(connection->arena,
                          text_slice(message, MESSAGE_HEAD_BYTES, message.length), 1000, &header,
                          &answer) ||
        !answer.has_succeeded) {
        fprintf(stderr, "etcd_client: a transaction was refused\n");
        exit(1);
    }
    connection->revision = header.revision;
}

static void txn_run(size_t count, uint64_t end_us)
{
    struct epoll_event events[256];
    int poll = epoll_create1(0);

    for (size_t i = 0; i < count; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &connections[i] };

        epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].fd, &event);
        txn_send(&connections[i]);
    }
    while (now_us() < end_us) {
        int ready = epoll_wait(poll, events, 256, 100);

        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;

            if (connection_read(connection)) {
                sample_add(now_us() - connection->start_us);
                txn_take(connection);
                txn_send(connection);
            }
        }
    }
}

/* ---- watches ---- */

/* Process the complete messages of the watch stream. Counts created watches and reported
 * changes. */
static void watch_take(struct connection *connection, size_t *created, size_t *reported)
{
    struct text rest = buf_text(&connection->message);

    while (rest.length >= MESSAGE_HEAD_BYTES) {
        const unsigned char *head = (const unsigned char *)rest.data;
        size_t length =
            (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
        struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct message_watch_answer answer;

        if (rest.length - MESSAGE_HEAD_BYTES < length) {
            arena_free(arena);
            break;
        }
        if (!message_watch_read(arena, text_slice(rest, MESSAGE_HEAD_BYTES, length), 1000,
                                &answer)) {
            fail("a watch answer");
        }
        *created += answer.is_created;
        *reported += answer.count;
        rest = text_slice(rest, MESSAGE_HEAD_BYTES + length, rest.length);
        arena_free(arena);
    }
    memmove(connection->message.data, rest.data, rest.length);
    connection->message.length = rest.length;
}

static void watch_run(size_t count, uint64_t end_us)
{
    struct connection *watching = &connections[0];
    struct connection *writer = &connections[1];
    size_t created = 0;
    size_t reported = 0;
    struct buf out;

    call_begin(watching, &out, "/etcdserverpb.Watch/Watch");
    for (size_t i = 0; i < count; i++) {
        struct buf message;

        buf_init(&message, watching->arena);
        message_watch_add(&message, (int64_t)i + 1, TEXT("/bench/object/"), TEXT("/bench/object0"),
                          writer->revision + 1);
        message_add(&out, watching, buf_text(&message), FLAG_NONE);
    }
    bytes_send(watching, buf_text(&out));
    while (created < count) {
        connection_read(watching);
        watch_take(watching, &created, &reported);
    }
    while (now_us() < end_us) {
        reported = 0;
        txn_send(writer);
        while (reported < count) {
            connection_read(watching);
            watch_take(watching, &created, &reported);
        }
        sample_add(now_us() - writer->start_us);
        while (!connection_read(writer)) {
        }
        txn_take(writer);
        /* a pause as between changes of a real cluster, so that bursts do not overlap */
        usleep(20000);
    }
}

/* ---- many keys ---- */

static void fill_run(size_t count)
{
    struct connection *connection = &connections[0];

    for (size_t at = 0; at < count; at += FILL_OPS) {
        struct buf message;
        struct buf out;

        call_begin(connection, &out, "/etcdserverpb.KV/Txn");
        buf_init(&message, connection->arena);
        for (size_t i = at; i < at + FILL_OPS && i < count; i++) {
            char key[64];

            snprintf(key, sizeof(key), "/fill/node/%06zu", i);
            message_txn_put_add(&message, text_from(key), value);
        }
        message_add(&out, connection, buf_text(&message), FLAG_END_STREAM);
        bytes_send(connection, buf_text(&out));
        while (!connection_read(connection)) {
        }
        txn_take(connection);
    }
}

/* ---- which ---- */

static int sample_compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

static void value_make(const char *what, const char *argument)
{
    static char bytes[65536];
    FILE *file = strcmp(what, "fill") == 0 ? fopen(argument, "rb") : NULL;

    memset(bytes, 'v', sizeof(bytes));
    value = (struct text){ bytes, strtoul(argument, NULL, 10) };
    if (file != NULL) {
        value.length = fread(bytes, 1, sizeof(bytes), file);
        fclose(file);
    }
    if (value.length == 0 || value.length > sizeof(bytes)) {
        fail("value");
    }
}

/* Put the key of each connection to learn its revision, because the keys may exist from a previous
 * run. */
static void keys_make(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct connection *connection = &connections[i];
        struct buf message;
        struct buf out;
        char key[64];

        call_begin(connection, &out, "/etcdserverpb.KV/Txn");
        buf_init(&message, connection->arena);
        snprintf(key, sizeof(key), "/bench/object/%06zu", i);
        message_txn_put_add(&message, text_from(key), value);
        message_add(&out, connection, buf_text(&message), FLAG_END_STREAM);
        bytes_send(connection, buf_text(&out));
        while (!connection_read(connection)) {
        }
        txn_take(connection);
    }
}

int main(int argc, char **argv)
{
    size_t count = argc == 6 ? strtoul(argv[2], NULL, 10) : 0;
    double seconds = argc == 6 ? strtod(argv[3], NULL) : 0;
    const char *what = argc == 6 ? argv[4] : "";
    size_t needed = strcmp(what, "txn") == 0 ? count : 2;
    uint64_t start_us;

    if (count == 0 || needed > CONNECTIONS_MAX) {
        fprintf(stderr,
                "usage: etcd_client PORT COUNT SECONDS txn|watch BYTES, PORT COUNT 0 fill FILE\n");
        return 2;
    }
    value_make(what, argv[5]);
    for (size_t i = 0; i < needed; i++) {
        connection_open(&connections[i], i, argv[1]);
    }
    if (strcmp(what, "fill") == 0) {
        fill_run(count);
        return 0;
    }
    keys_make(needed);
    start_us = now_us();
    if (strcmp(what, "watch") == 0) {
        watch_run(count, start_us + (uint64_t)(seconds * 1e6));
    } else {
        txn_run(count, start_us + (uint64_t)(seconds * 1e6));
    }
    seconds = (double)(now_us() - start_us) / 1e6;
    qsort(samples, sample_count, sizeof(samples[0]), sample_compare);
    printf("%zu %.3f %u %u %u\n", sample_count, seconds, samples[sample_count / 2],
           samples[sample_count * 99 / 100], samples[sample_count - 1]);
    return 0;
}

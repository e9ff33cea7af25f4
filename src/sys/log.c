#include "sys/log.h"

#include "base/limits.h"
#include "base/mem.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Normal case: log_write() finds the event's slot, counts the event, formats it into the arena,
 * sends it, and rewinds the arena.
 *
 * Failures: if the journal is absent (while it restarts) or full, the line goes to standard error.
 * The same happens to a record that is too long for a datagram, if no memory file can be created.
 * If standard error is full, the log waits for a moment, once. After that, lines are counted as
 * lost until one can be written. */

/* Counts the repetitions of an event in its time window. A slot is free if `area` is NULL. */
struct slot {
    const char *area;
    const char *event;
    enum log_level level;
    uint64_t start_ms;
    uint64_t written;
    uint64_t suppressed;
};

struct log {
    struct arena *memory;
    struct arena *work; /* memory of one event */
    struct log_options options;
    struct sockaddr_un journal;
    int journal_fd; /* FD_NONE: the log does not go to the journal */
    uint64_t lost;
    bool is_half;  /* a full disk has truncated a line; the next write first ends that line */
    bool is_stuck; /* the previous line could not be written, so the next one does not wait */
    struct slot slots[LIMIT_LOG_REPEATED];
};

/* ---- output ---- */

/* True if standard error still is the file `DEVICE:INODE` that it was at the start of the
 * service. */
static bool is_stream(const char *stream, int fd)
{
    struct stat status;
    unsigned long long device;
    unsigned long long inode;
    char *end;

    if (stream == NULL || fstat(fd, &status) != 0) {
        return false;
    }
    errno = 0;
    device = strtoull(stream, &end, 10);
    if (errno != 0 || end == stream || *end != ':') {
        return false;
    }
    stream = end + 1;
    inode = strtoull(stream, &end, 10);
    return errno == 0 && end != stream && *end == '\0' && device == status.st_dev &&
           inode == status.st_ino;
}

static void journal_open(struct log *log)
{
    size_t length = strlen(log->options.journal_socket);

    log->journal_fd = FD_NONE;
    if (!is_stream(log->options.journal_stream, log->options.fd) ||
        length >= sizeof(log->journal.sun_path)) {
        return;
    }
    log->journal.sun_family = AF_UNIX;
    memcpy(log->journal.sun_path, log->options.journal_socket, length + 1);
    log->journal_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Returns the number of bytes written. */
static size_t log_bytes_write(int fd, struct text bytes)
{
    size_t done = 0;

    while (done < bytes.length) {
        ssize_t count = write(fd, bytes.data + done, bytes.length - done);

        if (count < 0 && errno != EINTR) {
            break;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return done;
}

/* True if there is space now or after a short wait. */
static bool has_room(struct log *log, int fd)
{
    struct pollfd room = { .fd = fd, .events = POLLOUT };

    return poll(&room, 1, log->is_stuck ? 0 : LIMIT_LOG_WAIT_MS) == 1 &&
           (room.revents & POLLOUT) != 0;
}

static bool journal_send(struct log *log, struct iovec *bytes, void *control, size_t control_bytes)
{
    struct msghdr message = {
        .msg_name = &log->journal,
        .msg_namelen = sizeof(log->journal),
        .msg_iov = bytes,
        .msg_iovlen = bytes == NULL ? 0 : 1,
        .msg_control = control,
        .msg_controllen = control_bytes,
    };
    ssize_t sent = sendmsg(log->journal_fd, &message, MSG_NOSIGNAL);

    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
        /* poll() reports an unconnected datagram socket as always ready, so just retry after a
         * moment */
        poll(NULL, 0, log->is_stuck ? 0 : LIMIT_LOG_WAIT_MS / 10);
        sent = sendmsg(log->journal_fd, &message, MSG_NOSIGNAL);
    }
    return sent >= 0;
}

/* Send a record that is too long for a datagram as the descriptor of a sealed memory file. */
static bool journal_send_file(struct log *log, struct text record)
{
    AUTO(fd) file = memfd_create("reeve-log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;

    if (file < 0 || log_bytes_write(file, record) < record.length ||
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
        return false;
    }
    memset(&control, 0, sizeof(control));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &file, sizeof(int));
    return journal_send(log, NULL, &control, sizeof(control));
}

static bool journal_write(struct log *log, const struct log_event *event)
{
    struct buf record;
    struct text bytes;
    struct iovec part;

    buf_init(&record, log->work);
    log_record_format(&record, event, log->options.identifier);
    bytes = buf_text(&record);
    part = (struct iovec){ record.data, bytes.length };
    if (journal_send(log, &part, NULL, 0)) {
        return true;
    }
    return (errno == EMSGSIZE || errno == ENOBUFS) && journal_send_file(log, bytes);
}

static bool log_line_write(struct log *log, const struct log_event *event)
{
    struct buf line;
    size_t done;

    buf_init(&line, log->work);
    if (log->is_half) {
        buf_add_string(&line, "\n");
    }
    log_line_format(&line, event, clock_wall_ms(log->options.clock));
    /* a line is not longer than PIPE_BUF, so it is written completely, without blocking, if there
     * is any space */
    if (!has_room(log, log->options.fd)) {
        return false;
    }
    done = log_bytes_write(log->options.fd, buf_text(&line));
    log->is_half = done < line.length && (done > 0 || log->is_half);
    return done == line.length;
}

static bool event_send(struct log *log, const struct log_event *event)
{
    struct arena_mark mark = arena_mark(log->work);
    bool is_sent =
        (log->journal_fd >= 0 && journal_write(log, event)) || log_line_write(log, event);

    arena_rewind(log->work, mark);
    log->is_stuck = !is_sent;
    return is_sent;
}

static void log_event_write(struct log *log, const struct log_event *event)
{
    if (log->options.fd < 0) {
        return;
    }
    if (log->lost > 0) {
        struct log_event lost = {
            .level = LOG_LEVEL_WARN,
            .area = "log",
            .event = "lost",
            .fields = (const struct log_field[]){ log_int("lines", (int64_t)log->lost), { 0 } },
        };

        if (event_send(log, &lost)) {
            log->lost = 0;
        }
    }
    if (!event_send(log, event)) {
        log->lost++;
    }
}

/* ---- repetition ---- */

/* Write the number of suppressed events and reset the slot. */
static void slot_end(struct log *log, struct slot *slot)
{
    struct slot ended = *slot;

    *slot = (struct slot){ .area = NULL };
    if (ended.suppressed > 0) {
        log_event_write(log, &(struct log_event){
                                 .level = ended.level,
                                 .area = ended.area,
                                 .event = ended.event,
                                 .fields = (const struct log_field[]){
                                     log_int("suppressed", (int64_t)ended.suppressed), { 0 } } });
    }
}

static void slots_end(struct log *log, uint64_t before_ms)
{
    for (size_t i = 0; i < LIMIT_LOG_REPEATED; i++) {
        struct slot *slot = &log->slots[i];

        if (slot->area != NULL && slot->start_ms <= before_ms) {
            slot_end(log, slot);
        }
    }
}

static bool slot_is(const struct slot *slot, const struct log_event *event)
{
    return slot->area != NULL && slot->level == event->level &&
           strcmp(slot->event, event->event) == 0 && strcmp(slot->area, event->area) == 0;
}

/* Return the slot of the event. If none is free, end the oldest slot and reuse it. */
static struct slot *slot_take(struct log *log, const struct log_event *event, uint64_t now_ms)
{
    struct slot *oldest = &log->slots[0];

    for (size_t i = 0; i < LIMIT_LOG_REPEATED; i++) {
        struct slot *slot = &log->slots[i];

        if (slot_is(slot, event)) {
            return slot;
        }
        if (slot->area == NULL || (oldest->area != NULL && slot->start_ms < oldest->start_ms)) {
            oldest = slot;
        }
    }
    slot_end(log, oldest);
    *oldest = (struct slot){
        .area = event->area, .event = event->event, .level = event->level, .start_ms = now_ms
    };
    return oldest;
}

void log_tick(struct log *log)
{
    uint64_t now_ms = clock_monotonic_ms(log->options.clock);

    if (now_ms >= LIMIT_LOG_WINDOW_MS) {
        slots_end(log, now_ms - LIMIT_LOG_WINDOW_MS);
    }
}

void log_write(struct log *log, const struct log_event *event)
{
    struct slot *slot;

    assert(event->level < LOG_LEVEL_COUNT);
    if (event->level > log->options.level) {
        return;
    }
    log_tick(log);
    slot = slot_take(log, event, clock_monotonic_ms(log->options.clock));
    if (slot->written == LIMIT_LOG_BURST) {
        slot->suppressed++;
        return;
    }
    slot->written++;
    log_event_write(log, event);
}

/* ---- lifetime ---- */

struct log *log_new(const struct log_options *options)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct log *log = arena_one(memory, struct log);

    assert(options->level < LOG_LEVEL_COUNT);
    log->memory = memory;
    log->work = arena_new(LIMIT_WORK_ARENA_BYTES);
    log->options = *options;
    if (options->clock.wall_ms == NULL) {
        log->options.clock = clock_system();
    }
    if (options->identifier == NULL) {
        log->options.identifier = "reeve";
    }
    if (options->journal_socket == NULL) {
        log->options.journal_socket = "/run/systemd/journal/socket";
    }
    journal_open(log);
    return log;
}

void log_free(struct log *log)
{
    if (log == NULL) {
        return;
    }
    slots_end(log, UINT64_MAX);
    fd_cleanup(&log->journal_fd);
    arena_free(log->work);
    arena_free(log->memory);
}

bool log_is_journal(const struct log *log)
{
    return log->journal_fd >= 0;
}

void log_level_set(struct log *log, enum log_level level)
{
    assert(level < LOG_LEVEL_COUNT);
    log->options.level = level;
}

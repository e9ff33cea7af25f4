#include "membership/serf.h"

#include "base/limits.h"
#include "base/secret.h"
#include "membership/serf_frame.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Every sixth check whether the agent answers also requests all members. A caller that could not
 * process an earlier report thus gets its content again. */
enum { SERF_SNAPSHOT_EACH = 6 };

enum serf_phase {
    SERF_PHASE_PAUSED,     /* There is no connection; the timer ends the pause. */
    SERF_PHASE_CONNECTING, /* the connection is not established yet */
    SERF_PHASE_STARTING,   /* the first requests are sent, and the snapshot has not arrived */
    SERF_PHASE_LIVE,       /* the timer starts the next check whether the agent answers */
    SERF_PHASE_ASKING,     /* the check is sent; the timer is the deadline of its answer */
};

struct serf {
    struct loop *loop;
    struct addrinfo *target;
    char place[LIMIT_ADDRESS_BYTES + 8]; /* ADDRESS:PORT, for messages */
    char key[LIMIT_SERF_TEXT_BYTES];     /* wiped at the end */
    size_t key_bytes;
    on_membership_report *reported;
    void *arg;
    struct loop_timer *timer;
    enum serf_phase phase;
    uint64_t pause_ms;
    uint64_t skipped;
    bool has_reported; /* a report was made */
    bool is_down;      /* the last report was UNAVAILABLE */
    unsigned asked;    /* number of checks whether the agent answers */

    /* The state of the present connection. */
    int socket;
    struct loop_descriptor *descriptor;
    struct arena *out_memory;
    struct buf out;
    size_t sent;
    /* Received bytes, starting with the first item that is not completely processed. */
    char *bytes;
    size_t length;
    size_t room;
    struct serf_scan scan;
    bool has_header; /* the header below was read, and its body has not arrived */
    struct serf_header header;
    bool is_answered[SERF_COMMAND_COUNT];
    char own[LIMIT_SERF_NAME_BYTES + 1];
};

static void serf_connect(struct serf *serf);

uint64_t serf_skipped(const struct serf *serf)
{
    return serf->skipped;
}

static void serf_report(struct serf *serf, const struct membership_report *report)
{
    serf->has_reported = true;
    serf->reported(serf->arg, report);
}

static void serf_close(struct serf *serf)
{
    loop_descriptor_close(serf->descriptor);
    serf->descriptor = NULL;
    if (serf->socket != FD_NONE) {
        close(serf->socket);
        serf->socket = FD_NONE;
    }
    arena_free(serf->out_memory);
    serf->out_memory = NULL;
    rows_free(serf->bytes);
    serf->bytes = NULL;
    serf->length = serf->room = 0;
}

/* Closes the connection, reports the reason unless that was done, and connects again later. */
static void serf_fail(struct serf *serf, const char *why)
{
    char text[256];

    serf_close(serf);
    serf->phase = SERF_PHASE_PAUSED;
    loop_timer_start(serf->timer, serf->pause_ms, 0);
    serf->pause_ms =
        2 * serf->pause_ms < LIMIT_SERF_PAUSE_MAX_MS ? 2 * serf->pause_ms : LIMIT_SERF_PAUSE_MAX_MS;
    if (serf->is_down) {
        return;
    }
    serf->is_down = true;
    snprintf(text, sizeof(text), "serf agent at %s: %s", serf->place, why);
    serf_report(serf, &(struct membership_report){ .change = MEMBERSHIP_UNAVAILABLE,
                                                   .why = text_from(text) });
}

/* ---- sending ---- */

/* Sends the bytes that the socket accepts. Returns false after a failure, which has ended the
 * connection. */
MUST_CHECK static bool serf_send(struct serf *serf)
{
    struct text bytes = buf_text(&serf->out);

    while (serf->sent < bytes.length) {
        ssize_t count = send(serf->socket, bytes.data + serf->sent, bytes.length - serf->sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            loop_descriptor_want(serf->descriptor, LOOP_READABLE | LOOP_WRITABLE);
            return true;
        }
        if (count < 0) {
            serf_fail(serf, strerror(errno));
            return false;
        }
        serf->sent += (size_t)count;
    }
    arena_clear(serf->out_memory);
    buf_init(&serf->out, serf->out_memory);
    serf->sent = 0;
    loop_descriptor_want(serf->descriptor, LOOP_READABLE);
    return true;
}

static void serf_begin(struct serf *serf)
{
    serf->phase = SERF_PHASE_STARTING;
    serf_request_add(&serf->out, SERF_COMMAND_HANDSHAKE, TEXT(""));
    if (serf->key_bytes > 0) {
        serf_request_add(&serf->out, SERF_COMMAND_AUTH,
                         (struct text){ serf->key, serf->key_bytes });
    }
    serf_request_add(&serf->out, SERF_COMMAND_STATS, TEXT(""));
    serf_request_add(&serf->out, SERF_COMMAND_STREAM, TEXT(""));
    serf_request_add(&serf->out, SERF_COMMAND_MEMBERS, TEXT(""));
    loop_timer_start(serf->timer, LIMIT_SERF_ANSWER_MS, 0);
    if (!serf_send(serf)) {
        return; /* serf_fail has been called */
    }
}

/* ---- receiving ---- */

static void serf_members_take(struct serf *serf, struct text body, bool is_event)
{
    AUTO_arena arena = arena_new(LIMIT_SERF_ARENA_BYTES);
    struct membership_report report;
    size_t skipped;

    if (!serf_members_read(arena, body, is_event, &report, &skipped)) {
        serf_fail(serf, "the agent sent members in an unknown form");
        return;
    }
    serf->skipped += skipped;
    if (is_event && report.change == MEMBERSHIP_CHANGE_COUNT) {
        return;
    }
    report.own = text_from(serf->own);
    if (!is_event) {
        serf->phase = SERF_PHASE_LIVE;
        serf->pause_ms = LIMIT_SERF_PAUSE_MS;
        loop_timer_start(serf->timer, LIMIT_SERF_EVERY_MS, 0);
        if (serf->is_down) {
            serf->is_down = false;
            serf_report(serf, &(struct membership_report){ .change = MEMBERSHIP_AVAILABLE,
                                                           .own = report.own });
        }
    } else if (serf->is_down || !serf->has_reported) {
        return; /* the snapshot, which has not arrived yet, contains this change */
    }
    serf_report(serf, &report);
}

static void serf_body_take(struct serf *serf, struct text body)
{
    struct text own;

    switch (serf->header.command) {
    case SERF_COMMAND_STATS:
        own = serf_own_read(body);
        snprintf(serf->own, sizeof(serf->own), "%.*s", TEXT_ARG(own));
        if (serf->phase == SERF_PHASE_ASKING) {
            serf->phase = SERF_PHASE_LIVE;
            loop_timer_start(serf->timer, LIMIT_SERF_EVERY_MS, 0);
        }
        break;
    case SERF_COMMAND_MEMBERS:
        serf_members_take(serf, body, false);
        break;
    case SERF_COMMAND_STREAM:
        serf_members_take(serf, body, true);
        break;
    case SERF_COMMAND_HANDSHAKE:
    case SERF_COMMAND_AUTH:
    case SERF_COMMAND_COUNT:
        break;
    }
}

static void serf_header_take(struct serf *serf, struct text item)
{
    char why[200];

    if (!serf_header_read(item, &serf->header)) {
        serf_fail(serf, "the agent sent a message that is not part of the RPC of serf");
        return;
    }
    if (serf->header.error.length > 0) {
        snprintf(why, sizeof(why), "the agent refused a request: %.*s",
                 TEXT_ARG(text_slice(serf->header.error, 0, 150)));
        serf_fail(serf, text_find_bad_utf8(text_from(why)) == SIZE_MAX
                            ? why
                            : "the agent refused a request");
        return;
    }
    serf->has_header = serf_has_body(&serf->header, serf->is_answered[serf->header.command]);
    serf->is_answered[serf->header.command] = true;
}

/* Process the complete items of the received bytes. */
static void serf_items_take(struct serf *serf)
{
    struct text bytes = { serf->bytes, serf->length };
    size_t taken = 0;

    while (serf->phase != SERF_PHASE_PAUSED) {
        bool is_large = serf->has_header && serf->header.command == SERF_COMMAND_MEMBERS;
        struct text rest = text_slice(bytes, taken, bytes.length);
        enum serf_scan_end end = serf_scan_next(
            &serf->scan, rest, is_large ? LIMIT_SERF_FRAME_BYTES : LIMIT_SERF_EVENT_BYTES);
        struct text item = text_slice(rest, 0, serf->scan.at);

        if (end == SERF_SCAN_INVALID) {
            serf_fail(
                serf,
                "the agent sent bytes that are not a message, or a message that is too large");
            return;
        }
        if (end == SERF_SCAN_PARTIAL) {
            break;
        }
        taken += serf->scan.at;
        serf->scan.at = 0;
        if (serf->has_header) {
            serf->has_header = false;
            serf_body_take(serf, item);
        } else {
            serf_header_take(serf, item);
        }
    }
    if (serf->phase != SERF_PHASE_PAUSED && taken > 0) {
        serf->length -= taken;
        memmove(serf->bytes, serf->bytes + taken, serf->length);
    }
}

static void serf_receive(struct serf *serf)
{
    ssize_t count;

    if (serf->room - serf->length < 65536) {
        serf->room = 2 * serf->room + 65536;
        serf->bytes = rows_resize(serf->bytes, serf->room);
    }
    count = recv(serf->socket, serf->bytes + serf->length, serf->room - serf->length, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        serf_fail(serf, count == 0 ? "the agent closed the connection" : strerror(errno));
        return;
    }
    serf->length += (size_t)count;
    serf_items_take(serf);
}

/* ---- the connection ---- */

static void on_serf_socket(void *arg, unsigned events)
{
    struct serf *serf = arg;
    socklen_t length = sizeof(int);
    int number = 0;

    if (serf->phase == SERF_PHASE_CONNECTING) {
        if (getsockopt(serf->socket, SOL_SOCKET, SO_ERROR, &number, &length) != 0) {
            number = errno;
        }
        if (number != 0) {
            serf_fail(serf, strerror(number));
        } else {
            serf_begin(serf);
        }
        return;
    }
    if ((events & LOOP_WRITABLE) != 0 && serf->sent < serf->out.length && !serf_send(serf)) {
        return;
    }
    if ((events & LOOP_READABLE) != 0) {
        serf_receive(serf);
    }
}

static void on_serf_timer(void *arg)
{
    struct serf *serf = arg;

    switch (serf->phase) {
    case SERF_PHASE_PAUSED:
        serf_connect(serf);
        break;
    case SERF_PHASE_CONNECTING:
    case SERF_PHASE_STARTING:
    case SERF_PHASE_ASKING:
        serf_fail(serf, "the agent did not answer in time");
        break;
    case SERF_PHASE_LIVE:
        serf->phase = SERF_PHASE_ASKING;
        serf_request_add(&serf->out, SERF_COMMAND_STATS, TEXT(""));
        if (++serf->asked % SERF_SNAPSHOT_EACH == 0) {
            serf_request_add(&serf->out, SERF_COMMAND_MEMBERS, TEXT(""));
        }
        loop_timer_start(serf->timer, LIMIT_SERF_ANSWER_MS, 0);
        if (!serf_send(serf)) {
            return;
        }
        break;
    }
}

static void serf_connect(struct serf *serf)
{
    struct err err;

    serf->phase = SERF_PHASE_CONNECTING;
    serf->scan = (struct serf_scan){ 0 };
    serf->has_header = false;
    memset(serf->is_answered, 0, sizeof(serf->is_answered));
    serf->own[0] = '\0';
    serf->sent = 0;
    serf->out_memory = arena_new_small(LIMIT_SERF_EVENT_BYTES);
    buf_init(&serf->out, serf->out_memory);
    serf->socket = socket(serf->target->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (serf->socket < 0) {
        serf->socket = FD_NONE;
        serf_fail(serf, strerror(errno));
        return;
    }
    if (connect(serf->socket, serf->target->ai_addr, serf->target->ai_addrlen) != 0 &&
        errno != EINPROGRESS) {
        serf_fail(serf, strerror(errno));
        return;
    }
    if (!loop_descriptor_open(serf->loop, serf->socket, on_serf_socket, serf, &serf->descriptor,
                              &err)) {
        serf_fail(serf, "the process has no room for its connection");
        return;
    }
    loop_descriptor_want(serf->descriptor, LOOP_WRITABLE);
    loop_timer_start(serf->timer, LIMIT_SERF_ANSWER_MS, 0);
}

bool serf_start(const struct serf_options *options, struct serf **out, struct err *err)
{
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                              .ai_socktype = SOCK_STREAM };
    struct serf *serf = rows_resize(NULL, sizeof(*serf));
    char host[LIMIT_ADDRESS_BYTES];
    char service[8];

    *serf = (struct serf){ .loop = options->loop,
                           .reported = options->reported,
                           .arg = options->arg,
                           .socket = FD_NONE,
                           .pause_ms = LIMIT_SERF_PAUSE_MS };
    if (options->key.length >= LIMIT_SERF_TEXT_BYTES) {
        serf_stop(serf);
        return err_set(err, CODE_R0307, "the key of the serf agent has more than %d bytes",
                       LIMIT_SERF_TEXT_BYTES);
    }
    serf->key_bytes = options->key.length;
    memcpy(serf->key, options->key.data == NULL ? "" : options->key.data, serf->key_bytes);
    snprintf(host, sizeof(host), "%.*s", TEXT_ARG(options->address));
    snprintf(service, sizeof(service), "%u", options->port);
    snprintf(serf->place, sizeof(serf->place), "%s:%s", host, service);
    if (options->address.length >= sizeof(host) ||
        getaddrinfo(host, service, &hints, &serf->target) != 0) {
        serf->target = NULL;
        serf_stop(serf);
        return err_set(err, CODE_R0532, "'%.*s' is not a valid address",
                       TEXT_ARG(options->address));
    }
    if (!loop_timer_open(serf->loop, on_serf_timer, serf, &serf->timer, err)) {
        serf_stop(serf);
        return false;
    }
    loop_timer_start(serf->timer, 0, 0);
    *out = serf;
    return true;
}

void serf_stop(struct serf *serf)
{
    if (serf == NULL) {
        return;
    }
    serf_close(serf);
    loop_timer_close(serf->timer);
    if (serf->target != NULL) {
        freeaddrinfo(serf->target);
    }
    secret_wipe(serf->key, sizeof(serf->key));
    rows_free(serf);
}

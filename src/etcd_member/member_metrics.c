#include "etcd_member/member_metrics.h"

#include "base/limits.h"
#include "base/queue.h"
#include "sys/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MEMBER_METRICS_REQUEST "GET /metrics HTTP/1.0\r\nHost: reeve\r\n\r\n"

enum { MEMBER_METRICS_PIECE = 16 * 1024 };

struct member_metrics {
    struct loop_descriptor *watch;
    struct loop_timer *timer;
    struct queue answer;
    int socket;
    member_metrics_done *done;
    void *arg;
};

static void member_metrics_free(struct member_metrics *metrics)
{
    loop_descriptor_close(metrics->watch);
    loop_timer_close(metrics->timer);
    queue_clear(&metrics->answer);
    fd_cleanup(&metrics->socket);
    rows_free(metrics);
}

static void member_metrics_end(struct member_metrics *metrics, bool is_complete)
{
    member_metrics_done *done = metrics->done;
    struct member_etcd_metrics values;
    void *arg = metrics->arg;
    bool is_read = is_complete && member_etcd_metrics_read(queue_text(&metrics->answer), &values);

    member_metrics_free(metrics);
    done(arg, is_read ? &values : NULL);
}

static void on_metrics_late(void *arg)
{
    member_metrics_end(arg, false);
}

static void on_metrics_ready(void *arg, unsigned events)
{
    struct member_metrics *metrics = arg;
    ssize_t got = 0;

    (void)events;
    do {
        char *room;

        if (metrics->answer.length > LIMIT_MEMBER_METRICS_BYTES) {
            member_metrics_end(metrics, false);
            return;
        }
        room = queue_room(&metrics->answer, MEMBER_METRICS_PIECE);
        got = recv(metrics->socket, room, MEMBER_METRICS_PIECE, 0);
        metrics->answer.length += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EINTR));
    if (got == 0) {
        member_metrics_end(metrics, true);
    } else if (errno != EAGAIN) {
        member_metrics_end(metrics, false);
    }
}

bool member_metrics_start(struct loop *loop, member_metrics_done *done, void *arg,
                          struct member_metrics **out, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MEMBER_ETCD_METRICS };
    const char *request = MEMBER_METRICS_REQUEST;
    struct member_metrics *metrics;
    AUTO(fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        send(fd, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request)) {
        return err_set(err, CODE_R0597, "the metrics of etcd: %s", strerror(errno));
    }
    metrics = rows_resize(NULL, sizeof(*metrics));
    *metrics = (struct member_metrics){ .socket = fd, .done = done, .arg = arg };
    fd = FD_NONE;
    if (!loop_timer_open(loop, on_metrics_late, metrics, &metrics->timer, err) ||
        !loop_descriptor_open(loop, metrics->socket, on_metrics_ready, metrics, &metrics->watch,
                              err)) {
        member_metrics_free(metrics);
        return false;
    }
    loop_timer_start(metrics->timer, LIMIT_MEMBER_METRICS_MS, 0);
    loop_descriptor_want(metrics->watch, LOOP_READABLE);
    *out = metrics;
    return true;
}

void member_metrics_cancel(struct member_metrics *metrics)
{
    if (metrics != NULL) {
        member_metrics_free(metrics);
    }
}

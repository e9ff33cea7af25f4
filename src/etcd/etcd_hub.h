#ifndef REEVE_ETCD_ETCD_HUB_H
#define REEVE_ETCD_ETCD_HUB_H

#include <curl/curl.h>

#include "etcd/etcd.h"

/* public names start with: etcd_ */

/* Internal to etcd_link: libcurl's sockets and timers in an epoll.
 *
 * A hub is a set of transfers with its own connections (libcurl's multi handle). */
struct etcd_hub {
    CURLM *multi;
    int epoll;      /* epoll of the link; borrowed */
    int timer;      /* timerfd: next call of libcurl */
    unsigned index; /* among the link's hubs */
};

/* Kind of an epoll event's source, in the upper half; the lower half is the descriptor. */
enum etcd_ready {
    ETCD_READY_SOCKET, /* plus index of the hub */
    ETCD_READY_TIMER = 8,
    ETCD_READY_WAKE = 16,
    ETCD_READY_OTHER = 17, /* etcd_link_watch */
};
#define ETCD_READY_DATA(kind, fd) ((uint64_t)(kind) << 32 | (uint32_t)(fd))

/* etcd_timer_new creates a timer in an epoll. etcd_timer_set makes it due after after_ms (0: now;
 * below 0: never). etcd_timer_clear clears its expiry. */
int etcd_timer_new(int epoll, unsigned ready);
void etcd_timer_set(int timer, long after_ms);
void etcd_timer_clear(int timer);

/* Initialize and free a hub in the caller's memory. It must not have transfers when it is freed. */
void etcd_hub_init(struct etcd_hub *hub, int epoll, unsigned index);
void etcd_hub_fini(struct etcd_hub *hub);

/* etcd_hub_run_socket lets libcurl process a ready descriptor, etcd_hub_run_timer its expired
 * timer. */
void etcd_hub_run_socket(const struct etcd_hub *hub, int fd, uint32_t events);
void etcd_hub_run_timer(const struct etcd_hub *hub);

/* Removes the next ended transfer from the hub and returns it with its result. NULL: no transfer
 * has ended. */
CURL *etcd_hub_take_ended(const struct etcd_hub *hub, CURLcode *out);

/* Returns a transfer for one gRPC call at a time, with the common options set. */
CURL *etcd_easy_new(const struct etcd_options *options);

/* Returns the gRPC headers; timeout_ms 0: no timeout. */
struct curl_slist *etcd_headers_new(unsigned timeout_ms);

enum { ETCD_FRAME_BYTES = 5 };

/* Writes the five bytes before a gRPC message. */
void etcd_frame_write(unsigned char head[ETCD_FRAME_BYTES], size_t length);

/* Reads the length of a message. Returns false if the message is compressed or larger than
 * LIMIT_ETCD_MESSAGE_BYTES. */
MUST_CHECK bool etcd_frame_read(const unsigned char head[ETCD_FRAME_BYTES], size_t *out);

#endif

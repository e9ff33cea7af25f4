#ifndef REEVE_ETCD_ETCD_HUB_H
#define REEVE_ETCD_ETCD_HUB_H

#include <curl/curl.h>

#include "etcd/etcd.h"

/* names: etcd_ */

/* Inside of etcd_link: libcurl's sockets and timers in an epoll.
 *
 * A hub is one set of transfers with connections of its own (libcurl's multi handle). */
struct etcd_hub {
    CURLM *multi;
    int epoll;      /* of the link; borrowed */
    int timer;      /* timerfd: when libcurl wants to be called */
    unsigned index; /* which one of the link's */
};

/* What an epoll event is about: the descriptor below, this above. */
enum etcd_ready {
    ETCD_READY_SOCKET, /* + index of the hub */
    ETCD_READY_TIMER = 8,
    ETCD_READY_WAKE = 16,
};
#define ETCD_READY_DATA(kind, fd) ((uint64_t)(kind) << 32 | (uint32_t)(fd))

/* Make a timer in an epoll; etcd_timer_set makes it due after a while (0: now), below 0: never. */
int etcd_timer_new(int epoll, unsigned ready);
void etcd_timer_set(int timer, long after_ms);
void etcd_timer_clear(int timer);

/* Make and end a hub in memory of the caller. No transfer may be left in it. */
void etcd_hub_init(struct etcd_hub *hub, int epoll, unsigned index);
void etcd_hub_fini(struct etcd_hub *hub);

/* Let libcurl do what a descriptor, or its timer, is ready for. */
void etcd_hub_run_socket(const struct etcd_hub *hub, int fd, uint32_t events);
void etcd_hub_run_timer(const struct etcd_hub *hub);

/* The next transfer that has ended, taken out of the hub, and how; NULL: none. */
CURL *etcd_hub_take_ended(const struct etcd_hub *hub, CURLcode *out);

/* A transfer for one gRPC call at a time, with all that is common to them. */
CURL *etcd_easy_new(const struct etcd_options *options);

/* The headers of gRPC; timeout_ms 0: none. */
struct curl_slist *etcd_headers_new(unsigned timeout_ms);

enum { ETCD_FRAME_BYTES = 5 };

/* The five bytes before a message of gRPC. */
void etcd_frame_write(unsigned char head[ETCD_FRAME_BYTES], size_t length);

/* The length they say; false: compressed, or larger than LIMIT_ETCD_MESSAGE_BYTES. */
MUST_CHECK bool etcd_frame_read(const unsigned char head[ETCD_FRAME_BYTES], size_t *out);

#endif

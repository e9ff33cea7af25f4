#ifndef REEVE_ETCD_ETCD_HUB_H
#define REEVE_ETCD_ETCD_HUB_H

#include <curl/curl.h>

#include "etcd/etcd.h"

/* public names start with: etcd_ */

/* Internal to etcd_link: connects libcurl's sockets and timers with an epoll.
 *
 * A hub is a set of transfers with separate connections (libcurl's multi handle). */
struct etcd_hub {
    CURLM *multi;
    int epoll;      /* epoll of the link; borrowed */
    int timer;      /* timerfd for the next call of libcurl */
    unsigned index; /* index of this hub in the link */
};

/* Source of an epoll event, in the upper half of its data; the lower half is the descriptor. */
enum etcd_ready {
    ETCD_READY_SOCKET, /* a socket; the index of the hub is added */
    ETCD_READY_TIMER = 8,
    ETCD_READY_WAKE = 16,
    ETCD_READY_OTHER = 17, /* a descriptor of etcd_link_watch */
};
#define ETCD_READY_DATA(kind, fd) ((uint64_t)(kind) << 32 | (uint32_t)(fd))

/* etcd_timer_new creates a timer in an epoll. etcd_timer_set lets it expire after after_ms (0: now;
 * below 0: never). etcd_timer_clear resets an expired timer. */
int etcd_timer_new(int epoll, unsigned ready);
void etcd_timer_set(int timer, long after_ms);
void etcd_timer_clear(int timer);

/* Initialize and free a hub in memory of the caller. A hub must not be freed while it has
 * transfers. */
void etcd_hub_init(struct etcd_hub *hub, int epoll, unsigned index);
void etcd_hub_fini(struct etcd_hub *hub);

/* etcd_hub_run_socket lets libcurl process a ready descriptor, etcd_hub_run_timer an expired
 * timer. */
void etcd_hub_run_socket(const struct etcd_hub *hub, int fd, uint32_t events);
void etcd_hub_run_timer(const struct etcd_hub *hub);

/* Removes one ended transfer from the hub and returns it; *out is its result. NULL: no transfer has
 * ended. */
CURL *etcd_hub_take_ended(const struct etcd_hub *hub, CURLcode *out);

/* Returns a new transfer with the common options. It can run one gRPC call at a time. */
CURL *etcd_easy_new(const struct etcd_options *options);

/* Sets the files of the certificate, and the time limit for a connection, which depends on the
 * number of endpoints. */
void etcd_easy_reach(CURL *easy, const struct etcd_options *options);

/* Makes a transfer call a method at an endpoint. */
void etcd_easy_address(CURL *easy, const char *endpoint, const char *method);

/* Returns new gRPC headers; timeout_ms 0: without a timeout. */
struct curl_slist *etcd_headers_new(unsigned timeout_ms);

enum { ETCD_FRAME_BYTES = 5 };

/* Writes the five bytes that precede a gRPC message. */
void etcd_frame_write(unsigned char head[ETCD_FRAME_BYTES], size_t length);

/* Reads the length of a message. Returns false if the message is compressed or larger than
 * LIMIT_ETCD_MESSAGE_BYTES. */
MUST_CHECK bool etcd_frame_read(const unsigned char head[ETCD_FRAME_BYTES], size_t *out);

#endif

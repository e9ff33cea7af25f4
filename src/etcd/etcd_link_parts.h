#ifndef REEVE_ETCD_ETCD_LINK_PARTS_H
#define REEVE_ETCD_ETCD_LINK_PARTS_H

#include "etcd/etcd_hub.h"
#include "etcd/etcd_status.h"

/* private to src/etcd */
/* public names start with: etcd_ */

/* Declarations that etcd_link.c, etcd_call.c and etcd_stream.c share. */

struct etcd_call;

struct etcd_link {
    struct arena *memory; /* holds this struct and the options */
    struct etcd_options options;
    size_t endpoint; /* index of the endpoint for the next call */
    size_t reach;    /* number of changes of the endpoints and files */
    int epoll;
    int wake;            /* timerfd */
    uint64_t wake_at_ms; /* 0: not set */
    struct etcd_hub call_hub;
    struct etcd_hub stream_hub;
    struct curl_slist *call_headers;
    struct curl_slist *stream_headers;
    struct pool *call_pool;
    struct etcd_call *idle;    /* calls for reuse; each of them has a transfer */
    struct etcd_call *running; /* calls that were sent */
    size_t running_count;
    struct etcd_call *paused; /* calls that will be sent again after a pause */
    struct etcd_call *first_waiting;
    struct etcd_call *last_waiting;
    struct etcd_stream *stream;
    uint64_t stream_ms; /* time at which bytes of a stream last arrived */
};

/* etcd_link_endpoint returns the endpoint in use. etcd_link_endpoint_failed switches to the next
 * endpoint if the failed endpoint is in use. */
const char *etcd_link_endpoint(const struct etcd_link *link);
void etcd_link_endpoint_failed(struct etcd_link *link, const char *endpoint);

/* etcd_calls_run reports ended calls, starts waiting ones, and returns the number of reported
 * calls. etcd_calls_free frees all calls. */
size_t etcd_calls_run(struct etcd_link *link);
void etcd_calls_free(struct etcd_link *link);

/* Reports messages of the stream. Returns their number. */
size_t etcd_stream_run(struct etcd_link *link);

#endif

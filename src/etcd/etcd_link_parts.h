#ifndef REEVE_ETCD_ETCD_LINK_PARTS_H
#define REEVE_ETCD_ETCD_LINK_PARTS_H

#include "etcd/etcd_hub.h"
#include "etcd/etcd_status.h"

/* names: etcd_ */

/* What etcd_link.c, etcd_call.c and etcd_stream.c share, and nobody else includes. */

struct etcd_call;

struct etcd_link {
    struct arena *memory; /* this struct and the options */
    struct etcd_options options;
    size_t endpoint; /* the one to use next */
    int epoll;
    int wake;            /* timerfd */
    uint64_t wake_at_ms; /* 0: not set */
    struct etcd_hub call_hub;
    struct etcd_hub stream_hub;
    struct curl_slist *call_headers;
    struct curl_slist *stream_headers;
    struct pool *call_pool;
    struct etcd_call *idle;    /* with a transfer each, to be used again */
    struct etcd_call *running; /* on the wire */
    size_t running_count;
    struct etcd_call *first_waiting;
    struct etcd_call *last_waiting;
    struct etcd_stream *stream;
};

/* The endpoint to use now, and go on to the next one where this one has failed. */
const char *etcd_link_endpoint(const struct etcd_link *link);
void etcd_link_endpoint_failed(struct etcd_link *link, const char *endpoint);

/* Tell what has ended, begin what has waited. Returns how many. */
size_t etcd_calls_run(struct etcd_link *link);
void etcd_calls_free(struct etcd_link *link);

/* Tell what the stream has brought. Returns how many messages. */
size_t etcd_stream_run(struct etcd_link *link);

#endif

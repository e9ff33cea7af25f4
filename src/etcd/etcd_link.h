#ifndef REEVE_ETCD_ETCD_LINK_H
#define REEVE_ETCD_ETCD_LINK_H

#include "base/outcome.h"
#include "etcd/etcd.h"

/* names: etcd_ */

/* The way to etcd: gRPC calls and streams over HTTP/2 and TLS, by libcurl.
 *
 * A call's message is handed to libcurl at most once: what libcurl would repeat by itself on a new
 * connection is not repeated, so that no transaction happens twice. Calls share one connection,
 * streams have another: a list of many megabytes delays no watch.
 *
 * Everything that comes back is told from within etcd_link_run, never earlier. */
struct etcd_link;

/* How a call has ended. */
struct etcd_reply {
    enum outcome outcome; /* REFUSED: etcd did not carry it out. UNKNOWN: it may have */
    struct err err;       /* where it is not OK */
    unsigned status;      /* of gRPC where etcd has answered, else UINT32_MAX */
    struct text message;  /* what came back, in the call's arena */
};

typedef void etcd_replied(void *arg, const struct etcd_reply *reply);

/* What a stream tells. */
struct etcd_stream_events {
    void (*got)(void *arg, struct text message); /* valid until it returns */
    void (*ended)(void *arg, const struct err *err);
    void *arg;
};

struct etcd_stream;

/* Make the way; nothing is connected yet. The options are checked (R0516) and copied. */
MUST_CHECK bool etcd_link_open(const struct etcd_options *options, struct etcd_link **out,
                               struct err *err);

/* End everything without a word. NULL is allowed. */
void etcd_link_close(struct etcd_link *link);

/* Readable while etcd_link_run has something to do. */
int etcd_link_descriptor(const struct etcd_link *link);

/* Drive what is under way. Returns how many calls and messages were told. */
size_t etcd_link_run(struct etcd_link *link);

/* Make the descriptor readable after a while; a later call for an earlier time wins. */
void etcd_link_wake(struct etcd_link *link, unsigned after_ms);

/* Milliseconds of a clock that only goes forward. */
uint64_t etcd_link_now_ms(void);

/* Call a method, "KV/Range", with a message that stays where it is until `replied`; the answer lives
 * in the arena. */
void etcd_link_call(struct etcd_link *link, const char *method, struct text message,
                    struct arena *arena, etcd_replied *replied, void *arg);

/* End every call that is under way now: each is replied to before this returns. */
void etcd_link_abort(struct etcd_link *link);

/* Open a stream of messages both ways. One at a time. It is freed when `ended` has returned or by
 * etcd_link_stream_close, which tells nothing. */
struct etcd_stream *etcd_link_stream(struct etcd_link *link, const char *method,
                                     const struct etcd_stream_events *events);
void etcd_link_stream_close(struct etcd_link *link, struct etcd_stream *stream);

/* Send one message; the bytes are copied. */
void etcd_link_stream_send(struct etcd_link *link, struct etcd_stream *stream, struct text message);

#endif

#ifndef REEVE_ETCD_ETCD_LINK_H
#define REEVE_ETCD_ETCD_LINK_H

#include "base/outcome.h"
#include "etcd/etcd.h"

/* public names start with: etcd_ */

/* The connection to etcd: gRPC calls and streams over HTTP/2 and TLS, by libcurl.
 *
 * The message of a call is passed to libcurl at most once. Retries that libcurl would make on a new
 * connection are disabled, so that no transaction is executed twice. All calls share one
 * connection; streams have another one, so that a large list does not delay watches.
 *
 * All results are reported within etcd_link_run, never earlier. */
struct etcd_link;

/* Result of a call. */
struct etcd_reply {
    enum outcome outcome; /* REFUSED: etcd did not execute the call. UNKNOWN: it may have */
    struct err err;       /* error; set if the result is not OK */
    unsigned status;      /* gRPC status if etcd answered; otherwise UINT32_MAX */
    struct text message;  /* the answer, in the call's arena */
};

typedef void etcd_replied(void *arg, const struct etcd_reply *reply);

/* Callbacks of a stream. */
struct etcd_stream_events {
    void (*got)(void *arg, struct text message); /* a message arrived; it is valid until the
                                                  * callback returns */
    void (*ended)(void *arg, const struct err *err);
    void *arg;
};

struct etcd_stream;

/* Creates the link; it does not connect yet. Checks the options and copies them. Fails with
 * R0516. */
MUST_CHECK bool etcd_link_open(const struct etcd_options *options, struct etcd_link **out,
                               struct err *err);

/* Closes the link without further callbacks. NULL is allowed. */
void etcd_link_close(struct etcd_link *link);

/* Returns a descriptor that is readable while etcd_link_run has work. */
int etcd_link_descriptor(const struct etcd_link *link);

/* Processes active transfers. Returns the number of calls and messages that were reported. */
size_t etcd_link_run(struct etcd_link *link);

/* Returns the options, which live as long as the link. */
const struct etcd_options *etcd_link_options(const struct etcd_link *link);

/* Implements etcd_reach_set. */
MUST_CHECK bool etcd_link_reach_set(struct etcd_link *link, const struct etcd_options *options,
                                    struct err *err);

/* Makes the link's descriptor readable while the given descriptor is readable. The owner of that
 * descriptor reads it. After it is closed, it is removed automatically. */
void etcd_link_watch(struct etcd_link *link, int descriptor);

/* Makes all later calls and streams use the next endpoint. */
void etcd_link_endpoint_next(struct etcd_link *link);

/* Makes the descriptor readable after after_ms. If several times were requested, the earliest
 * applies. */
void etcd_link_wake(struct etcd_link *link, unsigned after_ms);

/* Returns the time of a monotonic clock in ms. */
uint64_t etcd_link_now_ms(void);

/* Calls a method, such as "KV/Range". The message must be valid until `replied` is called. The
 * answer lives in the arena. */
void etcd_link_call(struct etcd_link *link, const char *method, struct text message,
                    struct arena *arena, etcd_replied *replied, void *arg);

/* Ends all active calls. Each of them is reported before this returns. */
void etcd_link_abort(struct etcd_link *link);

/* Opens a bidirectional stream of messages; only one may be open at a time. It is freed after
 * `ended` has returned, or by etcd_link_stream_close, which makes no callback. */
struct etcd_stream *etcd_link_stream(struct etcd_link *link, const char *method,
                                     const struct etcd_stream_events *events);
void etcd_link_stream_close(struct etcd_link *link, struct etcd_stream *stream);

/* Returns the time at which bytes of a stream last arrived. */
uint64_t etcd_link_stream_ms(const struct etcd_link *link);

/* Sends a message; the bytes are copied. */
void etcd_link_stream_send(struct etcd_link *link, struct etcd_stream *stream, struct text message);

#endif

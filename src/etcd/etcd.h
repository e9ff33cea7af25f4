#ifndef REEVE_ETCD_ETCD_H
#define REEVE_ETCD_ETCD_H

#include "state/store.h"

/* The distributed store: a prefix of the keys of an etcd (v3 API, 3.4 and later), which several
 * managers use at once. README.md says what each key means.
 *
 * No threads: the descriptor is an epoll of all connections and timers, store_run drives them. */

/* How etcd is reached. Texts are copied. */
struct etcd_options {
    const char *const *endpoints; /* "https://HOST:PORT" of the members; plain http is refused */
    size_t endpoint_count;
    const char *ca_file;          /* who may vouch for etcd; PEM */
    const char *certificate_file; /* ours, and its key; both NULL: none is shown */
    const char *key_file;
    const char *prefix;       /* of all keys; ends in '/'; no store's lies within another's */
    unsigned call_timeout_ms; /* of one call; 0: LIMIT_ETCD_CALL_MS */
};

/* Connect, try that puts and watches work over this connection, and make the store where there is
 * none; `incarnation` then names its life. Waits, at most a few call_timeout_ms. Failing is R0506
 * (damaged), R0508 (of a newer version), R0511 (nobody answers), R0512 (TLS), R0513 (we are not
 * allowed), R0514 (etcd is set up too small), R0515 (the connection loses what is sent), R0516 (the
 * options are wrong), R0518 (no etcd). */
MUST_CHECK bool etcd_open(const struct etcd_options *options, const unsigned char incarnation[16],
                          struct store **out, struct err *err);

#endif

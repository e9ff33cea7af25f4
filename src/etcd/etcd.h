#ifndef REEVE_ETCD_ETCD_H
#define REEVE_ETCD_ETCD_H

#include "state/store.h"

/* The distributed store: keys below a prefix of an etcd (v3 API, 3.4 and later), shared by several
 * managers. README.md describes the keys.
 *
 * There are no threads: the store's descriptor is an epoll of all connections and timers, and
 * store_run processes their events. */

/* The scheme of an endpoint on this host: "unix://PATH", the path of a socket whose folder protects
 * it. It needs no TLS, and no files with certificates. */
#define ETCD_LOCAL_SCHEME "unix://"

/* The options for the connection to etcd. Texts are copied. */
struct etcd_options {
    const char *const *endpoints; /* "https://HOST:PORT" or "unix://PATH" of the members; plain http
                                   * is rejected */
    size_t endpoint_count;
    const char *ca_file;          /* file with the CAs that sign etcd's certificate; PEM. NULL: all
                                   * endpoints are on this host */
    const char *certificate_file; /* client certificate and key; both NULL: none */
    const char *key_file;
    const char *prefix; /* prefix of all keys; ends in '/'; the prefixes of two stores must not be
                         * nested */
    unsigned call_timeout_ms; /* time limit for one call, in ms; 0: LIMIT_ETCD_CALL_MS */
    /* true: open the store even while etcd does not answer or has no quorum; the store is not
     * writable, and every call is rejected, until a background thread has opened it */
    bool is_patient;
    /* Id, of 16 bytes, of a move that this manager has committed (etcd_move.h): opening the store
     * completes the move. NULL: none. */
    const unsigned char *move;
};

/* Connects, tests that puts and watches work over this connection, and creates the store if it is
 * missing, with this `incarnation`. Blocks for at most a few call_timeout_ms; with is_patient for a
 * few seconds. Fails with R0506 (damaged), R0508 (newer version), R0511 (no answer), R0512 (TLS),
 * R0513 (not permitted), R0514 (etcd's limits are too small), R0515 (the connection loses data),
 * R0516 (invalid options), R0518 (not an etcd), R0591 (the store was moved), R0592 (a store is
 * being copied to this prefix). */
MUST_CHECK bool etcd_open(const struct etcd_options *options, const unsigned char incarnation[16],
                          struct store **out, struct err *err);

/* Changes how etcd is reached: the endpoints, and the files of the certificate. Calls and streams
 * in progress end as they began. Prefix and time limits stay. A store that etcd_open has not opened
 * yet, because there was no quorum, is still sought at the former endpoints. Fails with R0512 and
 * R0516, and changes nothing then. */
MUST_CHECK bool etcd_reach_set(struct store *store, const struct etcd_options *options,
                               struct err *err);

#endif

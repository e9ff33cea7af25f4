#ifndef REEVE_PEERS_PEERS_H
#define REEVE_PEERS_PEERS_H

#include "client/answer_reader.h"
#include "http/http.h"
#include "sys/clock.h"
#include "sys/log.h"

/* Links from this manager to the other managers of its store (docs/spec/MANAGERS.md section 6).
 * They use TLS 1.3 with certificates on both sides, which the managers' authority has issued. A
 * peer is another manager with a link; its id is the common name of its certificate. All calls are
 * on the loop thread.
 *
 *     DATA/peer/ca.pem           the authority
 *     DATA/peer/certificate.pem  the certificate of this manager; its common name is the id
 *     DATA/peer/key.pem          the key of the certificate
 *
 * The files are read again when they change. */
struct peers;

/* The certificates that a listener for peers needs; valid during the callback. */
struct peers_identity {
    const char *authority;
    const char *certificate;
    struct secret key;
};

struct peers_options {
    struct loop *loop;
    struct clock clock;
    struct log *log;
    const char *folder; /* path of DATA/peer */
    struct text id;     /* id of this manager */
    /* Called in peers_run after the files were read, for the first time or because they have
     * changed. Returns false if the listener cannot use them; *err then has the reason. */
    bool (*renewed)(void *arg, const struct peers_identity *identity, struct err *err);
    void *arg;
};

/* Another manager, as the store describes it. */
struct peers_manager {
    struct text id;
    struct text name;
    struct text address; /* HOST:PORT with a numeric host; empty: the manager has no address for
                          * links */
};

struct peers *peers_new(const struct peers_options *options);

/* Frees the links. All calls must have ended. NULL is allowed. */
void peers_free(struct peers *peers);

/* Sets the managers to which links are kept. Texts are copied. */
void peers_set(struct peers *peers, const struct peers_manager *managers, size_t count);

/* Reads changed certificate files, and sends the probes that are due. Call it every second. */
void peers_run(struct peers *peers);

/* Returns why this manager has no links, because a file is missing or not usable. Empty: it has
 * links. */
const char *peers_problem(const struct peers *peers);

enum { PEERS_REASON_BYTES = 256 };

/* The state of one link. */
struct peers_state {
    bool is_reachable;
    int64_t since_wall_ms; /* begin of this state by the wall clock, in ms; 0: no probe has ended
                            * yet */
    uint64_t rtt_us;       /* round-trip time of the latest probe with an answer, in us; 0: none */
    const char *reason;    /* why the manager is unreachable; borrowed until the next call */
};

/* Finds the link to a manager. Returns false if there is no link. */
bool peers_state_find(const struct peers *peers, struct text id, struct peers_state *out);

/* ---- requests ---- */

/* One request to a peer and its answer. */
struct peers_call;

struct peers_request {
    struct text method;
    struct text target; /* path and query of the request line */
    const struct http_field *fields;
    size_t field_count;
    const char *content_type; /* NULL: the request has no body */
    struct text body;
    uint64_t head_ms;   /* time limit for the head of the answer, in ms */
    uint64_t bytes_max; /* maximum bytes of the answer */
};

/* Callbacks of a call. None of them is called before peers_call_start has returned. Each of them
 * may end the call with peers_call_end. */
struct peers_events {
    /* called once, when the head of the answer has arrived */
    void (*on_head)(void *arg, const struct answer_head *head);
    /* called after on_head when there are bytes to read, or the answer has ended */
    void (*on_bytes)(void *arg);
    /* called once, as the last callback, if the answer did not arrive or is incomplete */
    void (*on_failure)(void *arg, const char *reason);
    void *arg;
};

/* Sends a request to a peer. The request is copied. R0585: the peer cannot be reached, or too many
 * requests are in progress. */
MUST_CHECK bool peers_call_start(struct peers *peers, struct text id,
                                 const struct peers_request *request,
                                 const struct peers_events *events, struct peers_call **out,
                                 struct err *err);

/* Reads at most `room` bytes of the body, and returns their number. *is_end is true when the whole
 * body was read. While bytes are unread, the peer must wait. */
size_t peers_call_read(struct peers_call *call, char *out, size_t room, bool *is_end);

/* Ends a call. Call it exactly once per call, at any time, also after the last callback. The peer
 * notices that the answer is no longer read. NULL is allowed. */
void peers_call_end(struct peers_call *call);

#endif

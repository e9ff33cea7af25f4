#ifndef REEVE_PEERS_PEERS_H
#define REEVE_PEERS_PEERS_H

#include "client/answer_reader.h"
#include "http/http.h"
#include "sys/clock.h"
#include "sys/log.h"

/* Links from this manager to the others of its store (docs/spec/MANAGERS.md section 6): TLS 1.3
 * with certificates of both ends, which the managers' authority has issued. A peer is a manager
 * with a link. Its id is the common name of its certificate. All calls are on the loop thread.
 *
 *     DATA/peer/ca.pem           the authority
 *     DATA/peer/certificate.pem  the certificate of this manager; its common name is the id
 *     DATA/peer/key.pem          its key
 *
 * The files are read again when they change. */
struct peers;

/* What a listener for peers needs; valid during the callback. */
struct peers_identity {
    const char *authority;
    const char *certificate;
    struct secret key;
};

struct peers_options {
    struct loop *loop;
    struct clock clock;
    struct log *log;
    const char *folder; /* DATA/peer */
    struct text id;     /* of this manager */
    /* Called in peers_run when the files were read for the first time, or again. Returns false if
     * the listener cannot use them; *err has the reason. */
    bool (*renewed)(void *arg, const struct peers_identity *identity, struct err *err);
    void *arg;
};

/* Another manager, as the store describes it. */
struct peers_manager {
    struct text id;
    struct text name;
    struct text address; /* HOST:PORT, numeric; empty: it has no link */
};

struct peers *peers_new(const struct peers_options *options);

/* Frees it. All calls must have ended. NULL is allowed. */
void peers_free(struct peers *peers);

/* Sets the managers with which links are kept. Texts are copied. */
void peers_set(struct peers *peers, const struct peers_manager *managers, size_t count);

/* Reads changed files, and sends the probes that are due. Call it every second. */
void peers_run(struct peers *peers);

/* Returns why this manager has no links: a file is missing, or cannot be used; empty: it has. */
const char *peers_problem(const struct peers *peers);

enum { PEERS_REASON_BYTES = 256 };

/* The state of one link. */
struct peers_state {
    bool is_reachable;
    int64_t since_wall_ms; /* of the state; 0: no probe has ended yet */
    uint64_t rtt_us;       /* of the newest probe that was answered; 0: none */
    const char *reason;    /* why it is unreachable; borrowed until the next call */
};

/* Finds the link to a manager. False: there is none. */
bool peers_state_find(const struct peers *peers, struct text id, struct peers_state *out);

/* ---- requests ---- */

/* One request to a peer and its answer. */
struct peers_call;

struct peers_request {
    struct text method;
    struct text target; /* as in a request line */
    const struct http_field *fields;
    size_t field_count;
    const char *content_type; /* NULL: there is no body */
    struct text body;
    uint64_t head_ms;   /* time limit for the head of the answer */
    uint64_t bytes_max; /* limit of the answer */
};

/* Callbacks of a call. None is called before peers_call_start has returned. Each may end the call
 * by peers_call_end. */
struct peers_events {
    /* The head of the answer has arrived. Called once. */
    void (*on_head)(void *arg, const struct answer_head *head);
    /* After on_head: there is more to read, or the answer has ended. */
    void (*on_bytes)(void *arg);
    /* The answer did not arrive, or not completely. Called once, as the last callback. */
    void (*on_failure)(void *arg, const char *reason);
    void *arg;
};

/* Sends a request to a peer. The request is copied. R0585: the peer cannot be reached, or too many
 * requests are in progress. */
MUST_CHECK bool peers_call_start(struct peers *peers, struct text id,
                                 const struct peers_request *request,
                                 const struct peers_events *events, struct peers_call **out,
                                 struct err *err);

/* Reads at most `room` bytes of the body and returns their number. *is_end: the body is complete
 * and read. Unread bytes hold back the peer. */
size_t peers_call_read(struct peers_call *call, char *out, size_t room, bool *is_end);

/* Ends a call, at any time and exactly once, also after its last callback. The peer notices that an
 * answer is no longer read. NULL is allowed. */
void peers_call_end(struct peers_call *call);

#endif

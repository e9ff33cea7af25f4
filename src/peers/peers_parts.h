#ifndef REEVE_PEERS_PEERS_PARTS_H
#define REEVE_PEERS_PEERS_PARTS_H

#include <gnutls/gnutls.h>
#include <netdb.h>

#include "base/limits.h"
#include "base/queue.h"
#include "http/certificate.h"
#include "peers/peers.h"

/* private to src/peers */
/* public names start with: peer_ peers_ */

/* ---- certificates ---- */

/* The certificates of this manager. They are freed when newer ones have replaced them and no
 * session uses them any more. */
struct peer_credentials {
    gnutls_certificate_credentials_t gnutls;
    size_t users;
    bool is_replaced;
};

/* Content of the three files. */
struct peer_files {
    struct text authority;
    struct text certificate;
    struct text key;
};

/* Reads the files in the folder into the arena, and checks that the certificate is for this
 * manager. Fails with R0586, or with the error of a file. */
MUST_CHECK bool peer_files_read(struct arena *arena, const char *folder, struct text id,
                                struct peer_files *out, struct err *err);

/* Returns a number that changes when a file changes; 0: a file is missing. */
uint64_t peer_files_mark(const char *folder);

/* Creates credentials from the files. R0586: the files are not usable. */
MUST_CHECK bool peer_credentials_new(const struct peer_files *files, struct peer_credentials **out,
                                     struct err *err);

/* peer_credentials_replace records that newer credentials have replaced these.
 * peer_credentials_leave records that a session no longer uses them. The last of these calls frees
 * them. */
void peer_credentials_replace(struct peer_credentials *credentials);
void peer_credentials_leave(struct peer_credentials *credentials);

/* ---- connections ---- */

enum peer_phase {
    PEER_PHASE_CONNECTING,
    PEER_PHASE_HANDSHAKE,
    PEER_PHASE_ANSWER, /* the request is being sent, or the answer is awaited or read */
    PEER_PHASE_SPARE,  /* idle */
    PEER_PHASE_ENDED,  /* the answer is complete, or the connection has failed */
};

/* A connection to a peer, and the call for which it is used. */
struct peers_call {
    struct peers_call *next;
    struct peers_call *before;
    struct peer *peer;
    struct peers_events events;
    enum peer_phase phase;
    int socket;
    struct loop_descriptor *descriptor;
    struct loop_timer *timer; /* timer for the deadline of the phase */
    gnutls_session_t session;
    struct peer_credentials *credentials;
    struct queue out; /* unsent bytes of the request */
    struct queue in;  /* unread bytes of the body */
    struct answer_reader reader;
    uint64_t head_ms;
    uint64_t spare_ms; /* time since which it is idle, in ms */
    bool is_head_reported;
    bool is_held; /* the reader is slower than the peer */
    bool is_complete;
};

struct peer {
    struct peers *peers;
    char id[CERTIFICATE_NAME_BYTES];
    char name[CERTIFICATE_NAME_BYTES];
    char address[LIMIT_ADDRESS_BYTES + 8]; /* address of the peer; empty: this entry is free */
    struct addrinfo *target;
    struct peers_call *calls; /* all connections to the peer, including spare ones */
    size_t call_count;
    size_t spare_count;
    /* The active probe, and the time at which it was sent. */
    struct peers_call *probe;
    uint64_t probe_ns;
    uint64_t good_ms; /* time at which the latest good answer arrived, in ms; 0: never */
    bool is_reachable;
    bool is_judged; /* at least one probe has ended */
    bool is_wanted;
    int64_t since_wall_ms;
    uint64_t rtt_us;
    char reason[PEERS_REASON_BYTES];
};

struct peers {
    struct peers_options options;
    struct arena *memory;
    struct peer items[LIMIT_PEERS];
    struct peer_credentials *credentials; /* NULL: there are no usable files */
    uint64_t files_mark;
    char problem[PEERS_REASON_BYTES];
};

/* Starts a call to a peer, whether or not it is reachable; see peers_call_start. */
MUST_CHECK bool peer_call_start(struct peer *peer, const struct peers_request *request,
                                const struct peers_events *events, struct peers_call **out,
                                struct err *err);

/* Fails all calls to a peer, except one. Their owners are notified. */
void peer_calls_fail(struct peer *peer, const char *reason, const struct peers_call *except);

/* Closes the connections that have been idle since before_ms. */
void peer_spares_close(struct peer *peer, uint64_t before_ms);

#endif

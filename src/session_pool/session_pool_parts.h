#ifndef REEVE_SESSION_POOL_SESSION_POOL_PARTS_H
#define REEVE_SESSION_POOL_SESSION_POOL_PARTS_H

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "session_pool/session_pool.h"
#include "sys/digest.h"

/* private to src/session_pool */
/* public names start with: session_pool_ */

/* Internals of the pool. session_pool.c schedules runs; session_pool_session.c manages sessions and
 * session processes. */

/* A session process. Only the pool's timer frees it, because the process may be inside a
 * callback. */
struct process {
    struct process *next;
    struct session_pool *session_pool;
    struct transport *transport;
    size_t sessions;
    struct heap_node idle; /* when the process will be ended, while it has no session */
    bool is_openssh;
    bool is_over;
};

struct zone {
    struct zone *next; /* ring of all zones */
    struct text name;
    struct node *first; /* list of nodes with a run that can start */
    struct node **last;
    size_t running;
};

struct node {
    struct session_pool *session_pool;
    struct arena *memory;   /* memory for the report of the last opened session */
    struct blob *name_blob; /* owns the name */
    struct text name;
    struct zone *zone;
    struct node *next; /* list of the zone's nodes that can start a run */
    bool is_listed;
    struct session_pool_run *first;
    struct session_pool_run **last;
    struct session_pool_run *running;
    struct transport_session *session;
    struct process *process; /* owns the members of `session` */
    char target[DIGEST_TEXT_BYTES];
    char login[DIGEST_TEXT_BYTES]; /* digest of the user's key alone */
    struct text host_key;          /* host key that the node presented in the last session; in
                                    * `memory` */
    bool is_first;
    struct heap_node idle; /* when its session is closed, or the record is freed */
    unsigned failures;     /* number of consecutive failures */
    uint64_t not_before_ms;
    enum transport_fault fault; /* fault of the last failure */
    struct text why;            /* reason of the last failure; in `memory` */
};

struct session_pool_run {
    struct session_pool_run *next; /* next run of the node */
    struct node *node;
    struct arena *memory;
    struct session_run_spec order; /* owns the texts; the key is wiped */
    struct heap_node due;          /* set while the run is queued */
    uint64_t due_ms;
    char target[DIGEST_TEXT_BYTES];
    char login[DIGEST_TEXT_BYTES]; /* digest of the user's key alone */
    struct transport_call *call;
    unsigned tries;
    uint64_t given; /* bytes of input sent in this attempt */
    bool is_cancelled;
    bool is_asked;
    bool is_paused;
    struct buf output[TRANSPORT_STREAM_COUNT];
    session_pool_done *done;
    void *arg;
};

struct session_pool {
    struct session_pool_options options;
    struct arena *memory; /* owns the zones */
    struct loop_timer *timer;
    struct map nodes;
    struct map zones;
    struct zone *turn; /* the zone to start from next */
    struct process *process_list;
    struct heap waiting; /* queued runs by deadline */
    struct heap idle;    /* nodes by the end of their idle time */
    struct heap idle_processes;
    size_t running;
    size_t process_count;
    uint64_t opened;
    unsigned process_failures; /* number of consecutive failures */
    uint64_t process_not_before_ms;
    bool is_dirty; /* a queued run may be able to start */
    bool is_closing;
};

/* Makes the timer due immediately. */
void session_pool_stir(struct session_pool *session_pool);

/* Ends a run and lets its node start the next one. */
void session_pool_run_end(struct session_pool_run *run, enum outcome outcome,
                          const struct transport_answer *answer);

/* Ends a run with a failure of the manager itself. */
void session_pool_run_fail(struct session_pool_run *run, enum outcome outcome,
                           enum transport_fault fault, const char *why);

/* Starts the run at the head of its node's queue, or ends it. */
void session_pool_run_begin(struct session_pool_run *run);

/* Closes the session of a node, if it has one. */
void session_pool_close_session(struct node *node);

/* Ends session processes that have failed or whose idle time has passed. With `is_all`: all without
 * sessions. Only the timer may call it. */
void session_pool_sweep(struct session_pool *session_pool, bool is_all);

#endif

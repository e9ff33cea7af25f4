#ifndef REEVE_SESSION_POOL_SESSION_POOL_PARTS_H
#define REEVE_SESSION_POOL_SESSION_POOL_PARTS_H

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "session_pool/session_pool.h"
#include "sys/digest.h"

/* private to src/session_pool */
/* public names start with: session_pool_ */

/* Declarations that session_pool.c (scheduling of runs) and session_pool_session.c (sessions and
 * session processes) share. */

/* A session process. Only the pool's timer frees it, because its callbacks may be on the call
 * stack. */
struct process {
    struct process *next;
    struct session_pool *session_pool;
    struct transport *transport;
    size_t sessions;
    struct heap_node idle; /* while it has no session: time at which it will be ended */
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
    struct arena *memory;   /* arena for the report of the session that was opened last */
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
    char login[DIGEST_TEXT_BYTES]; /* digest of the user's key */
    struct text host_key;          /* host key that the node presented in its last session; lives in
                                    * `memory` */
    bool is_first;
    struct heap_node idle; /* time at which its session is closed, or this record is freed */
    unsigned failures;     /* number of consecutive failures */
    uint64_t not_before_ms;
    enum transport_fault fault; /* fault of the last failure */
    struct text why;            /* reason of the last failure; lives in `memory` */
};

struct session_pool_run {
    struct session_pool_run *next; /* next run of the node */
    struct node *node;
    struct arena *memory;
    struct session_run_spec order; /* owns its texts; the key was wiped */
    struct heap_node due;          /* deadline, while the run is queued */
    uint64_t due_ms;
    char target[DIGEST_TEXT_BYTES];
    char login[DIGEST_TEXT_BYTES]; /* digest of the user's key */
    struct transport_call *call;
    unsigned tries;
    uint64_t given; /* number of input bytes sent in this attempt */
    bool is_cancelled;
    bool is_asked;
    bool is_paused;
    struct buf output[TRANSPORT_STREAM_COUNT];
    session_pool_done *done;
    void *arg;
};

struct session_pool {
    struct session_pool_options options;
    struct arena *memory; /* arena of the zones */
    struct loop_timer *timer;
    struct map nodes;
    struct map zones;
    struct zone *turn; /* zone whose turn is next */
    struct process *process_list;
    struct heap waiting; /* queued runs by deadline */
    struct heap idle;    /* nodes by the end of their idle time */
    struct heap idle_processes;
    size_t running;
    size_t process_count;
    uint64_t opened;
    unsigned process_failures; /* number of consecutive failures */
    uint64_t process_not_before_ms;
    bool is_dirty; /* the timer must check whether queued runs can start */
    bool is_closing;
};

/* Makes the timer due immediately. */
void session_pool_stir(struct session_pool *session_pool);

/* Ends a run and lets its node start the next one. */
void session_pool_run_end(struct session_pool_run *run, enum outcome outcome,
                          const struct transport_answer *answer);

/* Ends a run because of a failure in the manager itself. */
void session_pool_run_fail(struct session_pool_run *run, enum outcome outcome,
                           enum transport_fault fault, const char *why);

/* Starts the first run in its node's queue, or ends it with an error. */
void session_pool_run_begin(struct session_pool_run *run);

/* Closes the session of a node, if it has one. */
void session_pool_close_session(struct node *node);

/* Ends session processes that have failed or whose idle time has passed. With `is_all`, ends all
 * processes without sessions. Only the timer may call it. */
void session_pool_sweep(struct session_pool *session_pool, bool is_all);

#endif

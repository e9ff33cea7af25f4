#ifndef REEVE_SESSION_POOL_SESSION_POOL_PARTS_H
#define REEVE_SESSION_POOL_SESSION_POOL_PARTS_H

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "session_pool/session_pool.h"
#include "sys/digest.h"

/* names: session_pool_ */

/* What the files of the pool share: hands.c whose turn it is, session_pool_session.c sessions and who holds them. */

/* Who holds sessions. Freed only from the pool's own timer: it may be in the middle of telling something. */
struct process {
    struct process *next;
    struct session_pool *session_pool;
    struct transport *transport;
    size_t sessions;
    struct heap_node idle; /* it has none, until then */
    bool is_openssh;
    bool is_over;
};

struct zone {
    struct zone *next; /* in a ring of all */
    struct text name;
    struct node *first; /* that have a run which could begin */
    struct node **last;
    size_t running;
};

struct node {
    struct session_pool *session_pool;
    struct arena *memory;   /* of what its session has told */
    struct blob *name_blob; /* of the name */
    struct text name;
    struct zone *zone;
    struct node *next; /* among those of its zone that could begin */
    bool is_listed;
    struct session_pool_run *first;
    struct session_pool_run **last;
    struct session_pool_run *running;
    struct transport_session *session;
    struct process *process; /* of the session */
    char target[DIGEST_TEXT_BYTES];
    char login[DIGEST_TEXT_BYTES]; /* of the user's key alone */
    struct text host_key;          /* of home; that the session has shown */
    bool is_first;
    struct heap_node idle; /* its session is closed, or it is forgotten */
    unsigned failures;     /* in a row */
    uint64_t not_before_ms;
    enum transport_fault fault; /* the last one */
    struct text why;            /* of home */
};

struct session_pool_run {
    struct session_pool_run *next; /* of its node */
    struct node *node;
    struct arena *memory;
    struct session_run_spec order; /* its texts in home; the key is wiped */
    struct heap_node due;          /* while it waits */
    uint64_t due_ms;
    char target[DIGEST_TEXT_BYTES];
    char login[DIGEST_TEXT_BYTES]; /* of the user's key alone */
    struct transport_call *call;
    unsigned tries;
    uint64_t given; /* bytes of its input, of this try */
    bool is_cancelled;
    bool is_asked;
    bool is_paused;
    struct buf output[TRANSPORT_STREAM_COUNT];
    session_pool_done *done;
    void *arg;
};

struct session_pool {
    struct session_pool_options options;
    struct arena *memory; /* of the zones */
    struct loop_timer *timer;
    struct map nodes;
    struct map zones;
    struct zone *turn; /* the zone whose turn is next */
    struct process *process_list;
    struct heap waiting; /* runs, by deadline */
    struct heap idle;    /* nodes */
    struct heap idle_processes;
    size_t running;
    size_t process_count;
    uint64_t opened;
    unsigned process_failures; /* in a row */
    uint64_t process_not_before_ms;
    bool is_dirty; /* somebody may begin */
    bool is_closing;
};

/* Let the timer be due at once. */
void session_pool_stir(struct session_pool *session_pool);

/* How a run ended; its node goes on with the next one. */
void session_pool_run_end(struct session_pool_run *run, enum outcome outcome,
                          const struct transport_answer *answer);

/* The same for what went wrong here. */
void session_pool_run_fail(struct session_pool_run *run, enum outcome outcome,
                           enum transport_fault fault, const char *why);

/* Begin with the run whose turn it is: it ends, or is under way. */
void session_pool_run_begin(struct session_pool_run *run);

/* Close the session of a node, if it has one. */
void session_pool_close_session(struct node *node);

/* End the hands that are over, and those that have had nothing to do for a while. From the timer alone. */
void session_pool_sweep(struct session_pool *session_pool, bool is_all);

#endif

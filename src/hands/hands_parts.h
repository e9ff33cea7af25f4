#ifndef REEVE_HANDS_HANDS_PARTS_H
#define REEVE_HANDS_HANDS_PARTS_H

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "hands/hands.h"
#include "sys/digest.h"

/* names: hands_ */

/* What the files of the pool share: hands.c whose turn it is, hands_session.c sessions and who holds them. */

/* Who holds sessions. Freed only from the pool's own timer: it may be in the middle of telling something. */
struct hand {
    struct hand *next;
    struct hands *hands;
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
    struct hands *hands;
    struct arena *home;     /* of what its session has told */
    struct blob *name_blob; /* of the name */
    struct text name;
    struct zone *zone;
    struct node *next; /* among those of its zone that could begin */
    bool is_listed;
    struct hands_run *first;
    struct hands_run **last;
    struct hands_run *running;
    struct transport_session *session;
    struct hand *hand; /* of the session */
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

struct hands_run {
    struct hands_run *next; /* of its node */
    struct node *node;
    struct arena *home;
    struct hands_order order; /* its texts in home; the key is wiped */
    struct heap_node due;     /* while it waits */
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
    hands_done *done;
    void *arg;
};

struct hands {
    struct hands_options options;
    struct arena *home; /* of the zones */
    struct loop_timer *timer;
    struct map nodes;
    struct map zones;
    struct zone *turn; /* the zone whose turn is next */
    struct hand *hand_list;
    struct heap waiting; /* runs, by deadline */
    struct heap idle;    /* nodes */
    struct heap idle_hands;
    size_t running;
    size_t hand_count;
    uint64_t opened;
    unsigned hand_failures; /* in a row */
    uint64_t hand_not_before_ms;
    bool is_dirty; /* somebody may begin */
    bool is_closing;
};

/* Let the timer be due at once. */
void hands_stir(struct hands *hands);

/* How a run ended; its node goes on with the next one. */
void hands_run_end(struct hands_run *run, enum outcome outcome,
                   const struct transport_answer *answer);

/* The same for what went wrong here. */
void hands_run_fail(struct hands_run *run, enum outcome outcome, enum transport_fault fault,
                    const char *why);

/* Begin with the run whose turn it is: it ends, or is under way. */
void hands_run_begin(struct hands_run *run);

/* Close the session of a node, if it has one. */
void hands_session_close(struct node *node);

/* End the hands that are over, and those that have had nothing to do for a while. From the timer alone. */
void hands_sweep(struct hands *hands, bool is_all);

#endif

#ifndef REEVE_SERVICE_EXEC_H
#define REEVE_SERVICE_EXEC_H

#include "service/select.h"

/* names: exec_ */

/* The port by which one command is run on many machines, with a word about each as it comes. */

/* Machines that run at once; the next ones when all of them have ended. */
struct exec_batch {
    size_t end;     /* behind its last node */
    bool is_canary; /* when one of them fails, none behind them are begun */
};

enum exec_by { EXEC_BY_NAME, EXEC_BY_ZONE, EXEC_BY_RANDOM };

/* How nodes are put into batches. */
struct exec_arrangement {
    enum exec_by by;
    uint64_t seed;        /* of BY_RANDOM: the same one gives the same order */
    bool is_zone_apart;   /* no batch has machines of two zones; none is a zone as well */
    bool is_broken_first; /* those that have failed, or are ill, before all others of their zone */
    size_t batch;         /* so many at most; not 0 */
    size_t canary;        /* so many first, alone */
};

struct exec_batches {
    const struct exec_batch *items;
    size_t count;
};

/* Put the nodes into their order, in place, and cut them into batches, which live in the arena. At least one node. */
struct exec_batches exec_arrange(struct arena *arena, struct select_nodes *nodes,
                                 const struct exec_arrangement *how);

/* Why nothing is run on a node: in a word, and in words in *out_why; NULL: it can be. */
const char *exec_unfit(struct arena *arena, const struct select_node *node, struct text *out_why);

/* Valid until `begin` returns. */
struct exec_order {
    const struct select_node *nodes;
    size_t count;
    struct text command; /* for the login shell of the machine's user */
    uint64_t timeout_ms; /* on each */
    uint64_t output_max; /* bytes of each stream of each that are told; the rest is counted */
    struct exec_batches batches; /* of all nodes */
    uint64_t pause_ms;           /* between batches */
    uint64_t bake_ms;            /* behind the canaries */
    uint64_t
        deadline_ms; /* of the whole: what runs then is ended, what waits is not begun; 0: none */
    size_t max_fail; /* none are begun when so many have failed; 0: however many */
};

enum exec_event_kind {
    EXEC_EVENT_OUTPUT,
    EXEC_EVENT_END,  /* of one machine; once for each */
    EXEC_EVENT_DONE, /* of all; the last word */
};

/* Why no more are to be begun, or those that ran were not left to end. */
enum exec_cut {
    EXEC_CUT_NONE,
    EXEC_CUT_FAILED,
    EXEC_CUT_CANARY,
    EXEC_CUT_DEADLINE,
    EXEC_CUT_ASKED, /* by the user */
};

/* What is told; valid until `told` returns. What its kind does not have is empty. */
struct exec_event {
    enum exec_event_kind kind;
    size_t node;       /* place in the order's nodes */
    bool is_error;     /* OUTPUT: of standard error */
    struct text piece; /* whole lines, but for the last one and for very long ones; any bytes */
    enum outcome
        outcome; /* END: OK: it ran; REFUSED: it certainly did not; UNKNOWN: it may have, or goes on */
    int code;    /* OK: -1 where a signal ended it */
    struct text signal;
    struct text fault; /* else: "unreachable", "late", "skipped", "deadline", ... */
    struct text why;   /* the same in words; plain */
    uint64_t took_ms;
    uint64_t bytes[2];   /* out, error */
    uint64_t dropped[2]; /* of them, beyond output_max */
    enum exec_cut cut;   /* DONE */
};
typedef void exec_event_fn(void *arg, const struct exec_event *reported);

/* How far it is. */
struct exec_counts {
    size_t running;
    size_t waiting; /* not begun yet */
};

struct exec_run;

struct exec_port {
    /* Begin; `told` comes from the loop, never before this has returned. NULL: an error says why not. */
    struct exec_run *(*begin)(void *arg, const struct exec_order *order, exec_event_fn *reported,
                              void *event_arg, struct err *err);
    /* Tell no output, and begin no more machines, until it is wanted again. May be called from `told`. */
    void (*hold)(struct exec_run *run, bool is_held);
    struct exec_counts (*count)(const struct exec_run *run);
    /* End it: what runs is asked to end, what waits is not begun. Each machine is told of as always, one on which the command ran when
     * it is known how that has ended. */
    void (*stop)(struct exec_run *run);
    /* Want it no more: what runs is asked to end, nothing more is told. Not from `told`. Also behind DONE, once. */
    void (*drop)(struct exec_run *run);
    void *arg;
};

#endif

#ifndef REEVE_SERVICE_EXEC_H
#define REEVE_SERVICE_EXEC_H

#include "service/select.h"

/* public names start with: exec_ */

/* The port that runs one command on many machines and reports each machine's result when it
 * arrives. */

/* A batch of machines that run at the same time. The next batch begins when all of them have
 * ended. */
struct exec_batch {
    size_t end;     /* index after the last node of the batch */
    bool is_canary; /* canaries: if one of these machines fails, no later batch begins */
};

enum exec_by { EXEC_BY_NAME, EXEC_BY_ZONE, EXEC_BY_RANDOM };

/* How the machines of a run are divided into batches. */
struct exec_arrangement {
    enum exec_by by;
    uint64_t seed; /* seed of EXEC_BY_RANDOM: the same seed gives the same order */
    /* No batch contains machines of two zones. All machines without a zone count as one zone. */
    bool is_zone_apart;
    bool is_broken_first; /* Failed or unhealthy machines come first within their zone. */
    size_t batch;         /* maximal size; not 0 */
    size_t canary;        /* number of canaries, which run before all others */
};

struct exec_batches {
    const struct exec_batch *items;
    size_t count;
};

/* Sort the nodes, at least one, in place, and divide them into batches, which live in the arena. */
struct exec_batches exec_arrange(struct arena *arena, struct select_nodes *nodes,
                                 const struct exec_arrangement *how);

/* Return a keyword for the reason why a command cannot run on a node, and set *out_why to the
 * reason as plain text. NULL: the command can run. */
const char *exec_unfit(struct arena *arena, const struct select_node *node, struct text *out_why);

/* An order to run a command. It is valid until `begin` returns. */
struct exec_order {
    const struct select_node *nodes;
    size_t count;
    struct text command; /* The command for the login shell of the machine's user. */
    uint64_t timeout_ms; /* time limit of the command on each machine */
    /* Bytes that are reported of each stream of each machine; further bytes are only counted. */
    uint64_t output_max;
    struct exec_batches batches; /* the batches of all nodes */
    uint64_t pause_ms;           /* pause between batches */
    uint64_t bake_ms;            /* waiting time after the canaries */
    /* Time limit of the whole run. When it has passed, running commands are terminated, and waiting
     * machines do not begin. 0: no limit. */
    uint64_t deadline_ms;
    size_t max_fail; /* number of failures after which no further machine begins; 0: unlimited */
};

enum exec_event_kind {
    EXEC_EVENT_OUTPUT,
    EXEC_EVENT_END,  /* one machine has ended; reported once for each machine */
    EXEC_EVENT_DONE, /* all machines have ended; the last event */
};

/* The reason why no further machines begin, or why running commands were terminated. */
enum exec_cut {
    EXEC_CUT_NONE,
    EXEC_CUT_FAILED,
    EXEC_CUT_CANARY,
    EXEC_CUT_DEADLINE,
    EXEC_CUT_ASKED, /* requested by the user */
};

/* An event; valid until the callback returns. Fields that this kind of event does not use are
 * empty. */
struct exec_event {
    enum exec_event_kind kind;
    size_t node;   /* index in the order's nodes */
    bool is_error; /* OUTPUT: the piece is from standard error */
    /* Whole lines, except the last one and parts of very long ones. May contain any bytes. */
    struct text piece;
    /* END. OK: the command ran. REFUSED: it did not run. UNKNOWN: it may have run, or may still
     * run. */
    enum outcome outcome;
    int code; /* OK: the exit code; -1 if a signal ended it */
    struct text signal;
    struct text fault; /* outcome is not OK: "unreachable", "late", "skipped", "deadline", ... */
    struct text why;   /* the reason as plain text */
    uint64_t took_ms;
    uint64_t bytes[2];   /* number of bytes of output and of errors */
    uint64_t dropped[2]; /* number of these bytes beyond output_max */
    enum exec_cut cut;   /* DONE: why the run was stopped before its end */
};
typedef void exec_event_fn(void *arg, const struct exec_event *reported);

/* Progress of a run. */
struct exec_counts {
    size_t running;
    size_t waiting; /* machines that have not begun yet */
};

struct exec_run;

struct exec_port {
    /* Begin a run. `reported` is called from the event loop, and only after this function has
     * returned. Returns NULL on failure; *err has the reason. */
    struct exec_run *(*begin)(void *arg, const struct exec_order *order, exec_event_fn *reported,
                              void *event_arg, struct err *err);
    /* Pause or continue a run. A paused run reports no output and starts no further machines. May
     * be called from `reported`. */
    void (*hold)(struct exec_run *run, bool is_held);
    struct exec_counts (*count)(const struct exec_run *run);
    /* Terminate a run: running commands are requested to end, and waiting machines do not start.
     * Each machine is still reported; a machine on which the command ran is reported once its end
     * is known. */
    void (*stop)(struct exec_run *run);
    /* Abandon a run: running commands are requested to end, and nothing more is reported. Must not
     * be called from `reported`. Every run must be dropped once, also after its DONE event. */
    void (*drop)(struct exec_run *run);
    void *arg;
};

#endif

#ifndef REEVE_HANDS_HANDS_H
#define REEVE_HANDS_HANDS_H

#include "hand/transport.h"
#include "sys/log.h"
#include "sys/random.h"

/* names: hands_ */

/* Commands and files on many nodes: "run this command on that node, as this user, if it has this host key, and tell me its
 * exit code and the first of its output".
 *
 * - One run at a time of a node; so many at once in a zone, and in all. Who has to wait waits in order; zones take turns.
 * - Sessions are kept for a while when nobody uses them; a target that differs in anything gets a session of its own.
 * - A node that could not be reached is left in peace for a while, which doubles, with some chance in it so that a thousand
 *   nodes do not come back at once. Until then its runs are refused at once, and told when to come again.
 * - Every run ends in exactly one `done`, never before hands_run has returned, by its deadline, which counts the waiting
 *   (but for what wait_ms allows).
 * - OUTCOME_REFUSED: nothing has happened on the node. OUTCOME_UNKNOWN: the command may have run. A process of sessions that
 *   ends (reeve-hand) costs its runs that; those that had not begun are tried with another one, unseen. */
struct hands;
struct hands_run;

/* Who holds sessions: makes a driver of the port, and ends it. For tests; else processes (hands/processes.h). */
struct hands_maker {
    /* `ended` is called when it is of no use any more; it is dropped then, some time later. */
    bool (*make)(void *arg, bool is_openssh, void (*ended)(void *arg, const char *why),
                 void *ended_arg, struct transport **out, struct err *err);
    void (*drop)(void *arg, struct transport *transport);
    void *arg;
};

struct hands_limits {
    size_t hand_sessions; /* of one hand */
    size_t hands;
    size_t runs; /* under way at once */
    size_t zone_runs;
    size_t waiting;
    uint64_t idle_ms;
    uint64_t open_ms;
    uint64_t pause_ms;
    uint64_t pause_max_ms;
};

/* As in limits.h. */
struct hands_limits hands_limits_usual(void);

struct hands_options {
    struct loop *loop;
    struct log *log;
    struct random random;
    struct hands_maker maker;
    struct hands_limits limits;
};

/* Begin. R0532: the loop has no room. */
MUST_CHECK bool hands_open(const struct hands_options *options, struct hands **out,
                           struct err *err);

enum hands_kind { HANDS_EXEC, HANDS_PUT, HANDS_GET };

/* Bytes of a run's input from `offset` on, exactly so many; asked for when there is room for them, and again from the beginning
 * where the run is tried again. False: they cannot be had, and the run is cancelled. Until `done`. */
typedef bool hands_input_fn(void *arg, uint64_t offset, char *out, size_t length);

/* The command of a run, in the arena: asked for when its turn has come, and again where it is tried again. Of hundreds that wait, or
 * run for hours, none is in memory then. Until `done`. */
typedef struct text hands_command_fn(void *arg, struct arena *arena);

/* What is to be done, and where. Needed only until hands_run returns. What its kind does not have is empty. */
struct hands_order {
    struct text node; /* its name: whose turn it is */
    struct text zone;
    struct transport_target target;
    enum hands_kind kind;
    struct text command;
    hands_command_fn *write_command; /* of EXEC; NULL: `command` is it */
    struct text input;
    uint64_t input_bytes;       /* with `read_input`, of EXEC: how many, and `input` is empty */
    hands_input_fn *read_input; /* NULL: `input` is all */
    struct text path;
    unsigned mode;
    size_t limit_bytes;
    uint64_t deadline_ms;
    uint64_t
        wait_ms; /* it may wait so long for its turn besides; 0: the deadline counts the waiting */
    transport_output_fn *output; /* is told the output; NULL: nobody */
    uint64_t
        output_max; /* so many bytes of each stream, the rest is counted in the answer; 0: all of it */
    bool is_linewise;
};

/* How it ended. */
struct hands_result {
    struct transport_answer
        answer; /* as of the port; its host_key and is_first are the session's */
    struct text output[TRANSPORT_STREAM_COUNT]; /* the first LIMIT_HANDS_OUTPUT_BYTES of each */
    uint64_t retry_ms;                          /* the node is left in peace for so long */
    bool
        is_asked; /* the node was turned to for this; else its turn did not come, or it is left in peace */
};

typedef void hands_done(void *arg, enum outcome outcome, const struct hands_result *result);

/* Do it. The result is valid until `done`; it is NULL and nothing is called where too many wait already. */
struct hands_run *hands_run(struct hands *hands, const struct hands_order *order, hands_done *done,
                            void *arg);

/* Hand on no output until it is resumed, as transport_pause does; a run that waits begins so. */
void hands_pause(struct hands_run *run);
void hands_resume(struct hands_run *run);

/* Want it no more; done comes as ever. */
void hands_cancel(struct hands_run *run);

/* What goes on, for people and tests. */
struct hands_state {
    size_t waiting;
    size_t running;
    size_t sessions; /* open, or being opened */
    size_t hands;
    uint64_t opened; /* sessions, ever */
};

struct hands_state hands_state(const struct hands *hands);

/* End it: runs are told first (CANCELLED). Not from a `done`. NULL is allowed. */
void hands_close(struct hands *hands);

#endif

#ifndef REEVE_SESSION_POOL_SESSION_POOL_H
#define REEVE_SESSION_POOL_SESSION_POOL_H

#include "session/transport.h"
#include "sys/log.h"
#include "sys/random.h"

/* names: session_pool_ */

/* Commands and files on many nodes: "run this command on that node, as this user, if it has this host key, and tell me its
 * exit code and the first of its output".
 *
 * - One run at a time of a node; so many at once in a zone, and in all. Who has to wait waits in order; zones take turns.
 * - Sessions are kept for a while when nobody uses them; a target that differs in anything gets a session of its own.
 * - A node that could not be reached is left in peace for a while, which doubles, with some chance in it so that a thousand
 *   nodes do not come back at once. Until then its runs are refused at once, and told when to come again.
 * - Every run ends in exactly one `done`, never before session_pool_run has returned, by its deadline, which counts the waiting
 *   (but for what wait_ms allows).
 * - OUTCOME_REFUSED: nothing has happened on the node. OUTCOME_UNKNOWN: the command may have run. A process of sessions that
 *   ends (reeve-session) costs its runs that; those that had not begun are tried with another one, unseen. */
struct session_pool;
struct session_pool_run;

/* Who holds sessions: makes a driver of the port, and ends it. For tests; else processes (session_pool/processes.h). */
struct session_pool_maker {
    /* `ended` is called when it is of no use any more; it is dropped then, some time later. */
    bool (*make)(void *arg, bool is_openssh, void (*ended)(void *arg, const char *why),
                 void *ended_arg, struct transport **out, struct err *err);
    void (*drop)(void *arg, struct transport *transport);
    void *arg;
};

struct session_pool_limits {
    size_t process_sessions; /* of one hand */
    size_t session_pool;
    size_t runs; /* under way at once */
    size_t zone_runs;
    size_t waiting;
    uint64_t idle_ms;
    uint64_t open_ms;
    uint64_t pause_ms;
    uint64_t pause_max_ms;
};

/* As in limits.h. */
struct session_pool_limits session_pool_limits_usual(void);

struct session_pool_options {
    struct loop *loop;
    struct log *log;
    struct random random;
    struct session_pool_maker maker;
    struct session_pool_limits limits;
};

/* Begin. R0532: the loop has no room. */
MUST_CHECK bool session_pool_open(const struct session_pool_options *options,
                                  struct session_pool **out, struct err *err);

enum session_pool_kind { SESSION_POOL_EXEC, SESSION_POOL_PUT, SESSION_POOL_GET };

/* Bytes of a run's input from `offset` on, exactly so many; asked for when there is room for them, and again from the beginning
 * where the run is tried again. False: they cannot be had, and the run is cancelled. Until `done`. */
typedef bool session_pool_input_fn(void *arg, uint64_t offset, char *out, size_t length);

/* The command of a run, in the arena: asked for when its turn has come, and again where it is tried again. Of hundreds that wait, or
 * run for hours, none is in memory then. Until `done`. */
typedef struct text session_pool_command_fn(void *arg, struct arena *arena);

/* What is to be done, and where. Needed only until session_pool_run returns. What its kind does not have is empty. */
struct session_run_spec {
    struct text node; /* its name: whose turn it is */
    struct text zone;
    struct transport_target target;
    enum session_pool_kind kind;
    struct text command;
    session_pool_command_fn *write_command; /* of EXEC; NULL: `command` is it */
    struct text input;
    uint64_t input_bytes; /* with `read_input`, of EXEC: how many, and `input` is empty */
    session_pool_input_fn *read_input; /* NULL: `input` is all */
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
struct session_run_result {
    struct transport_answer
        answer; /* as of the port; its host_key and is_first are the session's */
    struct text
        output[TRANSPORT_STREAM_COUNT]; /* the first LIMIT_SESSION_POOL_OUTPUT_BYTES of each */
    uint64_t retry_ms;                  /* the node is left in peace for so long */
    bool
        is_asked; /* the node was turned to for this; else its turn did not come, or it is left in peace */
};

typedef void session_pool_done(void *arg, enum outcome outcome,
                               const struct session_run_result *result);

/* Do it. The result is valid until `done`; it is NULL and nothing is called where too many wait already. */
struct session_pool_run *session_pool_run(struct session_pool *session_pool,
                                          const struct session_run_spec *order,
                                          session_pool_done *done, void *arg);

/* Hand on no output until it is resumed, as transport_pause does; a run that waits begins so. */
void session_pool_pause(struct session_pool_run *run);
void session_pool_resume(struct session_pool_run *run);

/* Want it no more; done comes as ever. */
void session_pool_cancel(struct session_pool_run *run);

/* What goes on, for people and tests. */
struct session_pool_state {
    size_t waiting;
    size_t running;
    size_t sessions; /* open, or being opened */
    size_t session_pool;
    uint64_t opened; /* sessions, ever */
};

struct session_pool_state session_pool_state(const struct session_pool *session_pool);

/* End it: runs are told first (CANCELLED). Not from a `done`. NULL is allowed. */
void session_pool_close(struct session_pool *session_pool);

#endif

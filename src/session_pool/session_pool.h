#ifndef REEVE_SESSION_POOL_SESSION_POOL_H
#define REEVE_SESSION_POOL_SESSION_POOL_H

#include "session/transport.h"
#include "sys/log.h"
#include "sys/random.h"

/* public names start with: session_pool_ */

/* Runs commands and file transfers on many nodes: "run this command on that node, as this user, if
 * it presents this host key, and return its exit code and the first part of its output".
 *
 * - At most one run at a time per node, with limits per zone and in total. Waiting runs start in
 *   order; zones take turns.
 * - Idle sessions are kept for `idle_ms`. Two targets that differ in any member have separate
 *   sessions.
 * - A node that cannot be reached is in back-off. The pause doubles with each failure and has
 *   jitter, so that a thousand nodes are not retried at the same time. During the pause its runs
 *   are rejected immediately, and `retry_ms` is the time until the next attempt.
 * - Every run ends in exactly one `done`, which is never called before session_pool_run has
 *   returned. It ends by its deadline, which includes the waiting time except for `wait_ms`.
 * - OUTCOME_REFUSED: nothing has happened on the node. OUTCOME_UNKNOWN: the command may have run.
 *   If a session process (reeve-session) ends, its active runs end with OUTCOME_UNKNOWN. Runs that
 *   had not begun are retried through another process; the caller does not notice. */
struct session_pool;
struct session_pool_run;

/* Creates and destroys the transports that hold sessions. The manager uses
 * session_pool/processes.h; tests provide other ones. */
struct session_pool_maker {
    /* Creates a transport. `ended` is called once, when the transport has failed; the pool calls
     * `drop` some time later. */
    bool (*make)(void *arg, bool is_openssh, void (*ended)(void *arg, const char *why),
                 void *ended_arg, struct transport **out, struct err *err);
    void (*drop)(void *arg, struct transport *transport);
    void *arg;
};

struct session_pool_limits {
    size_t process_sessions; /* maximum number of sessions per session process */
    size_t session_pool;
    size_t runs; /* maximum number of runs that are active at the same time */
    size_t zone_runs;
    size_t waiting;
    uint64_t idle_ms;
    uint64_t open_ms;
    uint64_t pause_ms;
    uint64_t pause_max_ms;
};

/* Returns the defaults of limits.h. */
struct session_pool_limits session_pool_limits_usual(void);

struct session_pool_options {
    struct loop *loop;
    struct log *log;
    struct random random;
    struct session_pool_maker maker;
    struct session_pool_limits limits;
};

/* Opens a pool. Fails with R0532 if the loop has no free slot. */
MUST_CHECK bool session_pool_open(const struct session_pool_options *options,
                                  struct session_pool **out, struct err *err);

enum session_pool_kind { SESSION_POOL_EXEC, SESSION_POOL_PUT, SESSION_POOL_GET };

/* Writes exactly `length` bytes of a run's input, from `offset` on, to `out`. The pool calls it
 * when there is space, and begins at offset 0 again for a retry. If it returns false, the run is
 * cancelled. It may be called until `done`. */
typedef bool session_pool_input_fn(void *arg, uint64_t offset, char *out, size_t length);

/* Returns the command of a run, allocated in `arena`. The pool calls it when the run starts, and
 * again for a retry. So waiting and long runs need no memory for their command. It may be called
 * until `done`. */
typedef struct text session_pool_command_fn(void *arg, struct arena *arena);

/* A run for one node. The struct must be valid only until session_pool_run returns. Members that
 * the kind of run does not use are empty. */
struct session_run_spec {
    struct text node; /* name of the node; runs of the same node never overlap */
    struct text zone;
    struct transport_target target;
    enum session_pool_kind kind;
    struct text command;
    session_pool_command_fn *write_command; /* for EXEC; NULL: use `command` */
    struct text input;
    /* for EXEC with `read_input`: number of input bytes; `input` is then empty */
    uint64_t input_bytes;
    session_pool_input_fn *read_input; /* NULL: `input` is the whole input */
    struct text path;
    unsigned mode;
    size_t limit_bytes;
    uint64_t deadline_ms;
    /* extra time in ms for waiting in the queue; 0: the deadline includes the waiting time */
    uint64_t wait_ms;
    transport_output_fn *output; /* receives the output; NULL: none */
    /* maximum bytes per stream to deliver; further bytes are only counted; 0: all bytes are
     * delivered */
    uint64_t output_max;
    bool is_linewise;
};

/* How a run ended. */
struct session_run_result {
    /* answer of the transport; its host_key and is_first are those of the session */
    struct transport_answer answer;
    /* the first LIMIT_SESSION_POOL_OUTPUT_BYTES of each stream */
    struct text output[TRANSPORT_STREAM_COUNT];
    /* time in ms until the node's back-off ends */
    uint64_t retry_ms;
    /* true: the node was contacted for this run; false: the run did not start, or the node is in
     * back-off */
    bool is_asked;
};

typedef void session_pool_done(void *arg, enum outcome outcome,
                               const struct session_run_result *result);

/* Queues a run. The returned handle is valid until `done`. If too many runs are queued, returns
 * NULL, and `done` is not called. */
struct session_pool_run *session_pool_run(struct session_pool *session_pool,
                                          const struct session_run_spec *order,
                                          session_pool_done *done, void *arg);

/* session_pool_pause pauses the delivery of output until session_pool_resume. Output that was
 * already read is still delivered. A queued run can be paused before it starts. */
void session_pool_pause(struct session_pool_run *run);
void session_pool_resume(struct session_pool_run *run);

/* Cancels a run; `done` is still called. */
void session_pool_cancel(struct session_pool_run *run);

/* Current counts, for display and tests. */
struct session_pool_state {
    size_t waiting;
    size_t running;
    size_t sessions; /* number of sessions that are open or being opened */
    size_t session_pool;
    uint64_t opened; /* total number of sessions opened so far */
};

struct session_pool_state session_pool_state(const struct session_pool *session_pool);

/* Closes the pool. First, every remaining run ends with CANCELLED. Must not be called within a
 * `done`. NULL is allowed. */
void session_pool_close(struct session_pool *session_pool);

#endif

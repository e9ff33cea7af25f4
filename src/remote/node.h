#ifndef REEVE_REMOTE_NODE_H
#define REEVE_REMOTE_NODE_H

#include "bootstrap/run_tasks.h"
#include "session_pool/session_pool.h"
#include "remote/answer.h"
#include "sys/clock.h"

/* The job that takes one node from a bare machine to a bootstrapped one: keys, trust, facts, then
 * its stages in order.
 *
 *     release -> end, for a run with RUN_WITH_RELEASE; verify -> end, with RUN_WITH_VERIFY;
 *     drain -> end, with RUN_WITH_DRAIN;
 *     baseline -> end, with RUN_WITH_BASELINE; else
 *     look -> (clean) -> keys -> (barrier) -> trust -> facts -> (barrier) -> distribute
 *          -> bundle, stage, bundle, stage, ... -> baseline -> end
 *
 * - The first step, `look`, reads the current state from the node itself. After an interruption at
 * any point the job starts with `look` and continues from there. A run without changes executes no
 *   stage.
 * - The start of a stage carries an attempt number, which the node records before it begins. So a
 *   start that is sent twice takes effect once. The stage runs independently of the connection;
 *   after a lost connection, its output continues from the last byte received.
 * - A stage that was interrupted (a kill, a reboot) is restarted only if it is `is_idempotent`.
 *   Otherwise its state is NODE_END_INTERRUPTED until a retry is requested (node_options.request).
 * - A stage is complete for its chain: the digests and arguments of it and of all stages before it.
 *   So a changed stage and all after it run again.
 * - Stages that are no longer in the list are cleaned, except for their newest attempt number. A
 *   running one is not changed.
 * - All events are reported through `reported`, from the loop and never before node_begin has
 *   returned. NODE_EVENT_END comes last and once. All functions run on the thread of the loop. */
struct node_job;

/* Reads exactly `length` bytes of the bundle with this digest from `offset` on. Returns false if
 * they are no longer available. */
typedef bool node_read_fn(void *arg, struct text digest, uint64_t offset, char *out, size_t length);

/* One stage of a node: its bundle, arguments and variables. */
struct node_stage {
    struct text name;   /* for display */
    struct text digest; /* digest of its bundle */
    /* size of the archive; 0: only a node that already has the bundle can run the stage */
    uint64_t bytes;
    uint64_t expanded_bytes;
    const struct text *arguments;
    size_t argument_count;
    struct text vars; /* content of the file vars.json next to bootstrap.sh; empty: none */
    /* The same content with the values of secrets, which are not part of the stage's chain; empty:
     * there are none. */
    struct text filled;
    uint64_t timeout_s; /* 0: none */
    uint32_t tries;     /* attempts if is_idempotent; at least 1 */
    bool is_idempotent;
    bool goes_on; /* onFailure: continue */
    /* An empty legacy marker counts as completion of the stage, if reeve has never started the
     * stage there. */
    bool is_marker_trusted;
    /* The output that was received in an earlier run: up to this byte of this attempt; 0: none.
     * "Whole" means that the end of the attempt was also reported. Output that was not received
     * whole is reported again, even for a complete stage, because the stage may have ended while no
     * manager was connected. */
    uint32_t seen_attempt;
    uint64_t seen_bytes;
    bool is_seen_whole;
};

enum node_step {
    NODE_STEP_LOOK,
    NODE_STEP_CLEAN, /* removes stages that are no longer in the list; only in runs with stages */
    NODE_STEP_KEYS,
    NODE_STEP_TRUST,
    NODE_STEP_FACTS,
    NODE_STEP_DISTRIBUTE,
    NODE_STEP_BUNDLE,
    NODE_STEP_STAGE,
    NODE_STEP_BASELINE, /* writes the states of files, after the stages; it never fails the job */
    NODE_STEP_CLEANUP,  /* hooks of stages, before a release, or alone */
    NODE_STEP_RELEASE,  /* the only step of a run that releases a machine */
    NODE_STEP_REBOOT,   /* the only step of a run that reboots or reads the boot id */
    NODE_STEP_VERIFY,   /* the only step of a run that verifies */
    NODE_STEP_DRAIN,    /* the only step of a run that drains a node, or ends its drain */
    NODE_STEP_COUNT,
};

/* Barriers at which the job waits for the caller. */
enum node_point {
    NODE_POINT_KEYS,  /* the node's keys are reported; continues with node_trust */
    NODE_POINT_FACTS, /* the node's facts are reported; continues with node_distribute */
};

enum node_end {
    NODE_END_DONE,
    /* All stages were run, and some of them failed, which their policy permits (onFailure:
     * continue). The event is about the first of these. */
    NODE_END_CONTINUED,
    NODE_END_FAILED,      /* a stage ended with an exit code other than 0 */
    NODE_END_TIMEOUT,     /* a stage exceeded its time limit */
    NODE_END_INTERRUPTED, /* a stage was interrupted and may not be restarted */
    NODE_END_UNREACHABLE,
    NODE_END_HOST_KEY, /* the host presents another key */
    NODE_END_USER_KEY, /* the host rejects the login */
    NODE_END_NO_ROOT,  /* the user cannot become root without a password */
    NODE_END_NO_SPACE,
    NODE_END_REFUSED, /* the node rejected the request; see `why` */
    NODE_END_CANCELLED,
    NODE_END_COUNT,
};

/* Return the name for display and events: "done", "stage failed", ... */
const char *node_end_name(enum node_end end);
const char *node_step_name(enum node_step step);

enum node_event_kind {
    NODE_EVENT_STEP, /* a step begins */
    NODE_EVENT_SAME, /* a step changed nothing: trust, distribute, or a complete stage */
    /* A stage is complete by a legacy marker; `line` is the marker's path. Reported again with each
     * step `look`. */
    NODE_EVENT_MARKED,
    NODE_EVENT_POINT, /* the job waits at a barrier */
    NODE_EVENT_LINE,  /* a line of output */
    NODE_EVENT_STAGE, /* an attempt of a stage has ended: code, end */
    /* The node has its baseline: verdict.digest. If the digest is empty, it has none, for the
     * reason in `why`. */
    NODE_EVENT_BASELINE,
    /* The hooks `cleanup`, `drain` or `undrain` have run. `why` has the names of failed hooks;
     * `code` is the number of further failed hooks. */
    NODE_EVENT_CLEANED,
    NODE_EVENT_RETRY, /* a step is retried after retry_ms, for the reason in `why` */
    /* The node presented an unexpected host key (empty: the key is not known); `why` has the
     * details. */
    NODE_EVENT_ALARM,
    /* The first host key that the node presented, to be recorded
     * (transport_target.is_first_key_accepted). */
    NODE_EVENT_HOST_KEY,
    NODE_EVENT_END,
};

/* An event. Members that are not used by its kind are empty. Texts are valid until `reported`
 * returns. */
struct node_event {
    enum node_event_kind kind;
    enum node_step step;
    int64_t wall_ms;
    size_t stage;     /* set for BUNDLE and STAGE */
    uint32_t attempt; /* set for LINE, STAGE, and the END of a stage */
    enum node_point point;
    struct answer_keys keys; /* set for NODE_POINT_KEYS */
    struct text facts;       /* set for NODE_POINT_FACTS: lines of the program, for facts_read */
    /* For LINE, the line without its end. For STAGE and END, the first line that reports an error.
     * For MARKED, a path. */
    struct text line;
    uint64_t line_end; /* set for LINE: position in the output after the line */
    int code;          /* set for STAGE, and for the END of a stage */
    /* Set for STAGE and END. For a RETRY without an answer, the result that the job would have
     * without the retry. */
    enum node_end end;
    struct text why; /* set for RETRY, END and ALARM: readable reason */
    uint64_t retry_ms;
    struct text host_key;
    struct answer_verdict verdict; /* set for BASELINE, and for the END of a run that verifies */
};

typedef void node_reported(void *arg, const struct node_event *event);

/* Options of a job. They must be valid until node_begin returns. Members that are marked as
 * borrowed must be valid longer. */
struct node_options {
    struct session_pool *session_pool;
    struct loop *loop;
    struct clock clock;
    struct text name; /* name of the node; runs of the same node are serialized */
    struct text zone;
    struct transport_target target; /* a user other than root becomes root by `sudo -n` */
    unsigned with;                  /* a combination of RUN_WITH_... */
    struct text cluster;            /* TENANT/ID of the cluster; for a run with RUN_WITH_RELEASE */
    /* for a reboot: the machine reboots only if this is its boot id; empty: never */
    struct text boot;
    /* For a run that verifies or runs stages: paths of files, each with a newline after it. */
    struct text files;
    /* For a run that verifies: the digest of the baseline that the node should have; empty:
     * none. */
    struct text baseline;
    uint64_t cleanup_s;  /* for a run that cleans up or drains: time limit of the hooks */
    bool is_undrain;     /* for a run that drains: runs the hooks `undrain` instead */
    bool is_hook_run;    /* it also runs the hooks of the stages */
    bool keeps_baseline; /* for a run with stages: an existing baseline stays */
    /* For a run with stages: a playbook follows. The baseline is written after it, by a separate
     * run with RUN_WITH_BASELINE. */
    bool is_baseline_later;
    uint32_t extra_attempt; /* attempt of that playbook; 0: none */
    const struct node_stage *stages;
    size_t stage_count;
    /* A retry request: runs all stages from `request_from` on again, or with is_request_of_failed
     * the failed stages. `request` is its id: letters, digits and -. A request takes effect once,
     * even if several managers send it repeatedly or after later requests: a node stores the latest
     * 64 ids. Empty: none. */
    struct text request;
    size_t request_from;
    bool is_request_of_failed;
    /* Bodies of revoked keys. A node whose key is in the list generates another one. Empty:
     * none. */
    struct text stale_keys[2];
    uint64_t patience_ms;      /* maximum without an answer; 0: REMOTE_PATIENCE_MS */
    uint64_t pause_ms;         /* first pause before a retry; 0: REMOTE_PAUSE_MS */
    node_read_fn *read_bundle; /* called for each piece that the node accepts */
    void *read_arg;            /* borrowed until node_free */
    node_reported *reported;
    void *arg;
};

/* Starts a job. Fails with R0720 if the options are invalid: too many stages, or arguments or
 * names that cannot be sent to a node. */
MUST_CHECK bool node_begin(const struct node_options *options, struct node_job **out,
                           struct err *err);

/* Continues at NODE_POINT_KEYS. `files` is a tar for the program trust (trust.h), or for classic,
 * together with the name of the block. NULL: nothing is installed. The blob is shared until the
 * node has it; the name is copied. */
void node_trust(struct node_job *node, struct blob *files, struct text classic_name);

/* The facts of all members, followed by their lines for /etc/hosts. All members get the same bytes,
 * which are stored in memory only once. */
struct node_facts {
    struct blob *bytes; /* NULL: nothing is written */
    size_t facts_bytes; /* size of the facts at the front of `bytes` */
    char digest[65];    /* SHA-256 of `bytes` */
};

/* Continues at NODE_POINT_FACTS with these facts. The blob is shared. */
void node_distribute(struct node_job *node, const struct node_facts *facts);

/* Cancels the job. A running stage continues by itself; NODE_EVENT_END is still reported. */
void node_cancel(struct node_job *node);

/* Frees the job. Nothing is reported afterwards. May be called at any time except from `reported`.
 * Active operations may still take effect. NULL is allowed. */
void node_free(struct node_job *node);

/* Returns whether this line reports an error. */
bool node_line_is_error(struct text line);

#endif

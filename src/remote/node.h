#ifndef REEVE_REMOTE_NODE_H
#define REEVE_REMOTE_NODE_H

#include "bootstrap/run_tasks.h"
#include "session_pool/session_pool.h"
#include "remote/answer.h"
#include "sys/clock.h"

/* The job that bootstraps one node: keys, trust, facts, and then its stages in order.
 *
 *     release -> end, for a run with RUN_WITH_RELEASE; verify -> end, with RUN_WITH_VERIFY;
 *     drain -> end, with RUN_WITH_DRAIN;
 *     baseline -> end, with RUN_WITH_BASELINE; otherwise
 *     look -> (clean) -> keys -> (barrier) -> trust -> facts -> (barrier) -> distribute
 *          -> bundle, stage, bundle, stage, ... -> baseline -> end
 *
 * - The first step, `look`, reads the current state from the node itself. So after an interruption
 *   the job can start with `look` and continue from there. A run without changes executes no stage.
 * - The start of a stage has an attempt number, which the node records before it begins. So a
 *   start that is sent twice takes effect once. The stage runs independently of the connection;
 *   after a lost connection, its output continues from the last byte received.
 * - A stage that was interrupted (a kill, a reboot) is restarted only if it is `is_idempotent`.
 *   Otherwise its state is NODE_END_INTERRUPTED until a retry is requested (node_options.request).
 * - A stage is complete for one chain: the digests and arguments of this stage and of all stages
 *   before it. So a changed stage and all later stages run again.
 * - The data of stages that are no longer in the list is removed, except their latest attempt
 *   number. Such a stage is left alone while it runs.
 * - All events are reported through `reported`, from the loop and never before node_begin has
 *   returned. NODE_EVENT_END comes last and once. All functions run on the thread of the loop. */
struct node_job;

/* Reads exactly `length` bytes of the bundle with this digest, from `offset` on. Returns false if
 * the bundle is no longer available. */
typedef bool node_read_fn(void *arg, struct text digest, uint64_t offset, char *out, size_t length);

/* One stage of a node: its bundle, arguments and variables. */
struct node_stage {
    struct text name;   /* for display */
    struct text digest; /* digest of its bundle */
    /* size of the archive in bytes; 0: unknown, so the stage can run only if the node already has
     * the bundle */
    uint64_t bytes;
    uint64_t expanded_bytes;
    const struct text *arguments;
    size_t argument_count;
    struct text vars; /* content of the file vars.json beside bootstrap.sh; empty: no such file */
    /* the same content with the values of secrets, which do not belong to the stage's chain; empty:
     * there are no secrets */
    struct text filled;
    uint64_t timeout_s; /* time limit in s; 0: none */
    uint32_t tries;     /* maximum number of attempts, if is_idempotent; at least 1 */
    bool is_idempotent;
    bool goes_on; /* onFailure: continue */
    /* true: an empty legacy marker makes the stage complete, if reeve has never started the stage
     * on this node */
    bool is_marker_trusted;
    /* The output that an earlier run has received: up to byte seen_bytes of attempt seen_attempt;
     * 0: none. "Whole" means that the end of the attempt was also reported. Output that was not
     * received whole is reported again, even for a complete stage, because the stage may have ended
     * while no manager was connected. */
    uint32_t seen_attempt;
    uint64_t seen_bytes;
    bool is_seen_whole;
};

enum node_step {
    NODE_STEP_LOOK,
    NODE_STEP_CLEAN, /* removes the data of stages that are no longer in the list; only in runs with
                      * stages */
    NODE_STEP_KEYS,
    NODE_STEP_TRUST,
    NODE_STEP_FACTS,
    NODE_STEP_DISTRIBUTE,
    NODE_STEP_BUNDLE,
    NODE_STEP_STAGE,
    NODE_STEP_BASELINE, /* records the states of files, after the stages; a failure never fails the
                         * job */
    NODE_STEP_CLEANUP,  /* hooks of stages, before a release or in a separate run */
    NODE_STEP_RELEASE,  /* the only step of a run that releases a machine */
    NODE_STEP_REBOOT,   /* the only step of a run that reboots a machine, or reads its boot id */
    NODE_STEP_VERIFY,   /* the only step of a run that verifies */
    NODE_STEP_DRAIN,    /* the only step of a run that drains a node, or ends its drain */
    NODE_STEP_COUNT,
};

/* Barriers at which the job waits for the caller. */
enum node_point {
    NODE_POINT_KEYS,  /* the node's keys were reported; node_trust continues the job */
    NODE_POINT_FACTS, /* the node's facts were reported; node_distribute continues the job */
};

enum node_end {
    NODE_END_DONE,
    /* All stages were run. Some of them failed, which their policy permits (onFailure: continue).
     * The event is about the first failed stage. */
    NODE_END_CONTINUED,
    NODE_END_FAILED,      /* a stage ended with an exit code other than 0 */
    NODE_END_TIMEOUT,     /* a stage exceeded its time limit */
    NODE_END_INTERRUPTED, /* a stage was interrupted and must not be restarted */
    NODE_END_UNREACHABLE,
    NODE_END_HOST_KEY, /* the host presents an unexpected key */
    NODE_END_USER_KEY, /* the host rejects the login */
    NODE_END_NO_ROOT,  /* the user cannot become root without a password */
    NODE_END_NO_SPACE,
    NODE_END_REFUSED, /* the node rejected the request for the reason in `why` */
    NODE_END_CANCELLED,
    NODE_END_COUNT,
};

/* Return the name for display and for events: "done", "stage failed", ... */
const char *node_end_name(enum node_end end);
const char *node_step_name(enum node_step step);

enum node_event_kind {
    NODE_EVENT_STEP, /* a step begins */
    NODE_EVENT_SAME, /* a step had nothing to change: trust, distribute, or a complete stage */
    /* A stage is complete because of a legacy marker; `line` is its path. Reported after each step
     * `look`. */
    NODE_EVENT_MARKED,
    NODE_EVENT_POINT, /* the job waits at a barrier */
    NODE_EVENT_LINE,  /* a line of output */
    NODE_EVENT_STAGE, /* an attempt of a stage has ended: code, end */
    /* The node has a baseline with the digest verdict.digest. Empty: it has none, for the reason in
     * `why`. */
    NODE_EVENT_BASELINE,
    /* The hooks `cleanup`, `drain` or `undrain` have run. `why` has the names of failed hooks, and
     * `code` the number of failed hooks that it does not name. */
    NODE_EVENT_CLEANED,
    NODE_EVENT_RETRY, /* a step is retried after retry_ms, for the reason in `why` */
    /* The node presented an unexpected host key (empty: the key is not known). `why` has the
     * details. */
    NODE_EVENT_ALARM,
    /* The node presented its first host key, which the caller must record
     * (transport_target.is_first_key_accepted). */
    NODE_EVENT_HOST_KEY,
    NODE_EVENT_END,
};

/* An event. Members that its kind does not use are empty. Texts are valid until `reported`
 * returns. */
struct node_event {
    enum node_event_kind kind;
    enum node_step step;
    int64_t wall_ms;
    size_t stage;     /* index of the stage; set for BUNDLE and STAGE */
    uint32_t attempt; /* set for LINE, STAGE, and an END that is about a stage */
    enum node_point point;
    struct answer_keys keys; /* set for NODE_POINT_KEYS */
    struct text facts;       /* set for NODE_POINT_FACTS: lines of the program, which facts_read
                              * parses */
    /* For LINE: the line without its end. For STAGE and END: the first line that reports an error.
     * For MARKED: a path. */
    struct text line;
    uint64_t line_end; /* set for LINE: position in the output after the line */
    int code;          /* exit code; set for STAGE, and for an END that is about a stage */
    /* Set for STAGE and END. For a RETRY without an answer: the result that the job would have
     * without the retry. */
    enum node_end end;
    struct text why; /* reason as text; set for RETRY, END and ALARM */
    uint64_t retry_ms;
    struct text host_key;
    struct answer_verdict verdict; /* set for BASELINE, and for the END of a run with
                                    * RUN_WITH_VERIFY */
};

typedef void node_reported(void *arg, const struct node_event *event);

/* Options of a job. They must be valid until node_begin returns; members that are marked as
 * borrowed must be valid longer. */
struct node_options {
    struct session_pool *session_pool;
    struct loop *loop;
    struct clock clock;
    struct text name; /* name of the node; runs of the same node never overlap */
    struct text zone;
    struct transport_target target; /* if the user is not root, programs run by `sudo -n` */
    unsigned with;                  /* bits RUN_WITH_... */
    struct text cluster;            /* TENANT/ID of the cluster, for a run with RUN_WITH_RELEASE */
    /* for a reboot: the boot id that the machine must have, so that it is not rebooted twice;
     * empty: do not reboot */
    struct text boot;
    /* for a run that verifies or runs stages: paths of files, each followed by a newline */
    struct text files;
    /* for a run that verifies: the digest that the node's baseline should have; empty: none */
    struct text baseline;
    uint64_t cleanup_s;  /* for a run that cleans up or drains: time limit of the hooks in s */
    bool is_undrain;     /* for a run that drains: run the hooks `undrain` instead of `drain` */
    bool is_hook_run;    /* the run also runs the hooks of the stages */
    bool keeps_baseline; /* for a run with stages: keep an existing baseline */
    /* For a run with stages: a playbook will follow. Then a separate run with RUN_WITH_BASELINE
     * writes the baseline after it. */
    bool is_baseline_later;
    uint32_t extra_attempt; /* attempt of that playbook; 0: none */
    const struct node_stage *stages;
    size_t stage_count;
    /* A retry request: run all stages from `request_from` on again or, with is_request_of_failed,
     * the failed stages. `request` is its id, of letters, digits and -; empty: no request. A
     * request takes effect only once, even if several managers send it repeatedly or after later
     * requests: a node stores the latest 64 ids. */
    struct text request;
    size_t request_from;
    bool is_request_of_failed;
    /* Key data of revoked keys. A node whose key is in the list generates a new one. Empty:
     * none. */
    struct text stale_keys[2];
    uint64_t patience_ms;      /* maximum time without an answer, in ms; 0: REMOTE_PATIENCE_MS */
    uint64_t pause_ms;         /* first pause before a retry, in ms; 0: REMOTE_PAUSE_MS */
    node_read_fn *read_bundle; /* called for each piece that is sent to the node */
    void *read_arg;            /* borrowed until node_free */
    node_reported *reported;
    void *arg;
};

/* Starts a job. Fails with R0720 if the options are invalid: too many stages, or arguments or names
 * that cannot be sent to a node. */
MUST_CHECK bool node_begin(const struct node_options *options, struct node_job **out,
                           struct err *err);

/* Continues the job at NODE_POINT_KEYS. `files` is a tar archive for the program trust (trust.h),
 * or for the program classic together with the name of the block. NULL: nothing is installed. The
 * blob is shared until the node has it; the name is copied. */
void node_trust(struct node_job *node, struct blob *files, struct text classic_name);

/* The facts of all members, followed by their lines for /etc/hosts. All members get the same bytes,
 * which are in memory only once. */
struct node_facts {
    struct blob *bytes; /* NULL: no facts are written */
    size_t facts_bytes; /* size of the facts, at the beginning of `bytes` */
    char digest[65];    /* SHA-256 of `bytes` */
};

/* Continues the job at NODE_POINT_FACTS with these facts. The blob is shared. */
void node_distribute(struct node_job *node, const struct node_facts *facts);

/* Cancels the job. A running stage continues on the node. NODE_EVENT_END is still reported. */
void node_cancel(struct node_job *node);

/* Frees the job. Nothing is reported afterwards. May be called at any time, except within
 * `reported`. Operations that were sent may still take effect. NULL is allowed. */
void node_free(struct node_job *node);

/* Returns whether this line reports an error. */
bool node_line_is_error(struct text line);

#endif

#ifndef REEVE_RECORDS_NODE_STATE_H
#define REEVE_RECORDS_NODE_STATE_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "records/nodes.h"

/* public names start with: node_state_ */

/* The value of `step` for a node whose stages have failed. Another run would not complete them. */
#define NODE_STATE_FAILED "failed"

/* The prefix of the start failure of a machine whose image could not be installed. Nothing of reeve
 * is on it. */
#define NODE_INSTALL_FAILURE "install "

/* The value of `step` for a node whose stages were run to the end. Stages may have failed
 * (onFailure: continue). */
#define NODE_STATE_BOOTSTRAPPED "bootstrapped"

/* How the files of a node compare with its baseline. */
enum node_verdict {
    NODE_VERDICT_NONE, /* never verified */
    NODE_VERDICT_SAME,
    NODE_VERDICT_DRIFTED,
    NODE_VERDICT_UNKNOWN, /* the comparison was not possible; this is never treated as same */
    NODE_VERDICT_COUNT,
};

/* Return the name of a verdict: "same", "drifted", "unknown"; "" for NONE. */
const char *node_verdict_name(enum node_verdict verdict);

/* Why a node was verified. */
enum node_verify_cause {
    NODE_VERIFY_OPERATOR, /* by a job of an operator */
    NODE_VERIFY_SCHEDULE, /* by verify.every of the node's group */
    NODE_VERIFY_RETURN,   /* because the node was unreachable, or has booted */
    NODE_VERIFY_CORRECTION,
    NODE_VERIFY_CAUSE_COUNT,
};

/* Return the name of a cause: "operator", "schedule", ... */
const char *node_verify_cause_name(enum node_verify_cause cause);

/* The newest verification of a node, as it is stored. */
struct node_verified {
    enum node_verdict verdict;
    enum node_verify_cause cause;
    bool is_hook;        /* the hooks of its stages also ran */
    bool is_deep;        /* its playbook also ran in check mode */
    uint64_t tasks;      /* if is_deep: number of the playbook's tasks on this node */
    uint64_t judged;     /* number of those tasks whose result check mode can predict */
    int64_t wall_ms;     /* wall clock: when the verification was made */
    int64_t since_ms;    /* wall clock: since when the verdict has been the same */
    uint64_t at_ms;      /* when the verification was made, by the cluster's clock */
    struct text files;   /* the first files that differ, one line "PATH: DIFFERENCE" for each */
    uint64_t file_count; /* number of all files that differ */
    /* Why the verdict is unknown, or what an operator must do about the drift. */
    struct text why;
};

/* The progress of an operator command that takes a node out of service. */
enum node_drain {
    NODE_DRAIN_NONE,   /* the node is in service: status allocated */
    NODE_DRAIN_BEGUN,  /* its hooks `drain` run, or one of them has failed */
    NODE_DRAIN_DONE,   /* its hooks `drain` have run; it is out of service */
    NODE_DRAIN_ENDING, /* its hooks `undrain` run, or one of them has failed */
    NODE_DRAIN_COUNT,
};

/* Return the name of the progress: "draining", "drained", "undraining"; "" for NONE. */
const char *node_drain_name(enum node_drain drain);

/* The newest change of a node's status (model/lifecycle.def) and its cause. If the status has never
 * changed, the node is allocated, or becomes allocated later. */
struct node_lifecycle {
    enum node_drain drain; /* if not NONE, the status is maintenance */
    int64_t wall_ms;       /* when the status changed; 0: never */
    uint64_t at_ms;        /* when the status changed, by the cluster's clock */
    struct text by;
    struct text why;     /* the operator's reason */
    struct text blocker; /* the hook that failed, with its first error; empty: none */
    struct text job;     /* newest batch job that has drained or undrained this node */
};

/* A playbook that must be able to run on a node even when its group and its revision no longer
 * exist. */
struct node_hook {
    struct text digest;   /* digest of the archive; empty: there is no playbook */
    struct text playbook; /* path of the playbook in the archive */
    uint64_t timeout_ms;
    struct text vars; /* JSON, a map; empty: none */
    bool lacks_vars;  /* there are variables, but they are too large to be stored here */
};

/* Maximum size of the variables that are stored with a hook. */
enum { NODE_HOOK_VARS_BYTES = 8 * 1024 };

/* The progress of an adoption: a machine that is already in service becomes a member. It ends with
 * the first stage that reeve runs on the node. */
enum node_adoption {
    NODE_ADOPTION_NONE,
    /* in progress; as long as the node has no keys, reeve has written nothing on it */
    NODE_ADOPTION_BEGUN,
    NODE_ADOPTION_DONE, /* chain_done was adopted; reeve did not run the stages */
};

/* The observed state of a node, stored next to its machine's record:
 * /TENANT/Node/CLUSTER/TOKEN/status, canonical JSON. A manager that starts reads earlier
 * observations from it instead of querying the node again. This state is never a reason to destroy
 * a machine. */
struct node_state {
    struct text name;       /* name of its machine, as in its certificates */
    struct nodes_keys keys; /* with an empty host, the keys are unknown; the name is not set */
    /* The host key that the node had when its keys were set up (node_state_host_key). 0:
     * unknown. */
    uint64_t host_key;
    struct text trust_given; /* digest of the trusted keys that the node received */
    /* When the node's trusted keys must be renewed, by the cluster's clock. 0: never. */
    uint64_t renew_ms;
    struct text facts;       /* the node's own facts, canonical JSON; empty: unknown */
    struct text facts_given; /* digest of the facts of all members that the node received */
    struct text chain_done;  /* digest chain of the stages that last ran to completion */
    /* digest chain of stages that failed; another run would not complete them */
    struct text chain_failed;
    /* The machine was already in service when it became a member (decision 0151). */
    enum node_adoption adoption;
    /* The node has been ready at least once: it completed a chain, or was ready while its group had
     * no stages. */
    bool has_served;
    /* Stages ran at least once on the node after it had been in service: its status was
     * maintenance. */
    bool was_maintained;
    uint64_t rerun;     /* revision of the newest completed request to run stages again */
    struct text job;    /* latest batch job that is done on this node (batches.h) */
    struct text retry;  /* name of the newest retry request before the failure; empty: unknown */
    enum nodes_end end; /* how the run ended, if chain_failed is not empty */
    /* Why the node has never been in service: the first failing stage or task. Empty: the node is
     * in service, or has not failed. The text is kept while the node is released. */
    struct text start_failure;
    struct text step;  /* for display: the current step, or the last one */
    struct text why;   /* for display: the first line of output that reports an error */
    struct text stage; /* name of the current stage */
    uint32_t number;   /* number of the current stage, from 0 */
    uint32_t attempt;
    int code;
    struct text once; /* started stages that are not idempotent: "1 fragile,2 last" */
    /* Stages that count as complete because of a legacy marker, and that were reported as such:
     * "0,2". */
    struct text marked;
    /* Stages that succeeded, each with number, attempt and duration (ms) of its newest success: "0
     * 1 9000,1 2 350". */
    struct text took;
    /* The newest attempt of each stage, and the manager that has its output: "0 1 ID,1 2 ID"
     * (stage, attempt, manager). Empty: the store has one manager. */
    struct text outputs;
    int64_t since_ms; /* wall clock of the newest step */
    /* The operator's own OpenSSH settings are used to access the node. Stored here because its
     * group may no longer exist. */
    bool is_operators;
    uint64_t leaving_ms; /* start of its release, by the cluster's clock; 0: not started */
    bool is_released;    /* Its release is complete, so the provider may destroy its machine. */
    /* For display: when the release or a blocked run is retried, by the wall clock. 0: no retry is
     * pending. */
    int64_t retry_wall_ms;
    /* Why the latest run could not do its work on the node, as a cause and as text. NONE: the run
     * was not blocked. */
    enum nodes_cause blocked;
    struct text blocked_why;
    int64_t blocked_wall_ms; /* since when it is blocked; 0: it is not blocked */
    struct text baseline;    /* digest of the node's baseline; empty: there is none */
    struct text boot;        /* the boot id and the start of the first process, as last read */
    struct node_verified verified;
    struct text verify_job; /* newest batch job that has verified this node */
    /* The newest correction did not end with the verdict same, so no further correction starts
     * automatically. */
    bool is_uncorrected;
    /* The cleanup policy of the node's group (enum fleet_cleanup) and the time limit (0: the
     * default). The group may no longer exist when the node leaves. */
    uint32_t cleanup;
    uint64_t cleanup_ms;
    bool is_cleaned; /* the hooks `cleanup` of the node's stages have run */
    /* The playbook `cleanup` of the revision whose stages began last on this node. */
    struct node_hook cleanup_hook;
    /* Why the cleanup is pending although the node leaves: the hooks that failed, or why the node
     * could not be released. Empty: no cleanup is pending. */
    struct text cleanup_failure;
    /* Digest of the archive whose playbook was completed last on this node; empty: none. */
    struct text archive_done;
    /* The chain that failed on the node, and why it failed. The group's previous stages run in its
     * place as long as this chain is the desired one (members_onfail.c). Empty: they do not. */
    struct text reverted;
    struct text reverted_why;
    /* Why the machine is returned to the inventory: its changed stages failed. Empty: it is not
     * returned. */
    struct text leaves;
    bool is_away; /* the node was unreachable or has rebooted, and was not verified since */
    struct node_lifecycle lifecycle;
};

/* Format the value. Texts that are not valid in JSON are converted. */
struct text node_state_format(struct arena *arena, const struct node_state *state);

/* Parse the value. Texts live in the arena or in the bytes. Fails with R0554 if the bytes are
 * invalid. */
MUST_CHECK bool node_state_parse(struct arena *arena, struct text bytes, struct node_state *out,
                                 struct err *err);

/* The facts of one member: canonical JSON, a map. */
struct node_state_facts {
    struct text name;
    struct text facts;
};

/* Format the facts of all members, in the given order (by name): {"db-0":{...},"web-0":{...}} and a
 * newline. These are the bytes of /etc/cluster_facts.json. */
struct text node_state_facts_format(struct arena *arena, const struct node_state_facts *items,
                                    size_t count);

/* The duration of a stage. node_state_took_next reads the next entry of node_state.took from *rest.
 * It returns false if there is none. */
struct node_took {
    int64_t number;
    int64_t attempt;
    int64_t ms;
};
bool node_state_took_next(struct text *rest, struct node_took *out);

/* Records the manager that has the output of an attempt from now on. The newest NODE_OUTPUTS
 * attempts are kept. */
enum { NODE_OUTPUTS = 32 };
struct text node_state_output_note(struct arena *arena, struct text outputs, uint64_t number,
                                   uint64_t attempt, struct text manager);

/* Return a hash that identifies a host key. 0: there is no key. */
uint64_t node_state_host_key(struct text host_key);

/* True if the node's current state is a failed stage. */
bool node_state_has_failure(const struct node_state *state);

/* Return the started stages that are not idempotent and that a request would run again: with
 * is_failed the failed stage, otherwise all stages from `from` on. "stage-1 fragile, stage-2 last";
 * empty: none. */
struct text node_state_once(struct arena *arena, const struct node_state *state, bool is_failed,
                            uint64_t from);

/* Formats a hook as a map {bundle, lacksVars, playbook, timeout, vars}, and reads the map. Texts
 * live in the arena or in the map. */
struct doc node_hook_format(struct arena *arena, const struct node_hook *hook);
struct node_hook node_hook_parse(struct arena *arena, const struct doc *map);

/* Clear the blocked state. */
void node_state_unblock(struct node_state *state);

/* Make the state for display: {step, since}; if blocked also {blocked, retryAt}; in a stage also
 * {attempt, number, stage}; `why`; if failed {code, end}. `once` has the started stages that are
 * not idempotent, `took` is [{attempt,ms,number}], `outputs` is [{attempt,manager,stage}]. The
 * result is not a map if there is no state yet. */
struct doc node_state_show(struct arena *arena, const struct node_state *state);

/* Adds a node with failed stages to the problems of a job: node, text, and tries (for clients that
 * do not know the field `node`). */
void node_state_failure_put(struct doc_builder *builder, const struct node_state *state);

/* Make the verification for display: {at, baseline, cause, files, level, more, since, uncorrected,
 * verdict, why}. The result is not a map if the node was never verified. */
struct doc node_state_verified_show(struct arena *arena, const struct node_state *state);

/* Make the lifecycle for display: {blocker, by, prev, reason, since, status, why}. The result is
 * not a map if the status has never changed. */
struct doc node_state_lifecycle_show(struct arena *arena, const struct node_state *state);

/* Copy a state into another arena. */
struct node_state node_state_copy(struct arena *arena, const struct node_state *state);

#endif

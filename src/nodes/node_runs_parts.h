#ifndef REEVE_NODES_NODE_RUNS_PARTS_H
#define REEVE_NODES_NODE_RUNS_PARTS_H

#include "nodes/node_runs.h"
#include "nodes/playbook_runs.h"
#include "remote/node.h"

/* private to src/nodes */
/* public names start with: controller_ nodes_run */

/* Internals of node_runs.h. */

enum run_step {
    RUN_BEGINS, /* waits for a session */
    RUN_RENEWS, /* restarts, because its keys were revoked or its group has another key */
    RUN_GOES,   /* the job runs, or waits at a barrier */
    RUN_SIGNS, /* the run is at the keys barrier; its certificates are signed one after the other */
    RUN_TRUSTS,  /* installs the trusted keys of the node */
    RUN_WRITES,  /* writes the facts of all members */
    RUN_PLAYS,   /* its bundles are complete, and the playbook runs or waits */
    RUN_IS_OVER, /* the end of the run is reported in the next iteration of the loop */
};

enum { NODE_RUNS_CERTS = 3 }; /* host, root, user */

/* One run. `loop_task` continues it in a later iteration of the loop, so that no callback is called
 * while the caller is still inside its call. */
struct nodes_run {
    struct node_runs *nodes;
    struct nodes_run *next;
    struct nodes_run **link;
    struct arena *memory;
    struct loop_task *task;
    struct node_job *job;
    struct control_way way;
    struct text group;
    struct text owner;
    struct text boot;
    struct text files_listed; /* paths of the files in the baseline */
    struct text baseline;
    uint64_t cleanup_s;
    bool is_undrain;
    struct nodes_stage hook; /* a playbook of a hook; an empty path: none */
    bool is_hook_check;      /* the playbook runs in check mode */
    bool is_hook_played;
    uint32_t hook_attempt;  /* attempt of the playbook in the logs */
    uint64_t hook_begun_ms; /* when the playbook began, by the monotonic clock */
    struct text hook_why;   /* why a playbook `cleanup` failed; empty: it did not fail */
    int hook_count;         /* number of hooks that have succeeded */
    bool is_hook_run;
    bool keeps_baseline;
    unsigned with;
    struct node_stage *stages;
    size_t stage_count;
    size_t bundle_count;  /* the stages without the playbook */
    struct text playbook; /* the playbook of the last stage; empty: none */
    struct text cluster_name;
    struct playbook_place *place; /* the node's part in the run of the playbook; NULL: none */
    uint32_t begun;               /* same as in nodes_order */
    uint32_t playbook_attempt;
    uint64_t playbook_bytes; /* number of bytes of the playbook's output */
    enum nodes_end bundles_end;
    /* The playbook has succeeded. Only the baseline of the node must still be written. */
    bool is_played;
    bool has_baseline; /* the baseline, or the reason for its absence, was reported */
    /* For each stage: the latest attempt whose successful end was reported; 0: none. */
    uint32_t *reported_ends;
    struct text request;
    bool is_request_of_all;
    uint64_t request_from;
    nodes_event_fn *reported;
    void *arg;
    enum run_step step;
    bool is_signing;  /* the signer is processing a request of this run */
    bool has_renewed; /* the node was requested to generate new keys */
    bool is_dropped;  /* the run has ended; it is freed when the signer has answered */
    bool is_apart;    /* root users of other members may not log in */
    bool keeps;       /* the node keeps its certificates */
    /* revoked keys of root and user, which must be replaced */
    struct text stale[NODE_RUNS_CERTS - 1];
    uint64_t cert_ms; /* lifetime of user certificates */
    unsigned refused_logins;
    uint64_t login_hash;                /* hash of the private key for the login of its job */
    size_t reported_stage;              /* number of the last reported stage, from 1; 0: none */
    struct nodes_keys keys;             /* keys that the node reported at the keys barrier */
    struct text certs[NODE_RUNS_CERTS]; /* host, root, user */
    uint64_t renew_ms;
    struct blob *files;      /* files for node_trust; NULL: none */
    struct node_facts facts; /* facts for node_distribute */
    struct nodes_event last; /* the end event: stage, attempt and code */
    enum nodes_end end;      /* the end that will be reported */
    struct text why;
};

struct node_runs {
    struct node_runs_options options;
    struct nodes_port port;
    struct nodes_run *runs;
    struct node_facts facts; /* the last facts; all members of a cluster get the same bytes */
    bool is_reported;        /* the loss of output was reported */
};

/* Reports an event to the caller of the run. */
void node_run_report(struct nodes_run *run, struct nodes_event reported);

/* Continues the run in the next iteration of the loop. */
void node_run_later(struct nodes_run *run);

/* Ends the run, and reports its end in the next iteration of the loop. `why` is copied. */
void node_run_over(struct nodes_run *run, enum nodes_end end, struct text why);

/* Removes the run from the list. */
void node_run_unlink(struct nodes_run *run);

/* Handles an event of the job (node_options.reported). In node_runs_events.c. */
void node_run_reported(void *arg, const struct node_event *event);

/* Returns whether this run must still run the playbook of the last stage. */
bool node_run_has_playbook(const struct nodes_run *run);

/* Runs the playbook after the bundles. run->bundles_end is the end of the bundles. In
 * node_runs_playbook.c. */
void node_run_play(struct nodes_run *run);

/* Returns the number of the next attempt of a stage or hook. It is higher than `newest` and than
 * all attempts in the local logs. */
uint32_t node_run_log_next(const struct nodes_run *run, size_t stage, uint32_t newest);

/* Stores a line of output of a playbook. */
void node_run_log_line(struct nodes_run *run, size_t stage, uint32_t attempt, struct text text);

/* Copies the playbook of a hook into the memory of the run. */
void node_run_hook_copy(struct nodes_run *run, const struct nodes_order *order);

/* node_run_has_hook returns whether the playbook of a hook must still run. node_run_has_hook_first
 * returns whether that playbook must run before everything else. */
bool node_run_has_hook(const struct nodes_run *run);
bool node_run_has_hook_first(const struct nodes_run *run);

/* Runs the playbook of a hook. In node_runs_hook.c. */
void node_run_hook_play(struct nodes_run *run);

/* At the keys barrier: signs the next missing certificate. If none is missing, installs the trusted
 * keys of the node. In node_runs_trust.c. */
void node_run_sign(struct nodes_run *run);

/* At the keys barrier, with classic trust: writes one line for each member. The line permits the
 * member's keys to log in as root, and maps the member's name to its host key. */
void node_runs_trust_classic(struct nodes_run *run, const struct nodes_trust *trust);

#endif

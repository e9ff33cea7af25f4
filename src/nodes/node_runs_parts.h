#ifndef REEVE_NODES_NODE_RUNS_PARTS_H
#define REEVE_NODES_NODE_RUNS_PARTS_H

#include "nodes/node_runs.h"
#include "remote/node.h"

/* names: controller_ nodes_run */

/* Inside of node_runs.h: what its files share. */

enum run_step {
    RUN_BEGINS,  /* it wants a session */
    RUN_RENEWS,  /* it begins again: its keys were revoked, or its group has another private key */
    RUN_GOES,    /* its machine goes on, or waits at a point */
    RUN_SIGNS,   /* at its keys: its certificates are signed, one after the other */
    RUN_TRUSTS,  /* it installs what it is to trust */
    RUN_WRITES,  /* it writes the facts of all */
    RUN_IS_OVER, /* its end is told in the next turn */
};

enum { NODE_RUNS_CERTS = 3 }; /* of host, root, user */

/* One run. `loop_task` is what makes it go on in a turn of its own: who is told never stands in his own call. */
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
    unsigned with;
    struct node_stage *stages;
    size_t stage_count;
    uint32_t
        *reported_ends; /* of each stage, the newest attempt whose good end was told; 0: none */
    struct text request;
    bool is_request_of_all;
    uint64_t request_from;
    nodes_event_fn *reported;
    void *arg;
    enum run_step step;
    bool is_signing;  /* the signer has a question of it */
    bool has_renewed; /* it was told to make other keys */
    bool is_dropped;  /* only the signer's answer is still to come */
    bool is_apart;    /* nobody's root is let in */
    bool keeps;       /* its certificates stay as they are */
    struct text stale[NODE_RUNS_CERTS -
                      1]; /* keys of root and user that were taken back, and are to give way */
    uint64_t cert_ms;     /* life of certificates of users */
    unsigned refused_logins;
    uint64_t login_hash;                /* of the private key with which its job logs in */
    size_t reported_stage;              /* from 1; 0: none */
    struct nodes_keys keys;             /* its own, at its point */
    struct text certs[NODE_RUNS_CERTS]; /* of host, root, user */
    uint64_t renew_ms;
    struct blob *files;      /* for node_trust; NULL: none */
    struct node_facts facts; /* for node_distribute */
    struct nodes_event last; /* of its end: stage, attempt and code */
    enum nodes_end end;      /* that is told */
    struct text why;
};

struct node_runs {
    struct node_runs_options options;
    struct nodes_port port;
    struct nodes_run *runs;
    struct node_facts facts; /* that were given last: the next member of a cluster gets the same */
    bool is_reported;        /* that output was lost */
};

/* It goes on in the next turn. */
void node_run_later(struct nodes_run *run);

/* It has ended, which is told in the next turn. `why` is copied. */
void node_run_over(struct nodes_run *run, enum nodes_end end, struct text why);

/* It is no longer one of the runs. */
void node_run_unlink(struct nodes_run *run);

/* What its machine tells (node_options.told); node_runs_reported.c. */
void node_run_reported(void *arg, const struct node_event *event);

/* At its keys: sign the next certificate that it lacks, or install what it is to trust where it lacks none; node_runs_trust.c. */
void node_run_sign(struct nodes_run *run);

/* At its keys, with classic trust: one line for each member, whose keys may log in as root, and whose host is known by its name. */
void node_runs_trust_classic(struct nodes_run *run, const struct nodes_trust *trust);

#endif

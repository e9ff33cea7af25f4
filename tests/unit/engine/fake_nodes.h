#ifndef REEVE_TESTS_UNIT_ENGINE_FAKE_NODES_H
#define REEVE_TESTS_UNIT_ENGINE_FAKE_NODES_H

#include "engine/lab.h"

#include "records/node_state.h"
#include "bootstrap/bootstrap.h"

/* Nodes whose runs are made here, for the port of nodes.h: they do what `fake` says. */

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { RUNS = 64, FACTS_BYTES = 1000 };

/* One run, as the port has it. */
struct nodes_run {
    bool is_used;
    bool is_waiting; /* at a point */
    nodes_event_fn *reported;
    void *arg;
    unsigned with;
    bool is_beside;
    size_t stages;
    char token[64];
    char name[32];
    char request[32];
    char argument[16]; /* the first one of its first stage */
};

struct fake_nodes {
    struct nodes_run runs[RUNS];
    unsigned begun;  /* in all */
    unsigned staged; /* with stages */
    unsigned trusted;
    unsigned dropped;
    char last_facts[FACTS_BYTES]; /* that were given */
    char last_request[32];
    uint64_t last_from;       /* of the newest run with a request of all stages from one on */
    const char *slow;         /* this one never goes on */
    const char *bad;          /* this one fails its stages */
    const char *bad_argument; /* only with this first argument; NULL: with any */
    bool goes_on;             /* and runs the others all the same (onFailure: continue) */
    const char *far;          /* this one cannot be reached */
    const char *full;         /* this one can, and does nothing */
    const char *other;        /* this one shows another host key, */
    const char *shows;        /* and which */
    struct nodes_mark mark;   /* signs 0: not known yet */
    unsigned kept;            /* trusted with the certificates that they have */
    struct nodes_rotation rotation;
    unsigned steps; /* of it */
    char request[64];
    char event[400];
    uint64_t renew_ms;
    bool own_keys; /* each has one of its own; else all have the same */
    bool is_shut;  /* nobody logs in to machines of this plugin */
    /* Not 0: each run with stages tells that this attempt of the first one has ended well. */
    uint32_t reports;
    bool is_marked;      /* and that the second one is complete by a marker of old */
    char known[256][32]; /* requests that nodes have fulfilled, each with its node */
    size_t known_count;
    uint32_t reported[2]; /* what the newest order says was told of both */
};

extern struct fake_nodes fake;

/* A lab with them. */
int nodes_setup(void **state);
int nodes_setup_metal(void **state);

/* Is it a run of the node with this name? NULL is none, "*" is any. */
bool is_named(const struct nodes_run *run, const char *name);

/* Let time go by, in which they do what they do. */
void bootstrap_time(uint64_t ms);

/* Cluster shop with a group web, whose nodes have one stage with this argument. */
void apply_group(unsigned size, const char *argument, const char *ready);
void apply_staged(unsigned size, const char *argument);
void apply_ready(unsigned size, const char *ready);

/* What is seen in the store: so many of a kind; does any status say this? */
size_t count_of(const char *kind);
bool any_says(const char *kind, const char *words);
bool cluster_says(const char *words);

/* Straight into the store, of group web; NULL deletes. */
void web_write(const char *kind, const char *value);

/* Another manager took the cluster's lease, and this one has it again: a new epoch. */
void lease_rewrite(void);

/* Somebody has said to try again. */
void retry_say(void);

#endif

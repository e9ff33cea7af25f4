#ifndef REEVE_TESTS_UNIT_ENGINE_FAKE_NODES_H
#define REEVE_TESTS_UNIT_ENGINE_FAKE_NODES_H

#include "engine/lab.h"

#include "records/node_state.h"
#include "bootstrap/bootstrap.h"

/* A nodes port (nodes.h) with simulated runs. `fake` controls their results. */

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { RUNS = 64, FACTS_BYTES = 1000 };

/* One run of the simulated port. */
struct nodes_run {
    bool is_used;
    bool is_waiting; /* the run waits at a barrier */
    nodes_event_fn *reported;
    void *arg;
    unsigned with;
    bool is_beside;
    size_t stages;
    char token[64];
    char name[32];
    char request[32];
    char argument[16]; /* first argument of its first stage */
};

struct fake_nodes {
    struct nodes_run runs[RUNS];
    unsigned begun;  /* number of started runs */
    unsigned staged; /* number of started runs with stages */
    unsigned trusted;
    unsigned dropped;
    char last_facts[FACTS_BYTES]; /* facts that the last run received */
    char last_request[32];
    /* first stage of the newest run whose request is for all stages from a stage on */
    uint64_t last_from;
    const char *slow;         /* the runs of this node never continue */
    const char *bad;          /* the stages of this node fail */
    const char *bad_argument; /* `bad` fails only with this first argument; NULL: with any */
    /* after the failure, `bad` runs the other stages (onFailure: continue) */
    bool goes_on;
    const char *far; /* this node is unreachable */
    /* this node is reachable, but cannot run anything because its disk is full */
    const char *full;
    const char *other;      /* this node shows another host key */
    const char *shows;      /* the host key that `other` shows */
    struct nodes_mark mark; /* state of the authorities; signs 0: not known yet */
    unsigned kept;          /* number of runs that only added trust and kept certificates */
    struct nodes_rotation rotation;
    unsigned steps; /* number of steps of the rotation */
    char request[64];
    char event[400];
    uint64_t renew_ms;
    bool own_keys; /* each node has a different host key; otherwise all have the same */
    bool is_shut;  /* machines of this plugin have no login */
    /* If not 0: each run with stages reports that this attempt of the first stage has succeeded. */
    uint32_t reports;
    /* each run also reports that the second stage is complete, by an old marker */
    bool is_marked;
    char known[256][32]; /* fulfilled requests, each with its node */
    size_t known_count;
    uint32_t reported[2]; /* which attempts of both stages the newest run knows as reported */
};

extern struct fake_nodes fake;

/* Set up a lab with these nodes. */
int nodes_setup(void **state);
int nodes_setup_metal(void **state);

/* Returns whether the run is of the node with this name. NULL matches none, "*" matches any. */
bool is_named(const struct nodes_run *run, const char *name);

/* Lets time pass, in which the nodes make progress. */
void bootstrap_time(uint64_t ms);

/* Cluster shop with a group web, whose nodes have one stage with this argument. */
void apply_group(unsigned size, const char *argument, const char *ready);
void apply_staged(unsigned size, const char *argument);
void apply_ready(unsigned size, const char *ready);

/* Return the number of objects of a kind in the store, and whether any status of the kind contains
 * the text. */
size_t count_of(const char *kind);
bool any_says(const char *kind, const char *words);
bool cluster_says(const char *words);

/* Writes a value of group web directly to the store. NULL deletes it. */
void web_write(const char *kind, const char *value);

/* Simulates that another manager had the lease in between, so that the lease has a new epoch. */
void lease_rewrite(void);

/* Sends the operator command `retry`. */
void retry_say(void);

#endif

#ifndef REEVE_NODES_NODE_RUNS_H
#define REEVE_NODES_NODE_RUNS_H

#include "access/reach.h"
#include "records/nodes.h"
#include "remote/depot.h"
#include "remote/logs.h"
#include "sys/clock.h"

/* names: controller_ */

/* The runs of a manager's nodes (records/nodes.h): who is reached by which session, what a node is to trust, and what becomes of
 * what the machine of one node tells (remote/node.h). */
struct node_runs;

struct node_runs_options {
    const struct cache *cache;
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct reach *reach;
    struct authorities *authorities;
    struct depot *depot;                            /* of bundles; NULL: there is none */
    struct logs *logs;                              /* of stages; the same */
    bool (*logs_in)(void *arg, struct text plugin); /* as of nodes_port */
    void (*wake)(void *arg);                        /* something was told */
    void *arg;
    uint32_t time_scale; /* certificates are renewed so many times earlier */
};

struct node_runs *node_runs_new(const struct node_runs_options *options);

/* As control_ports.nodes. */
const struct nodes_port *node_runs_port(struct node_runs *nodes);

/* What some of them wait for is there, or will not come (reach_target, authorities_ask). */
void node_runs_go_on(struct node_runs *nodes);

/* Has one of them a stage with the bundle of this digest? */
bool node_runs_names(const struct node_runs *nodes, struct text digest);

/* All runs are let go, and nothing is told any more. Before reach_close. NULL is allowed. */
void node_runs_free(struct node_runs *nodes);

#endif

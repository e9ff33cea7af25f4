#ifndef REEVE_DAEMON_KEEP_NODES_H
#define REEVE_DAEMON_KEEP_NODES_H

#include "daemon/reach.h"
#include "engine/nodes.h"
#include "remote/depot.h"
#include "remote/logs.h"
#include "sys/clock.h"

/* names: keep_ */

/* The runs of a manager's nodes (engine/nodes.h): who is reached by which session, what a node is to trust, and what becomes of
 * what the machine of one node tells (remote/node.h). */
struct keep_nodes;

struct keep_nodes_options {
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
    uint32_t haste; /* certificates are renewed so many times earlier */
};

struct keep_nodes *keep_nodes_new(const struct keep_nodes_options *options);

/* As control_ports.nodes. */
const struct nodes_port *keep_nodes_port(struct keep_nodes *nodes);

/* What some of them wait for is there, or will not come (reach_target, authorities_ask). */
void keep_nodes_go_on(struct keep_nodes *nodes);

/* Has one of them a stage with the bundle of this digest? */
bool keep_nodes_names(const struct keep_nodes *nodes, struct text digest);

/* All runs are let go, and nothing is told any more. Before reach_close. NULL is allowed. */
void keep_nodes_free(struct keep_nodes *nodes);

#endif

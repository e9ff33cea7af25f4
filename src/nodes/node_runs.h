#ifndef REEVE_NODES_NODE_RUNS_H
#define REEVE_NODES_NODE_RUNS_H

#include "access/reach.h"
#include "nodes/stage_secrets.h"
#include "records/nodes.h"
#include "remote/depot.h"
#include "remote/logs.h"
#include "sys/clock.h"

/* public names start with: controller_ */

/* Bootstrap runs on the nodes of a manager (records/nodes.h). A run chooses the session of its node
 * and the keys that the node trusts, and processes the events of the node's job (remote/node.h). */
struct node_runs;
struct playbook_runs;

struct node_runs_options {
    const struct cache *cache;
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct reach *reach;
    struct authorities *authorities;
    struct depot *depot;                            /* store of bundles; NULL: none */
    struct logs *logs;                              /* logs of stages; NULL: none */
    struct playbook_runs *playbooks;                /* NULL: this manager runs no playbooks */
    bool (*logs_in)(void *arg, struct text plugin); /* same function as in nodes_port */
    struct stage_secrets secrets;
    /* Returns true if a bundle, or the archive of a configuration, is being copied from another
     * manager. node_runs_go_on is called when the copy has ended. NULL: bundles are never
     * copied. */
    bool (*blob_want)(void *arg, bool is_configuration, struct text digest);
    void (*wake)(void *arg); /* called after each event */
    void *arg;
    uint32_t time_scale; /* divisor of the time until certificates are renewed, for tests */
};

struct node_runs *node_runs_new(const struct node_runs_options *options);

/* Returns the port for control_ports.nodes. */
const struct nodes_port *node_runs_port(struct node_runs *nodes);

/* Continues runs that wait for login data or a certificate (reach_target, authorities_ask), after
 * the data has arrived or the request for it has failed. */
void node_runs_go_on(struct node_runs *nodes);

/* Returns whether a run has a stage with the bundle of this digest. */
bool node_runs_names(const struct node_runs *nodes, struct text digest);

/* Drops all runs without further reports. Call it before reach_close. NULL is allowed. */
void node_runs_free(struct node_runs *nodes);

#endif

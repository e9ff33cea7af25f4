#ifndef REEVE_DAEMON_CONTROLLER_STATE_H
#define REEVE_DAEMON_CONTROLLER_STATE_H

#include "access/manager_certificate.h"
#include "base/limits.h"
#include "bmc/bmc.h"
#include "daemon/controller.h"
#include "daemon/refusals.h"
#include "inventory/inventory.h"
#include "inventory/observer.h"
#include "membership/agents.h"
#include "nodes/cleanup_runs.h"
#include "nodes/exec_runs.h"
#include "nodes/fact_runs.h"
#include "nodes/node_logs.h"
#include "nodes/node_runs.h"
#include "nodes/playbook_runs.h"
#include "nodes/port_probes.h"
#include "nodes/probe_runs.h"
#include "provider/inventory_plugin.h"
#include "provider/plugins.h"
#include "sys/digest.h"

/* private to src/daemon */

/* The controller of this process; shared by the files controller*.c. */

/* A caller that waits for the report of a pass. The pass must begin after the request. */
struct pass_wait {
    struct pass_wait *next;
    struct arena *arena;
    struct text cluster;
    uint64_t since_ms;
    void (*done)(void *arg, struct text report);
    void *arg;
};

struct controller {
    struct arena *memory;
    struct pass_wait *waiting;
    struct controller_options options;
    struct control *control;
    struct plugins *plugins;
    struct inventory *inventory;
    struct observer *observer;   /* NULL: this process observes no machines */
    struct plugin_fetch *fetch;  /* NULL: plugins are not fetched */
    struct instances *instances; /* plugin instances of other managers; NULL: there are no links */
    struct model_plugins known;
    struct authorities *authorities;
    struct reach *reach;
    struct probe_runs *probes;
    struct exec_runs *execs;
    struct host_key_runs *host_keys;
    struct port_probes *port_probes;
    struct port_sweeps *port_sweeps;
    struct cleanup_runs *cleanups;
    struct fact_runs *facts;
    struct bmc_runs *bmcs;      /* NULL: this process switches no power */
    struct power_runner *power; /* NULL: the same */
    struct agents *agents;      /* serf agents of the inventories */
    struct logs *logs;          /* output of stages */
    struct node_runs *nodes;
    struct playbook_runs *playbooks;         /* NULL: this process runs no playbooks */
    struct refusals *refusals;               /* connection checks of the other managers' hosts */
    struct manager_certificate *certificate; /* NULL: not a shared store */
    uint64_t keys_looked_ms;                 /* time of the latest comparison of keys */
    char session[RANDOM_ID_BYTES];
    char stamp[RANDOM_TOKEN_BYTES];   /* empty: not known yet */
    bool is_asked;                    /* the request to store a new stamp key is in progress */
    struct plugin_wait *plugin_waits; /* requests of clients that wait for a plugin */
    bool is_refusing;                 /* the manager is ending: no request waits for a plugin */
    bool is_closed;
};

#define CONTROLLER_STOPS "this manager is stopping"

/* ---- controller_power.c ---- */

/* Starts to carry out orders about the power of machines. */
void controller_power_start(struct controller *controller);

/* ---- controller_calls.c ---- */

/* Answers the requests that wait for a plugin. While the manager ends, plugins are not run, so
 * their answers would not arrive. */
void controller_waits_refuse(struct controller *controller);

/* ---- controller.c ---- */

/* Functions that parts of the controller call; `arg` is the controller. */
uint64_t controller_now_ms(void *arg);
int64_t controller_wall_ms(void *arg);

/* Requests a pass over a cluster. `arg` is the controller. */
void controller_cluster_look(void *arg, struct text cluster);

/* Returns the provider for the plugin of a tenant. NULL: it is not available; *problem is the
 * reason, or NULL while that is not known. `arg` is the controller. */
struct provider *controller_provider_give(void *arg, struct text tenant, struct text plugin,
                                          const char **problem);

/* Returns true if the manager can log in to machines of a plugin, because it knows their user. */
bool controller_user_exists(const struct controller *controller, struct text plugin);

/* ---- controller_parts.c ---- */

/* Opens the plugins. They are in the folder `plugins` beside this program, where packages and
 * operators install them. Each plugin of a tenant has a folder below the folder of the store. */
MUST_CHECK bool controller_plugins_start(struct controller *controller, struct err *err);

/* Starts the fetcher for plugins that files name and that are not installed. */
MUST_CHECK bool controller_fetch_start(struct controller *controller, struct err *err);

/* Prepares access to machines; no process is started yet. */
MUST_CHECK bool controller_reach_start(struct controller *controller, struct err *err);

/* Prepares the machines of the inventory. */
void controller_inventory_start(struct controller *controller);

/* Requests the certificate by which other managers authenticate this one. */
MUST_CHECK bool controller_certificate_start(struct controller *controller, struct err *err);

/* Creates the runs of nodes, which bootstrap machines once they can be reached. */
void controller_nodes_start(struct controller *controller);

#endif

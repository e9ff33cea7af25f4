#ifndef REEVE_DAEMON_CONTROLLER_H
#define REEVE_DAEMON_CONTROLLER_H

#include "daemon/plugin_fetch.h"
#include "access/reach.h"
#include "reconcile/control.h"
#include "service/service.h"
#include "model/set.h"
#include "provider/hosted.h"
#include "remote/depot.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/random.h"

/* The controller of this process: reconcile/control.h with the system and the plugins of this
 * machine behind its ports. reeved keeps every cluster with it, reeve-controller makes one pass. */
struct controller;

/* In the folder of a manager's store: the address of its socket, for reeve-controller. */
#define CONTROLLER_ADDRESS_FILE "manager"

struct controller_options {
    struct store *store;
    struct cache *cache;
    struct clock clock;
    struct random random;
    struct log *log;
    const char *folder;                    /* of the store; what plugins keep is below it */
    uint32_t time_scale;                   /* windows are so many times shorter; 1 in earnest */
    bool is_single;                        /* no pass but those that are asked for */
    bool is_dry;                           /* passes decide, and nothing follows */
    struct loop *loop;                     /* on which the processes of plugins live */
    const struct doc *plugin_settings;     /* by name; may be NULL */
    const struct doc *endpoints;           /* by name of plugin; may be NULL */
    const struct plugins_trusted *trusted; /* may be NULL */
    struct hosted_vault vault;             /* of credentials */
    struct reach_keys keys;                /* that groups log in with */
    struct depot *bundles;                 /* that nodes are given; NULL: none are kept */
    uint64_t logs_bytes; /* of the output of stages that is kept, in all; 0: the usual */
    const struct config_fetch *fetch; /* NULL: nothing is fetched */
    void (*wake)(void *arg);          /* controller_run has something to do */
    void *arg;
};

MUST_CHECK bool controller_open(const struct controller_options *options, struct controller **out,
                                struct err *err);

/* Carry on, after cache_run. Returns in how many milliseconds it wants to be called again at the
 * latest. */
uint64_t controller_run(struct controller *controller);

/* The controller; NULL while it has not begun, for the cache is not there yet. */
struct control *controller_control(struct controller *controller);

/* Make one pass over a cluster (TENANT/ID); `done` receives its report (daemon/report.h) as JSON,
 * empty where this
 * ends before. False: there is nothing to be kept. */
bool controller_pass(struct controller *controller, struct text cluster, bool is_dry,
                     void (*done)(void *arg, struct text report), void *arg);

/* As control_is_behind has it. Before the controller begins, a pass is still to come over every
 * cluster that there is. */
bool controller_is_behind(const struct controller *controller, struct text tenant,
                          uint64_t revision);

/* As control_is_calling has it. */
bool controller_is_calling(const struct controller *controller, struct text cluster,
                           struct text token);

/* The time by the clock of a cluster (TENANT/ID); 0: this process does not reconcile it. */
uint64_t controller_clock(const struct controller *controller, struct text cluster);

/* What is known of the plugins here, for the check of properties; lives as long as this. */
const struct model_plugins *controller_plugins(struct controller *controller);

/* All of them, for people: a list of {name, version, about, digest, path, can, properties, process,
 * problem}. */
struct doc controller_plugins_doc(struct controller *controller, struct arena *arena,
                                  struct text tenant);

/* Ask a plugin of a tenant whether properties (JSON) are right. `done` comes once, possibly at
 * once; without faults where they are right, and where it cannot be asked. */
void controller_judge(struct controller *controller, struct text tenant, struct text plugin,
                      struct text properties,
                      void (*done)(void *arg, struct wire_list faults, struct text problem),
                      void *arg);

/* As of plugin_fetch_upgrade; R0647 where this process fetches nothing. */
void controller_upgrade(struct controller *controller, struct text tenant, struct text plugin,
                        plugin_fetch_done *done, void *arg);

/* As of plugin_fetch_install; R0647 where this process keeps no plugins. */
void controller_install(struct controller *controller, const struct plugin_order *order,
                        plugin_fetch_done *done, void *arg);

/* As of service_controller.logs_gone. */
bool controller_logs_gone(const struct controller *controller, struct arena *arena,
                          struct text tenant, struct text cluster, struct text node,
                          struct text *out_token);

/* As of service_controller.logs. R0729: this process keeps none. */
MUST_CHECK bool controller_logs(const struct controller *controller, struct arena *arena,
                                struct text token, const struct service_logs *logs, struct doc *out,
                                struct err *err);

/* As of service_controller.exec; lives until controller_close. */
const struct exec_port *controller_exec(struct controller *controller);

/* Does the manager log in to machines of this plugin? */
bool controller_logs_in(const struct controller *controller, struct text plugin);

/* Are commands on machines under way, or being ended? NULL is allowed. */
bool controller_has_commands(const struct controller *controller);

/* Does a run of a node that is under way have a stage with the bundle of this digest? */
bool controller_runs_bundle(const struct controller *controller, struct text digest);

/* As of service_controller.enter. */
void controller_enter(struct controller *controller, struct text cluster, struct text who,
                      struct text key,
                      void (*done)(void *arg, struct text certificate, const struct err *err),
                      void *arg);

/* The manager takes no more requests: requests that wait for a plugin fail now. NULL is allowed. */
void controller_refuse(struct controller *controller);

/* How fetching is set, for people; a map, empty where there is none. */
struct doc controller_policy(const struct controller *controller, struct arena *arena);

/* Begin to end: calls that are under way are answered. Then cache and store end, then
 * controller_free. */
void controller_close(struct controller *controller);

/* After controller_close: have all processes of plugins ended? The loop has to turn until then. */
bool controller_is_over(const struct controller *controller);

/* NULL is allowed. */
void controller_free(struct controller *controller);

#endif

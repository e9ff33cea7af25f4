#ifndef REEVE_DAEMON_KEEP_H
#define REEVE_DAEMON_KEEP_H

#include "daemon/keep_fetch.h"
#include "daemon/reach.h"
#include "engine/control.h"
#include "engine/service.h"
#include "model/set.h"
#include "provider/hosted.h"
#include "remote/depot.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/random.h"

/* The controller of this process: engine/control.h with the system and the plugins of this machine
 * behind its ports. reeved keeps every cluster with it, reeve-controller makes one pass. */
struct keep;

/* In the folder of a manager's store: the address of its socket, for reeve-controller. */
#define KEEP_ADDRESS_FILE "manager"

struct keep_options {
    struct store *store;
    struct cache *cache;
    struct clock clock;
    struct random random;
    struct log *log;
    const char *folder;                    /* of the store; what plugins keep is below it */
    uint32_t haste;                        /* windows are so many times shorter; 1 in earnest */
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
    void (*wake)(void *arg);          /* keep_run has something to do */
    void *arg;
};

MUST_CHECK bool keep_open(const struct keep_options *options, struct keep **out, struct err *err);

/* Carry on, after cache_run. Returns in how many milliseconds it wants to be called again at the latest. */
uint64_t keep_run(struct keep *keep);

/* The controller; NULL while it has not begun, for the cache is not there yet. */
struct control *keep_control(struct keep *keep);

/* Make one pass over a cluster (TENANT/ID); `done` is told its report (daemon/report.h) as JSON, empty where this
 * ends before. False: there is nothing to be kept. */
bool keep_pass(struct keep *keep, struct text cluster, bool is_dry,
               void (*done)(void *arg, struct text report), void *arg);

/* As control_is_behind has it. Before the controller begins, a pass is still to come over every cluster that there is. */
bool keep_is_behind(const struct keep *keep, struct text tenant, uint64_t revision);

/* As control_is_calling has it. */
bool keep_is_calling(const struct keep *keep, struct text cluster, struct text token);

/* The time by the clock of a cluster (TENANT/ID); 0: nobody here keeps it. */
uint64_t keep_clock(const struct keep *keep, struct text cluster);

/* What is known of the plugins here, for whoever judges properties; lives as long as this. */
const struct model_plugins *keep_plugins(struct keep *keep);

/* All of them, for people: a list of {name, version, about, digest, path, can, properties, process, trouble}. */
struct doc keep_plugins_doc(struct keep *keep, struct arena *arena, struct text tenant);

/* Ask a plugin of a tenant whether properties (JSON) are right. `done` comes once, perhaps at once; without faults where
 * they are right, and where it cannot be asked. */
void keep_judge(struct keep *keep, struct text tenant, struct text plugin, struct text properties,
                void (*done)(void *arg, struct wire_list faults, struct text trouble), void *arg);

/* As of keep_fetch_upgrade; R0647 where this process fetches nothing. */
void keep_upgrade(struct keep *keep, struct text tenant, struct text plugin, keep_fetch_done *done,
                  void *arg);

/* As of keep_fetch_install; R0647 where this process keeps no plugins. */
void keep_install(struct keep *keep, const struct plugin_order *order, keep_fetch_done *done,
                  void *arg);

/* As of service_controller.logs_gone. */
bool keep_logs_gone(const struct keep *keep, struct arena *arena, struct text tenant,
                    struct text cluster, struct text node, struct text *out_token);

/* As of service_controller.logs. R0729: this process keeps none. */
MUST_CHECK bool keep_logs(const struct keep *keep, struct arena *arena, struct text token,
                          const struct service_logs *logs, struct doc *out, struct err *err);

/* As of service_controller.exec; lives until keep_close. */
const struct exec_port *keep_exec_port(struct keep *keep);

/* Does the manager log in to machines of this plugin? */
bool keep_logs_in(const struct keep *keep, struct text plugin);

/* Are commands on machines under way, or being ended? NULL is allowed. */
bool keep_has_commands(const struct keep *keep);

/* Does a run of a node that is under way have a stage with the bundle of this digest? */
bool keep_runs_bundle(const struct keep *keep, struct text digest);

/* As of service_controller.enter. */
void keep_enter(struct keep *keep, struct text cluster, struct text who, struct text key,
                void (*done)(void *arg, struct text certificate, const struct err *err), void *arg);

/* The manager takes no more requests: whoever waits for a plugin is told so now. NULL is allowed. */
void keep_refuse(struct keep *keep);

/* How fetching is set, for people; a map, empty where there is none. */
struct doc keep_policy(const struct keep *keep, struct arena *arena);

/* Begin to end: calls that are under way are answered. Then cache and store end, then keep_free. */
void keep_close(struct keep *keep);

/* After keep_close: have all processes of plugins ended? The loop has to turn until then. */
bool keep_is_over(const struct keep *keep);

/* NULL is allowed. */
void keep_free(struct keep *keep);

#endif

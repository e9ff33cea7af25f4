#ifndef REEVE_DAEMON_CONTROLLER_H
#define REEVE_DAEMON_CONTROLLER_H

#include "instances/instances.h"
#include "peers/blobs.h"
#include "plugin_fetch/plugin_fetch.h"
#include "access/reach.h"
#include "nodes/host_key_runs.h"
#include "nodes/port_sweeps.h"
#include "reconcile/control.h"
#include "records/membership.h"
#include "service/service.h"
#include "model/set.h"
#include "provider/hosted.h"
#include "remote/depot.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/random.h"

/* The controller of this process: reconcile/control.h with ports to this machine's system and
 * plugins. reeved reconciles every cluster with it; reeve-controller makes a single reconcile
 * pass. */
struct controller;

/* File in the folder of a manager's store. It holds the address of the manager's socket, for
 * reeve-controller. */
#define CONTROLLER_ADDRESS_FILE "manager"

struct controller_options {
    struct store *store;
    struct cache *cache;
    struct clock clock;
    struct random random;
    struct log *log;
    const char *folder; /* folder of the store; the plugins' folders are below it */
    const struct roster_manager *manager; /* other managers use the same store; NULL: none do */
    struct peers *peers;                  /* links to them; NULL: there are none */
    uint32_t time_scale;                  /* factor by which windows are shorter; 1 in production */
    bool is_single;                       /* passes are made on request only */
    bool is_dry;                          /* passes plan but change nothing */
    struct loop *loop;                    /* loop that runs the processes of plugins */
    const struct doc *plugin_settings;    /* settings by plugin name; may be NULL */
    const struct doc *endpoints;          /* endpoints by plugin name; may be NULL */
    const struct plugins_trusted *trusted; /* may be NULL */
    struct hosted_vault vault;             /* port for credentials */
    struct reach_keys keys;                /* keys for logins to the machines of groups */
    struct reach_keys secrets;             /* other secrets in the configuration */
    /* Returns the state of this manager's key that seals secrets. NULL: the manager uses none. */
    struct key_ring_own (*secrets_key)(void *arg);
    struct text *addresses; /* addresses of this manager, for its certificate */
    size_t address_count;
    struct depot *bundles;                  /* bundles to send to nodes; NULL: none are stored */
    struct depot *archives;                 /* archives of configurations; NULL: none are stored */
    const struct config_playbook *playbook; /* NULL: this process runs no playbooks */
    const struct config *config;            /* settings of inventories; NULL: none */
    uint64_t logs_bytes; /* limit for the stored output of all stages; 0: the default */
    const struct plugin_fetch_settings *fetch; /* NULL: plugins are not fetched */
    /* Returns true if bytes that this manager lacks are being transferred from another one
     * (peers/blobs.h): controller_blobs_ended is called afterwards. NULL: there are no such
     * transfers. */
    bool (*blob_want)(void *arg, enum blobs_kind kind, struct text digest);
    void (*wake)(void *arg); /* called when controller_run has work */
    void *arg;
};

MUST_CHECK bool controller_open(const struct controller_options *options, struct controller **out,
                                struct err *err);

/* Continues the work; call it after cache_run. Returns the number of milliseconds after which it
 * must be called again at the latest. */
uint64_t controller_run(struct controller *controller);

/* Returns why other managers cannot verify this one; empty: they can, or it is the only one. Valid
 * until the next iteration of the loop. */
struct text controller_certificate_problem(const struct controller *controller);

/* Returns this manager's data about the other managers; NULL until it has started, or if it is the
 * only one. */
struct roster *controller_roster(const struct controller *controller);

/* The first function returns the known data of all managers, the second one the assignment of
 * clusters to managers. NULL until the controller has started. */
struct managers *controller_managers(const struct controller *controller);
struct assignment *controller_assignment(const struct controller *controller);

/* Returns the plugin instances of other managers; NULL: this one has no links. NULL is allowed. */
struct instances *controller_instances(const struct controller *controller);

/* Continues what has waited for bytes from another manager. */
void controller_blobs_ended(struct controller *controller);

/* Returns the plugins that are fetched or installed for tenants. NULL: there are none, or not yet.
 * NULL is allowed. */
struct plugin_fetch *controller_plugin_fetch(const struct controller *controller);

/* Forwards to control_is_housekeeper. False until the controller has started, or if there is none
 * (NULL). */
bool controller_is_housekeeper(const struct controller *controller);

/* Forwards to control_managers_show. Puts nothing until the controller has started. NULL is
 * allowed. */
void controller_managers_show(const struct controller *controller, struct arena *arena,
                              const struct managers_query *query, struct doc_builder *builder);

/* Returns the controller; NULL until it has started, which requires the cache. */
struct control *controller_control(struct controller *controller);

/* Makes one pass over a cluster (TENANT/ID). `done` receives its report (daemon/report.h) as JSON;
 * the report is empty if this object is closed first. Returns false if there is nothing to
 * reconcile. */
bool controller_pass(struct controller *controller, struct text cluster, bool is_dry,
                     void (*done)(void *arg, struct text report), void *arg);

/* Forwards to control_is_behind. Before the controller starts, a pass is pending for every existing
 * cluster. */
bool controller_is_behind(const struct controller *controller, struct text tenant,
                          uint64_t revision);

/* Forwards to control_is_calling. False until the controller has started. */
bool controller_is_calling(const struct controller *controller, struct text cluster,
                           struct text token);

/* Returns the time by the clock of a cluster (TENANT/ID); 0 if this process does not reconcile
 * it. */
uint64_t controller_clock(const struct controller *controller, struct text cluster);

/* Returns the descriptions of the available plugins, for the check of properties. They live as long
 * as this object. */
const struct model_plugins *controller_plugins(struct controller *controller);

/* Returns all plugins for display: a list of {name, version, about, digest, path, can, properties,
 * process, problem}. */
struct doc controller_plugins_doc(struct controller *controller, struct arena *arena,
                                  struct text tenant);

/* Lets a plugin of a tenant validate properties (JSON). `done` is called once, possibly
 * immediately. It receives no errors if the properties are valid or the plugin does not answer. */
void controller_judge(struct controller *controller, struct text tenant, struct text plugin,
                      struct text properties,
                      void (*done)(void *arg, struct wire_list faults, struct text problem),
                      void *arg);

/* Lets a plugin (NAME or NAME/ACCOUNT) of a tenant check at its provider whether machines can be
 * created. `done` is called once, possibly immediately. */
void controller_preflight(struct controller *controller, struct text tenant, struct text plugin,
                          const struct wire_call *wire,
                          void (*done)(void *arg, const struct provider_preflight *found),
                          void *arg);

/* Requests the console of a machine from a plugin (NAME or NAME/ACCOUNT) of a tenant
 * (hosted_console). `done` is called once, possibly immediately. */
void controller_console(struct controller *controller, struct text tenant, struct text plugin,
                        const struct wire_call *wire, provider_done *done, void *arg);

/* Forwards to port_sweeps_start. */
MUST_CHECK bool controller_sweep(struct controller *controller, uint32_t first, size_t count,
                                 uint16_t port, port_sweep_done *done, void *arg);

/* Forwards to host_key_runs_start. */
void controller_host_key(struct controller *controller, struct text address, uint16_t port,
                         host_key_done *done, void *arg);

/* Forwards to observer_report a report of a source of a tenant ("serf") about machines of its
 * inventory. */
void controller_membership(struct controller *controller, struct text tenant, struct text source,
                           const struct membership_report *report);

/* Forwards to plugin_fetch_upgrade. Fails with R0647 if this process does not fetch plugins. */
void controller_upgrade(struct controller *controller, struct text tenant, struct text plugin,
                        plugin_fetch_done *done, void *arg);

/* Forwards to plugin_fetch_install. Fails with R0647 if this process does not store plugins. */
void controller_install(struct controller *controller, const struct plugin_order *order,
                        plugin_fetch_done *done, void *arg);

/* Implements service_controller.logs_gone. */
bool controller_logs_gone(const struct controller *controller, struct arena *arena,
                          struct text tenant, struct text cluster, struct text node,
                          struct text *out_token);

/* Implements service_controller.logs. Fails with R0729 if this process does not store logs. */
MUST_CHECK bool controller_logs(const struct controller *controller, struct arena *arena,
                                struct text token, const struct service_logs *logs, struct doc *out,
                                struct err *err);

/* Implements service_controller.exec. The port is valid until controller_close. */
const struct exec_port *controller_exec(struct controller *controller);

/* Returns true if the manager logs in to machines of this plugin. */
bool controller_logs_in(const struct controller *controller, struct text plugin);

/* Returns true while commands on machines are running or being ended. NULL is allowed. */
bool controller_has_commands(const struct controller *controller);

/* Returns true if an active run of a node has a stage with the bundle of this digest. */
bool controller_runs_bundle(const struct controller *controller, struct text digest);

/* Implements service_controller.enter. */
void controller_enter(struct controller *controller, struct text cluster, struct text who,
                      struct text key,
                      void (*done)(void *arg, struct text certificate, const struct err *err),
                      void *arg);

/* Called when the manager accepts no more requests: requests that wait for a plugin fail now. NULL
 * is allowed. */
void controller_refuse(struct controller *controller);

/* Returns the settings for fetching plugins, for display: a map, empty if there are none. */
struct doc controller_policy(const struct controller *controller, struct arena *arena);

/* Begins to end; calls in progress are still answered. Close the cache and the store next, then
 * call controller_free. */
void controller_close(struct controller *controller);

/* Returns true once all processes of plugins have ended. Run the loop after controller_close until
 * this is the case. */
bool controller_is_over(const struct controller *controller);

/* Frees the controller. NULL is allowed. */
void controller_free(struct controller *controller);

#endif

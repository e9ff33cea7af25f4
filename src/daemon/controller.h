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

/* The controller of this process: reconcile/control.h with ports to the system and to plugins.
 * reeved reconciles every cluster with it; reeve-controller makes a single reconcile pass. */
struct controller;

/* File in the folder of a manager's store with the address of the manager's socket, for
 * reeve-controller. */
#define CONTROLLER_ADDRESS_FILE "manager"

struct controller_options {
    struct store *store;
    struct cache *cache;
    struct clock clock;
    struct random random;
    struct log *log;
    const char *folder; /* folder of the store; the plugins' folders are below it */
    const struct roster_manager *manager;  /* NULL: the store is not shared */
    struct peers *peers;                   /* links to these managers; NULL: none */
    uint32_t time_scale;                   /* divisor of time windows; 1 in production */
    bool is_single;                        /* passes are made on request only */
    bool is_dry;                           /* passes plan but change nothing */
    struct loop *loop;                     /* loop that runs the processes of plugins */
    const struct doc *plugin_settings;     /* settings by plugin name; may be NULL */
    const struct doc *endpoints;           /* endpoints by plugin name; may be NULL */
    const struct plugins_trusted *trusted; /* may be NULL */
    struct hosted_vault vault;             /* port for credentials */
    struct reach_keys keys;                /* keys for logins to the machines of groups */
    struct reach_keys secrets;             /* other secrets in the configuration */
    /* Returns the state of this manager's key that seals secrets. NULL if there is none. */
    struct key_ring_own (*secrets_key)(void *arg);
    struct text *addresses; /* addresses of this manager, for its certificate */
    size_t address_count;
    struct depot *bundles;                  /* bundles to send to nodes; NULL: none are stored */
    struct depot *archives;                 /* archives of configurations; NULL: none are stored */
    const struct config_playbook *playbook; /* NULL: this process runs no playbooks */
    const struct config *config;            /* settings of inventories; NULL: none */
    uint64_t logs_bytes; /* maximum bytes of the stored output of all stages; 0: the default */
    const struct plugin_fetch_settings *fetch; /* NULL: plugins are not fetched */
    /* Returns true if bytes that this manager lacks are being transferred from another manager
     * (peers/blobs.h). controller_blobs_ended is called afterwards. NULL: there are no such
     * transfers. */
    bool (*blob_want)(void *arg, enum blobs_kind kind, struct text digest);
    void (*wake)(void *arg); /* called when controller_run has work */
    void *arg;
};

MUST_CHECK bool controller_open(const struct controller_options *options, struct controller **out,
                                struct err *err);

/* Continues the work; call it after cache_run. Returns the maximum time in ms until it must be
 * called again. */
uint64_t controller_run(struct controller *controller);

/* Returns why other managers cannot authenticate this manager. Empty: they can, or there are no
 * others. Valid until the next iteration of the loop. */
struct text controller_certificate_problem(const struct controller *controller);

/* Returns this manager's data about the other managers. NULL: not started yet, or the store is not
 * shared. */
struct roster *controller_roster(const struct controller *controller);

/* controller_managers returns the known data of all managers, controller_assignment the assignment
 * of clusters to managers. NULL until the controller has started. */
struct managers *controller_managers(const struct controller *controller);
struct assignment *controller_assignment(const struct controller *controller);

/* Returns the plugin instances of other managers; NULL: there are no links. NULL is allowed. */
struct instances *controller_instances(const struct controller *controller);

/* Continues work that waited for bytes from another manager. */
void controller_blobs_ended(struct controller *controller);

/* Returns the plugins that were fetched or installed for tenants. NULL: not started, or no plugins
 * are stored. NULL is allowed. */
struct plugin_fetch *controller_plugin_fetch(const struct controller *controller);

/* Forwards to control_is_housekeeper. False until the controller has started. NULL is allowed. */
bool controller_is_housekeeper(const struct controller *controller);

/* Forwards to control_managers_show. Adds nothing until the controller has started. NULL is
 * allowed. */
void controller_managers_show(const struct controller *controller, struct arena *arena,
                              const struct managers_query *query, struct doc_builder *builder);

/* Returns the controller; NULL until it has started, which requires the cache. */
struct control *controller_control(struct controller *controller);

/* Makes one pass over a cluster (TENANT/ID). `done` receives its report (daemon/report.h) as JSON;
 * the report is empty if the controller is closed first. Returns false if there is nothing to
 * reconcile. */
bool controller_pass(struct controller *controller, struct text cluster, bool is_dry,
                     void (*done)(void *arg, struct text report), void *arg);

/* Forwards to control_is_behind. Until the controller has started, a pass is pending for every
 * existing cluster. */
bool controller_is_behind(const struct controller *controller, struct text tenant,
                          uint64_t revision);

/* Forwards to control_is_calling. False until the controller has started. */
bool controller_is_calling(const struct controller *controller, struct text cluster,
                           struct text token);

/* Returns the current time of a cluster's clock (TENANT/ID); 0 if this process does not reconcile
 * the cluster. */
uint64_t controller_clock(const struct controller *controller, struct text cluster);

/* Returns the descriptions of the available plugins, for the validation of properties. They live as
 * long as the controller. */
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

/* Forwards a report about machines of a tenant's inventory to observer_report. `source` is the
 * source of the report, such as "serf". */
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

/* Returns true while commands run on machines, or are being terminated. NULL is allowed. */
bool controller_has_commands(const struct controller *controller);

/* Returns true if an active run of a node uses the bundle with this digest. */
bool controller_runs_bundle(const struct controller *controller, struct text digest);

/* Implements service_controller.enter. */
void controller_enter(struct controller *controller, struct text cluster, struct text who,
                      struct text key,
                      void (*done)(void *arg, struct text certificate, const struct err *err),
                      void *arg);

/* Call this when the manager accepts no more requests: requests that wait for a plugin fail now.
 * NULL is allowed. */
void controller_refuse(struct controller *controller);

/* Returns the settings for fetching plugins, for display: a map, empty if there are none. */
struct doc controller_policy(const struct controller *controller, struct arena *arena);

/* Begins to close; calls in progress are still answered. Close the cache and the store next, then
 * call controller_free. */
void controller_close(struct controller *controller);

/* Returns true once all plugin processes have ended. After controller_close, run the loop until
 * then. */
bool controller_is_over(const struct controller *controller);

/* Frees the controller. NULL is allowed. */
void controller_free(struct controller *controller);

#endif

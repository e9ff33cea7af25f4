#ifndef REEVE_SERVICE_SERVICE_H
#define REEVE_SERVICE_SERVICE_H

#include "base/err.h"
#include "codec/doc.h"
#include "state/cache.h"
#include "records/plugin_origin.h"
#include "records/provider.h"
#include "wire/wire.h"

/* The service: all reads and writes of the API go through it. Authorization is checked earlier: a
 * request already has its tenant and its sender. The requests are declared in service_read.h,
 * service_change.h and service_command.h.
 *
 * The caller provides one arena for each request; the whole answer lives in it. `done` is called
 * exactly once, possibly before the call returns. All calls are made on the loop thread. */
struct service;

/* Types for commands on many machines (service/exec.h). */
struct exec_order;
struct exec_port;
struct exec_run;
struct exec_event;

/* The ports of the service. */
struct service_ports {
    int64_t (*wall_ms)(void *arg); /* milliseconds since 1970 */
    void (*id_make)(void *arg, char out[static 37]);
    void *arg;
};

/* Create the service for a store and its cache. */
struct service *service_new(struct store *store, struct cache *cache, struct service_ports ports);

/* A request for the output of a machine's stages. */
struct service_logs {
    struct text cluster;
    struct text node; /* name, token or machine id */
    bool has_stage;   /* False: all stages, in order. */
    struct text hook; /* the playbook of this hook, in place of stages; empty: stages */
    uint32_t stage;   /* number of the stage, from 0 */
    uint32_t attempt; /* 0: the latest attempt of each stage, and attempts that begin later */
    struct text from; /* `next` of the previous answer; empty: from the beginning */
};

/* A piece of an archive of `size` bytes, starting at `offset`. */
struct service_piece {
    struct text tenant; /* the tenant that will own the archive */
    /* true: the tenant already owns the archive; otherwise it must send all bytes, even if another
     * tenant has sent them before */
    bool is_owned;
    /* true: the archive of a configuration; false: of a bundle */
    bool is_configuration;
    struct text digest; /* digest of the archive */
    uint64_t size;
    uint64_t offset;
    struct text bytes;
};

/* Which details of the managers are shown. */
struct service_managers_query {
    struct text tenant;
    /* show only this cluster, by name or id; empty: all clusters of the tenant */
    struct text cluster;
    bool has_clusters; /* true: show the lease holder of each cluster */
    /* show the machines on the host of the manager with this id; empty: show none */
    struct text host;
};

/* The controller of this process. It executes the changes that the service writes. So an answer can
 * wait until the number of the change's job is known. */
struct service_controller {
    /* Make one pass over a cluster (TENANT/ID). `done` receives its report as JSON. The report is
     * empty if the process ends before the pass. False: there is nothing to reconcile. */
    bool (*pass)(void *arg, struct text cluster, bool is_dry,
                 void (*done)(void *done_arg, struct text report), void *done_arg);
    /* True if it is not known yet whether the change of this revision gets a job (control_is_behind
     * in reconcile/control.h). NULL: this process makes no passes. */
    bool (*is_behind)(void *arg, struct text tenant, uint64_t revision);
    /* The current time by the clock of a cluster (TENANT/ID), which its records use. 0, or NULL
     * function: unknown. */
    uint64_t (*clock)(void *arg, struct text cluster);
    /* True if a provider call for this machine of the cluster (TENANT/ID) is running or queued.
     * NULL: not known. */
    bool (*is_calling)(void *arg, struct text cluster, struct text token);
    /* The declared traits of plugins; NULL: unknown. */
    const struct model_plugins *plugins;
    uint64_t volumes_keep_ms; /* how long volumes without a machine are kept, in ms; 0: unknown */
    /* Let a plugin validate properties (JSON). `done` is called once with the faults. If the plugin
     * does not answer, the list is empty and `problem` has the reason. */
    void (*judge)(void *arg, struct text tenant, struct text plugin, struct text properties,
                  void (*done)(void *done_arg, struct wire_list faults, struct text problem),
                  void *done_arg);
    /* Let a plugin (NAME or NAME/ACCOUNT) check at its provider whether machines can be created.
     * The call has the members cluster, properties, zones, count and pins. `done` is called once.
     * NULL: nothing is checked. */
    void (*preflight)(void *arg, struct text tenant, struct text plugin,
                      const struct wire_call *call,
                      void (*done)(void *done_arg, const struct provider_preflight *found),
                      void *done_arg);
    /* Read the last part of a machine's console. The call has the members cluster, machine, token
     * and age_ms. The plugin (NAME or NAME/ACCOUNT) must have the method. `done` is called once.
     * NULL: this process has no plugins. */
    void (*console)(void *arg, struct text tenant, struct text plugin, const struct wire_call *call,
                    provider_done *done, void *done_arg);
    /* Read the host key ("TYPE BASE64") of a machine by a key exchange without a login. The address
     * is numeric. `done` is called once, possibly immediately; without a key `why` has the reason.
     * NULL: this process cannot connect to machines. */
    void (*host_key)(void *arg, struct text address, uint16_t port,
                     void (*done)(void *done_arg, struct text host_key, struct text why),
                     void *done_arg);
    /* Find which of `count` (at most 64) IPv4 addresses, starting at `first`, accept connections to
     * a port. At most 100 addresses per second are probed. `done` is called once, later; NULL means
     * that the manager is stopping. False: too many requests wait. NULL: this process cannot
     * connect. */
    bool (*sweep)(void *arg, uint32_t first, size_t count, uint16_t port,
                  void (*done)(void *done_arg, const bool *are_alive), void *done_arg);
    /* List the plugins of this manager as documents with `name`. NULL if there are none. */
    struct doc (*plugins_show)(void *arg, struct arena *arena, struct text tenant);
    /* Show the state of a tenant's provider accounts as a list of {name, plugin, sha256, problem,
     * fix}. NULL: unknown. */
    struct doc (*accounts_show)(void *arg, struct arena *arena, struct text tenant);
    /* Show the settings for plugin downloads as a map. NULL: downloads are disabled. */
    struct doc (*fetch_show)(void *arg, struct arena *arena);
    /* Show the privileges of the manager as a map. NULL: unknown. */
    struct doc (*manager_show)(void *arg, struct arena *arena);
    /* Show the managers of the store; see service_managers. */
    struct doc (*managers_show)(void *arg, struct arena *arena,
                                const struct service_managers_query *query);
    /* Issue a short-lived certificate for a public key (one line), with which the user `who` logs
     * in to machines of a cluster (TENANT/ID). `done` is called once, possibly before the call
     * returns; err is NULL on success. NULL: this manager does not issue certificates. */
    void (*enter)(void *arg, struct text cluster, struct text who, struct text key,
                  void (*done)(void *done_arg, struct text certificate, const struct err *err),
                  void *done_arg);
    /* commands on many machines; NULL: this manager runs none */
    const struct exec_port *exec;
    /* Install a plugin; see service_plugin_install. NULL: there are no plugins. */
    void (*plugin_install)(void *arg, const struct plugin_order *order,
                           void (*done)(void *done_arg, const struct doc *doc,
                                        const struct err *err),
                           void *done_arg);
    /* bundle_put stores a bundle; see service_bundle_put. bundle_has returns true if a bundle is
     * stored. NULL: this manager stores no bundles. */
    bool (*bundle_put)(void *arg, struct text bytes, struct arena *arena, struct doc *out,
                       struct err *err);
    bool (*bundle_has)(void *arg, struct text digest);
    /* True if the manager logs in to machines of this plugin. NULL: it logs in to no machines. */
    bool (*logs_in)(void *arg, struct text plugin);
    /* Store a piece of a bundle; see service_bundle_piece. NULL: this manager stores no bundles. */
    bool (*bundle_piece)(void *arg, const struct service_piece *piece, uint64_t *out_have,
                         struct err *err);
    /* config_read checks a stored archive of a configuration and stores its bundles. It returns
     * {bundles, bytes, members} or adds to the errors. config_files lists the files of an archive.
     * NULL: this manager stores no configurations. */
    bool (*config_read)(void *arg, struct text digest, struct arena *arena, struct doc *out,
                        struct err_list *errors);
    bool (*config_files)(void *arg, struct text digest, struct arena *arena, struct doc *out,
                         struct err *err);
    /* Read the output of a machine's stages; see service_logs. The token is validated already.
     * NULL: no output is stored. */
    bool (*logs)(void *arg, struct arena *arena, struct text token, const struct service_logs *logs,
                 struct doc *out, struct err *err);
    /* Find the token of a machine with this name that has stored output but no record. */
    bool (*logs_gone)(void *arg, struct arena *arena, struct text tenant, struct text cluster,
                      struct text node, struct text *out_token);
    /* Download a plugin again. `done` is called once, with a document that describes the result, or
     * with an error. NULL: downloads are disabled. */
    void (*plugin_upgrade)(void *arg, struct text tenant, struct text plugin,
                           void (*done)(void *done_arg, const struct doc *doc,
                                        const struct err *err),
                           void *done_arg);
    void *arg;
};

void service_keeps(struct service *service, const struct service_controller *reconciler);

/* Free the service. Order of shutdown: free the cache; close the store, which answers pending
 * calls; then call this function. NULL is allowed. */
void service_free(struct service *service);

/* Do pending work. Call this after cache_run. */
void service_run(struct service *service);

/* Remove a bounded number of expired plans and request markers. Call every few minutes. */
void service_sweep(struct service *service);

/* True if the service accepts requests. It does so once the cache is complete and the operations of
 * an earlier process are finished. */
bool service_is_ready(const struct service *service);

struct change_reach;

/* The sender of a request. */
struct service_actor {
    struct text tenant;
    struct text user;
    /* scope that the sender may read; NULL: the whole tenant */
    const struct change_reach *reach;
};

/* The answer to a request. */
struct service_answer {
    const struct err_list *errors; /* If there are any errors, nothing was done. */
    struct text body;              /* JSON; if there are errors: context for them, or empty */
    /* Rows in place of a body, if the request accepts rows; otherwise NULL. The receiver frees them
     * with service_rows_end. */
    struct service_rows *rows;
    uint64_t revision;    /* revision of the store to which the answer refers */
    uint64_t etag;        /* revision of the single object in the answer; 0: none */
    bool is_made;         /* An object was created. */
    struct text location; /* kind and name of the created object: clusters/shop; may be empty */
    struct text next;     /* token of the next page of a list; empty: this is the last page */
};

typedef void service_done(void *arg, const struct service_answer *answer);

#endif

#ifndef REEVE_RECONCILE_CONTROL_H
#define REEVE_RECONCILE_CONTROL_H

#include "managers/assignment.h"
#include "codec/doc.h"
#include "state/cache.h"
#include "records/nodes.h"
#include "records/plugin_origin.h"
#include "records/provider.h"
#include "state/store.h"
#include "records/way.h"
#include "plan/compute.h"

/* The controller reconciles the observed state of clusters with their desired state. It makes
 * reconcile passes for each cluster (SAFETY.md 5):
 *
 * lease -> list the providers -> one snapshot -> check the rows -> decide (plan/compute.h) ->
 * commit intents -> call the providers -> commit the outcomes
 *
 * All durable state is in the store, so the process may end at any instruction. The same code runs
 * in reeved (all clusters, on change and at intervals), in reeve-controller (one pass for one
 * cluster) and in the simulator. All functions are called on one thread. All input and output uses
 * the ports. */
struct control;

/* The result of a probe. */
enum control_probed {
    CONTROL_PROBED_WELL,
    CONTROL_PROBED_FAILING,     /* The machine answers, but the check of the probe fails. */
    CONTROL_PROBED_UNREACHABLE, /* The machine does not answer. */
    /* The manager refused to log in, because the machine presented an unexpected host key. */
    CONTROL_PROBED_ALARM,
    /* The probe could not run for a local reason. Its result says nothing about the machine. */
    CONTROL_PROBED_NOTHING,
};

/* The answer to a probe. Valid until the callback returns. */
struct control_probed_answer {
    enum control_probed found;
    struct text why;
    /* The host key that the machine presented. It is either its first key, which will be recorded,
     * or an unexpected key, which raises an alarm. Empty: none. */
    struct text host_key;
};
typedef void control_probe_done(void *arg, const struct control_probed_answer *answer);

/* A probe that the port must make. It is valid until the call returns. */
struct control_probe {
    struct text plugin;
    struct control_way way;
    /* The TCP port that must accept a connection. 0: the probe runs the command in `words`. */
    uint16_t port;
    const struct text *words; /* arguments of the command */
    size_t argument_count;
    uint64_t timeout_ms;
    /* The port must send an SSH banner. */
    bool is_ssh;
};

/* The plugin instance on the host of another manager. Texts are valid during the call. */
struct control_instance {
    struct text tenant;
    struct text plugin;  /* NAME or NAME/ACCOUNT */
    struct text manager; /* id */
    bool is_gone;        /* An operator has declared its machines lost: they no longer exist. */
    /* traits of the same plugin at this manager; NULL: this manager does not have the plugin */
    const struct provider_traits *traits;
};

struct control_ports {
    /* monotonic clock in ms; includes the time during which the machine sleeps */
    uint64_t (*now_ms)(void *arg);
    int64_t (*wall_ms)(void *arg); /* wall clock in ms since 1970, for display */
    void (*random)(void *arg, void *out, size_t bytes);
    /* Computes a keyed digest of data, in hexadecimal. Only this installation has the key. The
     * digest is the stamp by which it recognises its machines. */
    void (*mac)(void *arg, struct text data, char out[static 33]);
    /* Finds the provider of a plugin in a tenant. NULL: this manager has no provider of that kind,
     * and *problem has the reason. */
    struct provider *(*provider_find)(void *arg, struct text tenant, struct text plugin,
                                      const char **problem);
    /* Find the instance of a plugin on the host of another manager. NULL: it is unreachable, and
     * *problem has the reason. NULL function: there are no links to other managers. */
    struct provider *(*instance_find)(void *arg, const struct control_instance *instance,
                                      const char **problem);
    /* Declare the origin that a group of a cluster (TENANT/ID) states for a plugin. Called in each
     * pass, before provider_find. Sets `out` to downloaded bytes that wait for an approval; they
     * are valid until the next call. NULL: this manager downloads no plugins. */
    void (*plugin_want)(void *arg, struct text cluster, const struct plugin_origin *origin,
                        struct plugin_waiting *out);
    /* Report that an operator has approved the downloaded bytes with this digest. NULL if
     * plugin_want is NULL. */
    void (*plugin_approve)(void *arg, struct text tenant, struct text plugin, struct text digest);
    /* Returns the lines of authorized_keys for machines that this plugin creates in a cluster
     * (TENANT/ID). The text is valid until the next call. It is empty if reeve does not log in to
     * the machines. Returns false while the keys are being created; a pass follows when they exist.
     * NULL: there are no keys. */
    bool (*keys)(void *arg, struct text cluster, struct text plugin, struct text *out);
    /* Make a probe. `done` is called exactly once, unless control_stop is called first. NULL: no
     * probes are made. */
    void (*probe)(void *arg, const struct control_probe *probe, control_probe_done *done,
                  void *done_arg);
    /* Reports that the item `what` of a cluster (TENANT/ID) is damaged in the store. Called once
     * for each damaged item while this process runs. NULL: damage is not reported. */
    void (*damaged)(void *arg, struct text cluster, struct text what, const struct err *err);
    /* Port for the keys, facts and stages of nodes. NULL: nodes are not bootstrapped. */
    const struct nodes_port *nodes;
    /* Tries to connect to HOST:PORT, the address of a manager on this machine (`is_here`) or on
     * another one, as described for roster_options.refuses (managers/roster.h). NULL: no
     * connections are tried. */
    void (*refuses)(void *arg, struct text address, bool is_here, roster_refused *done,
                    void *done_arg);
    void *arg;
};

/* Times for volumes and other resources besides machines, in ms (src/volumes). */
struct control_volumes {
    uint64_t every_ms;  /* interval of their listings; 0: they are not listed */
    uint64_t retain_ms; /* how long the volume of a slot without a machine is kept */
    uint64_t orphan_ms; /* how long a resource is unused before it is reported as an orphan */
};

struct control_options {
    struct text session; /* unique name of this manager's session */
    struct roster_manager manager;
    /* Identifies the boot of the manager's machine, from which now_ms counts. Empty: unknown. */
    struct text clock;
    /* True if only this manager uses the store, so that an earlier lease holder no longer runs. */
    bool is_alone;
    uint64_t resync_ms; /* interval between passes for a cluster, in ms */
    /* Time without a heartbeat, in ms, after which other managers may take over the leases of a
     * manager. */
    uint64_t session_ttl_ms;
    /* interval between heartbeats of this session, in ms; 0: a third of takeover_ms */
    uint64_t session_beat_ms;
    uint32_t times; /* divisor of the time windows in assignment.h; 0: 1 */
    bool is_single; /* passes are started only by control_pass */
    /* Only decide and report. Nothing is written to the store, and no provider is called. */
    bool is_dry;
    bool is_archiving_passes; /* Archive the inputs and decisions of passes (N1). */
    struct plan_limits limits;
    struct control_volumes volumes;
};

struct control_options control_options_default(void);

/* Creates the controller for the clusters of a store. The cache must be READY. To shut down, close
 * all providers (provider_close), then the store (store_close), then call control_free. */
struct control *control_new(struct store *store, struct cache *cache, struct control_ports ports,
                            struct control_options options);
void control_free(struct control *control);

/* Return the record cache of all clusters. */
const struct fleet *control_fleet(const struct control *control);

/* control_roster returns the sessions of the managers, control_managers the managers of the store,
 * and control_assignment the assignment of clusters to them. NULL: this manager is the only one. */
struct roster *control_roster(const struct control *control);
struct managers *control_managers(const struct control *control);
struct assignment *control_assignment(const struct control *control);

/* True if this manager does the work that concerns the whole store: it has the lease of
 * housekeeping, or is the only manager. */
bool control_is_housekeeper(const struct control *control);

/* Puts the known state of managers and leases into a map: {items, assigned, unassigned, waiting,
 * clusters}. Only `clusters` exists if this manager is the only one. */
void control_managers_show(const struct control *control, struct arena *arena,
                           const struct managers_query *query, struct doc_builder *builder);

/* Begins shutdown. From now on the controller sends nothing to the store and does not read the
 * cache, even if the store or providers still answer. Call this before any of them is closed. */
void control_stop(struct control *control);

/* Does the work that is due. Call it after cache_run. Returns the time, by now_ms, of the next
 * call, unless an event comes first. */
uint64_t control_run(struct control *control);

/* Start a pass over this cluster (TENANT/ID) now. */
void control_wake(struct control *control, struct text cluster);

/* Report that the keys which nodes of this cluster trust may have changed. The nodes are updated
 * without a pass. */
void control_bootstrap(struct control *control, struct text cluster);

/* True if a provider call for this machine of the cluster (TENANT/ID) is running or queued. */
bool control_is_calling(const struct control *control, struct text cluster, struct text token);

/* Returns the time by the clock of this cluster (TENANT/ID), which its records use. 0: another
 * manager reconciles the cluster. */
uint64_t control_clock(const struct control *control, struct text cluster);

/* True if it is still unknown whether the change with this revision gets a job: a cluster of this
 * tenant was changed at this revision, and its pass is running or pending, or its last pass
 * failed. */
bool control_is_behind(const struct control *control, struct text tenant, uint64_t revision);

/* Make one pass for this cluster. Returns false if the cluster does not exist, or if it has neither
 * machines nor a specification. */
bool control_pass(struct control *control, struct text cluster);

/* Make a dry pass for this cluster, which only decides and reports. A real pass follows at its
 * normal time. Returns false in the same cases as control_pass. */
bool control_pass_dry(struct control *control, struct text cluster);

/* True if any cluster has a record of a machine with this token. */
bool control_has_machine(const struct control *control, struct text token);

/* The result of a pass. */
enum control_end {
    CONTROL_END_DONE,    /* All decisions are committed, and their calls are started. */
    CONTROL_END_QUIET,   /* There was nothing to do. */
    CONTROL_END_HELD,    /* A decision waits for an approval, and there was nothing else to do. */
    CONTROL_END_FOREIGN, /* Another manager holds the lease of the cluster. */
    CONTROL_END_UNHEARD, /* A provider did not return its listing. */
    CONTROL_END_BROKEN,  /* The store failed or did not answer. The pass is repeated. */
    CONTROL_END_DAMAGED, /* Data of the cluster in the store cannot be parsed. */
};

/* The report of a pass, for logs, for metrics and for reeve-controller. */
struct control_report {
    struct text cluster; /* TENANT/ID */
    enum control_end end;
    uint64_t revision; /* revision of the snapshot that the pass used */
    uint64_t begun_ms; /* start of the pass, by now_ms */
    size_t machines;
    size_t actions;
    size_t holds;
    struct text message; /* error text; may be empty */
    /* The input and the decisions of the pass. NULL: the pass ended before the decision. */
    const struct plan_world *world;
    const struct plan *plan;
};

typedef void on_control(void *arg, const struct control_report *report);

/* Register a callback that is called at the end of every pass. */
void control_watch(struct control *control, on_control *reported, void *arg);

/* True if the controller is idle: no pass and no call is running, and every outcome is
 * persisted. */
bool control_is_idle(const struct control *control);

#endif

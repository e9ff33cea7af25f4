#ifndef REEVE_RECONCILE_CONTROL_H
#define REEVE_RECONCILE_CONTROL_H

#include "state/cache.h"
#include "records/nodes.h"
#include "records/plugin_origin.h"
#include "records/provider.h"
#include "state/store.h"
#include "records/way.h"
#include "plan/compute.h"

/* The controller reconciles the observed state of clusters with their desired state. For each
 * cluster it makes reconcile passes (SAFETY.md 5):
 *
 *     lease -> list the providers -> one snapshot -> check the rows -> decide (plan/compute.h)
 *           -> commit intents -> call the providers -> commit the outcomes
 *
 * All durable state is in the store: the process may end at any instruction. The same code runs in
 * reeved (all clusters, on change and at intervals), in reeve-controller (one pass over one
 * cluster) and in the simulator. All functions are called on one thread. The ports are the only way
 * to the outside. */
struct control;

/* The result of a probe. */
enum control_probed {
    CONTROL_PROBED_WELL,
    CONTROL_PROBED_FAILING,     /* The machine answers, but the probe's check fails. */
    CONTROL_PROBED_UNREACHABLE, /* no answer */
    CONTROL_PROBED_ALARM,       /* No login: the machine showed another host key than expected. */
    /* The probe could not run for a local reason. This says nothing about the machine. */
    CONTROL_PROBED_NOTHING,
};

/* The answer to a probe. Valid until the callback returns. */
struct control_probed_answer {
    enum control_probed found;
    struct text why;
    /* The host key that the machine showed: a first one, which is to be recorded, or the unexpected
     * one of an alarm. Empty: none. */
    struct text host_key;
};
typedef void control_probe_done(void *arg, const struct control_probed_answer *answer);

/* A probe to be made. Valid until the call returns. */
struct control_probe {
    struct text plugin;
    struct control_way way;
    /* The TCP port that has to accept a connection. 0: the probe runs the command in `words`. */
    uint16_t port;
    const struct text *words; /* arguments of the command */
    size_t argument_count;
    uint64_t timeout_ms;
    /* The port has to send an SSH banner. */
    bool is_ssh;
};

struct control_ports {
    uint64_t (*now_ms)(void *arg); /* monotonic; includes the time that the machine sleeps */
    int64_t (*wall_ms)(void *arg); /* wall clock since 1970, for display */
    void (*random)(void *arg, void *out, size_t bytes);
    /* Compute a keyed digest of data (hexadecimal). Only this installation has the key: the digest
     * is the stamp of its machines. */
    void (*mac)(void *arg, struct text data, char out[static 33]);
    /* Find the provider of a plugin in a tenant. NULL: this manager has none, and *problem says
     * why. */
    struct provider *(*provider_find)(void *arg, struct text tenant, struct text plugin,
                                      const char **problem);
    /* Declare the origin that a group of a cluster (TENANT/ID) states for a plugin. Called in each
     * pass, before provider_find. Sets `out` to the downloaded bytes that wait for an approval;
     * valid until the next call. NULL: this manager downloads no plugins. */
    void (*plugin_want)(void *arg, struct text cluster, const struct plugin_origin *origin,
                        struct plugin_waiting *out);
    /* An operator has approved the waiting bytes that have this digest. NULL where plugin_want is
     * NULL. */
    void (*plugin_approve)(void *arg, struct text tenant, struct text plugin, struct text digest);
    /* Return the lines of authorized_keys for machines that this plugin creates in a cluster
     * (TENANT/ID); empty where reeve does not log in to them. Valid until the next call. False: the
     * keys are being created, and a pass follows when they exist. NULL: there are no keys. */
    bool (*keys)(void *arg, struct text cluster, struct text plugin, struct text *out);
    /* Make a probe. `done` is called exactly once, unless control_stop is called first. NULL: no
     * probes are made. */
    void (*probe)(void *arg, const struct control_probe *probe, control_probe_done *done,
                  void *done_arg);
    /* Report that `what` of a cluster (TENANT/ID) is damaged in the store. Called once for each
     * damage in the life of this process. NULL: damage is not reported. */
    void (*damaged)(void *arg, struct text cluster, struct text what, const struct err *err);
    /* Keys, facts and stages of nodes. NULL: nodes are not bootstrapped. */
    const struct nodes_port *nodes;
    void *arg;
};

struct control_options {
    struct text session; /* unique name of this manager's session */
    /* Names the origin that now_ms counts from: one boot of the machine. Empty: unknown. */
    struct text clock;
    /* This manager is the only owner of the store: a former holder of a lease no longer runs. */
    bool is_alone;
    uint64_t resync_ms;       /* interval between passes over a cluster */
    uint64_t session_ttl_ms;  /* A manager's leases may be taken after this time without a beat. */
    bool is_single;           /* Only control_pass starts passes. */
    bool is_dry;              /* Decide and report only: write nothing, call no provider. */
    bool is_archiving_passes; /* Archive the inputs and decisions of passes (N1). */
    struct plan_limits limits;
};

struct control_options control_options_default(void);

/* Reconcile the clusters of a store. The cache must be READY. At the end, close all providers
 * (provider_close), then the store (store_close), then call control_free. */
struct control *control_new(struct store *store, struct cache *cache, struct control_ports ports,
                            struct control_options options);
void control_free(struct control *control);

/* Begin shutdown: from now on the controller sends nothing to the store and does not read the
 * cache, even if store or providers still answer. Call it before closing any of them. */
void control_stop(struct control *control);

/* Do the work that is due; call it after cache_run. Returns the time of the next call by now_ms,
 * unless an event comes first. */
uint64_t control_run(struct control *control);

/* Start a pass over this cluster (TENANT/ID) now. */
void control_wake(struct control *control, struct text cluster);

/* The keys that nodes of this cluster trust may have changed. Updates nodes without a pass. */
void control_bootstrap(struct control *control, struct text cluster);

/* Is a provider call about this machine of the cluster (TENANT/ID) running or queued? */
bool control_is_calling(const struct control *control, struct text cluster, struct text token);

/* The current time by the clock of this cluster (TENANT/ID), which its records use. 0: another
 * manager reconciles it. */
uint64_t control_clock(const struct control *control, struct text cluster);

/* Is a pass over a cluster of this tenant that was changed at this revision still running or to
 * come, or did the last one fail? Until such a pass has ended it is unknown whether the change gets
 * a job. */
bool control_is_behind(const struct control *control, struct text tenant, uint64_t revision);

/* Make one pass over this cluster. False: the cluster does not exist, or it has no machines and no
 * specification. */
bool control_pass(struct control *control, struct text cluster);

/* The same as a dry run: decide and report only. A real pass follows when it is due. */
bool control_pass_dry(struct control *control, struct text cluster);

/* Does any cluster have a record of a machine with this token? */
bool control_has_machine(const struct control *control, struct text token);

/* How a pass over a cluster ended. */
enum control_end {
    CONTROL_END_DONE,    /* All decisions are committed, and their calls are started. */
    CONTROL_END_QUIET,   /* There was nothing to do. */
    CONTROL_END_HELD,    /* A decision waits for an approval, and there was nothing else to do. */
    CONTROL_END_FOREIGN, /* Another manager holds the lease of the cluster. */
    CONTROL_END_UNHEARD, /* A provider returned no listing. */
    CONTROL_END_BROKEN,  /* The store failed or did not answer. The pass is repeated. */
    CONTROL_END_DAMAGED, /* Data of the cluster in the store cannot be parsed. */
};

/* The report of a pass, for logs, metrics and reeve-controller. */
struct control_report {
    struct text cluster; /* TENANT/ID */
    enum control_end end;
    uint64_t revision; /* of the pass's snapshot */
    uint64_t begun_ms; /* by now_ms */
    size_t machines;
    size_t actions;
    size_t holds;
    struct text message; /* the error; may be empty */
    /* The input and the decisions of the pass. NULL: the pass ended before the decision. */
    const struct plan_world *world;
    const struct plan *plan;
};

typedef void on_control(void *arg, const struct control_report *report);

/* Register a callback for the end of every pass. */
void control_watch(struct control *control, on_control *reported, void *arg);

/* Is the controller idle: no pass and no call running, no outcome to persist? */
bool control_is_idle(const struct control *control);

#endif

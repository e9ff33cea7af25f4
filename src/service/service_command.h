#ifndef REEVE_SERVICE_SERVICE_COMMAND_H
#define REEVE_SERVICE_SERVICE_COMMAND_H

#include "service/service.h"

/* names: service_ */

/* Requests about machines that change no specification: operator commands, logins, commands on many
 * machines, stages that run again, plugins and bundles. */

/* An operator command for a cluster or a group. */
enum service_command {
    SERVICE_COMMAND_PAUSE, /* make no calls; observation continues */
    SERVICE_COMMAND_RESUME,
    SERVICE_COMMAND_APPROVE, /* allow the decision of a hold */
    SERVICE_COMMAND_REJECT,  /* reject the decision of a hold */
    SERVICE_COMMAND_RETRY,   /* retry what waits after refusals */
    SERVICE_COMMAND_ROLLOUT_PAUSE,
    SERVICE_COMMAND_ROLLOUT_ABORT,
    SERVICE_COMMAND_ROLLOUT_RESUME,
    SERVICE_COMMAND_ROTATE,    /* rotate the authorities of a cluster */
    SERVICE_COMMAND_REVOKE,    /* revoke the keys of a machine */
    SERVICE_COMMAND_BOOTSTRAP, /* run stages of a machine again */
    SERVICE_COMMAND_ACCEPT,    /* accept this host key of a machine from now on */
    SERVICE_COMMAND_ABANDON,   /* stop waiting for the release of a machine */
};

struct service_say {
    const struct schema_kind *kind; /* Cluster or NodeGroup */
    struct text name;
    enum service_command word;
    struct text rule; /* of the hold */
    struct text node; /* of REVOKE, BOOTSTRAP and ACCEPT: name, token or machine id */
    struct text key;  /* of ACCEPT: "TYPE BASE64", or the fingerprint of the key that it showed */
    /* Of BOOTSTRAP: the stage from which on all stages run again. Empty: stages that did not end
     * well. */
    struct text from;
    bool is_again;   /* of RETRY and BOOTSTRAP: include non-idempotent stages */
    uint64_t for_ms; /* of PAUSE: its duration; 0: until it is resumed */
    struct text why;
};

/* Write an operator command: {"revision"}. R0403: no such object or hold; R0433: already in effect;
 * R0715 and R0716: a host key cannot be accepted; R0754: authorities cannot be rotated; R0811:
 * non-idempotent stages would run again without consent. */
void service_say(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_say *say, service_done *done, void *arg);

/* Let the controller make one pass over a cluster. Answers its report,
 * {"actions","cluster","end","holds","machines", "message","revision"}. R0403; R0548: this process
 * has no controller. */
void service_pass(struct service *service, struct arena *arena, const struct service_actor *actor,
                  struct text cluster, bool is_dry, service_done *done, void *arg);

struct service_enter {
    struct text cluster;
    struct text node; /* name, token or machine id */
    struct text key;  /* public key line of the user, checked by the caller */
};

/* Grant a login to a machine: {address, certificate, hostKey, node, port, user}; an event has the
 * user. R0403; R0548: this process has no controller; R0710 to R0713: no login is possible now. */
void service_enter(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_enter *enter, service_done *done, void *arg);

/* A number, or a percentage. */
struct service_share {
    uint32_t number;
    bool is_percent;
    bool is_given;
};

struct select_request;
struct select_nodes;

/* How many machines are divided into batches (UX.md 3.3). */
struct service_batching {
    struct service_share batch;    /* size of a batch */
    struct service_share max_fail; /* number of failures at which no further machine begins */
    uint64_t pause_ms;             /* between batches */
    /* Number of canaries, which run first, alone. If one of them fails, no other machine begins. */
    uint64_t canary;
    uint64_t bake_ms;     /* after the canaries */
    uint64_t deadline_ms; /* of the whole run; 0: none */
    struct text by;       /* name, zone or random; empty: name */
    uint64_t seed;        /* of random; 0: the service draws one */
    bool is_zone_apart;   /* Never run in two zones at once. */
};

/* A command on machines of one cluster. Zero fields: the defaults of limits.h (LIMIT_EXEC_...). */
struct service_exec {
    const struct select_request *request;
    struct text command;
    uint64_t timeout_ms;
    uint64_t output_max;
    struct service_batching batching; /* no batch: all at once; no max_fail: unlimited */
    bool is_dry;                      /* only report the machines and their batches */
};

/* A command that has begun; or (run and port NULL) the plan of a dry run. */
struct service_exec_begun {
    /* In the order in which they begin; live in the arena of the request. */
    const struct select_nodes *nodes;
    const struct exec_order *order; /* lives as long */
    const struct exec_port *port;
    struct exec_run *run; /* the caller has to drop it */
    uint64_t revision;
    uint64_t seed; /* of a random order; else 0 */
};

/* Called when a command has begun. begun is NULL on failure, and err has the reason. */
typedef void service_exec_done(void *arg, const struct service_exec_begun *begun,
                               const struct err *err);

/* Run a command; an event has the user. `done` is called once, `reported` (with the same arg) only
 * after it. R0403; R0426; R0795; R0548: this process has no controller; R0780: the selection is
 * empty; R0781: too many commands are running. */
void service_exec(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_exec *exec,
                  void (*reported)(void *arg, const struct exec_event *reported),
                  service_exec_done *done, void *arg);

/* Run stages of many machines again, in batches (decision 0107). */
struct service_bootstrap {
    const struct select_request *request;
    /* The stage from which on all stages run again: a number, or its name in each group. Empty:
     * stages that did not end well. */
    struct text from;
    bool is_again; /* include non-idempotent stages */
    struct text why;
    struct service_batching batching; /* no batch: 10 %; no max_fail: the size of a batch */
    bool is_dry;
};

/* Write the request: which stages run, on which machines and in which batches. The lease holder of
 * the cluster executes it as a job. Answers {job, revision, nodes, batches: [{canary, nodes}],
 * left: [{node, why}], seed}; dry run: the same without job, and nothing is written. R0403; R0426;
 * R0795; R0548: this process has no controller; R0780: no selected machine has stages; R0811:
 * non-idempotent stages would run again without consent; R0814: too many machines; R0815: a machine
 * is in such a job already. */
void service_bootstrap(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_bootstrap *order,
                       service_done *done, void *arg);

/* A command about a batch job. */
enum service_job_command {
    SERVICE_JOB_CANCEL, /* Begin nothing more; running machines finish. */
    SERVICE_JOB_PAUSE,  /* the same until it is resumed */
    SERVICE_JOB_RESUME,
};

struct service_job_say {
    struct text number;
    enum service_job_command word;
    struct text why;
};

/* Write a command about a job: {"revision"}. R0403: there is no such job, or it has ended; R0433:
 * already in effect; R0816: it is the job of a change, which has other commands. */
void service_job_say(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text cluster,
                     const struct service_job_say *say, service_done *done, void *arg);

/* Download the desired version of a plugin again: {name, state, digest, version, url, ...}; state
 * is moved, waits (for an approval) or same. R0611, R0640 and above: it failed. */
void service_plugin_upgrade(struct service *service, struct arena *arena,
                            const struct service_actor *actor, struct text name, service_done *done,
                            void *arg);

/* service_bundle_put stores a bundle: {bytes, digest, members}. service_bundle answers whether one
 * is stored: {digest}, R0403. */
void service_bundle_put(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text bytes, service_done *done,
                        void *arg);
void service_bundle(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text digest, service_done *done, void *arg);

/* Allow the actor's tenant to use a stored bundle: {digest}. R0403: it is not stored. */
void service_bundle_share(struct service *service, struct arena *arena,
                          const struct service_actor *actor, struct text digest, service_done *done,
                          void *arg);

/* Store a piece of the archive of a bundle, in the order of its bytes: {bytes, digest, have}. A
 * piece that does not begin at `have` is ignored. When `have` reaches `bytes` the bundle is
 * stored. */
void service_bundle_piece(struct service *service, struct arena *arena,
                          const struct service_actor *actor, const struct service_piece *piece,
                          service_done *done, void *arg);

/* Install a plugin: {name, state, digest, version, url, bytes, by, profile, contract}; state is
 * installed, replaced or same. The order's tenant and user are the actor's. R0669, R0670, R0640 and
 * above: it failed. */
void service_plugin_install(struct service *service, struct arena *arena,
                            const struct service_actor *actor, const struct plugin_order *order,
                            service_done *done, void *arg);

#endif

#ifndef REEVE_SERVICE_SERVICE_COMMAND_H
#define REEVE_SERVICE_SERVICE_COMMAND_H

#include "service/service.h"
#include "state/batches.h"

/* public names start with: service_ */

/* Requests about machines that do not change a specification: operator commands, logins, commands
 * on many machines, repeated stages, plugins and bundles. */

/* An operator command for a cluster or a group. */
enum service_command {
    SERVICE_COMMAND_PAUSE, /* make no provider calls; observation continues */
    SERVICE_COMMAND_RESUME,
    SERVICE_COMMAND_APPROVE, /* approve the decision of a hold */
    SERVICE_COMMAND_REJECT,  /* reject the decision of a hold */
    SERVICE_COMMAND_RETRY,   /* retry everything that is in back-off after refusals */
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
    struct text rule; /* rule of the hold */
    struct text node; /* REVOKE, BOOTSTRAP and ACCEPT: name, token or machine id */
    /* ACCEPT: "TYPE BASE64", or the fingerprint of the key that the machine presented */
    struct text key;
    /* BOOTSTRAP: the first stage to run again; all later stages follow. Empty: run the stages that
     * did not succeed. */
    struct text from;
    bool is_again;   /* RETRY and BOOTSTRAP: include non-idempotent stages */
    uint64_t for_ms; /* PAUSE: duration in ms; 0: until an operator resumes */
    struct text why;
};

/* Write an operator command. Answers {"revision"}. R0403: the object or hold does not exist; R0433:
 * the command is already in effect; R0715 and R0716: the host key cannot be accepted; R0754: the
 * authorities cannot be rotated; R0811: non-idempotent stages would run again without consent. */
void service_say(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_say *say, service_done *done, void *arg);

/* Let the controller make one pass over a cluster. Answers with the report of the pass,
 * {"actions","cluster","end","holds","machines", "message","revision"}. R0403: the cluster does not
 * exist; R0548: this process has no controller. */
void service_pass(struct service *service, struct arena *arena, const struct service_actor *actor,
                  struct text cluster, bool is_dry, service_done *done, void *arg);

struct service_enter {
    struct text cluster;
    struct text node; /* name, token or machine id */
    struct text key;  /* public key of the user (one line), which the caller has validated */
};

/* Grant a login to a machine. Answers {address, certificate, hostKey, node, port, user}. An event
 * records the user. R0403: the machine does not exist; R0548: this process has no controller; R0710
 * to R0713: no login is possible now. */
void service_enter(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_enter *enter, service_done *done, void *arg);

/* A share of machines: a number, or a percentage. */
struct service_share {
    uint32_t number;
    bool is_percent;
    bool is_given;
};

struct select_request;
struct select_nodes;

/* How the machines of a request are divided into batches (UX.md 3.3). */
struct service_batching {
    struct service_share batch;    /* size of a batch */
    struct service_share max_fail; /* number of failures after which no further machine begins */
    uint64_t pause_ms;             /* pause between batches */
    /* Number of canaries, which run before all other machines. If a canary fails, no other machine
     * starts. */
    uint64_t canary;
    uint64_t bake_ms;     /* waiting time after the canaries, in ms */
    uint64_t deadline_ms; /* time limit of the whole run; 0: none */
    struct text by;       /* name, zone or random; empty: name */
    uint64_t seed;        /* seed of the order `random`; 0: the service draws one */
    bool is_zone_apart;   /* Machines of two zones never run at the same time. */
};

/* A command to run on machines of one cluster. A field that is 0 has the default of limits.h
 * (LIMIT_EXEC_...). */
struct service_exec {
    const struct select_request *request;
    struct text command;
    uint64_t timeout_ms;
    uint64_t output_max;
    /* defaults: all machines at the same time, any number of failures */
    struct service_batching batching;
    bool is_dry; /* only report the machines and their batches */
};

/* A command that has begun. For a dry run it is the plan: run and port are NULL. */
struct service_exec_begun {
    /* The machines in the order in which they begin. Valid as long as the arena of the request. */
    const struct select_nodes *nodes;
    const struct exec_order *order; /* valid as long as the nodes */
    const struct exec_port *port;
    struct exec_run *run; /* the caller must drop the run */
    uint64_t revision;
    uint64_t seed; /* seed of a random order; otherwise 0 */
};

/* Called when a command has begun. On failure `begun` is NULL, and err has the reason. */
typedef void service_exec_done(void *arg, const struct service_exec_begun *begun,
                               const struct err *err);

/* Run a command; an event records the user. `done` is called once, and `reported` (with the same
 * arg) only after it. R0403: an object does not exist; R0426: the request is invalid; R0795: a job
 * or revision is unknown; R0548: this process has no controller; R0780: the selection is empty;
 * R0781: too many commands are running. */
void service_exec(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_exec *exec,
                  void (*reported)(void *arg, const struct exec_event *reported),
                  service_exec_done *done, void *arg);

/* Run stages of many machines again, in batches (decision 0107). */
struct service_bootstrap {
    enum batches_verb verb;
    bool is_hook; /* verify and correct: the hooks of the stages run too */
    bool is_deep; /* verify and correct: the playbook also runs in check mode */
    const struct select_request *request;
    /* The first stage to run again, as a number or by its name in each group; all later stages
     * follow. Empty: run the stages that did not succeed. */
    struct text from;
    bool is_again; /* include non-idempotent stages */
    struct text why;
    /* defaults: batches of 10 %, and max_fail is the size of a batch */
    struct service_batching batching;
    uint64_t destroy; /* decommission: maximum number of machines that may leave */
    bool is_dry;
};

/* Write the request: the stages, the machines and their batches. The lease holder of the cluster
 * executes it as a job. With verb `verify` the machines are only verified, all at the same time.
 * With `correct` the stages of the configuration run again on drifted machines, which must be of
 * one group. Answers {job, revision, nodes, batches: [{canary, nodes}], left: [{node, why}], seed};
 * a dry run answers the same without `job` and writes nothing. R0403: an object does not exist;
 * R0426: the request is invalid; R0795: a job or revision is unknown; R0548: this process has no
 * controller; R0780: no selected machine has stages; R0811: non-idempotent stages would run again
 * without consent; R0814: too many machines; R0815: a machine is already in such a job. */
void service_bootstrap(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_bootstrap *order,
                       service_done *done, void *arg);

/* A command for a batch job. */
enum service_job_command {
    SERVICE_JOB_CANCEL, /* begin no more machines; running machines finish */
    SERVICE_JOB_PAUSE,  /* begin no more machines until the job is resumed */
    SERVICE_JOB_RESUME,
};

struct service_job_say {
    struct text number;
    enum service_job_command word;
    struct text why;
};

/* Write a command for a batch job. Answers {"revision"}. R0403: the job does not exist, or has
 * ended; R0433: the command is already in effect; R0816: the job belongs to a change, and such jobs
 * have other commands. */
void service_job_say(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text cluster,
                     const struct service_job_say *say, service_done *done, void *arg);

/* Download the desired version of a plugin again. Answers {name, state, digest, version, url, ...};
 * `state` is moved, waits (for an approval) or same. R0611: the plugin does not exist; R0640 and
 * above: the download failed. */
void service_plugin_upgrade(struct service *service, struct arena *arena,
                            const struct service_actor *actor, struct text name, service_done *done,
                            void *arg);

/* service_bundle_put stores a bundle and answers {bytes, digest, members}. service_bundle answers
 * {digest} if a bundle is stored; R0403: it is not. */
void service_bundle_put(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text bytes, service_done *done,
                        void *arg);
void service_bundle(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text digest, service_done *done, void *arg);

/* Allow the tenant of the sender to use a stored bundle. Answers {digest}. R0403: the bundle is not
 * stored. */
void service_bundle_share(struct service *service, struct arena *arena,
                          const struct service_actor *actor, struct text digest, service_done *done,
                          void *arg);

/* Store a piece of the archive of a bundle or of a configuration. Pieces must arrive in order: a
 * piece that does not begin at `have` is ignored. Answers {bytes, digest, have}. When `have` equals
 * `bytes`, the archive is stored. */
void service_bundle_piece(struct service *service, struct arena *arena,
                          const struct service_actor *actor, const struct service_piece *piece,
                          service_done *done, void *arg);

/* Configurations (records/configurations.h). service_configs answers {items: [{groups, name,
 * newest, revisions}]}; service_config answers {name, revisions: [...]} with the groups that use
 * each revision. */
void service_configs(struct service *service, struct arena *arena,
                     const struct service_actor *actor, service_done *done, void *arg);
void service_config(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text name, service_done *done, void *arg);

/* List the files of a revision (NAME@rN; NAME: the newest): {files: [...], revision}. */
void service_config_files(struct service *service, struct arena *arena,
                          const struct service_actor *actor, struct text reference,
                          service_done *done, void *arg);

/* A stored archive that becomes the next revision of a configuration. */
struct service_config_push {
    struct text name;
    struct text digest;
    struct text ref; /* origin of its files, such as a Git commit; may be empty */
};

/* Check an archive and make it the next revision, unless the latest revision is the same archive.
 * Answers {digest, new, revision}. R0732: the tenant has not sent the archive. R0828 and others:
 * the archive is not usable. R0320: no more revisions can be stored. */
void service_config_push(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct service_config_push *push,
                         service_done *done, void *arg);

/* Pin or unpin a revision: a pinned revision is not removed. Answers {pinned, revision}. */
void service_config_pin(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text reference, bool is_pinned,
                        service_done *done, void *arg);

/* Move the groups of clusters with autoUpgrade to revisions that were pushed since the last move.
 * Each push takes effect only once, so that it never overrides a later change by an operator. Call
 * it after service_run. */
void service_config_upgrades(struct service *service);

/* Revert commissions that failed: reduce the group sizes that they have raised. Call it after
 * service_run (discovery/service_returns.c). */
void service_returns(struct service *service);

/* Create the jobs of commissions in batches. Call it after service_run
 * (discovery/service_commissions.c). */
void service_commissions(struct service *service);

/* Reduce the sizes of groups whose machines are decommissioned in batches by a job. Call it after
 * service_run (discovery/service_leaves.c). */
void service_leaves(struct service *service);

/* Remove the revisions that are neither pinned nor used by a group, except the newest `keep`.
 * Answers {removed: [...]}. With is_dry nothing is removed. */
void service_config_gc(struct service *service, struct arena *arena,
                       const struct service_actor *actor, struct text name, uint64_t keep,
                       bool is_dry, service_done *done, void *arg);

/* Rows of the inventory (records/discovered.h). service_discovered answers {hold, items: [row],
 * revision}; `hold` is present while it blocks changes of states. A condition or a selector
 * (inventory/traits.h) limits the rows (R0426: the condition does not exist).
 * service_discovered_one answers one row by id or name. */
void service_discovered(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text condition,
                        struct text selector, service_done *done, void *arg);
void service_discovered_one(struct service *service, struct arena *arena,
                            const struct service_actor *actor, struct text name, service_done *done,
                            void *arg);

/* The machines to discover: by address, or all that accept connections in a network. */
struct service_discover {
    const struct text *addresses; /* ADDRESS or ADDRESS:PORT; numeric */
    size_t count;
    struct text network; /* such as 10.0.0.0/24; empty: `addresses` is used */
    uint16_t port;       /* SSH port of the network's machines; 0: the default */
    uint64_t from;       /* offset in the network: `next` of the previous answer, or 0 */
    struct text user;    /* login user; empty: root, or the user of the group */
    struct text secret;  /* name of the secret with the login key; empty: none */
    bool is_approved;    /* The sender approves the keys that the machines present. */
};

/* Read the host keys of machines and create a row for each machine. Answers {items: [row],
 * problems: [{address, code, why}]}. R0825: an address is already known. R0826: the host key
 * belongs to a known machine that is currently unreachable.
 *
 * A request probes one piece of a network, and updates the rows of known machines in it. The answer
 * then also has {addresses, known, next}: the number of addresses in the network, the number of
 * known machines in the piece, and the offset at which the next request begins (absent at the end
 * of the network). R0409: the actor is not an operator of the tenant. R0844: the network is too
 * large or not IPv4. R0845: too many networks are being probed. */
void service_discover(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_discover *discover,
                      service_done *done, void *arg);

/* A token with which machines report their first boot (decision 0152). */
struct service_boot_token {
    struct text name;   /* identifies the token; derived from its digest */
    struct text secret; /* the token itself; only the answer has it */
    struct text note;
    uint64_t uses;
    uint64_t for_ms;
};

/* Create a token. Answers {by, expires, name, note, path, uses}. R0847: there are too many tokens.
 * service_boot_tokens answers {items}; the tokens themselves are not stored, so it cannot show
 * them. R0403: no token has that name. */
void service_boot_token_make(struct service *service, struct arena *arena,
                             const struct service_actor *actor,
                             const struct service_boot_token *request, service_done *done,
                             void *arg);
void service_boot_tokens(struct service *service, struct arena *arena,
                         const struct service_actor *actor, service_done *done, void *arg);
void service_boot_token_delete(struct service *service, struct arena *arena,
                               const struct service_actor *actor, struct text name,
                               service_done *done, void *arg);

/* A machine's report about its first boot. */
struct service_boot_report {
    struct text tenant;
    struct text token;     /* name of the token that the machine sent, derived from its digest */
    struct text address;   /* address from which the machine is connected */
    struct text host_name; /* may be empty */
    struct text host_key;  /* host key: "TYPE BASE64" */
};

/* True if the token exists and has not expired. */
bool service_boot_token_has(const struct service *service, struct arena *arena, struct text tenant,
                            struct text name);

/* Create or renew the row of a machine that reports its boot. Answers {noted}. R0846: the token is
 * not valid. R0826: the report contradicts a known machine. R0422: too many reports at the same
 * time. */
void service_boot_report(struct service *service, struct arena *arena,
                         const struct service_boot_report *request, service_done *done, void *arg);

/* An operator's decision about a machine of the inventory. */
enum service_discovered_change {
    SERVICE_DISCOVERED_APPROVE, /* approve the host key with the fingerprint `key` */
    SERVICE_DISCOVERED_IGNORE,
    SERVICE_DISCOVERED_UNIGNORE,
    SERVICE_DISCOVERED_FREE,   /* end the machine's reservation for a group */
    SERVICE_DISCOVERED_FORGET, /* delete the row; R0827: a cluster has claimed the machine */
};

/* Apply the decision. Answers the row. R0837: the machine presents another key. */
void service_discovered_change(struct service *service, struct arena *arena,
                               const struct service_actor *actor, struct text name,
                               enum service_discovered_change change, struct text key,
                               service_done *done, void *arg);

/* A request that a manager hands over its clusters, or takes clusters again. Answers {name, drain}.
 * R0403: the manager does not exist; R0581: no other live manager accepts clusters. */
struct service_manager_drain {
    struct text name;
    struct text message; /* reason of the command; may be empty */
    bool is_draining;
    bool is_leaving; /* the manager also leaves the store, once it has handed over everything */
};
void service_manager_drain(struct service *service, struct arena *arena,
                           const struct service_actor *actor,
                           const struct service_manager_drain *drain, service_done *done,
                           void *arg);

/* Declare the machines on the host of an ended manager lost; is_draining is ignored. R0403: the
 * manager does not exist; R0588: its process may still be running. */
void service_manager_forget(struct service *service, struct arena *arena,
                            const struct service_actor *actor,
                            const struct service_manager_drain *order, service_done *done,
                            void *arg);

/* Let a manager hand over its clusters and blobs, leave the store and end. If it has ended, its
 * objects are removed immediately. Answers {name, state}: `leaving` or `removed`. R0403: the
 * manager does not exist; R0581: no other live manager accepts clusters; R0589: its host has
 * machines. */
void service_manager_leave(struct service *service, struct arena *arena,
                           const struct service_actor *actor,
                           const struct service_manager_drain *order, service_done *done,
                           void *arg);

/* Install a plugin for the tenant and the user of the actor. Answers {name, state, digest, version,
 * url, bytes, by, profile, contract}; `state` is installed, replaced or same. R0669, R0670, R0640
 * and above: the installation failed. */
void service_plugin_install(struct service *service, struct arena *arena,
                            const struct service_actor *actor, const struct plugin_order *order,
                            service_done *done, void *arg);

/* A request to delete a volume that no machine uses. */
struct service_volume {
    struct text cluster; /* name or id; empty: any cluster */
    struct text name;    /* key, provider's id, or displayed name */
    struct text message;
    uint64_t destroy; /* maximum number of volumes that may be destroyed */
};

/* Answers {cluster, id, key, name}. R0403: the volume does not exist; R0426: several volumes have
 * the name; R0405: `destroy` does not permit it; R0848: the volume is in use, is already being
 * deleted, or does not belong to reeve. */
void service_volume_delete(struct service *service, struct arena *arena,
                           const struct service_actor *actor, const struct service_volume *request,
                           service_done *done, void *arg);

#endif

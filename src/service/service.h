#ifndef REEVE_SERVICE_SERVICE_H
#define REEVE_SERVICE_SERVICE_H

#include "base/err.h"
#include "state/cache.h"
#include "change/change_patch.h"
#include "records/plugin_origin.h"

/* The service: everything that the API reads and writes goes through it. Authorization is decided
 * before: a request has its tenant and its sender.
 *
 * Each request has one arena, which comes with the request; everything of the answer lives in it.
 * There is exactly one answer, and it may come before the call returns. All calls are on the loop
 * thread. */
struct service;

/* Commands on many machines (service/exec.h). */
struct exec_order;
struct exec_port;
struct exec_run;
struct exec_event;

/* The ports of the service. */
struct service_ports {
    int64_t (*wall_ms)(void *arg); /* since 1970 */
    void (*id_make)(void *arg, char out[static 37]);
    void *arg;
};

/* Create the service for a store and its cache. */
struct service *service_new(struct store *store, struct cache *cache, struct service_ports ports);

/* The requested output of a machine's stages. */
struct service_logs {
    struct text cluster;
    struct text node; /* name, token or machine id */
    bool has_stage;   /* else all stages, in order */
    uint32_t stage;   /* from 0 */
    uint32_t attempt; /* 0: the newest of each stage, and later ones */
    struct text from; /* `next` of the former answer; empty: from the beginning */
};

/* A piece of an archive of `size` bytes, starting at `offset`. */
struct service_piece {
    struct text tenant; /* the tenant that will own it */
    /* The tenant owns it already. Else all bytes have to be sent, even if another tenant has sent
     * them. */
    bool is_owned;
    struct text digest; /* of the archive */
    uint64_t size;
    uint64_t offset;
    struct text bytes;
};

/* The controller of this process. It executes what is written here, so answers have the job
 * number. */
struct service_controller {
    /* Make one pass over a cluster (TENANT/ID). `done` receives its report (JSON; empty: the
     * process ends first). False: there is nothing to reconcile. */
    bool (*pass)(void *arg, struct text cluster, bool is_dry,
                 void (*done)(void *done_arg, struct text report), void *done_arg);
    /* As control_is_behind. NULL: this process makes no passes. */
    bool (*is_behind)(void *arg, struct text tenant, uint64_t revision);
    /* The current time by the clock of a cluster (TENANT/ID), which its records use. 0, or NULL:
     * unknown. */
    uint64_t (*clock)(void *arg, struct text cluster);
    /* As control_is_calling. NULL: calls are unknown. */
    bool (*is_calling)(void *arg, struct text cluster, struct text token);
    /* Declared traits of plugins; NULL: unknown. */
    const struct model_plugins *plugins;
    /* Let a plugin validate properties (JSON). `done` is called once, with pairs of pointer and
     * error; if the plugin does not answer, without errors and with the problem. */
    void (*judge)(void *arg, struct text tenant, struct text plugin, struct text properties,
                  void (*done)(void *done_arg, struct wire_list faults, struct text problem),
                  void *done_arg);
    /* The plugins of this manager, as a list of documents with `name`. NULL: there are none. */
    struct doc (*plugins_show)(void *arg, struct arena *arena, struct text tenant);
    /* The state of a tenant's provider accounts: a list of {name, plugin, sha256, problem, fix}.
     * NULL: unknown. */
    struct doc (*accounts_show)(void *arg, struct arena *arena, struct text tenant);
    /* The settings for plugin downloads, for display: a map. NULL: downloads are disabled. */
    struct doc (*fetch_show)(void *arg, struct arena *arena);
    /* The privileges of the manager: a map. NULL: unknown. */
    struct doc (*manager_show)(void *arg, struct arena *arena);
    /* Issue a short-lived certificate for a key (a line), with which `who` logs in to machines of a
     * cluster (TENANT/ID). `done` is called once, perhaps at once; err is NULL on success. NULL:
     * this manager provides no logins. */
    void (*enter)(void *arg, struct text cluster, struct text who, struct text key,
                  void (*done)(void *done_arg, struct text certificate, const struct err *err),
                  void *done_arg);
    /* Commands on many machines. NULL: this manager runs none. */
    const struct exec_port *exec;
    /* Install a plugin, as service_plugin_install. NULL: there are no plugins. */
    void (*plugin_install)(void *arg, const struct plugin_order *order,
                           void (*done)(void *done_arg, const struct doc *doc,
                                        const struct err *err),
                           void *done_arg);
    /* bundle_put stores a bundle, as service_bundle_put. bundle_has: is a bundle stored? NULL: this
     * manager stores none. */
    bool (*bundle_put)(void *arg, struct text bytes, struct arena *arena, struct doc *out,
                       struct err *err);
    bool (*bundle_has)(void *arg, struct text digest);
    /* Does the manager log in to machines of this plugin? NULL: to none. */
    bool (*logs_in)(void *arg, struct text plugin);
    /* Store a piece of a bundle, as service_bundle_piece. NULL: this manager stores none. */
    bool (*bundle_piece)(void *arg, const struct service_piece *piece, uint64_t *out_have,
                         struct err *err);
    /* Output of a machine's stages, as service_logs; the token is validated. NULL: no output is
     * stored. */
    bool (*logs)(void *arg, struct arena *arena, struct text token, const struct service_logs *logs,
                 struct doc *out, struct err *err);
    /* The token of a machine with this name that has no record any more, but stored output. */
    bool (*logs_gone)(void *arg, struct arena *arena, struct text tenant, struct text cluster,
                      struct text node, struct text *out_token);
    /* Download a plugin again. `done` is called once, with a document about the result, or an
     * error. NULL: downloads are disabled. */
    void (*plugin_upgrade)(void *arg, struct text tenant, struct text plugin,
                           void (*done)(void *done_arg, const struct doc *doc,
                                        const struct err *err),
                           void *done_arg);
    void *arg;
};

void service_keeps(struct service *service, const struct service_controller *reconciler);

/* Free the service. Order: free the cache, close the store, which answers running calls, then call
 * this. NULL is allowed. */
void service_free(struct service *service);

/* Do pending work. Call after cache_run. */
void service_run(struct service *service);

/* Remove a bounded number of expired plans and request markers. Call every few minutes. */
void service_sweep(struct service *service);

/* Does the service accept requests? Not before the cache is complete and the operations of an
 * earlier process are finished. */
bool service_is_ready(const struct service *service);

/* The sender of a request. */
struct service_actor {
    struct text tenant;
    struct text user;
    const struct change_reach *reach; /* what the sender may read; NULL: the whole tenant */
};

/* The answer. */
struct service_answer {
    const struct err_list *errors; /* If there are any, nothing was done. */
    struct text body;              /* JSON; with errors: context for them, or empty */
    /* In place of a body, if requested; the receiver ends them. Else NULL. */
    struct service_rows *rows;
    uint64_t revision;    /* of the store, to which the answer refers */
    uint64_t etag;        /* revision of the single object in the answer; 0: none */
    bool is_made;         /* An object was created. */
    struct text location; /* kind and name of that object: clusters/shop; may be empty */
    struct text next;     /* of a list: token of the next page; empty: there is none */
};

typedef void service_done(void *arg, const struct service_answer *answer);

/* ---- reading ---- */

/* A list of objects of a kind. Zero fields are no condition. */
struct service_list {
    const struct schema_kind *kind;
    struct text cluster;  /* of node groups: only those of this cluster, by name or id */
    struct text selector; /* labels; see UX.md 3.2 */
    struct text next;     /* token of the former page */
    struct text fields;   /* only these fields: metadata.name,spec.size */
    size_t limit;
    uint64_t at_revision; /* at this revision; 0: now */
    uint64_t at_ms;       /* the same by time, since 1970; used if at_revision is 0 */
    bool is_lines;        /* one object on each line; the token is only in the answer */
    bool takes_rows;      /* The sender accepts rows (service_rows.h) for a long list. */
};

/* Answers {"items":[...],"next":"...","revision":N}. All pages of a list show the revision of the
 * first page. */
void service_list(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_list *list, service_done *done, void *arg);

/* The representation of one object. */
enum service_view {
    SERVICE_VIEW_OBJECT,    /* kind, metadata, spec, status; a cluster with its groups */
    SERVICE_VIEW_EXPORT,    /* flat form that apply reads (FILE.md 9) */
    SERVICE_VIEW_EFFECTIVE, /* every value with its origin */
    SERVICE_VIEW_HISTORY,   /* its revisions: who made them, when, and why */
};

/* One object by name or id, now or (OBJECT only) at a revision, by its name at that revision. */
struct service_get {
    const struct schema_kind *kind;
    struct text name;
    enum service_view view;
    uint64_t at_revision; /* 0: now */
    uint64_t at_ms;       /* the same by time, since 1970; used if at_revision is 0 */
};

void service_get(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_get *get, service_done *done, void *arg);

/* The name of an object given by name or id; of a group CLUSTER/PATH. Of the arena; empty if there
 * is none. */
struct text service_name_find(struct service *service, struct arena *arena,
                              const struct service_actor *actor, const struct schema_kind *kind,
                              struct text name);

/* The name of the cluster with this id; empty if there is none (any more). */
struct text service_cluster_name(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text id);

/* Events of one cluster, in order of their numbers, or (cluster empty) of the whole tenant in order
 * of revision; above a number, or revision. Answers {"items":[...],"more":BOOL,"revision":N}.
 *
 * Without `is_newest` these are the oldest above `after`, and `more` says that newer ones follow.
 * With it they are the newest below `before` (0: of all), and `more` says that older ones exist.
 * `since_revision` and `since_ms` (wall time) raise `after`; 0: they do not. */
struct service_events {
    struct text cluster;
    uint64_t after;
    uint64_t before;
    uint64_t since_revision;
    uint64_t since_ms;
    size_t limit;
    bool is_newest;
};

void service_events(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct service_events *events, service_done *done, void *arg);

/* The live stream of events (state/event_tail.h). It is freed with the service. */
struct event_tail *service_event_tail(struct service *service);

/* ---- records of the controller ---- */

/* Is this a kind that the controller writes: Resource, Hold, Job? */
bool service_is_kept(const struct schema_kind *kind);

/* The requested records: of a cluster, or (empty) of the whole tenant; pages as in service_list. */
struct service_kept {
    const struct schema_kind *kind;
    struct text cluster;
    struct text group; /* of holds: those of this group and of groups below it; empty: all */
    struct text next;
    size_t limit; /* 0: the page size */
};

/* The current records:
 * {"items":[{"kind":"Resource","metadata":{cluster,group,id,name,revision},
 * "status":{...}}],"next","revision"}.
 * The name of a hold is [GROUP:]RULE, that of a job the revision of its change. */
void service_kept(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_kept *kept, service_done *done, void *arg);

/* The jobs with this number, one for each cluster of the change. R0403: there is none. */
void service_job(struct service *service, struct arena *arena, const struct service_actor *actor,
                 struct text number, service_done *done, void *arg);

/* One such record, for display. */
struct service_kept_row {
    struct text id; /* the part of the key after /TENANT/KIND/ */
    struct text spec;
    struct text status;
    uint64_t revision;
};

void service_kept_show(struct service *service, struct arena *arena, struct text tenant,
                       const struct schema_kind *kind, const struct service_kept_row *row,
                       struct buf *out);

/* ---- why ---- */

/* The archived passes of a cluster, oldest first: {"items":[{"base","pass"}],"revision"}. */
void service_passes(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text cluster, service_done *done, void *arg);

/* One archived pass:
 * {"actions","base","cluster","epoch","holds","kept","pass","planner","record","revision","time"}
 * and, unless only the record is requested, {"limits","plan":[LINE],"world":{...}}. The record is
 * the input from which the decision can be repeated (plan/ledger.h), in hexadecimal. R0435: the
 * pass is not archived. */
struct service_pass {
    struct text cluster;
    uint64_t number;
    bool is_record;
};

void service_pass_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_pass *pass,
                      service_done *done, void *arg);

/* The subject of a `why` request: a hold [GROUP:]RULE, an event by its number, or by name a node, a
 * machine's token or id, or a group's path; all empty: the cluster. A node is the machine that is
 * in its slot now; with is_previous it is the last machine that was destroyed there. */
struct service_why {
    struct text cluster;
    struct text hold;
    uint64_t event;
    struct text name;
    bool is_previous;
};

/* Answers
 * {"act","actor","cluster","fact","inputs":{...},"pass","revision","rule",
 * "says","steps":[EVENT],"subject","time"}:
 * the decision, the inputs of its rule, and earlier decisions about the same subject. For a node
 * also its present state ("machine":{"displayed",...}) and whether another machine was in its slot
 * before ("hasPrevious"). R0434: nothing is known. */
void service_why(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_why *why, service_done *done, void *arg);

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

/* The problem of each selected machine: the JSON of {cause,hint,kind,next,nextAt,since}; empty:
 * none. The repair policies of a cluster's groups are read once for consecutive machines of it
 * (service_problem.c). Of the arena. */
struct select_node;
struct service_problems;
struct service_problems *service_problems_new(const struct service *service, struct arena *arena);
struct text service_problem_text(struct service_problems *problems, const struct select_node *node);

/* The facts of a cluster's members: the bytes of /etc/cluster_facts.json, or (node not empty: name,
 * token or machine id) those of one member. R0403; R0730: no facts are known yet. */
void service_facts(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text cluster, struct text node, service_done *done, void *arg);

/* Output of a machine's stages: {lines: [{attempt, stage, text, time}], more, next}. R0403; R0548:
 * this process has no controller; R0426: `from` is invalid; R0729: the output cannot be read. */
void service_logs(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_logs *logs, service_done *done, void *arg);

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

/* The plugins of this manager, or (name not empty) one of them. R0611: there is none. */
void service_plugins(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text name, service_done *done,
                     void *arg);

/* ---- changing ---- */

/* Upper limits for the disruptive effects of a request. */
struct service_allow {
    uint64_t destroy; /* nodes, and clusters */
    uint64_t replace;
    uint64_t reboot;
    uint64_t rename;
    uint64_t lift; /* pauses of deleted objects */
    /* Members that have been ready, on which non-idempotent stages run again. */
    uint64_t rerun;
};

struct service_change {
    enum change_mode mode;
    const struct doc *documents; /* as sent */
    size_t document_count;
    bool is_file; /* They are from a file: warnings have line and column. */
    /* CHANGE_CREATE, _REPLACE, _DELETE of one object: "clusters/shop"; may be empty. */
    struct text single;
    uint64_t if_match; /* revision that the object must have; 0: any */
    /* The sender did not state the revision that was seen: protected objects are not changed. */
    bool is_unpinned;
    const struct text *takes;
    size_t take_count;
    bool refreshes_from;
    /* Of a dry run: digests of bundles that will be uploaded before the change. */
    const struct text *bundles;
    size_t bundle_count;
    bool allows_missing_plugins; /* A group may name a plugin that the manager does not know. */
    bool supersedes;             /* CHANGE_APPLY: it may supersede running rollouts. */
    bool is_dry_run;
    bool is_saved;              /* Store the plan instead of executing it. */
    bool is_saved_unless_empty; /* The same, unless the plan would write nothing. */
    /* Names and ranges of machines that are removed first when one group shrinks; may be empty. */
    struct text victims;
    /* Names and ranges of machines to replace although nothing changes, or "*" for all of one
     * group; may be empty. */
    struct text replaces;
    /* Names and ranges of machines to reboot. "-": drop requested reboots of the group that have
     * not begun. May be empty. */
    struct text reboots;
    struct service_allow allow;
    struct text why;
    struct text idempotency_key; /* may be empty */
};

/* Make a change, or its plan: {"revision","objects":[{kind,name,id,change}],"plan","kept","needs"},
 * "id" of a saved plan, "lifts" if pauses are lifted, and "warnings" if there are any, in the form
 * of fault.h. */
void service_change(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct service_change *change, service_done *done, void *arg);

/* Change one object by a patch. As service_change, but mode and documents are ignored. */
struct service_patch {
    const struct schema_kind *kind;
    struct text name;
    enum change_patch_kind patch_kind;
    const struct doc *patch;
    struct service_change change;
};

void service_patch(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_patch *patch, service_done *done, void *arg);

/* Restore an object as of an earlier revision (0: before its newest change). */
struct service_undo {
    const struct schema_kind *kind;
    struct text name;
    uint64_t to_revision;
    struct service_change change;
};

void service_undo(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_undo *undo, service_done *done, void *arg);

/* The saved plans of a tenant: {"items":[{by,created,id,needs,objects,sums,why}],"revision"}. */
void service_plan_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, service_done *done, void *arg);

/* service_plan_get answers a saved plan. service_plan_apply executes exactly that plan; of
 * `requests` it uses `allow`, `supersedes` and the idempotency key. */
void service_plan_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, struct text id, service_done *done,
                      void *arg);
void service_plan_apply(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text id,
                        const struct service_change *requests, service_done *done, void *arg);

#endif

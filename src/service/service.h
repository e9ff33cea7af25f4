#ifndef REEVE_SERVICE_SERVICE_H
#define REEVE_SERVICE_SERVICE_H

#include "base/err.h"
#include "state/cache.h"
#include "service/change_patch.h"
#include "records/plugin_origin.h"

/* What the manager answers. The API reaches objects through this and nothing else; who may ask for
 * what was decided before (a request names its tenant and who asks).
 *
 * One request, one arena: it comes in with the request and everything of the answer lives in it. An
 * answer comes exactly once, and may come before the call returns. All calls are on the loop thread. */
struct service;

/* Commands on many machines (service/exec.h). */
struct exec_order;
struct exec_port;
struct exec_run;
struct exec_event;

/* What it needs of the world. */
struct service_ports {
    int64_t (*wall_ms)(void *arg); /* since 1970 */
    void (*id_make)(void *arg, char out[static 37]);
    void *arg;
};

/* Serve the objects of a store, through a cache of it. */
struct service *service_new(struct store *store, struct cache *cache, struct service_ports ports);

/* Which output of a machine's stages is asked for. */
struct service_logs {
    struct text cluster;
    struct text node; /* its name, token or machine's id */
    bool has_stage;   /* else all of them, in their order */
    uint32_t stage;   /* from 0 */
    uint32_t attempt; /* 0: the newest of each stage, and those that come */
    struct text from; /* what `next` of the answer before says; empty: from the beginning */
};

/* A piece of an archive of `size` bytes, from `offset` on. */
struct service_piece {
    struct text tenant; /* whose it will be */
    bool
        is_owned; /* it is the tenant's already; else all of its bytes have to come, whoever else has sent it */
    struct text digest; /* of the archive */
    uint64_t size;
    uint64_t offset;
    struct text bytes;
};

/* The controller of this process. What is written here it makes true, so answers name the job. */
struct service_controller {
    /* Make one pass over a cluster (TENANT/ID). `done` is told its report (JSON; empty: this process ends first).
     * False: there is nothing to be kept. */
    bool (*pass)(void *arg, struct text cluster, bool is_dry,
                 void (*done)(void *done_arg, struct text report), void *done_arg);
    /* As control_is_behind has it. NULL: no pass is ever made here. */
    bool (*is_behind)(void *arg, struct text tenant, uint64_t revision);
    /* The time by the clock of a cluster (TENANT/ID), which its records have; 0, or NULL: nobody knows. */
    uint64_t (*clock)(void *arg, struct text cluster);
    /* As control_is_calling has it. NULL: nothing is known of calls. */
    bool (*is_calling)(void *arg, struct text cluster, struct text token);
    /* What plugins say of themselves; NULL: nobody knows. */
    const struct model_plugins *plugins;
    /* Ask a plugin whether properties (JSON) are right: pairs of pointer and fault. `done` comes once, and where the
     * plugin cannot be asked, without faults and with the reason. */
    void (*judge)(void *arg, struct text tenant, struct text plugin, struct text properties,
                  void (*done)(void *done_arg, struct wire_list faults, struct text problem),
                  void *done_arg);
    /* The plugins here, as a list of documents with `name`; NULL: there are none. */
    struct doc (*plugins_show)(void *arg, struct arena *arena, struct text tenant);
    /* How the accounts of a tenant stand: a list of {name, plugin, sha256, problem, fix}; NULL: nobody knows. */
    struct doc (*accounts_show)(void *arg, struct arena *arena, struct text tenant);
    /* How fetching of plugins is set, for people: a map; NULL: nothing is fetched. */
    struct doc (*fetch_show)(void *arg, struct arena *arena);
    /* With which rights the manager runs: a map; NULL: nobody knows. */
    struct doc (*manager_show)(void *arg, struct arena *arena);
    /* A short certificate for a key (a line), by which `who` logs in to machines of a cluster (TENANT/ID). `done` comes once,
     * perhaps at once; err NULL: here it is. NULL: nobody logs in by this manager. */
    void (*enter)(void *arg, struct text cluster, struct text who, struct text key,
                  void (*done)(void *done_arg, struct text certificate, const struct err *err),
                  void *done_arg);
    /* Commands on many machines; NULL: none are run by this manager. */
    const struct exec_port *exec;
    /* Install a plugin, as service_plugin_install has it. NULL: there are none. */
    void (*plugin_install)(void *arg, const struct plugin_order *order,
                           void (*done)(void *done_arg, const struct doc *doc,
                                        const struct err *err),
                           void *done_arg);
    /* Keep a bundle, as service_bundle_put has it; is one kept? NULL: none are. */
    bool (*bundle_put)(void *arg, struct text bytes, struct arena *arena, struct doc *out,
                       struct err *err);
    bool (*bundle_has)(void *arg, struct text digest);
    /* Does the manager log in to machines of this plugin? NULL: to none. */
    bool (*logs_in)(void *arg, struct text plugin);
    /* Take a piece of one, as service_bundle_piece has it. NULL: none are kept. */
    bool (*bundle_piece)(void *arg, const struct service_piece *piece, uint64_t *out_have,
                         struct err *err);
    /* Output of the stages of a machine, as service_logs has it; its token is checked. NULL: none is kept. */
    bool (*logs)(void *arg, struct arena *arena, struct text token, const struct service_logs *logs,
                 struct doc *out, struct err *err);
    /* The token of a machine of this name that has no record any more, and of whose output something is kept. */
    bool (*logs_gone)(void *arg, struct arena *arena, struct text tenant, struct text cluster,
                      struct text node, struct text *out_token);
    /* Fetch a plugin anew: `done` comes once, with a document about what came, or an error. NULL: nothing is fetched. */
    void (*plugin_upgrade)(void *arg, struct text tenant, struct text plugin,
                           void (*done)(void *done_arg, const struct doc *doc,
                                        const struct err *err),
                           void *done_arg);
    void *arg;
};

void service_keeps(struct service *service, const struct service_controller *reconciler);

/* End it: the cache is ended first, then the store, which answers what is under way, then this. NULL is
 * allowed. */
void service_free(struct service *service);

/* Carry on; to be called after cache_run. */
void service_run(struct service *service);

/* Remove plans and marks of requests that have expired, a bounded number of them; to be called every few
 * minutes. */
void service_sweep(struct service *service);

/* May it be asked? Not before the cache has everything and what an earlier life has begun is done. */
bool service_is_ready(const struct service *service);

/* Who asks, and what for. */
struct service_actor {
    struct text tenant;
    struct text user;
    const struct change_reach *reach; /* what he may read; NULL: all of the tenant */
};

/* The answer. */
struct service_answer {
    const struct err_list *errors; /* where there are any nothing was done */
    struct text body;              /* JSON; with errors: what helps to understand them, or empty */
    struct service_rows *rows; /* in place of a body, where they were asked for: ended by who takes
                                      them; else NULL */
    uint64_t revision;         /* of the store, at which this is true */
    uint64_t etag;             /* revision of the one object that is answered; 0 = none */
    bool is_made;              /* an object was made */
    struct text location;      /* its kind and name: clusters/shop; may be empty */
    struct text next;          /* of a list: the token of the next page; empty = there is none */
};

typedef void service_done(void *arg, const struct service_answer *answer);

/* ---- reading ---- */

/* Which objects of a kind. Zero fields are no condition. */
struct service_list {
    const struct schema_kind *kind;
    struct text cluster;  /* of node groups: only those of this cluster, by name or id */
    struct text selector; /* labels; see UX.md 3.2 */
    struct text next;     /* the token a former page ended with */
    struct text fields;   /* only these: metadata.name,spec.size */
    size_t limit;
    uint64_t at_revision; /* as it was then; 0 = now */
    uint64_t at_ms;       /* the same by time, since 1970; counts where at_revision is 0 */
    bool is_lines;        /* one object a line; the token is in the answer alone */
    bool takes_rows;      /* who asks takes rows (service_rows.h) of a list that is long */
};

/* {"items":[...],"next":"...","revision":N}. All pages of a list show one revision: that of the first. */
void service_list(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_list *list, service_done *done, void *arg);

/* How one object is shown. */
enum service_view {
    SERVICE_VIEW_OBJECT,    /* kind, metadata, spec, status; a cluster with its groups */
    SERVICE_VIEW_EXPORT,    /* the flat form that apply takes (FILE.md 9) */
    SERVICE_VIEW_EFFECTIVE, /* every value with its origin */
    SERVICE_VIEW_HISTORY,   /* its revisions: who, when, why */
};

/* One object by name or id, now or (OBJECT alone) as it was at a revision: by the name it had then. */
struct service_get {
    const struct schema_kind *kind;
    struct text name;
    enum service_view view;
    uint64_t at_revision; /* 0 = now */
    uint64_t at_ms;       /* the same by time, since 1970; counts where at_revision is 0 */
};

void service_get(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_get *get, service_done *done, void *arg);

/* The name of an object that is asked for by name or id; of a group CLUSTER/PATH. In the arena; empty
 * where there is none. */
struct text service_name_find(struct service *service, struct arena *arena,
                              const struct service_actor *actor, const struct schema_kind *kind,
                              struct text name);

/* The name of the cluster with this id; empty where there is none (any more). */
struct text service_cluster_name(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text id);

/* Events of one cluster, in order of their numbers, or (cluster empty) of the whole tenant in order of
 * revision; above a number, or revision. {"items":[...],"more":BOOL,"revision":N}.
 *
 * Without `is_newest` these are the oldest above `after`, and `more` says that newer ones follow. With it they are
 * the newest below `before` (0: of all), and `more` says that older ones exist. `since_revision` and
 * `since_ms` (wall time) raise `after`; 0: they do not. */
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

/* Those that come from now on, for who follows them (state/event_tail.h). Ends with the service. */
struct event_tail *service_event_tail(struct service *service);

/* ---- what is kept ---- */

/* Kinds that the controller writes down: Resource, Hold, Job. */
bool service_is_kept(const struct schema_kind *kind);

/* Which of them: of a cluster, or (empty) of the whole tenant; pages as in service_list. */
struct service_kept {
    const struct schema_kind *kind;
    struct text cluster;
    struct text group; /* of holds: those of this group and of groups within it; empty: all */
    struct text next;
    size_t limit; /* 0: as many as a page has */
};

/* As their records stand:
 * {"items":[{"kind":"Resource","metadata":{cluster,group,id,name,revision},"status":{...}}],"next","revision"}.
 * A hold's name is [GROUP:]RULE, a job's the revision whose change it carries out. */
void service_kept(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_kept *kept, service_done *done, void *arg);

/* The jobs with this number, one for each cluster that the change was about. R0403: there is none. */
void service_job(struct service *service, struct arena *arena, const struct service_actor *actor,
                 struct text number, service_done *done, void *arg);

/* One of them, as it is shown. */
struct service_kept_row {
    struct text id; /* behind /TENANT/KIND/ */
    struct text spec;
    struct text status;
    uint64_t revision;
};

void service_kept_show(struct service *service, struct arena *arena, struct text tenant,
                       const struct schema_kind *kind, const struct service_kept_row *row,
                       struct buf *out);

/* ---- why ---- */

/* The passes of a cluster that are kept, oldest first: {"items":[{"base","pass"}],"revision"}. */
void service_passes(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text cluster, service_done *done, void *arg);

/* One of them: {"actions","base","cluster","epoch","holds","kept","pass","planner","record","revision","time"} and,
 * unless only the record is asked for, {"limits","plan":[LINE],"world":{...}}. The record is what it can be decided
 * again from (plan/ledger.h), in hexadecimal. R0435 where it is not kept. */
struct service_pass {
    struct text cluster;
    uint64_t number;
    bool is_record;
};

void service_pass_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_pass *pass,
                      service_done *done, void *arg);

/* Of what is asked why: a hold [GROUP:]RULE, an event by its number, or a node, a machine's token or id, a group's
 * path; all of them empty: the cluster. A node is the machine that is in its slot now; with is_previous it is the machine that was
 * destroyed there last. */
struct service_why {
    struct text cluster;
    struct text hold;
    uint64_t event;
    struct text name;
    bool is_previous;
};

/* {"act","actor","cluster","fact","inputs":{...},"pass","revision","rule","says","steps":[EVENT],"subject","time"}: the
 * decision, of a node also its present state ("machine":{"displayed",...}) and
 * whether another machine was in its slot before ("hasPrevious"), what its rule had before it, and what was decided about the same before. R0434 where nothing is known. */
void service_why(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_why *why, service_done *done, void *arg);

/* What an operator says of a cluster or a group that is kept. */
enum service_command {
    SERVICE_COMMAND_PAUSE, /* no call is made; watching goes on */
    SERVICE_COMMAND_RESUME,
    SERVICE_COMMAND_APPROVE, /* what a hold keeps may be done */
    SERVICE_COMMAND_REJECT,  /* what a hold keeps is not done */
    SERVICE_COMMAND_RETRY,   /* what waits after refusals is tried again */
    SERVICE_COMMAND_ROLLOUT_PAUSE,
    SERVICE_COMMAND_ROLLOUT_ABORT,
    SERVICE_COMMAND_ROLLOUT_RESUME,
    SERVICE_COMMAND_ROTATE,    /* the authorities of a cluster are changed */
    SERVICE_COMMAND_REVOKE,    /* the keys of a machine are taken back */
    SERVICE_COMMAND_BOOTSTRAP, /* stages of a machine are run again */
    SERVICE_COMMAND_ACCEPT,    /* a machine has this host key from now on */
    SERVICE_COMMAND_ABANDON,   /* a machine that is being released is not waited for any more */
};

struct service_say {
    const struct schema_kind *kind; /* Cluster or NodeGroup */
    struct text name;
    enum service_command word;
    struct text rule; /* of the hold */
    struct text node; /* of REVOKE, BOOTSTRAP and ACCEPT: its name, token or machine's id */
    struct text key;  /* of ACCEPT: "TYPE BASE64", or the fingerprint of what it has shown */
    struct text
        from; /* of BOOTSTRAP: the stage from which on all is run again; empty: what did not end well */
    bool is_again;   /* of RETRY and BOOTSTRAP: also stages that are not idempotent */
    uint64_t for_ms; /* of PAUSE: so long; 0: until somebody resumes it */
    struct text why;
};

/* Say it: {"revision"}. R0403 where there is no such object or hold, R0433 where it is said already,
 * R0715 and R0716 where a host key cannot be accepted, R0754 where authorities cannot be changed, R0811 where stages that are not idempotent would run again and nobody has said so. */
void service_say(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_say *say, service_done *done, void *arg);

/* Have the controller make one pass over a cluster: its report, {"actions","cluster","end","holds","machines",
 * "message","revision"}. R0403; R0548: no controller is here. */
void service_pass(struct service *service, struct arena *arena, const struct service_actor *actor,
                  struct text cluster, bool is_dry, service_done *done, void *arg);

struct service_enter {
    struct text cluster;
    struct text node; /* its name, token or machine's id */
    struct text key;  /* line of a public key, checked by the caller: whose owner wants in */
};

/* Let somebody log in to a machine: {address, certificate, hostKey, node, port, user}; an event says who. R0403; R0548: no
 * controller is here; R0710 to R0713: nobody gets in now. */
void service_enter(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_enter *enter, service_done *done, void *arg);

/* So many, or so many of a hundred. */
struct service_share {
    uint32_t number;
    bool is_percent;
    bool is_given;
};

struct select_request;
struct select_nodes;

/* A command on machines of one cluster. Zero fields: as limits.h has it (LIMIT_EXEC_...). */
/* In which batches many machines are taken (UX.md 3.3). */
struct service_batching {
    struct service_share batch;    /* so many at once */
    struct service_share max_fail; /* none are begun when so many have failed */
    uint64_t pause_ms;             /* between batches */
    uint64_t canary;      /* so many first, alone; when one of them fails no others are begun */
    uint64_t bake_ms;     /* behind them */
    uint64_t deadline_ms; /* of the whole; 0: none */
    struct text by;       /* name, zone or random; empty: name */
    uint64_t seed;        /* of random; 0: the service draws one */
    bool is_zone_apart;   /* never two zones at once */
};

struct service_exec {
    const struct select_request *request;
    struct text command;
    uint64_t timeout_ms;
    uint64_t output_max;
    struct service_batching batching; /* no batch: all at once; no max_fail: however many */
    bool is_dry;                      /* only say who, in which batches */
};

/* It has begun; or (run and port NULL) this is how it would. */
struct service_exec_begun {
    const struct select_nodes
        *nodes; /* in the order that they are begun in; live in the arena of the request */
    const struct exec_order *order; /* as long */
    const struct exec_port *port;
    struct exec_run *run; /* the caller's to drop */
    uint64_t revision;
    uint64_t seed; /* of a random order; else 0 */
};

/* begun NULL: an error says why it has not. */
typedef void service_exec_done(void *arg, const struct service_exec_begun *begun,
                               const struct err *err);

/* Run it; an event says who does. `done` comes once, `told` (with the same arg) only behind it. R0403; R0426; R0795; R0548: no
 * controller is here; R0780: no machine is meant; R0781: too many commands run. */
void service_exec(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_exec *exec,
                  void (*reported)(void *arg, const struct exec_event *reported),
                  service_exec_done *done, void *arg);

/* Stages of many machines run again, in batches (decision 0107). */
struct service_bootstrap {
    const struct select_request *request;
    struct text
        from; /* the stage from which on all run again: a number, or its name in each group; empty: what did not end well */
    bool is_again; /* also stages that are not idempotent */
    struct text why;
    struct service_batching batching; /* no batch: 10 %; no max_fail: as many as a batch has */
    bool is_dry;
};

/* Write down what is to run, where and in which batches; whoever holds the cluster's lease works it off, as a job:
 * {job, revision, nodes, batches: [{canary, nodes}], left: [{node, why}], seed}; dry: the same without job, and nothing is written.
 * R0403; R0426; R0795; R0548: no controller is here; R0780: no machine is meant that has stages; R0811: stages that are not idempotent would
 * run again and nobody has said so; R0814: too many machines; R0815: a machine is in such a job already. */
void service_bootstrap(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_bootstrap *order,
                       service_done *done, void *arg);

/* What is said of a job that works off batches. */
enum service_job_command {
    SERVICE_JOB_CANCEL, /* nothing more is begun: what runs comes to its end */
    SERVICE_JOB_PAUSE,  /* the same, until it is resumed */
    SERVICE_JOB_RESUME,
};

struct service_job_say {
    struct text number;
    enum service_job_command word;
    struct text why;
};

/* Say it: {"revision"}. R0403: there is no such job, or it has ended; R0433: it is said already; R0816: it is a job of a change, which
 * has words of its own. */
void service_job_say(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text cluster,
                     const struct service_job_say *say, service_done *done, void *arg);

/* What is wrong with machines that were selected, each of them: the JSON of {cause,hint,kind,next,nextAt,since}; empty: nothing is. What
 * the groups of a cluster say of healing is read once for those that follow each other (service_problem.c). Of the arena. */
struct select_node;
struct service_problems;
struct service_problems *service_problems_new(const struct service *service, struct arena *arena);
struct text service_problem_text(struct service_problems *problems, const struct select_node *node);

/* What members of a cluster say of themselves: the bytes of /etc/cluster_facts.json, or (node not empty: its name, token or
 * machine's id) one member of it. R0403; R0730: nothing is known yet. */
void service_facts(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text cluster, struct text node, service_done *done, void *arg);

/* Output of a machine's stages: {lines: [{attempt, stage, text, time}], more, next}. R0403; R0548: no controller is here; R0426:
 * `from` is none of ours; R0729: it cannot be read. */
void service_logs(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_logs *logs, service_done *done, void *arg);

/* Fetch anew what files want of a plugin: {name, state, digest, version, url, ...}; state is moved, waits (for an approval) or
 * same. R0611, R0640 and on: it cannot be. */
void service_plugin_upgrade(struct service *service, struct arena *arena,
                            const struct service_actor *actor, struct text name, service_done *done,
                            void *arg);

/* Keep a bundle: {bytes, digest, members}; and say whether one is kept: {digest}, R0403. */
void service_bundle_put(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text bytes, service_done *done,
                        void *arg);
void service_bundle(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text digest, service_done *done, void *arg);

/* Let the actor's tenant use a bundle that is kept: {digest}. R0403: it is not. */
void service_bundle_share(struct service *service, struct arena *arena,
                          const struct service_actor *actor, struct text digest, service_done *done,
                          void *arg);

/* Take a piece of the archive of a bundle, in the order of its bytes: {bytes, digest, have}. One that does not begin at `have` is
 * not taken; where that is all of `bytes` the bundle is kept. */
void service_bundle_piece(struct service *service, struct arena *arena,
                          const struct service_actor *actor, const struct service_piece *piece,
                          service_done *done, void *arg);

/* Install a plugin: {name, state, digest, version, url, bytes, by, profile, contract}; state is installed, replaced or same.
 * The order's tenant and user are the actor's. R0669, R0670, R0640 and on: it cannot be. */
void service_plugin_install(struct service *service, struct arena *arena,
                            const struct service_actor *actor, const struct plugin_order *order,
                            service_done *done, void *arg);

/* The plugins of this manager, or (name not empty) one of them, R0611 where there is none. */
void service_plugins(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text name, service_done *done,
                     void *arg);

/* ---- changing ---- */

/* Upper bounds of what a request may destroy and the like. */
struct service_allow {
    uint64_t destroy; /* nodes, and clusters */
    uint64_t replace;
    uint64_t reboot;
    uint64_t rename;
    uint64_t lift; /* pauses of what is deleted */
    /* members that have been in service, on which stages that are not idempotent run again */
    uint64_t rerun;
};

struct service_change {
    enum change_mode mode;
    const struct doc *documents; /* as they were sent */
    size_t document_count;
    bool is_file; /* they are those of a file: warnings have their line and column in it */
    struct text
        single; /* CHANGE_CREATE, _REPLACE, _DELETE of one object: "clusters/shop"; may be empty */
    uint64_t if_match; /* revision the one object must have; 0 = any */
    bool
        is_unpinned; /* its sender has not said which revision he has seen: what is protected stays as it is */
    const struct text *takes;
    size_t take_count;
    bool refreshes_from;
    const struct text
        *bundles; /* of a dry run: digests of bundles that are sent before the change */
    size_t bundle_count;
    bool allows_missing_plugins; /* a group may name a plugin that the manager does not know */
    bool supersedes; /* CHANGE_APPLY: it may take the place of rollouts that are under way */
    bool is_dry_run;
    bool is_saved;              /* store the plan instead of carrying it out */
    bool is_saved_unless_empty; /* and one that would write nothing not even that */
    struct text
        victims; /* machines that go first, by names and ranges: with a smaller size of one group; may be empty */
    /* Machines that are replaced although nothing changes, by names and ranges, or "*" for all of one group; may be empty. */
    struct text replaces;
    /* Machines that are rebooted, by names and ranges; "-": requested reboots of the group that have not begun are dropped; may be empty. */
    struct text reboots;
    struct service_allow allow;
    struct text why;
    struct text idempotency_key; /* may be empty */
};

/* Make a change, or its plan: {"revision","objects":[{kind,name,id,change}],"plan","kept","needs"}, "id" of a saved plan, "lifts" where pauses are lifted,
 * and "warnings" where there are any, as fault.h has them. */
void service_change(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct service_change *change, service_done *done, void *arg);

/* Change one object by a patch. The rest is as in service_change: mode and documents are ignored. */
struct service_patch {
    const struct schema_kind *kind;
    struct text name;
    enum change_patch_kind patch_kind;
    const struct doc *patch;
    struct service_change change;
};

void service_patch(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_patch *patch, service_done *done, void *arg);

/* Bring back what an object was at an earlier revision (0: before its newest change). */
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

/* A saved plan: what it says, or carry out exactly that; of the requests `allow`, `supersedes` and the key count. */
void service_plan_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, struct text id, service_done *done,
                      void *arg);
void service_plan_apply(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text id,
                        const struct service_change *requests, service_done *done, void *arg);

#endif

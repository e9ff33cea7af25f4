#ifndef REEVE_SERVICE_SERVICE_PARTS_H
#define REEVE_SERVICE_SERVICE_PARTS_H

#include "base/map.h"
#include "state/commit.h"
#include "service/exec.h"
#include "records/fleet.h"
#include "records/record.h"
#include "records/node_state.h"
#include "service/service.h"
#include "plan/ledger.h"

/* names: service_ mutation_ */

/* Internals of service.h, shared by its parts. */

/* The pins of a saved plan that is being executed. */
struct mutation_pins {
    const struct store_compare *items;
    size_t count;
};

struct fleet_cluster;

/* An unfinished answer as JSON: "{...}" in three parts: the members before the job, those up to the
 * revision, and the rest. Job and revision become known when the change is committed. */
struct mutation_notice {
    struct text head;
    struct text middle;
    struct text tail;
    bool has_job;
};

/* One change in progress. Lives in the request's arena. */
struct mutation {
    struct mutation *next; /* in the list in which it waits */
    struct service *service;
    struct arena *arena; /* the request's */
    int64_t held_ms;     /* since when it waits for a plugin or a pass; 0: it does not */
    /* Arena of this attempt. NULL: none, or freed after the store received the transaction. */
    struct arena *work;
    struct service_actor actor;
    struct service_change request;
    const struct service_patch *patch; /* source of the document at every attempt; NULL: none */
    const struct change_known *known;  /* objects that the patch has read; NULL: none */
    /* The state that an undo restores. NULL: none, or its origin is unknown. */
    const struct stored_object *restores;
    const struct mutation_pins *pins; /* NULL: newer objects are accepted */
    service_done *done;
    void *arg;
    struct err_list errors;
    struct change change;
    struct commit commit;
    struct text meaning; /* of a request without documents: undo, a saved plan */
    struct text plan_id; /* of a plan that is saved */
    struct text used_id; /* of the saved plan that it executes; empty: none */
    int64_t begun_ms;    /* when the request arrived, by the wall clock */
    struct mutation_notice reported;
    struct judgement *judgements; /* validation results of plugins */
    size_t judging;               /* number of pending validations */
    uint64_t wanted;              /* revision that the cache must reach first */
    size_t batch;                 /* objects before this index are written */
    size_t batch_end;
    unsigned tries;
    bool is_written; /* committed: only the answer is left */
    bool is_large;   /* It is an operation: other changes have to wait for its end. */
    bool makes;      /* It creates an object. */
};

struct mutation_row {
    struct mutation *first;
    struct mutation **last;
};

struct service {
    struct arena *memory;
    struct store *store;
    struct cache *cache;
    struct names *names;
    struct event_tail *tail;
    struct service_ports ports;
    struct mutation_row waiting; /* waiting for the cache to reach a revision */
    struct mutation_row held;    /* waiting for an operation to end */
    size_t operations;           /* number of running operations */
    struct arena *spare;         /* arena of the last change, reused by the next; NULL: in use */
    struct service_controller reconciler; /* pass is NULL: this process does not reconcile */
    uint64_t head_revision; /* of the oldest operation in progress; 0: there is none */
    int64_t head_since_ms;  /* when this manager first saw it */
    bool is_following;      /* This manager is completing another manager's operation. */
    bool is_resumed;
    bool is_resuming;
    bool is_sweeping;
};

/* Time of the request, RFC 3339. */
struct text service_now(const struct service *service, struct arena *arena);

/* An actor's action, for the event log of a cluster. It is committed with the action. Empty or 0
 * fields are left out. */
struct service_event {
    const char *type;
    struct text cluster; /* name and id of the cluster */
    struct text cluster_id;
    struct text group;
    /* The machine concerned, and its group; NULL: no single machine. */
    const struct record *machine;
    struct text fact;
    struct text rule;
    struct text why;
    size_t count; /* number of machines */
};
struct store_event service_event(const struct service *service, struct arena *arena,
                                 const struct service_actor *actor,
                                 const struct service_event *event);

/* Answer with one error. */
void service_refuse(struct service *service, struct arena *arena, const struct err *err,
                    service_done *done, void *arg);

/* Sets *err to R0403 for an object of this kind and name that does not exist. Always false. */
MUST_CHECK bool service_unfound(const struct schema_kind *kind, struct text name, struct err *err);

/* Answer with a document. */
void service_report(struct service *service, struct arena *arena, const struct doc *body,
                    service_done *done, void *arg);

/* Answer with JSON text. */
void service_report_body(struct service *service, struct arena *arena, struct text body,
                         service_done *done, void *arg);

/* Answer with {"items":[...],"next","revision"}; the items are already joined. */
void service_report_items(struct service *service, struct arena *arena, struct buf *items,
                          const struct cache_page *page, service_done *done, void *arg);

/* All recorded machines of a cluster, also those that are being destroyed; texts live in the arena
 * or the cache (mutation_going.c). */
struct record *mutation_records(struct mutation *mutation, struct text cluster, size_t *out_count);

/* Does this manager know the machines? A manager without a controller counts slots of the
 * specification: the maximal number. */
bool mutation_knows_machines(const struct mutation *mutation);

/* An object of the plan with `less` fewer nodes in its and the plan's `sums`: "destroy" or
 * "replace". */
struct doc mutation_sum_lower(struct mutation *mutation, const struct doc *planned,
                              const char *name, uint64_t less);

/* Put the names of removed machines into the plan of the change, in place of the last slots of a
 * group, with the rule that chose them. Those with tokens in `named` go first
 * (mutation_going.c). */
void mutation_going_report(struct mutation *mutation, const struct text *named, size_t named_count);

/* A member of a map of the plan; empty or 0: there is none. */
struct text mutation_text_of(const struct doc *map, const char *key);
int64_t mutation_number_of(const struct doc *map, const char *key);

/* The object of the change for this object of the plan; NULL: it is no cluster, or a new one. */
const struct change_object *mutation_current_find(const struct change *change,
                                                  const struct doc *planned);

/* Visit each object of the plan: one for which `report` returns true is replaced by *out
 * (mutation_plan.c). */
typedef bool mutation_object_report(void *arg, const struct doc *planned, struct doc *out);
void mutation_plan_report(struct mutation *mutation, mutation_object_report *report, void *arg);

/* mutation_rolls_report puts into the plan which of its groups have a running rollout, and how many
 * machines that has not replaced yet (`supersedes`). mutation_rolls_agreed: may the change
 * supersede those rollouts? R0439: the request does not allow it (mutation_rolls.c). */
void mutation_rolls_report(struct mutation *mutation);
MUST_CHECK bool mutation_rolls_agreed(const struct mutation *mutation, struct err *err);

/* Remove from the generations of these groups what their plugins change in place
 * (mutation_going.c). */
void mutation_groups_reduce(struct mutation *mutation, struct fleet_cluster *cluster);

/* mutation_slots_report puts into the plan how groups with changed stages run them in place
 * (`inPlace`). mutation_reruns_agreed: is there consent for non-idempotent stages that would run
 * again on members that have been ready? R0811: there is not (mutation_slots.c). */
void mutation_slots_report(struct mutation *mutation);
MUST_CHECK bool mutation_reruns_agreed(const struct mutation *mutation, struct err *err);

/* Add a key to the change of one object, with the revision at which it was read
 * (mutation_plan.c). */
void mutation_op_append(struct mutation *mutation, struct change_op op, uint64_t revision);

/* Add the machines that the request replaces to the commands of their group, to the needs and to
 * the plan (mutation_replace.c). R0820. */
MUST_CHECK bool mutation_replace_take(struct mutation *mutation, struct err *err);

/* The same for machines that the request reboots (mutation_reboot.c). R0821. */
MUST_CHECK bool mutation_reboot_take(struct mutation *mutation, struct err *err);

/* The same for machines that the request removes first when their group shrinks, without needs
 * (mutation_victims.c). R0791. */
MUST_CHECK bool mutation_victims_take(struct mutation *mutation, struct err *err);

/* Create a change; mutation_start begins it. */
struct mutation *mutation_new(struct service *service, struct arena *arena,
                              const struct service_actor *actor,
                              const struct service_change *change, service_done *done, void *arg);

/* An object at a former revision (service_past.c). */
void service_past_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_get *get,
                      service_done *done, void *arg);

/* Index the values of all keys with this last part by the key before it. The index lives as long as
 * the answer. */
struct map service_values_index(struct arena *arena, const struct store_answer *answer,
                                struct text part);

/* A list at a former revision (service_past_list.c). */
void service_past_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_list *list,
                       service_done *done, void *arg);

/* Find the revision at a time (service_seek.c). On failure `fault` is set, mostly R0503. */
typedef void service_seek_done(void *arg, uint64_t revision, const struct err *fault);

void service_seek(struct service *service, struct arena *arena, uint64_t at_ms,
                  service_seek_done *done, void *arg);

/* Find the position before the first event that is newer than a revision, or (at_revision 0) of
 * this wall time or later. Of a cluster (TENANT/ID) it is a number, of all (empty) a revision. */
struct service_seek_events {
    struct text cluster;
    uint64_t at_revision;
    uint64_t at_ms;
};
void service_seek_events(struct service *service, struct arena *arena,
                         const struct service_seek_events *wanted, service_seek_done *done,
                         void *arg);

/* Append a row of a list, reduced to the requested fields; the arena is for temporary data
 * (service_list.c). */
void service_row_trim(struct arena *arena, struct buf *out, struct text fields, struct text row);

/* The id of a cluster by name or id, also of a deleted one with archived passes. Empty: there is
 * none, and *err is set (service_passes.c). */
struct text service_kept_cluster(struct service *service, struct arena *arena, struct text tenant,
                                 struct text cluster, struct err *err);

/* Has a group (empty: any) machines of another than the desired generation, by the newest job of
 * the cluster? False if no job is running (service_roll.c). */
bool service_is_rolling(struct service *service, struct arena *arena, struct text tenant,
                        struct text cluster_id, struct text group);

/* Of a member that waits for its rollout slot: {job, next, since, waitsFor}; absent: it does not
 * wait (service_slots.c). */
struct doc service_slot_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text cluster_id, struct text cluster, struct text node);

/* Is a rollout in place of a group (empty: of any) running or held? */
bool service_is_rolling_in_place(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text cluster_id, struct text group);

/* Read an archived pass. On failure `fault` is R0435 or R0558 (service_passes.c). */
typedef void service_pass_read(void *arg, const struct ledger_pass *pass, const struct err *fault);

void service_pass_load(struct service *service, struct arena *arena, struct text tenant,
                       struct text cluster_id, uint64_t number, service_pass_read *done, void *arg);

/* The providers' messages for refused machines of a group: [{count, node, text}]. `node` is the
 * first of them; each text occurs once; at most LIMIT_WHY_WORDS entries (service_refused.c). */
struct doc service_refusals(const struct service *service, struct arena *arena, struct text tenant,
                            struct text cluster_id, struct text group);

/* For a deleted cluster whose last pass is older than LIMIT_PASSES_DAYS: the operations that remove
 * its passes and their index, at most `room`. Returns their number (service_passes.c). */
size_t service_passes_expire(struct service *service, struct arena *arena,
                             const struct cache_object *object, int64_t now_ms,
                             struct store_op *ops, size_t room);

/* Does a command that runs stages again have consent for non-idempotent ones? Checks the machines
 * of a cluster or group, or one machine (`only`; NULL: all). R0811: there is no consent. */
MUST_CHECK bool service_again_check(const struct service *service, struct text tenant,
                                    struct text cluster_id, struct text group,
                                    const struct record *only, const struct service_say *say,
                                    struct err *err);

/* The record of a machine of the cluster with this id, by name, token or machine id. Of several
 * matches one that is ready, else one that is not being destroyed. Its texts live in the arena.
 * False: there is none (service_nodes.c). */
bool service_machine_find(const struct service *service, struct arena *arena, struct text tenant,
                          struct text id, struct text name, struct record *out);

/* The same for machines that are being destroyed. */
bool service_machine_leaving_find(const struct service *service, struct arena *arena,
                                  struct text tenant, struct text id, struct text name,
                                  struct record *out);

/* Set *err for a name without a usable machine, as selections do: it may be the name of a group,
 * match several machines, or a machine that does not run. R0403, or R0426 if the name is invalid.
 * Always false (service_nodes.c). */
MUST_CHECK bool service_machine_unfound(const struct service *service, struct arena *arena,
                                        const struct service_actor *actor, struct text cluster,
                                        struct text node, struct err *err);

/* The displayed node state (CLUSTER/TOKEN) beside its record, as node_state_show
 * (service_nodes.c). */
struct doc service_node_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text id);

/* May the sender write everything that the change writes (I24)? R0409 (service_scope.c). */
MUST_CHECK bool service_scope_check(const struct service *service, struct arena *arena,
                                    const struct service_actor *actor, const struct change *change,
                                    struct err *err);

/* Send a transaction of a request to the store. If it would write outside of the sender's scope,
 * only the event access.escaped is written, and `done` is called with OUTCOME_REFUSED and R0409.
 * The actor must live until then. */
void service_txn(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct store_txn *txn, store_done *done, void *arg);

/* The same for a commit. False: it is not started, and `escaped` is called in place of `done`. */
bool service_commit(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct commit *commit, commit_done *done, store_done *escaped, void *arg);

/* Start a change: compute it, and write, save or report it (mutation.c). */
void mutation_start(struct mutation *mutation);

/* Let the plugins validate the properties in a change, and add their errors. False: validation is
 * running, and mutation_start is called when it has ended (mutation_judge.c). */
bool mutation_judge(struct mutation *mutation);

/* Have all machines of renamed groups moved to the new names, as far as this change could lose them
 * (mutation_renames.c)? R0438. */
MUST_CHECK bool mutation_renames_settled(struct mutation *mutation, struct err *err);

/* service_is_parted: is a multi-transaction change of a subject with one of these prefixes in
 * progress ("TENANT/ID", or "TENANT/" for a whole tenant)? service_follow continues one that its
 * own manager has abandoned (service_parted.c). */
bool service_is_parted(const struct service *service, struct text subjects);
void service_follow(struct service *service);

/* Continue waiting changes. */
void mutation_run_waiting(struct service *service);

/* Store the plan under its id, in several keys if needed (service_plans.c). */
void service_plan_store(struct mutation *mutation, commit_done *done, store_done *escaped);

/* service_plan_is_unused: does the saved plan exist, and was it not executed before?
 * service_plan_use adds the key that marks it as executed to the change's transaction, so that only
 * one of two concurrent executions takes effect. */
MUST_CHECK bool service_plan_is_unused(struct mutation *mutation, struct err *err);
void service_plan_use(struct mutation *mutation, struct store_compare *out_compare,
                      struct store_op *out_op);

/* The answer about a change, see service_change (mutation_answer.c). */
struct doc mutation_answer(struct mutation *mutation);

/* mutation_notice_make formats the answer in the request's arena, without job and revision.
 * mutation_reported_text is the complete answer of a written change. */
struct mutation_notice mutation_notice_make(struct mutation *mutation);
struct text mutation_reported_text(const struct mutation *mutation);

/* "create", "change", "delete" or "none". */
const char *mutation_word(const struct change_object *object);

/* The numbers of nodes and groups that are added, removed and changed. */
struct doc mutation_sums(struct arena *arena, const struct change *change);

/* A hash of the request, so that its idempotency key is not accepted for another request. */
uint64_t mutation_hash(const struct mutation *mutation);

/* Fill mutation->commit with the next batch of objects (mutation_commit.c). */
void mutation_commit_make(struct mutation *mutation);

/* May the authorities of a cluster be rotated? `request` is the newest such request. R0754: not
 * now. */
MUST_CHECK bool service_rotate_check(const struct service *service, struct text tenant,
                                     struct text cluster_id, const struct service_say *say,
                                     struct text request, struct err *err);

/* The same for several machines, each with the stage from which on all run again; or with is_failed
 * for stages that did not end well. */
struct service_again_node {
    struct text name;
    struct text token;
    uint64_t from;
};
MUST_CHECK bool service_again_check_nodes(const struct service *service, struct text tenant,
                                          struct text cluster_id,
                                          const struct service_again_node *nodes, size_t count,
                                          bool is_failed, struct err *err);

/* The number, or the percentage of `count`, rounded up; at least one. */
size_t service_share_of(const struct service_share *share, size_t count);

/* Sort the nodes in place and divide them into batches, of `usual` machines by default. With
 * is_repairing, unhealthy machines come first. Sets *out_seed for a random order, else to 0. R0426:
 * the batching is invalid. */
MUST_CHECK bool service_batches_make(const struct service *service, struct arena *arena,
                                     const struct service_batching *batching, size_t usual,
                                     bool is_repairing, struct select_nodes *nodes,
                                     struct exec_batches *out, uint64_t *out_seed, struct err *err);

/* The job that executes a batch request (batches.h). Before it has begun its number is the
 * request's revision. */
struct service_batches_row {
    uint64_t number;
    struct text marks; /* empty: it has not begun */
    bool is_over;
};
struct service_batches_row service_batches_find(const struct service *service, struct arena *arena,
                                                struct text tenant, struct text cluster_id,
                                                struct text name, uint64_t revision);

/* A command about one machine: revoke its keys, or run its stages again; as service_say. */
void service_say_of_node(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct service_say *say,
                         service_done *done, void *arg);

/* A transaction with an operator command. Its sender receives the revision or the error. */
struct service_saying {
    struct service *service;
    struct arena *arena;
    service_done *done;
    void *arg;
    /* The opposite answer to a hold that this one replaces; absent: none. */
    struct doc before;
    /* Groups that stay paused when their cluster is resumed: "shop/web shop/db"; empty: none. */
    struct text paused;
};

/* The store's answer to it; `arg` is a service_saying. */
void service_said(void *arg, enum outcome outcome, const struct store_answer *answer);

/* Read the state of a node, CLUSTER/TOKEN; false if it cannot be read. Texts live in the arena. */
bool service_node_read(const struct service *service, struct arena *arena, struct text tenant,
                       struct text id, struct node_state *out);

#endif

#ifndef REEVE_SERVICE_SERVICE_PARTS_H
#define REEVE_SERVICE_SERVICE_PARTS_H

#include "base/map.h"
#include "state/commit.h"
#include "service/exec.h"
#include "records/fleet.h"
#include "records/record.h"
#include "records/node_state.h"
#include "service/service_change.h"
#include "plan/ledger.h"

/* private to src/service src/query */
/* names: service_ mutation_ */

/* Internals of service.h, shared by its parts. */

/* The pins of a saved plan that is being executed. */
struct mutation_pins {
    const struct store_compare *items;
    size_t count;
};

struct fleet_cluster;
struct service_get;

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

/* The object of the change for this object of the plan; NULL: it is not a cluster, or a new one. */
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
 * (`inPlace`). mutation_reruns_agreed returns whether the request consents to non-idempotent stages
 * that would run again on members that have been ready; R0811 if it does not (mutation_slots.c). */
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

/* Read the state of a node, CLUSTER/TOKEN; false if it cannot be read. Texts live in the arena. */
bool service_node_read(const struct service *service, struct arena *arena, struct text tenant,
                       struct text id, struct node_state *out);

#endif

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

/* private to src/service src/query src/configs src/discovery */
/* public names start with: service_ mutation_ */

/* The pins of a saved plan that is being executed. */
struct mutation_pins {
    const struct store_compare *items;
    size_t count;
};

struct fleet_cluster;
struct service_get;

/* The answer before its job and its revision are known. It is the JSON text "{...}" in three parts:
 * before the job, from there to the revision, and the rest. The commit adds job and revision. */
struct mutation_notice {
    struct text head;
    struct text middle;
    struct text tail;
    bool has_job;
};

/* The recorded machines of one cluster, read once per attempt for all its parts. */
struct mutation_machines {
    struct text cluster; /* cluster of the records; empty: no records were read */
    uint64_t revision;   /* revision of the cache when the records were read */
    struct record *items;
    size_t count;
};

/* One change in progress. It lives in the arena of the request. */
struct mutation {
    struct mutation *next; /* next change in the waiting list that contains this change */
    struct service *service;
    struct arena *arena; /* arena of the request */
    int64_t held_ms;     /* begin of a wait for a plugin or a pass; 0: no wait */
    /* Arena of the current attempt. NULL: no attempt is active, or its transaction was sent. */
    struct arena *work;
    struct service_actor actor;
    struct service_change request;
    /* the patch from which each attempt builds the document; NULL: none */
    const struct service_patch *patch;
    const struct change_known *known; /* the objects that were read to build it; NULL: none */
    /* The state that an undo restores. NULL: the change is not an undo, or the sources of that
     * state are unknown. */
    const struct stored_object *restores;
    /* revisions of the saved plan to execute; NULL: any revision is accepted */
    const struct mutation_pins *pins;
    service_done *done;
    void *arg;
    struct err_list errors;
    struct change change;
    struct commit commit;
    struct mutation_machines machines;
    /* text that identifies a request without documents (undo, saved plan) */
    struct text meaning;
    struct text plan_id; /* id of the plan that is saved */
    struct text used_id; /* id of the saved plan that is executed; empty: none */
    int64_t begun_ms;    /* wall clock time at which the request arrived */
    struct mutation_notice reported;
    struct judgement *judgements;          /* validation results of plugins */
    size_t judging;                        /* number of pending validations and checks */
    struct preflight *preflights;          /* checks at the providers */
    struct preflight_list *preflight_list; /* list that receives the findings; NULL: none */
    uint64_t wanted;                       /* the change waits for this revision in the cache */
    size_t batch;                          /* objects before this index are already written */
    size_t batch_end;
    unsigned tries;
    bool is_written; /* The change is committed: only the answer is missing. */
    bool is_large;   /* several transactions: other changes wait for its end */
    bool makes;      /* The change creates an object. */
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
    struct mutation_row waiting; /* changes that wait for the cache to reach a revision */
    struct mutation_row held;    /* changes that wait for a change in several transactions to end */
    size_t operations;           /* number of this manager's changes in several transactions */
    /* spare arena for the next change; NULL: it is in use */
    struct arena *spare;
    struct service_controller reconciler; /* `pass` is NULL if this process does not reconcile. */
    uint64_t head_revision;               /* oldest multi-transaction change in progress; 0: none */
    int64_t head_since_ms;                /* time at which this manager first saw that change */
    bool is_following; /* true: this manager is completing another manager's change */
    bool is_resumed;
    bool is_resuming;
    bool is_sweeping;
    /* true: groups with autoUpgrade may be older than a pushed revision; config_upgrades is the
     * move in progress, or NULL (service_config_upgrades.c) */
    bool has_config_upgrades;
    struct config_upgrades *config_upgrades;
    struct arena *config_arena; /* arena of config_upgrades; NULL: none */
    /* arena of the change that moves a group; NULL if there is none */
    struct arena *config_change_arena;
    /* arena of a change that is made for `returns`; NULL if there is none */
    struct arena *returns_arena;
    int64_t boot_second; /* the second in which boot_reports were counted */
    unsigned boot_reports;
    struct returns *returns;         /* failed commissions (discovery/service_returns.c), or NULL */
    struct arena *commissions_arena; /* of the pending transaction; NULL: none */
    /* commissions in batches (discovery/service_commissions.c); NULL: not begun */
    struct commissions *commissions;
    struct arena *leaves_arena; /* of the pending change; NULL: none */
    /* decommissioning in batches (discovery/service_leaves.c); NULL: not begun */
    struct leaves *leaves;
};

/* Return the current wall clock time in RFC 3339 format. */
struct text service_now(const struct service *service, struct arena *arena);

/* Answer with one error. */
void service_refuse(struct service *service, struct arena *arena, const struct err *err,
                    service_done *done, void *arg);

/* Set *err to R0403: an object of this kind and name does not exist. Always returns false. */
MUST_CHECK bool service_unfound(const struct schema_kind *kind, struct text name, struct err *err);

/* Answer with a document. */
void service_report(struct service *service, struct arena *arena, const struct doc *body,
                    service_done *done, void *arg);

/* Answer with JSON text. */
void service_report_body(struct service *service, struct arena *arena, struct text body,
                         service_done *done, void *arg);

/* Answer {"items":[...],"next","revision"}. `items` are already separated by commas. */
void service_report_items(struct service *service, struct arena *arena, struct buf *items,
                          const struct cache_page *page, service_done *done, void *arg);

/* Return all recorded machines of a cluster, including those that are being destroyed. Texts live
 * in the arena or in the cache (mutation_going.c). */
struct record *service_records(const struct cache *cache, struct arena *arena, struct text tenant,
                               struct text cluster, size_t *out_count);

/* Return the effective view of a cluster with the members of its groups: `members` has the names of
 * existing members, `planned` the slots that are filled next. `records` are the records of the
 * cluster (service_members.c). */
struct doc service_members_put(struct arena *arena, const struct stored_object *stored,
                               const struct record *records, size_t record_count,
                               const struct doc *planned);

/* Return the records of the change's cluster, as service_records does. All callers in an attempt
 * share the list. They must not change it, except is_named, which each caller sets before use. */
struct record *mutation_records(struct mutation *mutation, struct text cluster, size_t *out_count);

/* True if this manager has the records of machines. A manager without a controller counts the slots
 * of the specification instead, which is the maximal number of machines. */
bool mutation_knows_machines(const struct mutation *mutation);

/* Return the object of the plan with its sum `name`, "destroy" or "replace", lowered by `less`
 * nodes. Also lowers the sum of the whole plan. */
struct doc mutation_sum_lower(struct mutation *mutation, const struct doc *planned,
                              const char *name, uint64_t less);

/* Return the object of the plan with its sum of destroyed machines raised by `more`. Also raises
 * the sum of the whole plan. */
struct doc mutation_destroy_sum_raise(struct mutation *mutation, const struct doc *planned,
                                      uint64_t more);

/* Put the names of the machines that will be removed into the plan, and the rule that chose them.
 * They replace the last slots of a group. Machines whose tokens are in `named` are removed first
 * (mutation_going.c). */
void mutation_going_report(struct mutation *mutation, const struct text *named, size_t named_count);

/* Return the text or the number of a member of a map in the plan. Empty or 0: there is none. */
struct text mutation_text_of(const struct doc *map, const char *key);
int64_t mutation_number_of(const struct doc *map, const char *key);

/* Return the object of the change that corresponds to this object of the plan. NULL: it is not a
 * cluster, or it is new. */
const struct change_object *mutation_current_find(const struct change *change,
                                                  const struct doc *planned);

/* Visit each object of the plan. If `report` returns true, the object is replaced by *out
 * (mutation_plan.c). */
typedef bool mutation_object_report(void *arg, const struct doc *planned, struct doc *out);
void mutation_plan_report(struct mutation *mutation, mutation_object_report *report, void *arg);

/* mutation_rolls_report adds to the plan which groups have a running rollout, and how many machines
 * that rollout has not replaced yet (`supersedes`). mutation_rolls_agreed returns whether the
 * request allows superseding those rollouts. R0439: it does not (mutation_rolls.c). */
void mutation_rolls_report(struct mutation *mutation);
MUST_CHECK bool mutation_rolls_agreed(const struct mutation *mutation, struct err *err);

/* Remove those fields from the generations of the groups that the groups' plugins can change in
 * place (mutation_going.c). */
void mutation_groups_reduce(struct mutation *mutation, struct fleet_cluster *cluster);

/* mutation_slots_report adds to the plan how groups run changed stages in place (`inPlace`).
 * mutation_reruns_agreed returns whether the request consents to repeat non-idempotent stages on
 * members that have been ready. R0811: it does not (mutation_slots.c). */
void mutation_slots_report(struct mutation *mutation);

/* Return whether the batch flags of the request apply to its change. R0426: machines would be
 * replaced; replacements follow the policy of their group, not batch flags (mutation_slots.c). */
MUST_CHECK bool mutation_pacing_check(const struct mutation *mutation, struct err *err);
MUST_CHECK bool mutation_reruns_agreed(const struct mutation *mutation, struct err *err);

/* Add a write of one key to the change of an object. `revision` is the revision at which the key
 * was read (mutation_plan.c). */
void mutation_op_append(struct mutation *mutation, struct change_op op, uint64_t revision);

/* Add the machines that the request replaces to the commands of their group, to the needs and to
 * the plan (mutation_replace.c). R0820: a machine cannot be replaced. */
MUST_CHECK bool mutation_replace_take(struct mutation *mutation, struct err *err);

/* Add the machines that the request reboots to the commands of their group, to the needs and to the
 * plan (mutation_reboot.c). R0821: a machine cannot be rebooted. */
MUST_CHECK bool mutation_reboot_take(struct mutation *mutation, struct err *err);

/* Add the machines to remove first when their group shrinks to the commands of the group and to the
 * plan. The needs do not change (mutation_victims.c). R0791: a machine cannot be chosen. */
MUST_CHECK bool mutation_victims_take(struct mutation *mutation, struct err *err);

/* Note in the job that commissioned these machines that they are returned, and why. The change
 * continues that job (mutation_return.c). */
void mutation_return_note(struct mutation *mutation, struct text group,
                          const struct record *records, const bool *is_chosen, size_t count);

/* Create a change. mutation_start begins it. */
struct mutation *mutation_new(struct service *service, struct arena *arena,
                              const struct service_actor *actor,
                              const struct service_change *change, service_done *done, void *arg);

/* Answer an object as of an earlier revision (service_past.c). */
void service_past_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_get *get,
                      service_done *done, void *arg);

/* True if the sender may write everything that the change writes (I24). R0409: the sender may not
 * (service_scope.c). */
MUST_CHECK bool service_scope_check(const struct service *service, struct arena *arena,
                                    const struct service_actor *actor, const struct change *change,
                                    struct err *err);

/* Send a transaction of a request to the store. If it would write outside the sender's scope, only
 * the event access.escaped is written, and `done` is called with OUTCOME_REFUSED and R0409. The
 * actor must live until then. */
void service_txn(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct store_txn *txn, store_done *done, void *arg);

/* Send a commit of a request to the store, with the same check of the scope. False: the commit is
 * not started, and `escaped` is called instead of `done`. */
bool service_commit(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct commit *commit, commit_done *done, store_done *escaped, void *arg);

/* Start a change: compute it, then write, save or report it (mutation.c). */
void mutation_start(struct mutation *mutation);

/* Let the plugins validate the properties in a change, and add their errors. False: the validation
 * is running; mutation_start is called again when it has ended (mutation_judge.c). */
bool mutation_judge(struct mutation *mutation);

/* Set the position of an error: that of the value at a pointer into the properties of a question,
 * or of the nearest existing value above it. */
void mutation_question_place(struct mutation *mutation, const struct model_question *question,
                             struct text at, struct err *err);

/* Let the plugins check at their providers whether the machines of the change can be created. Add
 * their errors and warnings, and store their findings. False: the check is running; mutation_start
 * is called again when it has ended (mutation_preflight.c). */
bool mutation_preflight(struct mutation *mutation);

/* Return the findings of the check for the plan, one map for each group; absent if there are
 * none. */
struct doc mutation_preflight_doc(struct mutation *mutation);

/* Add the writes that store the pinned values of the change's groups. */
void mutation_preflight_write(struct mutation *mutation);

/* Put the variables of members into the patched document: add those of commissioned machines, drop
 * those of listed machines that are removed (mutation_vars.c). R0838: the variables are not a map.
 * R0822: it is uncertain which members get the machines. */
MUST_CHECK bool mutation_vars_lay(struct mutation *mutation, struct doc *document, struct err *err);

/* Add the reservations of the commissioned machines to the transaction (mutation_commission.c).
 * False: machines cannot be commissioned; mutation->errors has one error for each of them. */
bool mutation_commission_take(struct mutation *mutation);

/* Add the batches of the request to the text that identifies repeated requests. */
void mutation_commission_batching_add(const struct mutation *mutation, struct buf *out);

/* Check the change against the rules of roles (mutation_roles.c). False: mutation->errors has R0823
 * for each node that may not get a role, and R0824 for each role that would lose its last
 * holder. */
bool mutation_roles_check(struct mutation *mutation);

/* True if the change loses no machine of a renamed group: the records of all such machines have the
 * new path (mutation_renames.c). R0438: some have not. */
MUST_CHECK bool mutation_renames_settled(struct mutation *mutation, struct err *err);

/* service_is_parted returns true if a change in several transactions is in progress and its subject
 * has one of these prefixes ("TENANT/ID", or "TENANT/" for a whole tenant). service_follow
 * completes a change that its own manager has abandoned (service_parted.c). */
bool service_is_parted(const struct service *service, struct text subjects);
void service_follow(struct service *service);

/* Continue the changes whose wait is over. */
void mutation_run_waiting(struct service *service);

/* Store the plan under its id, in several keys if needed (service_plans.c). */
void service_plan_store(struct mutation *mutation, commit_done *done, store_done *escaped);

/* service_plan_is_unused returns true if the saved plan exists and was not executed before.
 * service_plan_use adds the key that marks it as executed to the transaction of the change. So only
 * one of two concurrent executions takes effect. */
MUST_CHECK bool service_plan_is_unused(struct mutation *mutation, struct err *err);
void service_plan_use(struct mutation *mutation, struct store_compare *out_compare,
                      struct store_op *out_op);

/* Return the answer about a change; see service_change (mutation_answer.c). */
struct doc mutation_answer(struct mutation *mutation);

/* mutation_notice_make formats the answer in the request's arena, without job and revision.
 * mutation_reported_text returns the complete answer of a committed change. */
struct mutation_notice mutation_notice_make(struct mutation *mutation);
struct text mutation_reported_text(const struct mutation *mutation);

/* Return the word for the change of an object: "create", "change", "delete" or "none". */
const char *mutation_word(const struct change_object *object);

/* Return the numbers of nodes and groups that are added, removed and changed. */
struct doc mutation_sums(struct arena *arena, const struct change *change);

/* Return a hash of the request, so that an idempotency key is not accepted for another request. */
uint64_t mutation_hash(const struct mutation *mutation);

/* Fill mutation->commit with the next batch of objects (mutation_commit.c). */
void mutation_commit_make(struct mutation *mutation);

/* The job that executes a batch request (batches.h). Until the job has begun, its number is the
 * revision of the request. */
struct service_batches_row {
    uint64_t number;
    struct text marks; /* markers of the job; empty: the job has not begun */
    bool is_over;
};
struct service_batches_row service_batches_find(const struct service *service, struct arena *arena,
                                                struct text tenant, struct text cluster_id,
                                                struct text name, uint64_t revision);

/* Read the state of a node, CLUSTER/TOKEN. False: the state cannot be read. Texts live in the
 * arena. */
bool service_node_read(const struct service *service, struct arena *arena, struct text tenant,
                       struct text id, struct node_state *out);

#endif

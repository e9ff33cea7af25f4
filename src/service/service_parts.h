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

/* Inside of service.h: what its parts share. */

/* A saved plan that is carried out: what it pinned. */
struct mutation_pins {
    const struct store_compare *items;
    size_t count;
};

struct fleet_cluster;

/* One change on its way. Lives in the request's arena. */
/* An answer in the making, as JSON: "{...}" of the members before the job, of those up to the revision, and of those
 * behind it. Job and revision are known when it is written. */
struct mutation_notice {
    struct text head;
    struct text middle;
    struct text tail;
    bool has_job;
};

struct mutation {
    struct mutation *next; /* of the row it waits in */
    struct service *service;
    struct arena *arena; /* the request's */
    int64_t held_ms;     /* since when it waits for a plugin or a pass; 0: it does not */
    struct arena *
        work; /* of this try; NULL: there is none, or it was let go of when the store had what it made */
    struct service_actor actor;
    struct service_change request;
    const struct service_patch *patch; /* what makes the document, anew at every try; NULL = none */
    const struct change_known *known;  /* what that has read; NULL = nothing */
    const struct stored_object
        *restores; /* what an undo goes back to; NULL: none, or it is not known how that was made */
    const struct mutation_pins *pins; /* NULL: the current state now may be newer */
    service_done *done;
    void *arg;
    struct err_list errors;
    struct change change;
    struct commit commit;
    struct text meaning; /* of a request that is not told by its documents: undo, a saved plan */
    struct text plan_id; /* of a plan that is saved */
    struct text used_id; /* of the saved plan that it carries out; empty: none */
    int64_t begun_ms;    /* when the request came, by the wall clock */
    struct mutation_notice reported;
    struct judgement *judgements; /* what plugins said of properties in it */
    size_t judging;               /* that are still asked */
    uint64_t wanted;              /* revision the cache must have reached before it goes on */
    size_t batch;                 /* objects before this one are written */
    size_t batch_end;
    unsigned tries;
    bool is_written; /* it is in the store: only the answer is left */
    bool is_large;   /* it is an operation: no other change may look meanwhile */
    bool makes;      /* some object does not exist yet */
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
    struct mutation_row waiting; /* for the cache to reach a revision */
    struct mutation_row held;    /* for an operation to end */
    size_t operations;           /* under way */
    struct arena *spare;         /* of the last change, for the work of the next; NULL = in use */
    struct service_controller reconciler; /* pass NULL: nobody makes true what is written here */
    uint64_t head_revision; /* of the oldest change in parts that is under way; 0 = there is none */
    int64_t head_since_ms;  /* since when we see it */
    bool is_following;      /* it is carried out to its end in place of who began it */
    bool is_resumed;
    bool is_resuming;
    bool is_sweeping;
};

/* Time of the request, RFC 3339. */
struct text service_now(const struct service *service, struct arena *arena);

/* What an actor says or does, for the log of a cluster; it goes with the transaction that does it. What is empty or 0 is left out. */
struct service_event {
    const char *type;
    struct text cluster; /* its name, and its id */
    struct text cluster_id;
    struct text group;
    const struct record
        *machine; /* it is about this one, and its group; NULL: about no single one */
    struct text fact;
    struct text rule;
    struct text why;
    size_t count; /* of machines */
};
struct store_event service_event(const struct service *service, struct arena *arena,
                                 const struct service_actor *actor,
                                 const struct service_event *event);

/* Answer with one error. */
void service_refuse(struct service *service, struct arena *arena, const struct err *err,
                    service_done *done, void *arg);

/* There is no object of this kind and name: R0403. Always false. */
MUST_CHECK bool service_unfound(const struct schema_kind *kind, struct text name, struct err *err);

/* Answer with a document. */
void service_report(struct service *service, struct arena *arena, const struct doc *body,
                    service_done *done, void *arg);

/* Answer with JSON that is there already. */
void service_report_body(struct service *service, struct arena *arena, struct text body,
                         service_done *done, void *arg);

/* Answer with {"items":[...],"next","revision"}; the items are joined already. */
void service_report_items(struct service *service, struct arena *arena, struct buf *items,
                          const struct cache_page *page, service_done *done, void *arg);

/* All machines of a cluster that are recorded, also those that are going; texts live in the arena or the cache (mutation_going.c). */
struct record *mutation_records(struct mutation *mutation, struct text cluster, size_t *out_count);

/* The plan of the change has the names of those machines in place of the last places of a group, and says by which rule. Those with
 * these tokens go before others (mutation_going.c). */
/* Does this manager know which machines there are? One without a controller counts the places of files: the most there can be. */
bool mutation_knows_machines(const struct mutation *mutation);
/* An object of the plan, and the counts of the whole, with so many fewer nodes in `sums`: "destroy" or "replace". */
struct doc mutation_sum_lower(struct mutation *mutation, const struct doc *planned,
                              const char *name, uint64_t less);
void mutation_going_report(struct mutation *mutation, const struct text *named, size_t named_count);

/* A member of a map of the plan; empty or 0: it has none. */
struct text mutation_text_of(const struct doc *map, const char *key);
int64_t mutation_number_of(const struct doc *map, const char *key);

/* The object of the change that this one of the plan is; NULL: it is no cluster, or a new one. */
const struct change_object *mutation_current_find(const struct change *change,
                                                  const struct doc *planned);

/* Tell each object of the plan anew: one that `tell` returns true for is *out from there on (mutation_plan.c). */
typedef bool mutation_object_report(void *arg, const struct doc *planned, struct doc *out);
void mutation_plan_report(struct mutation *mutation, mutation_object_report *report, void *arg);

/* The plan says which groups of it are being rolled, and how many machines are not replaced so far (`supersedes`); and may the
 * change take the place of those rollouts? R0439: it was not said (mutation_rolls.c). */
void mutation_rolls_report(struct mutation *mutation);
MUST_CHECK bool mutation_rolls_agreed(const struct mutation *mutation, struct err *err);

/* Leave out of the generations of these groups what their plugins change in place (mutation_going.c). */
void mutation_groups_reduce(struct mutation *mutation, struct fleet_cluster *cluster);

/* The plan of the change says of groups whose stages it changes how they run in place (`inPlace`). Were stages that are not idempotent, and
 * would run again on members that have been in service, consented to? R0811: they were not (mutation_slots.c). */
void mutation_slots_report(struct mutation *mutation);
MUST_CHECK bool mutation_reruns_agreed(const struct mutation *mutation, struct err *err);

/* One key more in a change of one object, and the revision that it was read at (mutation_plan.c). */
void mutation_op_append(struct mutation *mutation, struct change_op op, uint64_t revision);

/* Machines that the request replaces, into the words of their group, the needs and the plan (mutation_replace.c). R0820. */
MUST_CHECK bool mutation_replace_take(struct mutation *mutation, struct err *err);

/* Machines that the request reboots, in the same way (mutation_reboot.c). R0821. */
MUST_CHECK bool mutation_reboot_take(struct mutation *mutation, struct err *err);

/* Who goes by the request when its group shrinks, into the words of the group and into the plan (mutation_victims.c). R0791. */
MUST_CHECK bool mutation_victims_take(struct mutation *mutation, struct err *err);

/* A change that has not begun. */
struct mutation *mutation_new(struct service *service, struct arena *arena,
                              const struct service_actor *actor,
                              const struct service_change *change, service_done *done, void *arg);

/* An object as it was at a revision (service_past.c). */
void service_past_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_get *get,
                      service_done *done, void *arg);

/* The values of all keys that end so, by the current state before that; they live as long as the answer. */
struct map service_values_index(struct arena *arena, const struct store_answer *answer,
                                struct text part);

/* A list as it was (service_past_list.c). */
void service_past_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_list *list,
                       service_done *done, void *arg);

/* The revision that stood at a time (service_seek.c); or why it is not known, R0503 above all. */
typedef void service_seek_done(void *arg, uint64_t revision, const struct err *fault);

void service_seek(struct service *service, struct arena *arena, uint64_t at_ms,
                  service_seek_done *done, void *arg);

/* Where events begin that are newer than a revision, or (at_revision 0) of this wall time and later: the place
 * behind which they stand. Of a cluster (TENANT/ID) that is a number, of all (empty) a revision. */
struct service_seek_events {
    struct text cluster;
    uint64_t at_revision;
    uint64_t at_ms;
};
void service_seek_events(struct service *service, struct arena *arena,
                         const struct service_seek_events *wanted, service_seek_done *done,
                         void *arg);

/* Append a row of a list without what was not asked for; the arena is for the work (service_list.c). */
void service_row_trim(struct arena *arena, struct buf *out, struct text fields, struct text row);

/* The id of a cluster by name or id, also of one that is gone and of which passes are kept. Empty: there is none,
 * and *err says so (service_passes.c). */
struct text service_kept_cluster(struct service *service, struct arena *arena, struct text tenant,
                                 struct text cluster, struct err *err);

/* Are machines of a group (empty: of any) there that were made of something else than is wanted now? As the newest job of
 * the cluster says it; false where no job is under way (service_roll.c). */
bool service_is_rolling(struct service *service, struct arena *arena, struct text tenant,
                        struct text cluster_id, struct text group);

/* Of a member that waits for its rollout slot: {job, next, since, waitsFor}; absent: it waits for none (service_slots.c). */
struct doc service_slot_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text cluster_id, struct text cluster, struct text node);

/* Is a rollout in place of a group (empty: of any) under way, or held? */
bool service_is_rolling_in_place(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text cluster_id, struct text group);

/* A pass that is kept, read; or why it cannot be: R0435, R0558 (service_passes.c). */
typedef void service_pass_read(void *arg, const struct ledger_pass *pass, const struct err *fault);

void service_pass_load(struct service *service, struct arena *arena, struct text tenant,
                       struct text cluster_id, uint64_t number, service_pass_read *done, void *arg);

/* What providers said of machines of a group that they refused: [{count, node, text}], node the first of them, each text once
 * and LIMIT_WHY_WORDS of them at most (service_refused.c). */
struct doc service_refusals(const struct service *service, struct arena *arena, struct text tenant,
                            struct text cluster_id, struct text group);

/* Passes of a cluster that is gone, and whose last one is older than LIMIT_PASSES_DAYS: the changes that remove them
 * and their index, or as many of them as there is room for. Returns how many (service_passes.c). */
size_t service_passes_expire(struct service *service, struct arena *arena,
                             const struct cache_object *object, int64_t now_ms,
                             struct store_op *ops, size_t room);

/* What is said has stages run again: of machines of a cluster or group, or of one machine (NULL: all of them). R0811: some of these
 * stages are not idempotent, and who says it has not said that he knows. */
MUST_CHECK bool service_again_check(const struct service *service, struct text tenant,
                                    struct text cluster_id, struct text group,
                                    const struct record *only, const struct service_say *say,
                                    struct err *err);

/* The record of a machine of the cluster with this id: by name, token or machine's id. Of several that fit one that serves, else one
 * that does not go. Its texts live in the arena. False: there is none (service_nodes.c). */
bool service_machine_find(const struct service *service, struct arena *arena, struct text tenant,
                          struct text id, struct text name, struct record *out);

/* The same, of machines that go. */
bool service_machine_leaving_find(const struct service *service, struct arena *arena,
                                  struct text tenant, struct text id, struct text name,
                                  struct record *out);

/* There is no machine of this name that could be meant, in the words of selections: it may be the name of a group, stand for several,
 * or be one that does not run. R0403, or R0426 where it is no name. Always false (service_nodes.c). */
MUST_CHECK bool service_machine_unfound(const struct service *service, struct arena *arena,
                                        const struct service_actor *actor, struct text cluster,
                                        struct text node, struct err *err);

/* What people are told of a node (CLUSTER/TOKEN) beside its record, as node_state_show has it (service_nodes.c). */
struct doc service_node_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text id);

/* Does everything that the change writes lie inside of what its sender may write (I24)? R0409 (service_scope.c). */
MUST_CHECK bool service_scope_check(const struct service *service, struct arena *arena,
                                    const struct service_actor *actor, const struct change *change,
                                    struct err *err);

/* Hand a transaction of a request to the store. One that would write anything outside of what its sender may write is not
 * written: the event access.escaped is, and `done` is called with OUTCOME_REFUSED and R0409. The actor lives until then. */
void service_txn(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct store_txn *txn, store_done *done, void *arg);

/* The same of a commit. False: it was not started, and `escaped` is called in place of `done`. */
bool service_commit(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct commit *commit, commit_done *done, store_done *escaped, void *arg);

/* Begin a change: compute, and write it, save it, or tell it (mutation.c). */
void mutation_start(struct mutation *mutation);

/* Ask the plugins about the properties in a change, and add their faults to its errors. False: they are asked, and
 * mutation_start is called when they have answered (mutation_judge.c). */
bool mutation_judge(struct mutation *mutation);

/* Have the machines of all groups moved that had another name, as far as this change could lose them (mutation_renames.c)? R0438. */
MUST_CHECK bool mutation_renames_settled(struct mutation *mutation, struct err *err);

/* Is a change of one of these (what begins so: "TENANT/ID", or "TENANT/" for all of a tenant) under way that takes several
 * transactions? And go on with one that its own manager has left (service_parted.c). */
bool service_is_parted(const struct service *service, struct text subjects);
void service_follow(struct service *service);

/* Go on with those that waited. */
void mutation_run_waiting(struct service *service);

/* The store has the plan under this id: its parts as keys to write (service_plans.c). */
void service_plan_store(struct mutation *mutation, commit_done *done, store_done *escaped);

/* Is the saved plan that this carries out there, and was it not carried out before? And what makes it so that it is: one key in the
 * transaction that makes the change, so that of two that carry it out one alone has an effect. */
MUST_CHECK bool service_plan_is_unused(struct mutation *mutation, struct err *err);
void service_plan_use(struct mutation *mutation, struct store_compare *out_compare,
                      struct store_op *out_op);

/* What a change is, for people and programs: see service_change (mutation_answer.c). */
struct doc mutation_answer(struct mutation *mutation);

/* The same as bytes in the request's arena, all but job and revision; and whole, of what is written. */
struct mutation_notice mutation_notice_make(struct mutation *mutation);
struct text mutation_reported_text(const struct mutation *mutation);

/* "create", "change", "delete" or "none". */
const char *mutation_word(const struct change_object *object);

/* Nodes and groups, and how many come, go and change. */
struct doc mutation_sums(struct arena *arena, const struct change *change);

/* A number for what a request asks, so that a key is not taken for another request. */
uint64_t mutation_hash(const struct mutation *mutation);

/* Make mutation->commit for the next batch of objects (mutation_commit.c). */
void mutation_commit_make(struct mutation *mutation);

/* May the authorities of a cluster be changed? `request`: the newest that was said of it. R0754: not now. */
MUST_CHECK bool service_rotate_check(const struct service *service, struct text tenant,
                                     struct text cluster_id, const struct service_say *say,
                                     struct text request, struct err *err);

/* The same of several, where all stages run again from one on, or what did not end well. */
struct service_again_node {
    struct text name;
    struct text token;
    uint64_t from;
};
MUST_CHECK bool service_again_check_nodes(const struct service *service, struct text tenant,
                                          struct text cluster_id,
                                          const struct service_again_node *nodes, size_t count,
                                          bool is_failed, struct err *err);

/* N, or so many of a hundred of them, rounded up; at least one. */
size_t service_share_of(const struct service_share *share, size_t count);

/* Put the nodes into their order, in place, and cut them into batches: of `usual` machines where nothing is said, broken ones first
 * where it is for mending them. *out_seed: of a random order, else 0. R0426: what is said of it means nothing. */
MUST_CHECK bool service_batches_make(const struct service *service, struct arena *arena,
                                     const struct service_batching *batching, size_t usual,
                                     bool is_repairing, struct select_nodes *nodes,
                                     struct exec_batches *out, uint64_t *out_seed, struct err *err);

/* The job that works off a request of batches (batches.h); before it has begun it has the request's revision as its number. */
struct service_batches_row {
    uint64_t number;
    struct text marks; /* empty: it has not begun */
    bool is_over;
};
struct service_batches_row service_batches_find(const struct service *service, struct arena *arena,
                                                struct text tenant, struct text cluster_id,
                                                struct text name, uint64_t revision);

/* A word about one machine: its keys are taken back, its stages run again; as service_say. */
void service_say_of_node(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct service_say *say,
                         service_done *done, void *arg);

/* A transaction by which somebody says something: whoever said it is told its revision, or why it was not taken. */
struct service_saying {
    struct service *service;
    struct arena *arena;
    service_done *done;
    void *arg;
    struct doc
        before; /* the other answer to a hold that this one takes the place of; absent: none */
    struct text
        paused; /* groups that stay paused when their cluster is resumed: "shop/web shop/db"; empty: none */
};

/* The store has answered; `arg` is a service_saying. */
void service_said(void *arg, enum outcome outcome, const struct store_answer *answer);

/* What is written down of a node, CLUSTER/TOKEN; empty where nothing can be read. Texts live in the arena. */
bool service_node_read(const struct service *service, struct arena *arena, struct text tenant,
                       struct text id, struct node_state *out);

#endif

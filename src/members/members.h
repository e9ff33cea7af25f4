#ifndef REEVE_MEMBERS_MEMBERS_H
#define REEVE_MEMBERS_MEMBERS_H

#include "base/map.h"
#include "cause/cause.h"
#include "state/batches.h"
#include "reconcile/control_parts.h"
#include "records/node_state.h"
#include "records/rerun.h"
#include "bootstrap/bootstrap.h"

/* public names start with: members_ member_ run_ */

/* Members: the nodes of a cluster during their transition from bare machine to bootstrapped member.
 * This module passes the known state of each node to bootstrap/bootstrap.h, which decides the next
 * steps. It passes these steps on to nodes_port, which executes them. Only the lease holder of a
 * cluster does this. */

struct member;
struct causes;

/* A job that works in batches (member_batches.c). The state in the store is authoritative: a
 * machine runs its stages only after its mark is in the store. */
struct member_batches {
    struct member_batches *next;
    struct members *members;
    struct arena *memory; /* arena of the request */
    struct text name;     /* name of the job's request in the store */
    struct batches request;
    uint64_t number; /* number of the job */
    bool is_seen;    /* found in the store by the newest observation */
    /* The request could not be parsed, so `request` is empty. The job waits until an operator
     * cancels it. */
    bool is_damaged;
    struct arena *row_memory;
    struct doc row; /* row of the job, as in the store; absent: the job has not begun */
    struct text row_bytes;
    uint64_t row_revision;
    struct batches_progress written;
    struct arena *command_arena;
    struct doc commands; /* operator commands for the job: {cancelled, paused} */
    uint64_t commands_revision;
    char *marks; /* the marks to be written next */
    struct bootstrap_batches_step step;
    uint64_t deadline_ms;
    /* For a rollout: the latest `rollout resume` command and the approved failures that are written
     * next. rollout_request is the name under which nodes store their slot; it changes with each
     * resume command. */
    char resumed[17];
    char *approved;     /* approved failures, one entry for each machine */
    bool is_superseded; /* the group now has another desired chain, or no chain */
    char rollout_request[17];
    /* The number of the job that deletes the cluster and replaces this job; 0: none. */
    uint64_t successor;
    bool is_dirty;
};

/* A run on a node. A second run (`beside`) may be active at the same time. */
struct member_run {
    struct member *member;
    struct nodes_run *run; /* NULL: no run is active */
    unsigned with;
    bool keeps;     /* The run does not replace valid certificates. */
    uint64_t rerun; /* revision of the request for which the run is made; 0: none */
    char job[17];   /* name of the batch job to which the run belongs; empty: none */
    /* The run is a correction: it must lead to the existing baseline. */
    bool is_correction;
    enum node_verify_cause cause; /* for a verification */
    bool is_hook_run;             /* for a verification: the hooks of the stages also run */
    bool is_deep;                 /* for a verification: the playbook also runs in check mode */
    bool is_undrain;              /* for a drain: the run ends the maintenance of the node */
    /* Digests of the trusted keys and of the facts that the run received. They count as installed
     * when the run reports the installation. */
    char trust[65];
    char facts[33];
    char chain[33]; /* stage digest chain when the run started */
};

/* An event that is written in the same transaction as the state of a member. */
struct member_event {
    struct member_event *next;
    const char *type;
    struct text fact;
};

/* A recorded machine of the cluster, and the known state of its node. */
struct member {
    struct member *next;
    struct members *members;
    struct arena *memory;  /* arena of its token */
    struct arena *machine; /* arena of its record's texts */
    struct text token;
    struct text name;
    struct text group;
    struct text id;
    struct control_way way;
    /* Hash of the first host key that the machine presented, until its record has the key
     * (node_state_host_key). */
    uint64_t first_key;
    uint64_t slot;
    uint64_t revision; /* revision of its record when it was read */
    bool is_there;     /* The machine is active and has an address. */
    bool is_going;
    bool is_taken;                /* its keys are revoked, so it is no longer a member */
    bool is_unreachable_by_probe; /* the probe cannot reach the machine */
    bool is_failing;              /* the probe reaches the machine, but its check fails */
    bool is_protected;
    /* The mark (enum bootstrap_mark) in the current rollout of its group; 0: the group has no
     * rollout with this member. */
    char slot_mark;
    struct text generation; /* generation from which it was created; lives in the arena `machine` */
    bool is_starting;
    bool is_adopting;         /* its machine is already in service, so no stages run */
    uint64_t failed_since_ms; /* when its bootstrap failed, as recorded; 0: it did not fail */
    /* since when its files differ from its baseline, as recorded; 0: they do not */
    uint64_t drifted_since_ms;
    /* since when it is in maintenance, as recorded; 0: it is not in maintenance */
    uint64_t maintenance_since_ms;
    /* when its bootstrap failed, as reported to this manager; 0: it did not fail */
    uint64_t failed_ms;
    bool is_answered; /* a probe of the machine succeeded while it was starting */
    /* A requested reboot is in progress: no run begins, and earlier probe results are ignored. */
    bool is_rebooting;
    /* The machine was ready before its reboot, and no probe has succeeded since: it is out of
     * service. */
    bool is_unanswered;
    /* its facts, if there are any, contain the current owner of its group */
    bool is_owned;
    bool is_shadow;          /* Another machine, which is ready, has the same name. */
    struct roles_list roles; /* lives in roles_memory */
    bool is_seen;            /* found by the newest observation of all machines */
    /* The newest request to run stages again; its revision is 0 if there is no request. */
    struct rerun rerun;
    /* The newest batch job that requests stages; NULL: none. */
    const struct member_batches *batches;
    char job[17]; /* the name of that job */
    /* The newest batch job that verifies this member; NULL: none. */
    const struct member_batches *verify_batches;
    /* The newest batch job that drains or undrains this member; NULL: none. */
    const struct member_batches *drain_batches;
    struct arena *state_memory;
    struct node_state state;
    uint64_t state_revision; /* revision of the written state; 0: no state is written */
    uint64_t written;        /* hash of the state that was last sent to the store */
    bool is_dirty;
    struct member_event *reports; /* oldest first */
    /* Current runs. */
    struct member_run main;
    struct member_run beside;
    /* The run that releases a machine which leaves its group and continues to exist
     * (members_release.c). */
    struct member_run release;
    struct member_run verify; /* the run that verifies the node (members_verify.c) */
    struct member_run drain;  /* the run of its hooks `drain` or `undrain` (members_drain.c) */
    unsigned drain_failures;  /* consecutive hook runs that did not reach the node */
    uint64_t drain_again_ms;
    unsigned verify_failures; /* consecutive failed verifications */
    uint64_t verify_again_ms;
    uint64_t verify_since_ms; /* when this manager first evaluated its verification interval */
    bool is_cleanup_only;     /* its machine is being destroyed, so only its hooks still run */
    /* The latest pass would make the provider call for the machine, so the release may begin. */
    bool is_release_granted;
    unsigned release_failures;
    uint64_t release_again_ms;
    enum bootstrap_phase phase;
    bool is_unreachable;
    unsigned failures; /* number of consecutive unfinished runs */
    uint64_t again_ms;
};

/* The operator commands of a group, as read by the newest pass. */
struct group_commands {
    struct text group;
    bool is_paused;
    enum plan_rollout_command roll; /* state set by rollout pause and rollout abort */
    uint64_t retry_revision;
    /* Name of the newest retry command. Each retry command has another name. */
    struct text retry;
};

/* A write about a machine that no longer exists: it deletes a node state, or revokes keys. */
struct members_gone {
    struct members_gone *next;
    struct text key;
    struct text value; /* empty: delete the key */
    struct text event; /* empty: no event */
};

struct members {
    struct reconciler *reconciler;
    struct arena *memory;
    struct map by_token; /* the members by token */
    struct member_batches *batches;
    bool has_decided; /* members_batches_run has processed all batches at least once. */
    /* Rollouts that will be created (members/rollouts.c). They live in rollouts_memory. */
    struct rollout_new *rollouts;
    struct arena *rollouts_memory;
    struct member *first;
    size_t count;
    uint64_t version;  /* version of the cluster at the last observation */
    uint64_t wanted;   /* revision of the specification at the last comparison of owners */
    uint64_t sweep_ms; /* time of the next removal of expired revocations */
    struct arena *commands_arena;
    struct group_commands *commands;
    size_t argument_count;
    struct text rotate;   /* the requested rotation; lives in commands_arena; empty: none */
    struct text rotating; /* progress of the rotation, as text; empty: there is no rotation */
    uint64_t rotating_hash;
    char facts[33]; /* digest of the facts of all members */
    uint64_t facts_changed_ms;
    struct members_gone *gone; /* list of writes; lives in gone_memory */
    struct members_gone **gone_last;
    struct arena *gone_memory;
    struct arena *roles_memory;
    struct roles_list roles_held;   /* the roles of the members in service */
    bool has_role_move;             /* a rule gives or removes a role (members_roles.c) */
    struct members_former *formers; /* previous stages of groups (members_onfail.c) */
    /* Tickets that are written next, and the time at which members that wait for tickets are
     * checked again; 0: no member waits (members_budgets.c). */
    struct arena *asks_memory;
    struct budget_asks asks;
    uint64_t budget_again_ms;
    /* The attribute of the hold common_cause, and the attributes that this iteration has determined
     * (pass_causes.c). They live in asks_memory. */
    bool has_cause;
    struct cause_attribute cause;
    struct causes *causes;
    struct arena *waits_memory;
    /* Text with the conditions that members wait for at barriers; empty: none. */
    struct text waits;
};

/* Handle an event of a run. This is the callback for nodes_port. */
void members_event(void *arg, const struct nodes_event *reported);

/* Schedule a decision or a write. */
void members_wake(struct members *members);

/* Schedules a write of the member's state, with an event if `type` is not NULL. */
void member_note(struct member *member, const char *type, struct text fact);

/* Like member_note, with a new state. With `type` NULL there is no event. */
void member_change(struct member *member, const struct node_state *changed, const char *type,
                   struct text fact);

/* Releases machines that leave their groups and continue to exist (members_release.c). Returns the
 * same as members_decide. leave_mark_of returns the mark of the machine with index `at` in a
 * decommission job; member NULL: the machine has left. */
uint64_t members_release(struct members *members);
enum bootstrap_mark leave_mark_of(const struct member_batches *batches, const struct member *member,
                                  size_t at);

/* Roles (members_roles.c). members_roles_observe reads which members have which roles.
 * member_waits_for_role returns true if a member that has not run its stages yet needs a role that
 * no member in service has. members_roles_next returns when such members are checked again. */
void members_roles_observe(struct members *members);
bool member_waits_for_role(const struct member *member);
uint64_t members_roles_next(const struct members *members);

/* Return the facts of a member with its roles, and a hash that changes with its roles. Without
 * roles the hash is the seed. */
struct text member_facts(struct arena *arena, const struct member *member);
uint64_t member_roles_hash(const struct member *member, uint64_t seed);

/* Roles that rules assign. reconciler_keeps_roles returns true if the cluster has rules with
 * `keep`, or has nodes that got roles by such rules. members_roles decides whether a role moves to
 * another node; it returns the same as members_decide. members_roles_write writes the move.
 * members_roles_sweep removes the roles of a deleted cluster. */
bool reconciler_keeps_roles(const struct reconciler *reconciler);
uint64_t members_roles(struct members *members);
void members_roles_write(struct members *members);
void members_roles_sweep(struct members *members);

/* Discards all observations of a machine, because another machine has taken its place. */
void member_forget(struct member *member);

/* Called when stages of this chain begin on the node: discard the results of another chain. */
void member_chain_leave(struct member *member, struct text chain);

/* Let a run that waits at a barrier continue: run_trust with the trusted keys, run_distribute with
 * the facts of all members. As long as these are unknown, the run continues to wait. */
void run_trust(struct member_run *run);
void run_distribute(struct member_run *run);

/* member_drop_runs ends the runs of a member. member_drop_release ends the run that releases the
 * machine. */
void member_drop_runs(struct member *member);
void member_drop_release(struct member *member);

/* Fills in the part of an order that requests stages to run again. Texts live in the machine's
 * arena. */
void member_request(const struct member *member, struct nodes_order *order);

/* True if the stages of this chain have failed and no retry was requested since. */
bool member_is_stuck(const struct member *member, struct text chain);

/* True if a request to run stages again is not completed (members_rerun.c). */
bool member_is_rerun(const struct member *member);

/* Finds the request that is executed next: a request for this node alone, or the request of a batch
 * job, which is then set in *out_batches. Returns false if there is none. */
bool member_rerun_next(const struct member *member, struct rerun *out,
                       const struct member_batches **out_batches);

/* Sets *out to the first stage that a job runs again on this member; all later stages follow. The
 * request may have a previous name of the member's group. Returns false if the request does not
 * include the group. */
bool member_from(const struct member *member, const struct member_batches *batches, uint64_t *out);

/* True if the job has nothing left to do on the node. */
bool member_is_done_of(const struct member *member, const struct member_batches *batches);

/* True if the member has not completed the stages of this chain, or must run them again. */
bool member_wants_stages(const struct member *member, struct text chain);

/* True if a run is in progress that can complete the member's stages. */
bool member_is_staging(const struct member *member);

/* Return the owner of a group's machines by its specification; empty: none. The text lives in the
 * arena. */
struct text member_owner(struct arena *arena, const struct fleet_group *group);

/* Compare the owner in the node's facts with the current owner of its group. If they differ, the
 * facts are distributed again. */
void member_owner_look(struct member *member);

/* Read the member's newest request to run stages again. */
void member_rerun_look(struct member *member);

/* Called when a run for the request has begun. Reports which of the requested stages are not
 * idempotent and were started before. */
void member_rerun_report(struct member *member, const struct fleet_group *group,
                         const struct rerun *rerun);

/* Return the name of the latest retry command for a group. The name changes with each retry
 * command, but not with other commands about the group or its cluster. It lives in the arena. */
struct text members_retry_name(struct arena *arena, const struct members *members,
                               struct text group);

/* Called when stages of the member have failed. Reads and returns the name of the latest retry
 * command, which was given before this failure. The text lives in the arena of the commands. */
struct text member_retry_look(const struct member *member);

/* Return the operator commands of the member's group; NULL: they have not been read yet. */
struct group_commands *member_commands(const struct member *member);

/* Delete requests about machines that no longer exist. */
void members_rerun_sweep(struct members *members);

/* Batch jobs: reads the state of the jobs from the store and takes their next steps. Returns the
 * same as members_decide. */
uint64_t members_batches_run(struct members *members);
bool members_batches_are_dirty(const struct members *members);
void members_batches_write(struct members *members);
void members_batches_drop(struct members *members);

/* True if an operator has approved any failure of the job. */
bool batches_has_approval(const struct member_batches *batches);

/* Return the row of the job (member_batches_row.c). It lives in the arena. */
struct text members_batches_row(struct arena *arena, const struct member_batches *batches,
                                uint64_t seen_ms);

/* Return the index of the first machine of the current batch, which begins next or began last.
 * *out_end is the end of that batch. */
size_t members_batches_first(const struct member_batches *batches, size_t *out_end);

/* True if an operator has cancelled the job with this name (member_run.job). */
bool members_batches_is_cancelled(const struct members *members, const char *job);

/* Returns the paused group because of which a started machine cannot continue; empty: none. */
struct text members_batches_held(const struct member_batches *batches);

/* Returns the reason why no more machines begin now, such as "web is paused"; empty: none. */
struct text members_batches_pause(struct arena *arena, const struct member_batches *batches);

/* Decides the next steps and starts them. Returns the time of the next decision by the cluster's
 * clock; 0: the next change triggers it. */
uint64_t members_decide(struct members *members);

/* Rotates the authorities on an operator's request (members_rotate.c). Returns the same as
 * members_decide. */
uint64_t members_rotate(struct members *members, const struct bootstrap_world *world);

/* Begins verifications that are due (members_verify.c). Returns the same as members_decide. */
uint64_t members_verify(struct members *members);

/* member_verify_ended handles the end of a verification. member_baseline_reported handles a
 * baseline, which a run of stages has written. */
void member_verify_ended(struct member_run *run, const struct nodes_event *reported);
void member_baseline_reported(struct member_run *run, const struct nodes_event *reported);

/* Begins the hooks of members that a job drains or undrains (members_drain.c). Returns the same as
 * members_decide. */
uint64_t members_drain(struct members *members);

/* True if an operator has taken the member out of service, or a job is doing so. */
bool member_is_drained(const struct member *member);

/* Return the current mark of a member in a job that drains or undrains. */
enum bootstrap_mark drain_mark_of(const struct member_batches *batches, const struct member *member,
                                  enum bootstrap_mark mark);

/* True if the policy of the group permits that the job begins on this machine now. */
bool drain_may_begin(const struct member_batches *batches, size_t at);

/* Return the reason why the job starts no more machines now; empty: nothing delays the job. */
struct text drain_waits(struct arena *arena, const struct member_batches *batches);

/* True if the commission of the member has failed after it increased the size of the group. The
 * size is then reduced again before the machine's failure is recorded (members_commission.c). */
bool member_is_unsized(const struct member *member);

/* Returns the playbook that runs on the member in place of the playbook of its last stage: the hook
 * `upgrade`, if the member completed another revision before. Empty: none
 * (members_commission.c). */
struct text member_upgrade_find(const struct member *member, const struct fleet_group *group);

/* Records the playbook `cleanup` of the group, because stages of its revision begin on the member
 * or are complete. */
void member_hook_note(struct member *member, const struct fleet_group *group);

/* Adoption of a machine that is already in service (members_commission.c). member_adoption_look
 * reads whether the member is adopted. member_adoption_end records that the member has keys and
 * facts, so that its stages count as complete. member_adoption_fail returns the machine because
 * reeve cannot log in. */
void member_adoption_look(struct member *member);
void member_adoption_end(struct member *member);
void member_adoption_fail(struct member *member, const struct nodes_event *reported);

/* True if the member is adopted but not in service yet. */
bool member_is_adopting(const struct member *member);

/* Mark the commission of a machine as failed if reeve cannot log in to its installed system in time
 * (members_commission.c). */
void member_install_look(struct member *member);

/* Commission in batches (members_commission.c). member_waits_for_batch returns true if the stages
 * of the member must not begin yet. commission_mark_of returns the mark of the member in the job;
 * `stages` is the mark that results from its stages. commission_is_pending marks the commission of
 * machines that the job has skipped as failed, and returns true until that is stored. */
bool member_waits_for_batch(const struct member *member);
enum bootstrap_mark commission_mark_of(const struct member *member, enum bootstrap_mark stages);
bool commission_is_pending(const struct member_batches *batches);

/* True if the member's machine belongs to the inventory, so that it continues to exist when it
 * leaves. */
bool member_is_pooled(const struct member *member);

/* Record the cleanup policy of the member's group, because the group may no longer exist when the
 * member leaves (members_release.c). */
void members_release_cleanup_look(struct member *member);

/* Records whether the member is away (unreachable or rebooted). When such a member returns, it is
 * verified. */
void member_away_look(struct member *member);

/* Returns the current mark of a member in a job that verifies or corrects. `stages` is the mark
 * that results from the stages of the job. */
enum bootstrap_mark verify_mark_of(const struct member_batches *batches,
                                   const struct member *member, enum bootstrap_mark mark);
enum bootstrap_mark correction_mark_of(const struct member_batches *batches,
                                       const struct member *member, enum bootstrap_mark stages);

/* Called when a job begins to correct the member. */
void correction_begin(struct member *member);

/* Finds drifted members and creates a correction job for them, in the same way as rollouts. */
void corrections_find(struct members *members);

/* Returns the group as it applies to this member, which may have its own variables. NULL: the
 * group does not exist. */
const struct fleet_group *member_group(const struct member *member);

/* Budgets (members_budgets.c). member_budget_may returns true if the job may begin on the member
 * now. If not, the tickets of the member are written first, or the member waits for tickets.
 * members_budgets_reset begins a new iteration. members_budgets_write adds the tickets to the
 * writes. members_budgets_waits returns the budget for which the job waits; empty: none. */
void members_budgets_reset(struct members *members);
bool member_budget_may(const struct member_batches *batches, const struct member *member);
void members_budgets_write(struct members *members);
struct text members_budgets_waits(struct arena *arena, const struct member_batches *batches);

/* The hold common_cause (pass_causes.c). members_causes_read reads the hold for an iteration, after
 * members_budgets_reset. member_causes_marks returns the marks of a job for its next step: members
 * that the hold stops are skipped in this step, so that other members do not wait for them.
 * members_causes_waits returns the first skipped member; empty: there is none. Results live in the
 * arena. */
void members_causes_read(struct members *members);
const char *member_causes_marks(struct arena *arena, const struct member_batches *batches);
struct text members_causes_waits(struct arena *arena, const struct member_batches *batches);

/* Return a copy of the group with the previous stages, which the member has after a failure; NULL:
 * the member has the stages of its own group, `group` (members_onfail.c). */
const struct fleet_group *member_former(const struct member *member,
                                        const struct fleet_group *group);

/* Handles the stored failures of a rollout by the policy onFail of its group. */
void onfail_apply(const struct member_batches *batches);

/* Called when a rollout starts the member: it gets the desired stages again. */
void onfail_end(struct member *member);

/* Discards the previous stages that were read from the store. Also deletes the stored previous
 * stages, and the requested batches, of groups that no longer exist. */
void members_formers_drop(struct members *members);
void members_formers_sweep(struct members *members);

/* Return how the machine of a member is accessed by the current specification. */
struct control_way member_way(const struct member *member, const struct fleet_group *group);

/* Observe the current state of all machines, and the operator commands that the newest pass has
 * read (members_observe.c). */
void members_observe(struct members *members);

/* Compares the known states with the stored ones, and queues those that differ for writing
 * (members_write.c). */
void members_compare(struct members *members);

/* True if the keys of this machine are revoked (members_revoke.c). */
bool member_is_taken(const struct member *member);

/* True if the machine is being removed and its keys are not revoked yet. */
bool member_is_leaving(const struct member *member);

/* Write the revocation of the machine's keys. */
void member_take(struct member *member);

/* members_gone_take adds the writes for a machine that no longer exists; `state` is the last state
 * of its node. members_gone_sweep adds the writes for expired revocations. */
void members_gone_take(struct members *members, struct text token, const struct node_state *state);
void members_gone_sweep(struct members *members);

/* Add a write. Its texts are copied into the arena of the writes. */
void members_gone_add(struct members *members, struct text key, struct text value,
                      struct text event);

/* Return the current time by the cluster's clock. */
uint64_t members_now(const struct members *members);

/* Copy a state into the member's own arena. */
void member_state_set(struct member *member, const struct node_state *state);

#endif

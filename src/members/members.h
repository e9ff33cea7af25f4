#ifndef REEVE_MEMBERS_MEMBERS_H
#define REEVE_MEMBERS_MEMBERS_H

#include "base/map.h"
#include "cause/cause.h"
#include "state/batches.h"
#include "reconcile/control_parts.h"
#include "records/node_state.h"
#include "records/rerun.h"
#include "bootstrap/bootstrap.h"

/* names: members_ member_ run_ */

/* Members: the nodes of a cluster on their way from bare machine to bootstrapped member. This
 * module passes the known state of each node to bootstrap/bootstrap.h, which decides the next
 * steps. It passes these steps to nodes_port, which executes them. Only the lease holder of a
 * cluster does this. */

struct member;
struct causes;

/* A job that works in batches (member_batches.c). The persisted state is authoritative: a machine
 * is requested to run its stages only after its mark is in the store. */
struct member_batches {
    struct member_batches *next;
    struct members *members;
    struct arena *memory; /* arena of the request */
    struct text name;     /* name of the job's request in the store */
    struct batches request;
    uint64_t number; /* number of the job */
    bool is_seen;    /* The newest observation found it in the store. */
    /* The request cannot be parsed and is empty here: the job waits to be cancelled. */
    bool is_damaged;
    struct arena *row_memory;
    struct doc row; /* row of its job, as in the store; absent: the job has not begun */
    struct text row_bytes;
    uint64_t row_revision;
    struct batches_progress written;
    struct arena *command_arena;
    struct doc commands; /* operator commands for the job: {cancelled, paused} */
    uint64_t commands_revision;
    char *marks; /* the marks to be written next */
    struct bootstrap_batches_step step;
    uint64_t deadline_ms;
    /* For a rollout: the newest `rollout resume` and the approved failures, as they will be written
     * next. rollout_request is the name by which nodes remember their slot; it changes with each
     * resume. */
    char resumed[17];
    char *approved;     /* approved failures, one entry for each machine */
    bool is_superseded; /* Its group now has another desired chain, or no chain. */
    char rollout_request[17];
    /* The job that deletes the cluster and replaces this one; 0: none. */
    uint64_t successor;
    bool is_dirty;
};

/* A run on a node. A second run (`beside`) may take place at the same time. */
struct member_run {
    struct member *member;
    struct nodes_run *run; /* NULL: none */
    unsigned with;
    bool keeps;     /* The run does not replace valid certificates. */
    uint64_t rerun; /* revision of the request that the run fulfils; 0: none */
    char job[17];   /* name of the batch job for which it does this node's part; empty: none */
    /* The run corrects the node: it must lead to the existing baseline. */
    bool is_correction;
    enum node_verify_cause cause; /* of a verification */
    bool is_hook_run;             /* of a verification: the hooks of the stages run too */
    bool is_deep;                 /* of a verification: the playbook runs in check mode too */
    bool is_undrain;              /* of a drain: it ends the maintenance of the node */
    /* Digests of the trust and of the facts that the run was given. They count as installed when
     * the run reports that. */
    char trust[65];
    char facts[33];
    char chain[33]; /* stage digest chain at its start */
};

/* An event that is written together with the state of a member. */
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
    /* The first host key that the machine showed, until its record has the key
     * (node_state_host_key). */
    uint64_t first_key;
    uint64_t slot;
    uint64_t revision; /* revision of its record when it was read */
    bool is_there;     /* The machine is active and has an address. */
    bool is_going;
    bool is_taken;                /* Its keys are revoked: it is no longer a member. */
    bool is_unreachable_by_probe; /* Its probe cannot reach the machine. */
    bool is_failing;              /* Its probe reaches the machine and fails. */
    bool is_protected;
    /* The mark (enum bootstrap_mark) in the current rollout of its group; 0: it is in no
     * rollout. */
    char slot_mark;
    struct text generation; /* generation from which it was created; lives in the arena `machine` */
    bool is_starting;
    bool is_adopting;          /* Its machine serves already: it becomes a member without stages. */
    uint64_t failed_since_ms;  /* when its bootstrap failed, as recorded; 0: it did not fail */
    uint64_t drifted_since_ms; /* since when it is drifted, as recorded; 0: it is not */
    uint64_t maintenance_since_ms; /* since when it is in maintenance, as recorded; 0: it is not */
    /* when its bootstrap failed, as reported to this manager; 0: it did not fail */
    uint64_t failed_ms;
    bool is_answered; /* The machine answered its probe while it was starting. */
    /* A requested reboot is in progress: no run begins, and findings that its probe made before are
     * ignored. */
    bool is_rebooting;
    /* The machine was ready before its reboot and has not answered since: it is out of service. */
    bool is_unanswered;
    bool is_owned;           /* Its facts, if any, have the current owner of its group. */
    bool is_shadow;          /* Another machine, which is ready, has the same name. */
    struct roles_list roles; /* lives in roles_memory */
    bool is_seen;            /* The newest observation of all machines found it. */
    /* The newest request to run stages again; its revision is 0 if there is none. */
    struct rerun rerun;
    /* The newest batch job that requests stages; NULL: none. */
    const struct member_batches *batches;
    char job[17]; /* the name of the newest such job */
    /* The newest batch job that verifies this member; NULL: none. */
    const struct member_batches *verify_batches;
    /* The newest batch job that drains or undrains this member; NULL: none. */
    const struct member_batches *drain_batches;
    struct arena *state_memory;
    struct node_state state;
    uint64_t state_revision; /* revision of the written state; 0: none is written */
    uint64_t written;        /* hash of the state that was last sent to the store */
    bool is_dirty;
    struct member_event *reports; /* oldest first */
    /* Current activity. */
    struct member_run main;
    struct member_run beside;
    /* Release of a machine that is removed and continues to exist (members_release.c). */
    struct member_run release;
    struct member_run verify; /* verification (members_verify.c) */
    struct member_run drain;  /* its hooks `drain` or `undrain` (members_drain.c) */
    unsigned drain_failures;  /* runs of them in a row that did not reach the node */
    uint64_t drain_again_ms;
    unsigned verify_failures; /* failed verifications in a row */
    uint64_t verify_again_ms;
    uint64_t verify_since_ms; /* when this manager first considered its interval */
    bool is_cleanup_only;     /* Its machine is destroyed: only its hooks run before. */
    bool is_release_granted;  /* The newest pass would call the provider of the machine. */
    unsigned release_failures;
    uint64_t release_again_ms;
    enum bootstrap_phase phase;
    bool is_unreachable;
    unsigned failures; /* unfinished runs in a row */
    uint64_t again_ms;
};

/* The operator commands of a group, as read by the newest pass. */
struct group_commands {
    struct text group;
    bool is_paused;
    enum plan_rollout_command roll; /* rollout pause, rollout abort */
    uint64_t retry_revision;
    /* Name of the newest retry command; each command has its own. */
    struct text retry;
};

/* A write about something that no longer exists: it deletes a node state, or revokes keys. */
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
    /* Rollouts to be created (members/rollouts.c). They live in rollouts_memory. */
    struct rollout_new *rollouts;
    struct arena *rollouts_memory;
    struct member *first;
    size_t count;
    uint64_t version;  /* version of the cluster at the last observation */
    uint64_t wanted;   /* revision of the specification when owners were last compared */
    uint64_t sweep_ms; /* when to remove expired revocations next */
    struct arena *commands_arena;
    struct group_commands *commands;
    size_t argument_count;
    struct text rotate;   /* an operator's request; lives in commands_arena; empty: none */
    struct text rotating; /* progress of the rotation as text; empty: nothing is rotated */
    uint64_t rotating_hash;
    char facts[33]; /* digest of the facts of all members */
    uint64_t facts_changed_ms;
    struct members_gone *gone; /* list of writes; lives in gone_memory */
    struct members_gone **gone_last;
    struct arena *gone_memory;
    struct arena *roles_memory;
    struct roles_list roles_held;   /* the roles of which a member is in service */
    bool has_role_move;             /* A rule gives or takes a role (members_roles.c). */
    struct members_former *formers; /* members_onfail.c */
    /* Tickets to be written, and when to look again at members that wait for some; 0: none does
     * (members_budgets.c). */
    struct arena *asks_memory;
    struct budget_asks asks;
    uint64_t budget_again_ms;
    /* The attribute of the hold common_cause, and what is known of attributes in this turn
     * (pass_causes.c). They live in asks_memory. */
    bool has_cause;
    struct cause_attribute cause;
    struct causes *causes;
    struct arena *waits_memory;
    /* Text that names what the members at barriers wait for; empty: nothing. */
    struct text waits;
};

/* Handle an event of a run. This is the callback for nodes_port. */
void members_event(void *arg, const struct nodes_event *reported);

/* Schedule a decision or a write. */
void members_wake(struct members *members);

/* Note that the member's state has to be written, with an event if `type` is not NULL. */
void member_note(struct member *member, const char *type, struct text fact);

/* The same with a new state. With `type` NULL there is no event. */
void member_change(struct member *member, const struct node_state *changed, const char *type,
                   struct text fact);

/* Release machines that are removed and continue to exist (members_release.c). The return value is
 * that of members_decide. */
uint64_t members_release(struct members *members);

/* Roles (members_roles.c). members_roles_observe reads which members have which roles.
 * member_waits_for_role returns true if a member that has not run its stages yet needs a role that
 * no member in service has; members_roles_next returns when to look again if any does. */
void members_roles_observe(struct members *members);
bool member_waits_for_role(const struct member *member);
uint64_t members_roles_next(const struct members *members);

/* The facts of a member with its roles, and a hash that differs if its roles do; without roles it
 * is the seed. */
struct text member_facts(struct arena *arena, const struct member *member);
uint64_t member_roles_hash(const struct member *member, uint64_t seed);

/* Roles that rules give: reconciler_keeps_roles returns true if the cluster has such rules, or has
 * nodes that got roles by them. members_roles decides whether one moves, with the return value of
 * members_decide; members_roles_write writes the move. members_roles_sweep removes the roles of a
 * deleted cluster. */
bool reconciler_keeps_roles(const struct reconciler *reconciler);
uint64_t members_roles(struct members *members);
void members_roles_write(struct members *members);
void members_roles_sweep(struct members *members);

/* Discard everything that was observed of a machine, because it is no longer the same machine. */
void member_forget(struct member *member);

/* Called when stages of this chain begin on the node: discard the results of another chain. */
void member_chain_leave(struct member *member, struct text chain);

/* Let a run that waits at a barrier continue: run_trust with the trust, run_distribute with the
 * facts of all members. While these are unknown, the run continues to wait. */
void run_trust(struct member_run *run);
void run_distribute(struct member_run *run);

/* member_drop_runs ends the runs of a member. member_drop_release ends the run that releases it. */
void member_drop_runs(struct member *member);
void member_drop_release(struct member *member);

/* Fill in the part of an order that requests stages to run again. Texts live in the machine's
 * arena. */
void member_request(const struct member *member, struct nodes_order *order);

/* True if these stages have failed, without a retry command since. */
bool member_is_stuck(const struct member *member, struct text chain);

/* True if a request to run stages again is still unfulfilled (members_rerun.c). */
bool member_is_rerun(const struct member *member);

/* Find the request to be fulfilled next: a request for one node, or the request of a batch job, to
 * which *out_batches is set. False: there is none. */
bool member_rerun_next(const struct member *member, struct rerun *out,
                       const struct member_batches **out_batches);

/* Return in *out the first stage that a job runs again on this member; all later stages follow. The
 * request may use the name that the member's group had at that time. False: the request does not
 * name the group. */
bool member_from(const struct member *member, const struct member_batches *batches, uint64_t *out);

/* True if the node has done its part of the job. */
bool member_is_done_of(const struct member *member, const struct member_batches *batches);

/* True if the stages of this chain have to be completed on the member, or have to run again. */
bool member_wants_stages(const struct member *member, struct text chain);

/* True if a run is in progress that can complete the member's stages. */
bool member_is_staging(const struct member *member);

/* Return the owner of a group's machines by its specification; empty: none. The text lives in the
 * arena. */
struct text member_owner(struct arena *arena, const struct fleet_group *group);

/* Compare the owner in the node's facts with the desired one. If they differ, the facts are
 * distributed again. */
void member_owner_look(struct member *member);

/* Read the member's newest request to run stages again. */
void member_rerun_look(struct member *member);

/* Called when a run which fulfils the request has begun: report those of its stages that are not
 * idempotent and were started before. */
void member_rerun_report(struct member *member, const struct fleet_group *group,
                         const struct rerun *rerun);

/* Return the name of the newest retry command for a group. The name changes with each such command,
 * and with no other command about the group or its cluster. It lives in the arena. */
struct text members_retry_name(struct arena *arena, const struct members *members,
                               struct text group);

/* Called when stages of the member have failed: reads and returns the name of the newest retry
 * command, which does not cover this failure. The text lives in the arena of the commands. */
struct text member_retry_look(const struct member *member);

/* Return the operator commands of the member's group; NULL: they have not been read yet. */
struct group_commands *member_commands(const struct member *member);

/* Delete requests about machines that no longer exist. */
void members_rerun_sweep(struct members *members);

/* Batch jobs: read their state from the store, and take their next steps. The return value is that
 * of members_decide. */
uint64_t members_batches_run(struct members *members);
bool members_batches_are_dirty(const struct members *members);
void members_batches_write(struct members *members);
void members_batches_drop(struct members *members);

/* True if an operator has approved any failure of the job. */
bool batches_has_approval(const struct member_batches *batches);

/* Return the row of the job (member_batches_row.c). It lives in the arena. */
struct text members_batches_row(struct arena *arena, const struct member_batches *batches,
                                uint64_t seen_ms);

/* Return the index of the first machine of the batch that begins next or began last. *out_end is
 * the end of that batch. */
size_t members_batches_first(const struct member_batches *batches, size_t *out_end);

/* True if an operator has cancelled the job with this name (member_run.job). */
bool members_batches_is_cancelled(const struct members *members, const char *job);

/* Return the paused group that stops a machine which has begun; empty: none. */
struct text members_batches_held(const struct member_batches *batches);

/* Return the reason why no more machines begin now: "web is paused"; empty: there is no such
 * reason. */
struct text members_batches_pause(struct arena *arena, const struct member_batches *batches);

/* Decide the next steps and start them. Returns the time of the next decision by the cluster's
 * clock; 0: at the next change. */
uint64_t members_decide(struct members *members);

/* Rotate the authorities on an operator's request (members_rotate.c). The return value is that of
 * members_decide. */
uint64_t members_rotate(struct members *members, const struct bootstrap_world *world);

/* Begin verifications that are due (members_verify.c). The return value is that of
 * members_decide. */
uint64_t members_verify(struct members *members);

/* Handle the end of a verification, and the baseline that a run of stages has written. */
void member_verify_ended(struct member_run *run, const struct nodes_event *reported);
void member_baseline_reported(struct member_run *run, const struct nodes_event *reported);

/* Begin the hooks of members that jobs drain or undrain (members_drain.c). The return value is that
 * of members_decide. */
uint64_t members_drain(struct members *members);

/* True if an operator has the member out of service, or a job takes it out. */
bool member_is_drained(const struct member *member);

/* Return the current mark of a member in a job that drains or undrains. */
enum bootstrap_mark drain_mark_of(const struct member_batches *batches, const struct member *member,
                                  enum bootstrap_mark mark);

/* True if the policy of the group permits that the job begins with this machine now. */
bool drain_may_begin(const struct member_batches *batches, size_t at);

/* Return the reason why the job begins no more machines now; empty: there is none. */
struct text drain_waits(struct arena *arena, const struct member_batches *batches);

/* True if the commission of the member has failed, and has made its group larger: the size is
 * reduced again before the record says that the machine has failed (members_commission.c). */
bool member_is_unsized(const struct member *member);

/* Return the playbook that runs on the member in place of that of its last stage: the hook
 * `upgrade` where another revision was complete; empty: none (members_commission.c). */
struct text member_upgrade_find(const struct member *member, const struct fleet_group *group);

/* Note the playbook `cleanup` of the group: stages of its revision begin on the member, or are
 * complete. */
void member_hook_note(struct member *member, const struct fleet_group *group);

/* Adoption of a machine that serves already (members_commission.c). member_adoption_look reads
 * whether the member is adopted. member_adoption_end notes that it has keys and facts: its stages
 * count as complete. member_adoption_fail returns the machine, because reeve cannot log in. */
void member_adoption_look(struct member *member);
void member_adoption_end(struct member *member);
void member_adoption_fail(struct member *member, const struct nodes_event *reported);

/* True if the member is adopted, and is not in service yet. */
bool member_is_adopting(const struct member *member);

/* True if the machine of the member is one of the inventory, which continues to exist and shows a
 * pending cleanup. */
bool member_is_pooled(const struct member *member);

/* Note the cleanup policy of the member's group, which may be gone when the member leaves
 * (members_release.c). */
void members_release_cleanup_look(struct member *member);

/* Note that the member is away, if it is: it is verified when it returns. */
void member_away_look(struct member *member);

/* Return the current mark of a member in a job that verifies or corrects. `stages` is the mark by
 * the stages of the job. */
enum bootstrap_mark verify_mark_of(const struct member_batches *batches,
                                   const struct member *member, enum bootstrap_mark mark);
enum bootstrap_mark correction_mark_of(const struct member_batches *batches,
                                       const struct member *member, enum bootstrap_mark stages);

/* Called when a job begins to correct the member. */
void correction_begin(struct member *member);

/* Find drifted members for which a correction is to be created, as for rollouts. */
void corrections_find(struct members *members);

/* Return the group of the member as it is for this member, which may have variables of its own.
 * NULL: the group does not exist. */
const struct fleet_group *member_group(const struct member *member);

/* Budgets (members_budgets.c). member_budget_may returns true if the job may begin with the member
 * now; otherwise its tickets are to be written, or it waits. members_budgets_reset begins a turn,
 * members_budgets_write adds the tickets to the writes. members_budgets_waits names the budget for
 * which the job waits; empty: none. */
void members_budgets_reset(struct members *members);
bool member_budget_may(const struct member_batches *batches, const struct member *member);
void members_budgets_write(struct members *members);
struct text members_budgets_waits(struct arena *arena, const struct member_batches *batches);

/* The hold common_cause (pass_causes.c). members_causes_read reads it for a turn, after
 * members_budgets_reset. member_causes_marks returns the marks of a job for its next step: members
 * that the hold stops are skipped in it, so that others do not wait for them. members_causes_waits
 * names the first of them; empty: there is none. Results live in the arena. */
void members_causes_read(struct members *members);
const char *member_causes_marks(struct arena *arena, const struct member_batches *batches);
struct text members_causes_waits(struct arena *arena, const struct member_batches *batches);

/* Return the group with the stages that the member has in place of failed ones; NULL: it has those
 * of `group`, which is its group (members_onfail.c). */
const struct fleet_group *member_former(const struct member *member,
                                        const struct fleet_group *group);

/* Handle the failures of a rollout that are in the store by the policy of its group. */
void onfail_apply(const struct member_batches *batches);

/* Called when a rollout begins the member: it gets the desired stages again. */
void onfail_end(struct member *member);

/* Forget the former stages of all groups, and delete those of groups that are gone. */
void members_formers_drop(struct members *members);
void members_formers_sweep(struct members *members);

/* Return how the machine of a member is accessed by the current specification. */
struct control_way member_way(const struct member *member, const struct fleet_group *group);

/* Observe the current state of all machines, and the operator commands that the newest pass has
 * read (members_observe.c). */
void members_observe(struct members *members);

/* Queue the known states for writing (members_write.c). If a state in the store differs, it is
 * written again. */
void members_compare(struct members *members);

/* True if the keys of this machine are revoked (members_revoke.c). */
bool member_is_taken(const struct member *member);

/* True if the machine is being removed and its keys are not revoked yet. */
bool member_is_leaving(const struct member *member);

/* Write the revocation of the machine's keys. */
void member_take(struct member *member);

/* members_gone_take adds the writes for a machine that is gone; its last state was `state`.
 * members_gone_sweep adds the writes for expired revocations. */
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

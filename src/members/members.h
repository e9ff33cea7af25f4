#ifndef REEVE_MEMBERS_MEMBERS_H
#define REEVE_MEMBERS_MEMBERS_H

#include "base/map.h"
#include "state/batches.h"
#include "reconcile/control_parts.h"
#include "records/node_state.h"
#include "records/rerun.h"
#include "bootstrap/bootstrap.h"

/* names: members_ member_ run_ */

/* Members: the nodes of a cluster from bare machine to bootstrapped member. This module passes the
 * known state of each node to bootstrap/bootstrap.h, which decides, and the decided steps to
 * nodes_port, which executes them. Only the lease holder of a cluster does this. */

struct member;

/* A job that works in batches (member_batches.c). The persisted state is authoritative: a machine
 * is requested to run its stages only after its mark is in the store. */
struct member_batches {
    struct member_batches *next;
    struct members *members;
    struct arena *memory; /* arena of the request */
    struct text name;     /* its name in the store */
    struct batches request;
    uint64_t number; /* of the job */
    bool is_seen;    /* found by the newest observation */
    /* The request cannot be parsed and is empty here: the job waits to be cancelled. */
    bool is_damaged;
    struct arena *row_memory;
    struct doc row; /* of its job, as in the store; absent: not begun */
    struct text row_bytes;
    uint64_t row_revision;
    struct batches_progress written;
    struct arena *command_arena;
    struct doc commands; /* operator commands since: {cancelled, paused} */
    uint64_t commands_revision;
    char *marks; /* as they are to be written next */
    struct bootstrap_batches_step step;
    uint64_t deadline_ms;
    /* Of a rollout: the newest `rollout resume` and the approved failures, as they are to be
     * written next. rollout_request is the name by which nodes remember their slot; it changes with
     * each resume. */
    char resumed[17];
    char *approved;     /* by machine */
    bool is_superseded; /* Its group now has another desired chain, or none. */
    char rollout_request[17];
    /* The job that deletes the cluster and replaces this one; 0: none. */
    uint64_t successor;
    bool is_dirty;
};

/* A run of a node. A second one (`beside`) may run concurrently. */
struct member_run {
    struct member *member;
    struct nodes_run *run; /* NULL: none */
    unsigned with;
    bool keeps;     /* It does not replace valid certificates. */
    uint64_t rerun; /* revision of the request that it fulfils; 0: none */
    char job[17];   /* the batch job of which it does this node's part; empty: none */
    /* Digests of the trust and the facts that the run was given. They count as installed when the
     * run reports so. */
    char trust[65];
    char facts[33];
    char chain[33]; /* stage digest chain at its start */
};

/* An event to be written together with the state of a member. */
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
    /* The first host key that it showed, until its record has it (node_state_host_key). */
    uint64_t first_key;
    uint64_t slot;
    uint64_t revision; /* of its record, when it was read */
    bool is_there;     /* It is active and has an address. */
    bool is_going;
    bool is_taken;                /* Its keys are revoked: it is no longer a member. */
    bool is_unreachable_by_probe; /* Its probe does not reach it. */
    bool is_failing;              /* Its probe reaches it and fails. */
    bool is_protected;
    /* The mark (enum bootstrap_mark) in the current rollout of its group; 0: it is in none. */
    char slot_mark;
    struct text generation; /* that it was created from; of the arena `machine` */
    bool is_starting;
    uint64_t failed_since_ms; /* when its bootstrap failed, as recorded; 0: it did not */
    uint64_t failed_ms;       /* when its bootstrap failed, as reported here; 0: it did not */
    bool is_answered;         /* It answered its probe while it was starting. */
    /* A requested reboot is in progress: no run begins, and earlier findings of its probe do not
     * count. */
    bool is_rebooting;
    /* It was ready before its reboot and has not answered since: it is out of service. */
    bool is_unanswered;
    bool is_owned;  /* Its facts, if any, have the current owner of its group. */
    bool is_shadow; /* Another machine, which is ready, has the same name. */
    bool is_seen;   /* found by the newest observation of all machines */
    /* The newest request to run stages again; revision 0: there is none. */
    struct rerun rerun;
    /* The newest batch job that requests stages; NULL: none. */
    const struct member_batches *batches;
    char job[17]; /* the name of the newest such job */
    struct arena *state_memory;
    struct node_state state;
    uint64_t state_revision; /* of the written state; 0: none is written */
    uint64_t written;        /* hash of the state that was last sent to the store */
    bool is_dirty;
    struct member_event *reports; /* oldest first */
    /* Current activity. */
    struct member_run main;
    struct member_run beside;
    /* Release of a machine that is removed and continues to exist (members_release.c). */
    struct member_run release;
    bool is_release_granted; /* The newest pass would call its provider. */
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

/* A write about something that no longer exists: deletes a node state, or revokes keys. */
struct members_gone {
    struct members_gone *next;
    struct text key;
    struct text value; /* empty: delete the key */
    struct text event; /* empty: no event */
};

struct members {
    struct reconciler *reconciler;
    struct arena *memory;
    struct map by_token; /* of members */
    struct member_batches *batches;
    bool has_decided; /* members_batches_run has processed all batches at least once */
    /* Rollouts to be created (members/rollouts.c); of rollouts_memory. */
    struct rollout_new *rollouts;
    struct arena *rollouts_memory;
    struct member *first;
    size_t count;
    uint64_t version;  /* of the cluster, at the last observation */
    uint64_t wanted;   /* revision of the specification when owners were last compared */
    uint64_t sweep_ms; /* when expired revocations are to be removed next */
    struct arena *commands_arena;
    struct group_commands *commands;
    size_t argument_count;
    struct text rotate;   /* an operator's request, of commands_arena; empty: none */
    struct text rotating; /* its progress as text; empty: nothing is rotated */
    uint64_t rotating_hash;
    char facts[33]; /* digest of the facts of all members */
    uint64_t facts_changed_ms;
    struct members_gone *gone; /* of gone_memory */
    struct members_gone **gone_last;
    struct arena *gone_memory;
    struct arena *waits_memory;
    /* What the members at barriers wait for, as text; empty: nothing. */
    struct text waits;
};

/* Handle an event of a run; the callback for nodes_port. */
void members_event(void *arg, const struct nodes_event *reported);

/* Schedule a decision or a write. */
void members_wake(struct members *members);

/* Mark the member's state to be written, with an event if `type` is not NULL. */
void member_note(struct member *member, const char *type, struct text fact);

/* The same with a new state. `type` NULL: no event. */
void member_change(struct member *member, const struct node_state *changed, const char *type,
                   struct text fact);

/* Release machines that are removed and continue to exist (members_release.c). Returns as
 * members_decide. */
uint64_t members_release(struct members *members);

/* The machine is not the same any more: discard everything that was observed of it. */
void member_forget(struct member *member);

/* Stages of this chain begin on the node: discard the results of another chain. */
void member_chain_leave(struct member *member, struct text chain);

/* Let a run at a barrier continue with the trust, or with the facts of all members. While they are
 * unknown the run keeps waiting. */
void run_trust(struct member_run *run);
void run_distribute(struct member_run *run);

/* member_drop_runs ends the runs of a member, member_drop_release the one that releases it. */
void member_drop_runs(struct member *member);
void member_drop_release(struct member *member);

/* Fill in the request to run stages again of an order. Texts are of the machine's arena. */
void member_request(const struct member *member, struct nodes_order *order);

/* Have these stages failed without a retry command since? */
bool member_is_stuck(const struct member *member, struct text chain);

/* Is a request to run stages again still unfulfilled (members_rerun.c)? */
bool member_is_rerun(const struct member *member);

/* The request to be fulfilled next: a request for one node, or (sets *out_batches to it) one of a
 * batch job. False: there is none. */
bool member_rerun_next(const struct member *member, struct rerun *out,
                       const struct member_batches **out_batches);

/* The stage from which on a job runs all stages of this member. The request may use the name that
 * the member's group had at that time. False: the request does not name the group. */
bool member_from(const struct member *member, const struct member_batches *batches, uint64_t *out);

/* Has the node done its part of the job? */
bool member_is_done_of(const struct member *member, const struct member_batches *batches);

/* Are the stages of this chain still to be completed on it, or to run again? */
bool member_wants_stages(const struct member *member, struct text chain);

/* Is a run in progress that can complete its stages? */
bool member_is_staging(const struct member *member);

/* The owner of a group's machines by its specification; empty: none. Of the arena. */
struct text member_owner(struct arena *arena, const struct fleet_group *group);

/* Compare the owner in the node's facts with the desired one. If they differ, the facts are
 * distributed again. */
void member_owner_look(struct member *member);

/* Read the member's newest request to run stages again. */
void member_rerun_look(struct member *member);

/* A run that fulfils the request has begun: report its stages that are not idempotent and were
 * started before. */
void member_rerun_report(struct member *member, const struct fleet_group *group,
                         const struct rerun *rerun);

/* The name of the newest retry command for a group. It changes with each such command, and with no
 * other command about the group or its cluster. Of the arena. */
struct text members_retry_name(struct arena *arena, const struct members *members,
                               struct text group);

/* Stages of the member have failed: returns the name of the newest retry command, which does not
 * cover this failure. Of the commands' arena. */
struct text member_retry_look(const struct member *member);

/* The operator commands of its group; NULL: not read yet. */
struct group_commands *member_commands(const struct member *member);

/* Delete requests about machines that no longer exist. */
void members_rerun_sweep(struct members *members);

/* Batch jobs: read their state from the store and take their next steps. Returns as
 * members_decide. */
uint64_t members_batches_run(struct members *members);
bool members_batches_are_dirty(const struct members *members);
void members_batches_write(struct members *members);
void members_batches_drop(struct members *members);

/* Has an operator approved any of its failures? */
bool batches_has_approval(const struct member_batches *batches);

/* The row of the job (member_batches_row.c), of the arena. */
struct text members_batches_row(struct arena *arena, const struct member_batches *batches,
                                uint64_t seen_ms);

/* The first machine of the batch that begins next or has begun last; *out_end is its end. */
size_t members_batches_first(const struct member_batches *batches, size_t *out_end);

/* The paused group that stops a machine which has begun; empty: none. */
struct text members_batches_held(const struct member_batches *batches);

/* Why nothing more is begun now: "web is paused"; empty: there is no obstacle. */
struct text members_batches_pause(struct arena *arena, const struct member_batches *batches);

/* Decide the next steps and start them. Returns the time of the next decision by the cluster's
 * clock; 0: when something changes. */
uint64_t members_decide(struct members *members);

/* Rotate the authorities on an operator's request (members_rotate.c). Returns as members_decide. */
uint64_t members_rotate(struct members *members, const struct bootstrap_world *world);

/* Observe the current state of all machines (members_observe.c), and the operator commands that the
 * newest pass has read. */
void members_observe(struct members *members);

/* Queue the known states for writing (members_write.c). A state that differs in the store is
 * written again. */
void members_compare(struct members *members);

/* Revocation (members_revoke.c): are the keys of this machine revoked? */
bool member_is_taken(const struct member *member);

/* Is the machine being removed, with keys that are not revoked yet? */
bool member_is_leaving(const struct member *member);

/* Write the revocation of its keys. */
void member_take(struct member *member);

/* members_gone_take adds the writes for a machine that is gone and left this state.
 * members_gone_sweep adds those for expired revocations. */
void members_gone_take(struct members *members, struct text token, const struct node_state *state);
void members_gone_sweep(struct members *members);

/* Add a write; copies into its arena. */
void members_gone_add(struct members *members, struct text key, struct text value,
                      struct text event);

/* The current time by the cluster's clock. */
uint64_t members_now(const struct members *members);

/* Copy a state into the member's own arena. */
void member_state_set(struct member *member, const struct node_state *state);

#endif

#ifndef REEVE_MEMBERS_MEMBERS_H
#define REEVE_MEMBERS_MEMBERS_H

#include "base/map.h"
#include "state/batches.h"
#include "reconcile/control_parts.h"
#include "records/node_state.h"
#include "records/rerun.h"
#include "bootstrap/bootstrap.h"

/* names: members_ member_ run_ */

/* The nodes of a cluster on their way from bare machines to bootstrapped members: what is known of each is brought to bootstrap/bootstrap.h,
 * which decides, and its steps to nodes_port, which carries them out. Only who holds a cluster's lease does this. */

struct member;

/* A job that works off batches (member_batches.c). What is written of it is what counts: a machine is wished to run its stages only once its
 * mark is in the store. */
struct member_batches {
    struct member_batches *next;
    struct members *members;
    struct arena *memory; /* of the request */
    struct text name;     /* of it, in the store */
    struct batches request;
    uint64_t number; /* of the job */
    bool is_seen;    /* in the newest look */
    bool
        is_damaged; /* the request cannot be read, and is empty here: it only waits to be cancelled */
    struct arena *row_memory;
    struct doc row; /* of its job, as it stands in the store; absent: not begun */
    struct text row_bytes;
    uint64_t row_revision;
    struct batches_progress written;
    struct arena *command_arena;
    struct doc commands; /* what was said of it meanwhile: {cancelled, paused} */
    uint64_t commands_revision;
    char *marks; /* as they are to be written next */
    struct bootstrap_batches_step step;
    uint64_t deadline_ms;
    /* Of a rollout: the newest `rollout resume`, and whose failures were approved, as they are to be written
     * next; and the name by which nodes remember their slot, which changes with each resume. */
    char resumed[17];
    char *approved;     /* by machine */
    bool is_superseded; /* its group has another desired chain now, or none */
    char rollout_request[17];
    uint64_t successor; /* the job that deletes its cluster, which takes its place; 0: none */
    bool is_dirty;
};

/* A run of a node; one may be under way beside another. */
struct member_run {
    struct member *member;
    struct nodes_run *run; /* NULL: none */
    unsigned with;
    bool keeps;     /* its certificates stay as they are */
    uint64_t rerun; /* the request that it fulfils; 0: none */
    char job[17];   /* the job of batches of which it does this node's part; empty: none */
    char trust
        [65]; /* what it was told to trust, and the facts that it was given: known to be there when it says so */
    char facts[33];
    char chain[33]; /* of the stages it was begun with */
};

/* Something that people are told when the state is written. */
struct member_event {
    struct member_event *next;
    const char *type;
    struct text fact;
};

/* A machine of the cluster that is there, and what is known of its node. */
struct member {
    struct member *next;
    struct members *members;
    struct arena *memory;  /* of its token */
    struct arena *machine; /* of what its record says */
    struct text token;
    struct text name;
    struct text group;
    struct text id;
    struct control_way way;
    uint64_t
        first_key; /* that it has shown, until that stands in its record (node_state_host_key) */
    uint64_t slot;
    uint64_t revision; /* of its record, as it was read */
    bool is_there;     /* it is active, and has an address */
    bool is_going;
    bool is_taken;                /* its keys are taken back: it is no member any more */
    bool is_unreachable_by_probe; /* its probe does not reach it */
    bool is_failing;              /* its probe reaches it, and says that it does not serve */
    bool is_protected;
    char slot_mark; /* enum bootstrap_mark, in the current rollout of its group; 0: it is in none */
    struct text generation; /* that it was made from; of the arena `machine` */
    bool is_starting;
    uint64_t failed_since_ms; /* as its record has it: its bootstrap has failed; 0: it has not */
    uint64_t failed_ms;       /* as it was told here; 0: it was not */
    bool is_answered;         /* its probe has, while it was starting */
    /* A requested reboot is under way: no run begins, and what its probe found before does not count. */
    bool is_rebooting;
    /* It served before its reboot, and has not answered since: it is out of service. */
    bool is_unanswered;
    bool is_owned;      /* its facts, if there are any, name the owner that its group has */
    bool is_shadow;     /* its name is another machine's, which serves */
    bool is_seen;       /* in the newest look at all machines */
    struct rerun rerun; /* newest request to run stages again; revision 0: there is none */
    const struct member_batches *batches; /* a job requests it as well; NULL: none does */
    char job[17];                         /* its name, of the newest one that did */
    struct arena *state_memory;
    struct node_state state;
    uint64_t state_revision; /* of what is written; 0: nothing is */
    uint64_t written;        /* hash of what was given to the store last */
    bool is_dirty;
    struct member_event *reports; /* oldest first */
    /* what goes on */
    struct member_run main;
    struct member_run beside;
    /* Of a machine that goes and continues to exist (members_release.c). */
    struct member_run release;
    bool is_release_granted; /* the newest pass would call its provider */
    unsigned release_failures;
    uint64_t release_again_ms;
    enum bootstrap_phase phase;
    bool is_unreachable;
    unsigned failures; /* runs in a row that could not be finished */
    uint64_t again_ms;
};

/* What an operator has said of a group, as the newest pass has read it. */
struct group_commands {
    struct text group;
    bool is_paused;
    enum plan_rollout_command roll; /* rollout pause, rollout abort */
    uint64_t retry_revision;
    struct text retry; /* name of what was said of trying again: another one is another word */
};

/* Something is to be written of what is not there any more: a machine's state goes, its keys are taken back. */
struct members_gone {
    struct members_gone *next;
    struct text key;
    struct text value; /* empty: it is deleted */
    struct text event; /* empty: nobody is told */
};

struct members {
    struct reconciler *reconciler;
    struct arena *memory;
    struct map by_token; /* of bootstrapped */
    struct member_batches *batches;
    bool has_decided; /* members_batches_run has looked at all batches at least once */
    /* Rollouts that are to be created (members/rollouts.c); of rollouts_memory. */
    struct rollout_new *rollouts;
    struct arena *rollouts_memory;
    struct member *first;
    size_t count;
    uint64_t version;  /* of the cluster, as it was looked at last */
    uint64_t wanted;   /* revision of what is wanted, as owners were looked at last */
    uint64_t sweep_ms; /* what was taken back, and has run out, falls away then */
    struct arena *commands_arena;
    struct group_commands *commands;
    size_t word_count;
    struct text rotate;   /* an operator's request, of commands_arena; empty: none */
    struct text rotating; /* how far it is, in words; empty: nothing is rotated */
    uint64_t rotating_hash;
    char facts[33]; /* digest of those of all */
    uint64_t facts_changed_ms;
    struct members_gone *gone; /* of gone_memory */
    struct members_gone **gone_last;
    struct arena *gone_memory;
    struct arena *waits_memory;
    struct text waits; /* what those at their points wait for, in words; empty: nothing */
};

/* A run is told something (members_event.c); for nodes_port. */
void members_event(void *arg, const struct nodes_event *reported);

/* Something is to be decided, or written. */
void members_wake(struct members *members);

/* Write what is known from here on; with news for people, if there are any. */
void member_note(struct member *member, const char *type, struct text fact);

/* The same, with another state; `type` NULL: people are told nothing. */
void member_change(struct member *member, const struct node_state *changed, const char *type,
                   struct text fact);

/* Release machines that go and continue to exist (members_release.c). Returns as members_decide. */
uint64_t members_release(struct members *members);

/* It is not what it was: nothing counts that was seen of it. */
void member_forget(struct member *member);

/* Stages of this chain begin on it: what another one had done is over. */
void member_chain_leave(struct member *member, struct text chain);

/* At its points: it is told what to trust, or given the facts of all. What is not known yet is not told. */
void run_trust(struct member_run *run);
void run_distribute(struct member_run *run);

/* Its runs are of no use any more; nor is the one that releases it. */
void member_drop_runs(struct member *member);
void member_drop_release(struct member *member);

/* The request with which its stages are run again, for an order. Of its machine's arena. */
void member_request(const struct member *member, struct nodes_order *order);

/* Have these stages failed, and nobody has said since that they are to be tried again? */
bool member_is_stuck(const struct member *member, struct text chain);

/* Is a request to run stages again still to be fulfilled (members_rerun.c)? */
bool member_is_rerun(const struct member *member);

/* The one that is fulfilled next: it stands alone, or (out_batches not NULL) a job has it. False: there is none. */
bool member_rerun_next(const struct member *member, struct rerun *out,
                       const struct member_batches **out_batches);

/* From which stage on a job runs them on it, which was said of its group by the name that it had. False: nothing was said of it. */
bool member_from(const struct member *member, const struct member_batches *batches, uint64_t *out);

/* Has the node done its part of the job? */
bool member_is_done_of(const struct member *member, const struct member_batches *batches);

/* Are the stages of this chain still to be brought to their end on it, or again? */
bool member_wants_stages(const struct member *member, struct text chain);

/* Does a run go on that brings its stages to their end? */
bool member_is_staging(const struct member *member);

/* The owner of the machines of a group, as its file has it; empty: none. */
struct text member_owner(struct arena *arena, const struct fleet_group *group);

/* Look whether the facts of the node name that one; where they do not, they are told anew. */
void member_owner_look(struct member *member);

/* Read it anew. */
void member_rerun_look(struct member *member);

/* A run with stages has begun that fulfils it: people are told which of them were not to run twice. */
void member_rerun_report(struct member *member, const struct fleet_group *group,
                         const struct rerun *rerun);

/* The name of what has been said of trying again what failed in a group: with another word it is another one, and with nothing else
 * that is said of the group or its cluster. */
struct text members_retry_name(struct arena *arena, const struct members *members,
                               struct text group);

/* Its stages have failed: what has been said until now was not about that. Its name, of the words' arena. */
struct text member_retry_look(const struct member *member);

/* What an operator has said of its group; NULL: not read yet. */
struct group_commands *member_commands(const struct member *member);

/* Forget requests about machines that are not there any more. */
void members_rerun_sweep(struct members *members);

/* Jobs that work off batches: as they stand in the store, and what is next. Returns as members_decide. */
uint64_t members_batches_run(struct members *members);
bool members_batches_are_dirty(const struct members *members);
void members_batches_write(struct members *members);
void members_batches_drop(struct members *members);

/* Has an operator approved any of its failures? */
bool batches_has_approval(const struct member_batches *batches);

/* The row of the job (members_batches_row.c), of the arena. */
struct text members_batches_row(struct arena *arena, const struct member_batches *batches,
                                uint64_t seen_ms);

/* Where the batch begins that is begun next, or has begun last; and its end. */
size_t members_batches_first(const struct member_batches *batches, size_t *out_end);

/* Has one of its machines begun that does not go on, for its group is paused? That group; empty: none. */
struct text members_batches_held(const struct member_batches *batches);

/* Why nothing more is begun for now: "web is paused"; empty: nothing keeps it. */
struct text members_batches_pause(struct arena *arena, const struct member_batches *batches);

/* Ask what is next, and do it. Returns when it is to be asked again, by the cluster's clock; 0: when something changes. */
uint64_t members_decide(struct members *members);

/* Change the authorities, where somebody has wished it (members_rotate.c). Returns as members_decide. */
uint64_t members_rotate(struct members *members, const struct bootstrap_world *world);

/* All machines as they stand (members_observe.c), and what operators have said, where the newest pass has read it. */
void members_observe(struct members *members);

/* Write what is known (members_write.c): the current state otherwise in the store is written again. */
void members_compare(struct members *members);

/* What was taken back (members_revoke.c). Of a machine: is it? */
bool member_is_taken(const struct member *member);

/* It goes, and what it was given is not taken back yet. */
bool member_is_leaving(const struct member *member);

/* Write that it is. */
void member_take(struct member *member);

/* Add what is to be written of a machine that went without a word, of which this state is left, and of what has run out. */
void members_gone_take(struct members *members, struct text token, const struct node_state *state);
void members_gone_sweep(struct members *members);

/* Add one more to what is to be written; of the arena of it. */
void members_gone_add(struct members *members, struct text key, struct text value,
                      struct text event);

/* By the cluster's own clock. */
uint64_t members_now(const struct members *members);

/* Its state lives in an arena of its own: what is changed is copied there. */
void member_state_set(struct member *member, const struct node_state *state);

#endif

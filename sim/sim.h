#ifndef REEVE_SIM_SIM_H
#define REEVE_SIM_SIM_H

#include "base/map.h"
#include "reconcile/control.h"
#include "records/intent.h"
#include "service/service.h"
#include "provider/sim.h"
#include "bootstrap/bootstrap.h"

/* public names start with: sim_ luck_ manager_ oracle_ ledger_ fault_ */
/* public names start with: mishap_ backup_ people_ nodes_ stages_ */
/* public names start with: scenario_ shrink_ */

/* The deterministic simulator (SAFETY.md 6). It runs the production planner and engine with several
 * managers, one store, one cloud, simulated users ("people") and faults. It is single-threaded and
 * runs in virtual time; all randomness comes from one seed. */

enum { SIM_MANAGERS = 3, SIM_GROUPS = 3, SIM_GROUP_MAX = 9, SIM_PROBES = 128, SIM_RUNS = 128 };

/* ---- luck: a random stream for each part, so that a draw in one shifts no other ---- */

struct luck {
    uint64_t state;
};

struct luck luck_make(uint64_t seed, uint64_t stream);
uint64_t luck_draw(struct luck *luck, uint64_t below);
double luck_share(struct luck *luck); /* returns a number in [0, 1) */
bool luck_hits(struct luck *luck, double share);
uint64_t luck_wait(struct luck *luck, double per_hour); /* time until the next occurrence, in ms */

/* ---- kinds of faults; each seed has some of them, at rates of its own (6.4) ---- */

enum fault_kind {
#define FAULT(name, unit, rate) FAULT_##name,
#include "faults.def"
#undef FAULT
    FAULT_KIND_COUNT,
};

const char *fault_name(enum fault_kind kind);

struct sim_setup {
    uint64_t seed;
    uint64_t days;
    bool is_archiving_passes; /* records of passes are written, as in production */
    uint32_t guards_off;      /* switched-off guards, as bits by enum plan_guard */
    /* switched-off faults, as bits by enum fault_kind; used for shrinking */
    uint64_t faults_off;
    uint32_t bug;                    /* a planted bug, by enum plan_bug; 0: none */
    const struct scenario *scenario; /* a scripted scenario; NULL: random faults */
    bool is_staged;                  /* Three of ten seeds have rollouts in place. */
    unsigned budget;   /* nodes of the cluster that may be out of service; 0: there is no budget */
    bool is_tokenless; /* The provider does not compare tokens. */
    bool is_uniform;   /* all kinds of faults are on, with their default rates */
    bool is_loud;
    bool is_brief; /* Stop at the first finding. */
};

/* ---- violations ---- */

enum sim_violation {
    SIM_FOUND_HARMFUL,   /* a running machine that was needed was destroyed */
    SIM_FOUND_OVERSHOOT, /* More machines run than size + surge. */
    SIM_FOUND_LEAK,      /* a machine that no manager knew ran for an hour */
    /* The desired state was not reached within twelve hours without faults. */
    SIM_FOUND_UNCONVERGED,
    SIM_FOUND_UNINTENDED, /* A provider was called without a committed intent. */
    /* A foreign machine was destroyed, or an unrequested machine before an operator had time to
     * exempt it. */
    SIM_FOUND_FOREIGN,
    SIM_FOUND_FORGOTTEN, /* The record of a machine was removed while the machine ran. */
    /* A record returned to an earlier state, or a token or id was used twice. */
    SIM_FOUND_BACKWARD,
    SIM_FOUND_PAUSED, /* A provider was called for a paused group. */
    SIM_FOUND_RATE,   /* More machines were destroyed without request than the budget allows. */
    /* A healthy running machine was replaced as unhealthy, or counted as lost. */
    SIM_FOUND_EVIDENCE,
    SIM_FOUND_CROWD,  /* A machine was replaced while more than maxUnhealthy were unhealthy. */
    SIM_FOUND_VICTIM, /* Scale-in removed a healthy machine while an unhealthy one stayed. */
    SIM_FOUND_BATCH,  /* a rollout replaced more machines at the same time than its batch */
    /* A rollout continued before its canaries had run long enough, or past maxFail failures. */
    SIM_FOUND_CANARY,
    SIM_FOUND_UNHELD,    /* most machines of a group are missing, but there is no hold */
    SIM_FOUND_NEIGHBOUR, /* A hold stays open because the provider of another group is missing. */
    /* members ran changed stages without a rollout slot, or too many at the same time */
    SIM_FOUND_SLOT,
    SIM_FOUND_UNASKED, /* A machine was destroyed without a request or a policy. */
    /* More members ran changed stages at the same time than the budget of their cluster allows. */
    SIM_FOUND_BUDGET,
    SIM_FOUND_DOUBLE, /* calls created two machines with one token that existed at the same time */
    SIM_FOUND_COUNT,
};

const char *sim_violation_name(enum sim_violation violation);

struct sim_result {
    uint64_t fingerprint;
    uint64_t found[SIM_FOUND_COUNT];
    char first[400]; /* the first finding, as text */
    enum sim_violation first_kind;
    uint64_t passes;
    uint64_t made;
    uint64_t ended;
    uint64_t events;
};

struct sim_result sim_run(const struct sim_setup *setup);

/* ---- internals ---- */

struct sim;

/* A run on a node, in the simulated nodes port (stages.c). */
struct nodes_run {
    bool is_used;
    bool is_waiting; /* The run waits at a barrier. */
    bool has_begun;  /* Its stage has begun, and the begin was reported. */
    nodes_event_fn *reported;
    void *arg;
    unsigned with;     /* the remaining phases, as RUN_WITH_... bits */
    unsigned argument; /* argument of the stage */
    uint64_t due_ms;
    char id[24];
    char name[24];
    char request[48];
};

struct manager {
    struct sim *sim;
    unsigned index;
    unsigned lives;
    bool is_up;
    uint64_t paused_until; /* 0: the manager is running */
    /* Time at which the manager notices that its store was replaced; 0: its store was not
     * replaced. */
    uint64_t severed_until;
    uint64_t up_at; /* when it restarts */
    struct store *link;
    struct cache *cache;
    struct control *control; /* NULL: the cache is not ready yet */
    struct provider *provider;
    uint64_t due;
    uint64_t clock_ahead;
    struct luck luck;
    char session[32];
    struct sim_probe {
        control_probe_done *done;
        void *arg;
        enum control_probed found;
    } probes[SIM_PROBES]; /* running probes */
    size_t probe_count;
    struct nodes_port nodes;
    struct nodes_run runs[SIM_RUNS];
    size_t run_count;
};

/* The desired state of a group, with its history. */
struct wanted {
    uint32_t size;
    unsigned image;
    uint64_t changed_ms;
    uint64_t imaged_ms; /* when users last changed its image */
    struct {
        uint64_t until_ms;
        uint32_t size;
    } former[16];
    size_t former_count;
    uint64_t died_ms;   /* when a machine of the group last ended without reeve's action */
    unsigned rolling;   /* number of machines that a rollout requested and that do not run yet */
    unsigned bad_image; /* machines with this image are unhealthy from the start; 0: none */
    uint64_t paused_ms; /* when the group was paused; 0: it is not paused */
    /* The argument of the group's stage, and the state of its rollout in place. */
    unsigned argument;
    /* The argument that fails on members that have been ready; 0: none. */
    unsigned bad_argument;
    uint64_t argued_ms; /* when users last changed the argument */
    /* When users last approved that a rollout of the argument continues despite its failures. */
    uint64_t slots_approved_ms;
    unsigned roll_begun; /* number of members on which the argument has started in place */
    /* This incarnation of the store has recorded all starts since argued_ms. */
    bool is_roll_known;
};

/* A copy of the store, with the desired state at that time. */
struct backup {
    struct store *store; /* NULL: none */
    unsigned char incarnation[16];
    struct wanted wanted[SIM_GROUPS];
};

enum { SIM_BACKUPS = 3 };

/* A network cut: a manager has lost contact with a share of the machines. The share is constant
 * during the cut. */
struct cut {
    uint64_t from_ms;
    uint64_t until_ms; /* 0: there was no network cut */
    uint64_t salt;
    uint32_t permille;
    bool is_most; /* The cut hid most of the machines when it began. */
};

/* Settings and state of probed machines and of rollouts with canaries. Unused if are_probed is
 * false. */
struct nodes {
    bool are_probed;
    bool have_stages;      /* Groups have a stage, and users change its argument. */
    unsigned budget;       /* nodes of the cluster that may be out of service; 0: no budget */
    unsigned most_percent; /* maxUnhealthy */
    unsigned surge;
    unsigned batch;
    unsigned canary;
    unsigned fail_max;
    uint64_t bake_ms;
    struct cut cuts[SIM_MANAGERS];
    /* Earlier network cuts, because machines that were lost in them may still be replaced. */
    struct cut formers[SIM_MANAGERS];
};

/* A machine's record as committed in the real store, in any incarnation of the store (ledger.c). */
struct entry {
    struct entry *before; /* the entry that was created before this one */
    struct text token;
    struct text id;
    unsigned group;
    unsigned image;        /* image that users desired when the machine was requested */
    uint64_t generation;   /* hash of the generation in its record */
    unsigned life;         /* incarnation of the store in which the state was committed */
    unsigned deleted_life; /* incarnation in which it was marked for deletion; 0: never */
    enum plan_record_state state;
    bool is_judged; /* The commit that marked the machine for deletion was already checked. */
    bool is_harm;
    bool is_gone;
    bool is_doubted;   /* At some time the outcome of a create call was unknown. */
    bool is_rolling;   /* A rollout requested the machine, and it does not run yet. */
    bool has_failed;   /* The machine was marked for deletion because it was unhealthy. */
    bool is_rebooting; /* A requested reboot is in progress. */
    /* Its reboot is overdue: the machine still counts for the batch until users decide. */
    bool is_late;
    bool has_served; /* A record has counted the machine as a ready member. */
    uint64_t gone_ms;
    uint64_t active_ms; /* when it first became active; 0: never */
    uint64_t ended_ms;  /* when its machine ended; 0: it has not ended */
};

/* The faults that a scenario arranges. */
struct scene {
    unsigned step;
    uint64_t due;
    uint64_t until;
    uint64_t watch_delay_ms;
    bool is_unheard; /* The next change of a machine's record is applied, but not answered. */
    bool is_lost;    /* The next change is neither applied nor answered. */
    bool is_refused; /* The next change is rejected. */
    /* the next change is applied only at this time; until then its sender is suspended */
    bool is_stalled;
    bool lists_are_empty;
    bool lists_are_partial; /* Listings are incomplete, and are declared as incomplete. */
    bool finds_lie;
    bool finds_waver;    /* Every second lookup returns a wrong result. */
    bool finds_are_lost; /* The answers to lookups are lost. */
    /* Delay until the next create call takes effect. The caller times out before that. */
    uint64_t effect_ms;
    bool ends_are_lost; /* Destroy calls have no effect and no answer. */
    bool tears;         /* During the next listing, a part of the specification is missing. */
    bool is_cut;        /* Managers can reach only the first machine of each group. */
};

struct sim {
    struct arena *arena;
    struct sim_setup setup;
    struct sim_result result;
    uint64_t now_ms;
    uint64_t cleared_ms; /* time from which on there are no faults */
    uint64_t end_ms;
    double rates[FAULT_KIND_COUNT];
    uint64_t due[FAULT_KIND_COUNT]; /* next occurrence of the faults with an hourly rate */
    uint64_t next_due;              /* the earliest time in `due` */
    struct luck lucks[FAULT_KIND_COUNT];
    struct luck luck_store;
    struct luck luck_cloud;
    struct luck luck_people;
    struct store *truth;
    struct cache *view; /* a cache of the real store, for the simulated users and the oracles */
    struct service *service;
    struct arena *people_arena;
    struct sim_cloud *cloud;
    struct manager managers[SIM_MANAGERS];
    struct control_options options;
    struct wanted wanted[SIM_GROUPS];
    char cluster[64]; /* TENANT/ID */
    char *torn;       /* the bytes of the removed record of a group; NULL: no record is removed */
    unsigned ids;
    unsigned life;
    uint64_t returned_ms; /* when the store was last replaced by an older one; 0: never */
    unsigned char incarnation[16];
    uint64_t outage_until;
    uint64_t wall_ahead;
    uint64_t blackout_until; /* Every listing is empty until this time. */
    uint64_t hidden_until;   /* Some listings lack machines until this time. */
    struct backup backups[SIM_BACKUPS];
    struct map entries; /* entries by token */
    struct entry *newest;
    struct map by_id; /* the newest entry of each id */
    struct store_watch *ledger_watch;
    /* The store is being loaded: the reported changes were committed earlier. */
    bool is_restoring;
    struct map orphan_ms; /* by cluster: the time when an unrequested machine was last marked for
                           * deletion */
    struct scene scene;
    struct nodes nodes;
    struct map stages;  /* by machine id: the state of the node (stages.c) */
    unsigned arguments; /* number of stage arguments that users have used so far */
    struct luck luck_stages;
    /* The machine that the current transaction marks for deletion; NULL: none. */
    const struct sim_machine *victim;
    /* When users last approved that a rollout of images continues despite its failures. */
    uint64_t rolls_approved_ms;
    uint64_t housekeeping_due;
    uint64_t look_due; /* time of the next check by the oracles */
    bool is_cleared;   /* The final phase has begun. */
    bool is_removed;   /* The cluster is deleted. */
    bool is_replied;
    bool is_refused;
};

/* Functions of the managers (manager.c). */
void manager_start(struct sim *sim, unsigned index);
void manager_crash(struct manager *manager);
void manager_run(struct manager *manager);
void manager_pause(struct manager *manager, uint64_t until);
void manager_find_out(struct manager *manager);
void manager_mac(void *arg, struct text data, char out[static 33]);

/* Functions of the simulated users (people.c): the desired state, and its changes. */
void people_begin(struct sim *sim);
void people_open(struct sim *sim);
void people_close(struct sim *sim);
void people_resize(struct sim *sim);
void people_change(struct sim *sim);

/* Request a reboot of some machines of a group. */
void people_reboot(struct sim *sim, struct luck *luck);
void people_pause(struct sim *sim);
void people_resume(struct sim *sim); /* resume all pauses */
void people_approve(struct sim *sim);
void people_remove(struct sim *sim);                /* delete the whole cluster */
void people_anew(struct sim *sim);                  /* create the cluster again if it was deleted */
void people_spare(struct sim *sim);                 /* exempt the machines in quarantine from
                                                     * destruction */
void people_image(struct sim *sim, unsigned group); /* set another image */
/* Set another argument of a group's stage; SIM_GROUPS: of all groups, in one change. */
void people_restage(struct sim *sim, unsigned group, bool is_bad);
void people_tear(struct sim *sim);   /* remove a group's record, as within a large change */
void people_repair(struct sim *sim); /* restore the removed record */
void people_size(struct sim *sim, unsigned group, uint32_t size);
/* store a new size in the simulator, without a change in the store */
void people_note_size(struct sim *sim, unsigned group, uint32_t size);
void people_write_pause(struct sim *sim, unsigned group, bool is_paused);
/* Write directly to the store. */
void people_write(struct sim *sim, struct text key, struct text value);
uint32_t people_size_max(const struct sim *sim, unsigned group, uint64_t window_ms);
uint32_t people_size_min(const struct sim *sim, unsigned group, uint64_t window_ms);

/* Faults (fault.c). */
void fault_begin(struct sim *sim);
void fault_run(struct sim *sim);
uint64_t fault_due(const struct sim *sim);
struct sim_fate fault_cloud_fate(void *arg, enum sim_call call, struct text cluster);
uint32_t fault_cloud_luck(void *arg);
struct link_fate fault_link_fate(void *arg, const struct store_txn *txn);
uint64_t fault_watch_delay(void *arg);
bool fault_is_over(const struct sim *sim);

/* Faults with an hourly rate (mishap.c), and restores (backup.c). */
#define MISHAP_BAD_STAMP "00112233445566778899aabbccddeeff" /* a stamp that is never valid */
void mishap_happen(struct sim *sim, enum fault_kind kind);
void backup_make(struct sim *sim);
void backup_restore(struct sim *sim);
void backup_put_back(struct sim *sim);
void backup_drop(struct sim *sim);           /* free all backups */
struct store *backup_first(struct sim *sim); /* create a store in its first incarnation */
/* Makes the owners of foreign machines destroy them after some time. */
void mishap_reclaim(struct sim *sim);
struct sim_machine *mishap_stray(struct sim *sim, unsigned group);

/* Functions for nodes and their health (nodes.c). */
void nodes_begin(struct sim *sim);
void nodes_cut(struct sim *sim, struct luck *luck);
void nodes_sicken(struct sim *sim, struct luck *luck);
/* Handle a new image of a group. The image may be bad. */
void nodes_image(struct sim *sim, unsigned group);
void nodes_made(struct sim *sim, struct sim_machine *machine);
void nodes_cleared(struct sim *sim);
bool nodes_are_cut(const struct sim *sim, unsigned manager, const struct sim_machine *machine);
bool nodes_may_be_missed(struct sim *sim, const struct sim_machine *machine);
bool nodes_are_hidden(struct sim *sim, const struct sim_machine *machine);
bool nodes_may_be_unreachable(struct sim *sim, const struct sim_machine *machine);
bool nodes_is_bad(const struct sim *sim, const struct sim_machine *machine);
bool nodes_is_known_bad(const struct sim *sim, const struct sim_machine *machine);

/* Stages, and changes of them in place (stages.c). */
void stages_port(struct manager *manager);
bool stages_run(struct manager *manager); /* Returns true if a run received an event. */
uint64_t stages_due(const struct manager *manager);
/* Called when a manager has lost contact with a machine. */
void stages_cut(struct sim *sim, const struct sim_machine *machine);
bool stages_has_failed(struct sim *sim, const struct sim_machine *machine);
void stages_change(struct sim *sim, unsigned group, bool is_bad);
void stages_end(struct sim *sim, unsigned group);

/* The record of all commits about machines (ledger.c). */
void ledger_open(struct sim *sim);
void ledger_close(struct sim *sim);
void ledger_asked(void *arg, enum sim_call call, const struct intent *intent);
struct entry *ledger_find(const struct sim *sim, struct text token);
/* True if a member of the group has a requested reboot that is overdue. The member still counts for
 * the batch until users request the reboot again or replace the member, and the group's rollouts
 * wait for that. */
bool ledger_is_reboot_late(const struct sim *sim, unsigned group);
/* Find the entry of a machine by its id, or by its token. */
struct entry *ledger_of(const struct sim *sim, const struct sim_machine *machine);

/* A scripted sequence of events (scenario.c). */
struct scenario {
    const char *name;
    /* Names of the guards without which the scenario fails, or of the bugs that it finds, and its
     * description. */
    const char *shows;
    unsigned most_percent; /* maxUnhealthy of probed machines; 0: machines are not probed */
    bool is_other_missing; /* the last group is empty, and its plugin has no provider */
    unsigned canary;       /* number of canaries; 0: none */
    unsigned fail_max;     /* number of failures that stop a rollout; 0: unlimited */
    bool has_stages;       /* groups have a stage */
    unsigned batch;        /* batch of a rollout; 0: one */
    bool is_tokenless;     /* the provider does not compare tokens */
    unsigned budget;       /* nodes of the cluster that may be out of service; 0: no budget */
};
void scenario_run(struct sim *sim);
const struct scenario *scenario_find(const char *name);
const struct scenario *scenario_at(size_t index); /* NULL: there is no such scenario */

/* Return the smallest setup with the same finding (shrink.c). */
struct sim_setup shrink(const struct sim_setup *setup, enum sim_violation kind);

/* The oracles (oracle.c). They check the cloud and the store, never a controller's internal
 * state. */
void oracle_reported(void *arg, struct sim_machine *machine, bool is_end);
void oracle_look(struct sim *sim);
/* Called when most machines of the first group are missing: a hold must be open. */
void oracle_braked(struct sim *sim);
void oracle_unbraked(struct sim *sim); /* Called when a missing provider is the only problem. */
bool oracle_is_held(struct sim *sim, unsigned group, const char *const *rules);
void oracle_end(struct sim *sim);
bool oracle_runs(const struct sim_machine *machine);
bool oracle_is_harm(struct sim *sim, const struct sim_machine *machine);
bool oracle_is_unrecorded(struct sim *sim, const struct sim_machine *machine);
bool oracle_is_ours(struct sim *sim, const struct sim_machine *machine);
/* Return the incarnation of the store, as it is used in stamps. */
void oracle_life(const struct sim *sim, char out[static 33]);
void oracle_found(struct sim *sim, enum sim_violation violation, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Add an event to the fingerprint of the run. */
void sim_note(struct sim *sim, const char *what, uint64_t number);
void sim_say(const struct sim *sim, const char *format, ...) PRINTF_LIKE(2, 3);

#endif

#ifndef REEVE_SIM_SIM_H
#define REEVE_SIM_SIM_H

#include "base/map.h"
#include "reconcile/control.h"
#include "records/intent.h"
#include "service/service.h"
#include "provider/sim.h"
#include "bootstrap/bootstrap.h"

/* names: sim_ luck_ manager_ oracle_ ledger_ fault_ mishap_ backup_ people_ nodes_ stages_ scenario_ shrink_ */

/* The deterministic simulator (SAFETY.md 6): the production planner and engine, several managers, one store, one
 * cloud, people and bad luck, single-threaded on virtual time, everything from one seed. */

enum { SIM_MANAGERS = 3, SIM_GROUPS = 3, SIM_GROUP_MAX = 9, SIM_PROBES = 128, SIM_RUNS = 128 };

/* ---- luck: a stream for each part, so that a draw more in one shifts no other ---- */

struct luck {
    uint64_t state;
};

struct luck luck_make(uint64_t seed, uint64_t stream);
uint64_t luck_draw(struct luck *luck, uint64_t below);
double luck_share(struct luck *luck); /* from 0 up to, not including, 1 */
bool luck_hits(struct luck *luck, double share);
uint64_t luck_wait(struct luck *luck, double per_hour); /* until it happens the next time, in ms */

/* ---- kinds of bad luck; each seed has some of them, at rates of its own (6.4) ---- */

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
    bool keeps_passes;               /* what was decided is written down, as in production */
    uint32_t guards_off;             /* bits by enum plan_guard */
    uint64_t faults_off;             /* bits by enum fault_kind: for shrinking */
    uint32_t bug;                    /* a planted bug, by enum plan_bug; 0 = none */
    const struct scenario *scenario; /* what happens is written down; NULL: it is luck */
    bool is_staged;                  /* with rollouts in place in three of ten seeds */
    bool is_uniform;                 /* every kind at its plain rate */
    bool is_loud;
    bool is_brief; /* it ends with what is found first */
};

/* ---- what may be found ---- */

enum sim_violation {
    SIM_FOUND_HARMFUL,     /* a running machine was deleted that was needed */
    SIM_FOUND_OVERSHOOT,   /* more run than size + surge */
    SIM_FOUND_LEAK,        /* one runs that nobody knows of, for an hour */
    SIM_FOUND_UNCONVERGED, /* twelve hours without faults, and it is not as wanted */
    SIM_FOUND_UNINTENDED,  /* a call without a committed intent */
    SIM_FOUND_FOREIGN, /* what is not ours was touched, or what may be before anybody could spare it */
    SIM_FOUND_FORGOTTEN, /* its record was removed while it ran */
    SIM_FOUND_BACKWARD,  /* a record went backward, a token or an id came twice */
    SIM_FOUND_PAUSED,    /* a call for a group that was paused */
    SIM_FOUND_RATE,      /* more destroyed unasked than the budget allows */
    SIM_FOUND_EVIDENCE, /* a healthy machine that runs was replaced as unhealthy, or taken for lost */
    SIM_FOUND_CROWD,    /* one was replaced while more were unhealthy than maxUnhealthy allows */
    SIM_FOUND_VICTIM,   /* scale-in took a healthy one, and an unhealthy one stayed */
    SIM_FOUND_BATCH,    /* a rollout has more under way than its batch */
    SIM_FOUND_CANARY, /* a rollout went on before its canary had baked, or past maxFail failures */
    SIM_FOUND_UNHELD, /* most of a group is missing, and no hold says so */
    SIM_FOUND_NEIGHBOUR, /* the missing provider of another group keeps a hold open */
    SIM_FOUND_SLOT,    /* members run changed stages without a rollout slot, or too many at once */
    SIM_FOUND_UNASKED, /* a machine was destroyed, and neither people nor a policy wanted that */
    SIM_FOUND_COUNT,
};

const char *sim_violation_name(enum sim_violation violation);

struct sim_result {
    uint64_t fingerprint;
    uint64_t found[SIM_FOUND_COUNT];
    char first[400]; /* the first that was found, in words */
    enum sim_violation first_kind;
    uint64_t passes;
    uint64_t made;
    uint64_t ended;
    uint64_t events;
};

struct sim_result sim_run(const struct sim_setup *setup);

/* ---- inside ---- */

struct sim;

/* A run of a node, of the nodes port (stages.c). */
struct nodes_run {
    bool is_used;
    bool is_waiting; /* at a point */
    bool has_begun;  /* its stage, which was reported */
    nodes_event_fn *reported;
    void *arg;
    unsigned with;     /* BOOTSTRAP_WITH_..., what is left of it */
    unsigned argument; /* of the stage */
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
    uint64_t paused_until;  /* 0: it runs */
    uint64_t severed_until; /* it outlived its store, and has not found out; 0: it did not */
    uint64_t up_at;         /* while it is down */
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
    } probes[SIM_PROBES]; /* made, and not answered */
    size_t probe_count;
    struct nodes_port nodes;
    struct nodes_run runs[SIM_RUNS];
    size_t run_count;
};

/* A group as people want it, with what it was. */
struct wanted {
    uint32_t size;
    unsigned image;
    uint64_t changed_ms;
    uint64_t imaged_ms; /* when people changed its image last */
    struct {
        uint64_t until_ms;
        uint32_t size;
    } former[16];
    size_t former_count;
    uint64_t died_ms;   /* when one of it died last, by nature */
    unsigned rolling;   /* machines of a rollout that were asked for, and do not run yet */
    unsigned bad_image; /* machines of it are unhealthy from the start; 0: none is */
    uint64_t paused_ms; /* since when nobody may touch it; 0: anybody may */
    /* The argument of its stage, and the rollout in place of it. */
    unsigned argument;
    unsigned bad_argument;      /* members that have been in service fail with it; 0: with none */
    uint64_t argued_ms;         /* when people changed it last */
    uint64_t slots_approved_ms; /* when people let a rollout of it go on past its failures last */
    unsigned roll_begun;        /* members that have started with it in place */
    bool is_roll_known; /* all starts since argued_ms were seen, in this life of the store */
};

/* A copy of the store, and what was wanted then. */
struct backup {
    struct store *store; /* NULL: none */
    unsigned char incarnation[16];
    struct wanted wanted[SIM_GROUPS];
};

enum { SIM_BACKUPS = 3 };

/* A manager lost contact with a share of the machines, always the same ones. */
struct cut {
    uint64_t from_ms;
    uint64_t until_ms; /* 0: there was none */
    uint64_t salt;
    uint32_t permille;
    bool is_most; /* it was most of them when it began */
};

/* Machines are probed, and images are rolled out with care; else nothing of it is looked at. */
struct nodes {
    bool are_probed;
    bool have_stages;      /* groups have a stage, and people change its argument */
    unsigned most_percent; /* maxUnhealthy */
    unsigned surge;
    unsigned batch;
    unsigned canary;
    unsigned fail_max;
    uint64_t bake_ms;
    struct cut cuts[SIM_MANAGERS];
    struct cut formers
        [SIM_MANAGERS]; /* the one before, which what was lost by it may still be replaced for */
};

/* A machine's record, as the truth has had it: what was committed in it, in whichever life (ledger.c). */
struct entry {
    struct entry *before; /* the one that was made before it */
    struct text token;
    struct text id;
    unsigned group;
    unsigned image;        /* that people wanted when it was asked for */
    uint64_t generation;   /* a hash of the one that its record names */
    unsigned life;         /* of the store, that the state is of */
    unsigned deleted_life; /* in which it was condemned; 0: it never was */
    enum plan_record_state state;
    bool is_judged; /* whether it was right to condemn its machine, when that was committed */
    bool is_harm;
    bool is_gone;
    bool is_doubted;   /* what became of a call to make it was once not known */
    bool is_rolling;   /* a rollout asked for it, and it does not run yet */
    bool has_failed;   /* it was condemned because it was unhealthy */
    bool is_rebooting; /* a reboot that people asked for is under way */
    bool has_served;   /* its record has counted it as a member in service */
    uint64_t gone_ms;
    uint64_t active_ms; /* when it was so first; 0: it never was */
    uint64_t ended_ms;  /* its machine was; 0: it was not */
};

/* What a scenario arranges. */
struct scene {
    unsigned step;
    uint64_t due;
    uint64_t until;
    uint64_t watch_delay_ms;
    bool is_unheard; /* the next change of a machine's record is applied, and not answered */
    bool is_lost;    /* it is neither */
    bool is_refused; /* it is turned away */
    bool is_stalled; /* it is under way until then, and its sender stands still */
    bool lists_are_empty;
    bool lists_are_partial; /* and say so */
    bool finds_lie;
    bool finds_waver;    /* every other one lies */
    bool finds_are_lost; /* nobody hears what they answer */
    uint64_t effect_ms;  /* of the next create; its caller gives it up */
    bool ends_are_lost;  /* nothing is ended, and nobody is answered */
    bool tears;          /* while the next listing is made, a part of what is wanted is away */
    bool is_cut;         /* managers reach the first machine of each group, and no other */
};

struct sim {
    struct arena *arena;
    struct sim_setup setup;
    struct sim_result result;
    uint64_t now_ms;
    uint64_t cleared_ms; /* from here on there is no bad luck */
    uint64_t end_ms;
    double rates[FAULT_KIND_COUNT];
    uint64_t due[FAULT_KIND_COUNT]; /* of those that come by the hour */
    uint64_t next_due;              /* the first of them */
    struct luck lucks[FAULT_KIND_COUNT];
    struct luck luck_store;
    struct luck luck_cloud;
    struct luck luck_people;
    struct store *truth;
    struct cache *view; /* of the truth, for people and oracles */
    struct service *service;
    struct arena *people_arena;
    struct sim_cloud *cloud;
    struct manager managers[SIM_MANAGERS];
    struct control_options options;
    struct wanted wanted[SIM_GROUPS];
    char cluster[64]; /* TENANT/ID */
    char *torn;       /* what a group's record said that is away; NULL: all of them are there */
    unsigned ids;
    unsigned life;
    uint64_t returned_ms; /* when the store became an older one last; 0: never */
    unsigned char incarnation[16];
    uint64_t outage_until;
    uint64_t wall_ahead;
    uint64_t blackout_until; /* every listing is empty */
    uint64_t hidden_until;   /* some listing lacked something */
    struct backup backups[SIM_BACKUPS];
    struct map entries; /* by token */
    struct entry *newest;
    struct map by_id; /* the latest entry with an id */
    struct store_watch *ledger_watch;
    bool is_restoring;    /* what is read now was committed long ago */
    struct map orphan_ms; /* by cluster: when a machine that nobody asked for was condemned last */
    struct scene scene;
    struct nodes nodes;
    struct map stages;  /* what is on the nodes, by id of the machine (stages.c) */
    unsigned arguments; /* of stages, that people have used */
    struct luck luck_stages;
    const struct sim_machine
        *victim;                /* condemned by the transaction that is looked at; NULL: none */
    uint64_t rolls_approved_ms; /* when people let a rollout go on past its failures last */
    uint64_t housekeeping_due;
    uint64_t look_due; /* of the oracles */
    bool is_cleared;   /* the end has begun */
    bool is_removed;   /* the cluster is deleted */
    bool is_replied;
    bool is_refused;
};

/* Managers (manager.c). */
void manager_start(struct sim *sim, unsigned index);
void manager_crash(struct manager *manager);
void manager_run(struct manager *manager);
void manager_pause(struct manager *manager, uint64_t until);
void manager_find_out(struct manager *manager);
void manager_mac(void *arg, struct text data, char out[static 33]);

/* People (people.c): what is wanted, and what they change. */
void people_begin(struct sim *sim);
void people_open(struct sim *sim);
void people_close(struct sim *sim);
void people_resize(struct sim *sim);
void people_change(struct sim *sim);

/* Some machines of a group are to be rebooted. */
void people_reboot(struct sim *sim, struct luck *luck);
void people_pause(struct sim *sim);
void people_resume(struct sim *sim); /* everything that is paused */
void people_approve(struct sim *sim);
void people_remove(struct sim *sim);                /* the whole cluster */
void people_anew(struct sim *sim);                  /* if it was removed */
void people_spare(struct sim *sim);                 /* the current state in quarantine */
void people_image(struct sim *sim, unsigned group); /* another one */
/* Another argument of its stage; SIM_GROUPS: of all groups, in one change. */
void people_restage(struct sim *sim, unsigned group, bool is_bad);
void people_tear(struct sim *sim); /* a group's record is away, as in the midst of a large change */
void people_repair(struct sim *sim); /* and there again */
void people_size(struct sim *sim, unsigned group, uint32_t size);
void people_note_size(struct sim *sim, unsigned group, uint32_t size); /* without saying so */
void people_write_pause(struct sim *sim, unsigned group, bool is_paused);
void people_write(struct sim *sim, struct text key,
                  struct text value); /* straight into the store */
uint32_t people_size_max(const struct sim *sim, unsigned group, uint64_t window_ms);
uint32_t people_size_min(const struct sim *sim, unsigned group, uint64_t window_ms);

/* Bad luck (fault.c). */
void fault_begin(struct sim *sim);
void fault_run(struct sim *sim);
uint64_t fault_due(const struct sim *sim);
struct sim_fate fault_cloud_fate(void *arg, enum sim_call call, struct text cluster);
uint32_t fault_cloud_luck(void *arg);
struct link_fate fault_link_fate(void *arg, const struct store_txn *txn);
uint64_t fault_watch_delay(void *arg);
bool fault_is_over(const struct sim *sim);

/* What comes by the hour (mishap.c), and what is restored (backup.c). */
#define MISHAP_BAD_STAMP "00112233445566778899aabbccddeeff" /* never a true one */
void mishap_happen(struct sim *sim, enum fault_kind kind);
void backup_make(struct sim *sim);
void backup_restore(struct sim *sim);
void backup_put_back(struct sim *sim);
void backup_drop(struct sim *sim);           /* all of them */
struct store *backup_first(struct sim *sim); /* a store in its first life */
void mishap_reclaim(struct sim *sim);        /* owners of what is not ours end it some day */
struct sim_machine *mishap_stray(struct sim *sim, unsigned group);

/* Nodes and their health (nodes.c). */
void nodes_begin(struct sim *sim);
void nodes_cut(struct sim *sim, struct luck *luck);
void nodes_sicken(struct sim *sim, struct luck *luck);
void nodes_image(struct sim *sim, unsigned group); /* it has another one, which may be bad */
void nodes_made(struct sim *sim, struct sim_machine *machine);
void nodes_cleared(struct sim *sim);
bool nodes_are_cut(const struct sim *sim, unsigned manager, const struct sim_machine *machine);
bool nodes_may_be_missed(struct sim *sim, const struct sim_machine *machine);
bool nodes_may_be_unreachable(struct sim *sim, const struct sim_machine *machine);
bool nodes_is_bad(const struct sim *sim, const struct sim_machine *machine);
bool nodes_is_known_bad(const struct sim *sim, const struct sim_machine *machine);

/* Stages, and changes of them in place (stages.c). */
void stages_port(struct manager *manager);
bool stages_run(struct manager *manager); /* true: a run was told something */
uint64_t stages_due(const struct manager *manager);
void stages_cut(struct sim *sim, const struct sim_machine *machine); /* a manager lost contact */
bool stages_has_failed(struct sim *sim, const struct sim_machine *machine);
void stages_change(struct sim *sim, unsigned group, bool is_bad);
void stages_end(struct sim *sim, unsigned group);

/* What was truly committed about machines (ledger.c). */
void ledger_open(struct sim *sim);
void ledger_close(struct sim *sim);
void ledger_asked(void *arg, enum sim_call call, const struct intent *intent);
struct entry *ledger_find(const struct sim *sim, struct text token);
struct entry *ledger_of(const struct sim *sim,
                        const struct sim_machine *machine); /* by its id, or its token */

/* What is written down instead of drawn (scenario.c). */
struct scenario {
    const char *name;
    const char *shows; /* the guards that it needs, or the bugs that it finds, and what happens */
    unsigned most_percent; /* machines are probed, and this is maxUnhealthy; 0: they are not */
    bool is_other_missing; /* the last group is empty, and nobody makes machines for its plugin */
    unsigned canary;       /* 0: none is set */
    unsigned fail_max;     /* failures that stop a rollout; 0: any number */
    bool has_stages;       /* groups have a stage */
    unsigned batch;        /* of a rollout; 0: one */
};
void scenario_run(struct sim *sim);
const struct scenario *scenario_find(const char *name);
const struct scenario *scenario_at(size_t index); /* NULL: there are no more */

/* The smallest setup that shows the same (shrink.c). */
struct sim_setup shrink(const struct sim_setup *setup, enum sim_violation kind);

/* Oracles (oracle.c): they look at the cloud and the store, never at what a controller thinks. */
void oracle_reported(void *arg, struct sim_machine *machine, bool is_end);
void oracle_look(struct sim *sim);
void oracle_braked(struct sim *sim);   /* most of the first group is missing just now */
void oracle_unbraked(struct sim *sim); /* nothing is wrong but that a provider is missing */
bool oracle_is_held(struct sim *sim, unsigned group, const char *const *rules);
void oracle_end(struct sim *sim);
bool oracle_runs(const struct sim_machine *machine);
bool oracle_is_harm(struct sim *sim, const struct sim_machine *machine);
bool oracle_is_unrecorded(struct sim *sim, const struct sim_machine *machine);
bool oracle_is_ours(struct sim *sim, const struct sim_machine *machine);
void oracle_life(const struct sim *sim, char out[static 33]); /* of the store, as stamps say it */
void oracle_found(struct sim *sim, enum sim_violation violation, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* One more event for the fingerprint. */
void sim_note(struct sim *sim, const char *what, uint64_t number);
void sim_say(const struct sim *sim, const char *format, ...) PRINTF_LIKE(2, 3);

#endif

#ifndef REEVE_PROVIDER_SIM_H
#define REEVE_PROVIDER_SIM_H

#include "base/mem.h"
#include "records/provider.h"

/* public names start with: sim_ */

/* A provider with machines in memory, for simulations, benchmarks and tests. It behaves like a
 * cloud, including faults, on a clock that may be virtual. Several managers may each have a
 * provider of the same cloud, which holds the true state. Single-threaded. */
struct sim_cloud;

enum sim_call { SIM_CREATE, SIM_DESTROY, SIM_LIST, SIM_FIND, SIM_LABEL, SIM_REBOOT };

/* Timing and faults of one simulated call. All zero: the call takes effect immediately and is
 * answered immediately with OK. */
struct sim_fate {
    uint64_t effect_ms; /* from the call to the effect */
    uint64_t answer_ms; /* from the call to the answer; before the effect the answer is UNKNOWN */
    bool has_no_effect;
    bool is_unknown; /* the answer is UNKNOWN, regardless of the effect */
    /* if not NONE: the answer is REFUSED with this fault, without effect */
    enum provider_fault fault;
    uint64_t retry_ms; /* delay before a retry that the refusal suggests; 0: none */
    bool is_partial;   /* SIM_LIST: the answer lacks rows and is marked as incomplete */
    /* SIM_LIST: the answer lacks rows but is declared complete. SIM_FIND: the answer is wrong, but
     * never twice in a row for one machine, because guard G5 relies on two equal answers. */
    bool is_lying;
    bool is_lying_again;       /* SIM_FIND: the answer is wrong, even twice in a row */
    uint32_t lacking_permille; /* share of missing rows, for is_partial and is_lying */
    bool is_doubled;           /* SIM_LIST: rows occur twice */
};

struct sim_options {
    uint64_t (*now_ms)(void *arg);
    struct sim_fate (*fate)(void *arg, enum sim_call call,
                            struct text cluster); /* NULL: all calls succeed immediately */
    uint32_t (*luck)(void *arg); /* selects missing rows; NULL if there are no faults */
    /* Called for each call that may change machines, before any effect. NULL: not called. */
    void (*asked)(void *arg, enum sim_call call, const struct intent *intent);
    void *arg;
    uint64_t boot_ms;    /* from creation to running */
    uint64_t visible_ms; /* time from creation or destruction until listings show it */
    /* A machine can be found by its token only in a listing, so two concurrent create calls create
     * two machines. */
    bool is_tokenless;
    uint64_t ended_ms; /* how long listings show ended machines as ended; 0: not at all */
    /* a fault that no real cloud has; demonstrates the damage that guard G3 prevents */
    bool is_forgetting_tokens;
    bool has_addresses; /* machines have an address at which nothing answers */
    bool is_metal;      /* the machines are bare metal: no machine may be replaced */
    struct provider_traits traits;
};

/* Properties shared by many machines of a cluster, stored once. */
struct sim_kind {
    struct sim_cluster *memory;
    struct text life;
    struct text group;
    struct text zone;
    struct text properties;
    struct sim_kind *next; /* of the same group */
};

/* The true state of a machine. It owns its texts. */
struct sim_machine {
    const struct sim_kind *kind;
    uint64_t slot;
    struct text id;
    struct text token;
    struct text mac;
    struct text labels; /* the labels that were set last */
    struct text reason; /* reason of the destruction, from the intent */
    struct text host_key;
    struct text end_reason; /* as in provider_row, while it is shown as ended */
    struct text end_message;
    uint64_t made_ms;
    uint64_t ended_ms;        /* 0: exists */
    uint64_t stopped_ms;      /* 0: not stopped */
    uint64_t hidden_until_ms; /* hidden from listings until then */
    uint32_t reboots;
    uint64_t rebooted_ms;   /* time of the last reboot; 0: none */
    bool is_planted;        /* created by sim_plant, not by a call */
    bool was_lied_about;    /* the last answer to a lookup by id was false */
    void *user;             /* for oracles */
    uint64_t unknown_ms;    /* for oracles: time since which no manager has a record of it */
    uint64_t spared_ms;     /* for the oracles of the simulator: time at which an operator decided
                             * to keep it */
    uint64_t unhealthy_ms;  /* for oracles: start of the unhealthy state; 0: healthy */
    uint64_t healed_ms;     /* for oracles: time at which it became healthy again */
    uint32_t reboots_asked; /* for oracles: number of reboots that operators have requested */
};

struct sim_cloud *sim_cloud_new(struct sim_options options);
void sim_cloud_free(struct sim_cloud *cloud);

/* Returns a provider for one manager. */
struct provider *sim_provider_new(struct sim_cloud *cloud);

/* Simulates a suspended manager: its provider reports nothing before this time. */
void sim_provider_pause(struct provider *provider, uint64_t until_ms);

/* sim_cloud_run runs due operations and returns their number. sim_cloud_due returns the time of the
 * next one; UINT64_MAX: there is none. */
size_t sim_cloud_run(struct sim_cloud *cloud);
uint64_t sim_cloud_due(const struct sim_cloud *cloud);

/* Iterates over the true state: all machines of a cluster in the order of ids, including ended
 * machines that were not removed from memory. */
struct sim_machine *sim_first(struct sim_cloud *cloud, struct text cluster);
struct sim_machine *sim_next(struct sim_cloud *cloud, struct text cluster,
                             const struct sim_machine *machine);

/* Returns the tags with which the machine was created, as listings show them. */
struct provider_tags sim_tags(const struct sim_machine *machine);

/* sim_is_running returns whether the machine runs, sim_is_there whether it exists. */
bool sim_is_running(const struct sim_cloud *cloud, const struct sim_machine *machine);
bool sim_is_there(const struct sim_machine *machine);

/* Events outside of reeve: sim_end ends a machine, sim_stop stops it. */
void sim_end(struct sim_cloud *cloud, struct sim_machine *machine);
void sim_stop(struct sim_cloud *cloud, struct sim_machine *machine);

/* sim_hide hides a machine from listings until the time. sim_plant creates a machine without a
 * call. */
void sim_hide(struct sim_machine *machine, uint64_t until_ms);
struct sim_machine *sim_plant(struct sim_cloud *cloud, const struct provider_tags *tags);

/* Removes machines from memory that ended before this time. */
void sim_forget(struct sim_cloud *cloud, uint64_t before_ms);

/* For oracles: called for each machine that a call creates or destroys. NULL: not called. */
typedef void on_sim_event(void *arg, struct sim_machine *machine, bool is_end);
void sim_watch(struct sim_cloud *cloud, on_sim_event *reported, void *arg);

#endif

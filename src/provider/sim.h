#ifndef REEVE_PROVIDER_SIM_H
#define REEVE_PROVIDER_SIM_H

#include "base/mem.h"
#include "records/provider.h"

/* names: sim_ */

/* A provider whose machines are rows in memory: for trials, benchmarks, tests and the simulator. It does what a
 * cloud does, with the faults that clouds have, on a clock that may be virtual. The cloud is the truth; several
 * managers may each have a provider of it. Single-threaded. */
struct sim_cloud;

enum sim_call { SIM_CREATE, SIM_DESTROY, SIM_LIST, SIM_FIND, SIM_LABEL, SIM_REBOOT };

/* What becomes of one call. All zero: it has its effect at once, and is answered at once with OK. */
struct sim_fate {
    uint64_t effect_ms; /* from the call to the effect */
    uint64_t answer_ms; /* from the call to the answer; before the effect it is UNKNOWN */
    bool has_no_effect;
    bool is_unknown;           /* the answer is UNKNOWN, whatever happened */
    enum provider_fault fault; /* not NONE: REFUSED with it, without effect */
    bool is_partial;           /* SIM_LIST: says that it is not whole, and lacks rows */
    bool is_lying; /* SIM_LIST: lacks rows, and says that it is whole; SIM_FIND: says the opposite,
                      but not twice in a row of one machine: two answers that agree are what G5 builds on */
    bool lies_again;           /* SIM_FIND: even so */
    uint32_t lacking_permille; /* of rows, for the two above */
    bool is_doubled;           /* SIM_LIST: rows stand twice */
};

struct sim_options {
    uint64_t (*now_ms)(void *arg);
    struct sim_fate (*fate)(void *arg, enum sim_call call,
                            struct text cluster); /* NULL: all go well */
    uint32_t (*luck)(void *arg); /* for which rows are lacking; NULL without faults */
    /* Told of each call that would change anything, before it has any effect; NULL = nobody. */
    void (*asked)(void *arg, enum sim_call call, const struct intent *intent);
    void *arg;
    uint64_t boot_ms;    /* from its creation to running */
    uint64_t visible_ms; /* from its creation, or its end, until listings show it */
    bool forgets_tokens; /* a fault no cloud may have: for showing what G3 prevents */
    bool has_addresses;  /* machines have one, that nobody answers at */
    bool is_metal;       /* no machine of it may be replaced by another one */
    struct provider_traits traits;
};

/* What many machines of a cluster have alike, kept once. */
struct sim_kind {
    struct sim_cluster *memory;
    struct text life;
    struct text group;
    struct text zone;
    struct text properties;
    struct sim_kind *next; /* of the same group */
};

/* A machine, as it truly is. Its texts are its own. */
struct sim_machine {
    const struct sim_kind *kind;
    uint64_t slot;
    struct text id;
    struct text token;
    struct text mac;
    struct text labels; /* as they were set last */
    struct text reason; /* of its end, as the intent said it */
    struct text host_key;
    uint64_t made_ms;
    uint64_t ended_ms;        /* 0: it is there */
    uint64_t stopped_ms;      /* 0: it was not stopped */
    uint64_t hidden_until_ms; /* no listing shows it before */
    uint32_t reboots;
    uint64_t rebooted_ms;   /* the last of them; 0: there was none */
    bool is_planted;        /* made by sim_plant, not by a call */
    bool was_lied_about;    /* by the last answer that was asked by its id */
    void *user;             /* for oracles */
    uint64_t unknown_ms;    /* for them too: since when nobody knows it */
    uint64_t spared_ms;     /* and since when somebody has said that it stays */
    uint64_t unhealthy_ms;  /* and since when it does not do what it is for; 0: it does */
    uint64_t healed_ms;     /* and when it was well again */
    uint32_t reboots_asked; /* and how often people asked for it to be rebooted */
};

struct sim_cloud *sim_cloud_new(struct sim_options options);
void sim_cloud_free(struct sim_cloud *cloud);

/* One manager's way to it. */
struct provider *sim_provider_new(struct sim_cloud *cloud);

/* The manager stands still until then: nothing is told to it before. */
void sim_provider_pause(struct provider *provider, uint64_t until_ms);

/* Do what is due; returns how many things were. And when the next one is: UINT64_MAX, none. */
size_t sim_cloud_run(struct sim_cloud *cloud);
uint64_t sim_cloud_due(const struct sim_cloud *cloud);

/* The truth: all machines of a cluster that ever were and are not forgotten, in order of id. */
struct sim_machine *sim_first(struct sim_cloud *cloud, struct text cluster);
struct sim_machine *sim_next(struct sim_cloud *cloud, struct text cluster,
                             const struct sim_machine *machine);

/* What it was made with, as a listing shows it. */
struct provider_tags sim_tags(const struct sim_machine *machine);

/* Does it run? Is it there at all? */
bool sim_is_running(const struct sim_cloud *cloud, const struct sim_machine *machine);
bool sim_is_there(const struct sim_machine *machine);

/* What happens to machines without us: one ends, stops, or appears. */
void sim_end(struct sim_cloud *cloud, struct sim_machine *machine);
void sim_stop(struct sim_cloud *cloud, struct sim_machine *machine);

/* No listing shows it until then. */
void sim_hide(struct sim_machine *machine, uint64_t until_ms);
struct sim_machine *sim_plant(struct sim_cloud *cloud, const struct provider_tags *tags);

/* Forget machines that ended before a time. */
void sim_forget(struct sim_cloud *cloud, uint64_t before_ms);

/* Told of each machine that begins or ends by a call, for oracles; NULL = nobody. */
typedef void on_sim_event(void *arg, struct sim_machine *machine, bool is_end);
void sim_watch(struct sim_cloud *cloud, on_sim_event *reported, void *arg);

#endif

#ifndef REEVE_TRIAL_TRIAL_PARTS_H
#define REEVE_TRIAL_TRIAL_PARTS_H

#include "base/map.h"
#include "reconcile/control.h"
#include "service/service.h"
#include "provider/sim.h"
#include "trial/trial.h"

/* names: trial_ */

/* Inside of trial.h. */

enum { TRIAL_BOOT_MS = 30 * 1000, TRIAL_VISIBLE_MS = 3 * 1000, TRIAL_ANSWER_MS = 1000 };

#define TRIAL_TENANT "default"

struct trial;

/* The simulated provider that stands in for one plugin. */
struct trial_cloud {
    struct trial_cloud *next;
    struct trial *trial;
    struct text plugin;
    struct sim_cloud *cloud;
    struct provider *provider; /* the living manager's; NULL = none yet */
};

struct trial_cluster {
    struct text name;
    struct text key; /* TENANT/ID */
    struct trial_group *groups;
    size_t group_count;
};

/* A hold that stands. */
struct trial_held {
    struct trial_hold hold;
    uint64_t serial; /* of the last look that saw it */
};

struct trial {
    struct arena *arena;  /* of the caller: what is in the result */
    struct arena *memory; /* of the run */
    struct trial_options options;
    struct trial_result *result;
    size_t event_room;
    struct trial_cluster *clusters;
    size_t cluster_count;
    struct map cluster_by_key;
    struct map group_by_key; /* "TENANT/ID PATH" */
    struct map holds;        /* id to struct trial_held */
    struct trial_cloud *clouds;
    struct trial_cloud **clouds_last;
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct control *control; /* NULL: the manager is dead */
    uint64_t now_ms;         /* of the clock, which does not begin at 0 */
    uint64_t begun_ms;
    uint64_t control_due_ms;
    uint64_t housekeeping_ms;
    uint64_t look_until_ms; /* machines may begin to run until then */
    uint64_t luck;
    uint64_t ids;
    uint64_t lives;
    uint64_t serial;   /* of looks at holds */
    uint64_t throttle; /* calls that were asked for while every other one is refused */
    bool is_changed;   /* machines came or went since the last look */
    bool is_reported;  /* a pass ended since then */
};

/* Time since the beginning. */
uint64_t trial_time(const struct trial *trial);

/* The next number of its luck, below a bound (> 0). */
uint64_t trial_draw(struct trial *trial, uint64_t below);

/* The manager dies; it begins anew (trial.c). */
void trial_life_end(struct trial *trial);
void trial_life_begin(struct trial *trial);

/* Everything that is due now is done (trial.c). */
void trial_turn(struct trial *trial);

/* ---- faults (strike.c) ---- */

struct sim_fate trial_fate(void *arg, enum sim_call call, struct text cluster);
uint32_t trial_cloud_luck(void *arg);

/* Begin and end what is due. And when the next one is: UINT64_MAX, none. */
void trial_strike(struct trial *trial);
uint64_t trial_strike_due(const struct trial *trial);

/* ---- what is seen (seen.c) ---- */

void trial_group_init(struct trial *trial);
struct trial_group *trial_group_find(const struct trial *trial, struct text cluster,
                                     struct text path);
void trial_event_add(struct trial *trial, const struct trial_event *event);

/* A pass has ended; a machine was made, or ended by reeve. */
void trial_pass_reported(void *arg, const struct control_report *report);
void trial_machine_reported(void *arg, struct sim_machine *machine, bool is_end);

/* Look at machines and holds, where anything has changed. */
void trial_look(struct trial *trial);

/* What stands at the end. */
void trial_sum(struct trial *trial);

#endif

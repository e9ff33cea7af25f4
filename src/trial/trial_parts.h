#ifndef REEVE_TRIAL_TRIAL_PARTS_H
#define REEVE_TRIAL_TRIAL_PARTS_H

#include "base/map.h"
#include "reconcile/control.h"
#include "service/service.h"
#include "provider/sim.h"
#include "trial/trial.h"

/* names: trial_ */

/* Internals of trial.h. */

enum { TRIAL_BOOT_MS = 30 * 1000, TRIAL_VISIBLE_MS = 3 * 1000, TRIAL_ANSWER_MS = 1000 };

#define TRIAL_TENANT "default"

struct trial;

/* The simulated provider of one plugin. */
struct trial_cloud {
    struct trial_cloud *next;
    struct trial *trial;
    struct text plugin;
    struct sim_cloud *cloud;
    struct provider *provider; /* of the current manager; NULL: none yet */
};

struct trial_cluster {
    struct text name;
    struct text key; /* TENANT/ID */
    struct trial_group *groups;
    size_t group_count;
};

/* A current hold. */
struct trial_held {
    struct trial_hold hold;
    uint64_t serial; /* of the last observation that found it */
};

struct trial {
    struct arena *arena;  /* of the caller; for the result */
    struct arena *memory; /* of the run */
    struct trial_options options;
    struct trial_result *result;
    size_t event_room;
    struct trial_cluster *clusters;
    size_t cluster_count;
    struct map cluster_by_key;
    struct map group_by_key; /* key "TENANT/ID PATH" */
    struct map holds;        /* id to struct trial_held */
    struct trial_cloud *clouds;
    struct trial_cloud **clouds_last;
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct control *control; /* NULL: the manager is dead */
    uint64_t now_ms;         /* of the clock, which does not start at 0 */
    uint64_t begun_ms;
    uint64_t control_due_ms;
    uint64_t housekeeping_ms;
    uint64_t look_until_ms; /* machines may start until then */
    uint64_t luck;
    uint64_t ids;
    uint64_t lives;
    uint64_t serial;   /* of observations of holds */
    uint64_t throttle; /* counts calls while every other one is rejected */
    bool is_changed;   /* machines appeared or ended since the last observation */
    bool is_reported;  /* a pass ended since then */
};

/* Returns the time since the start. */
uint64_t trial_time(const struct trial *trial);

/* Returns the next pseudo-random number below a limit (> 0). */
uint64_t trial_draw(struct trial *trial, uint64_t below);

/* Ends the manager; starts a new one (trial.c). */
void trial_life_end(struct trial *trial);
void trial_life_begin(struct trial *trial);

/* Processes everything that is due now (trial.c). */
void trial_turn(struct trial *trial);

/* ---- faults (strike.c) ---- */

struct sim_fate trial_fate(void *arg, enum sim_call call, struct text cluster);
uint32_t trial_cloud_luck(void *arg);

/* Starts and ends due faults; returns the time of the next one. UINT64_MAX: none. */
void trial_strike(struct trial *trial);
uint64_t trial_strike_due(const struct trial *trial);

/* ---- observations (seen.c) ---- */

void trial_group_init(struct trial *trial);
struct trial_group *trial_group_find(const struct trial *trial, struct text cluster,
                                     struct text path);
void trial_event_add(struct trial *trial, const struct trial_event *event);

/* Handle the end of a pass; handle a machine that was created, or destroyed by reeve. */
void trial_pass_reported(void *arg, const struct control_report *report);
void trial_machine_reported(void *arg, struct sim_machine *machine, bool is_end);

/* Observes machines and holds if anything has changed. */
void trial_look(struct trial *trial);

/* Fills the final state into the result. */
void trial_sum(struct trial *trial);

#endif

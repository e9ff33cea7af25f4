#ifndef REEVE_SIMULATION_SIMULATION_PARTS_H
#define REEVE_SIMULATION_SIMULATION_PARTS_H

#include "base/map.h"
#include "reconcile/control.h"
#include "service/service.h"
#include "provider/sim.h"
#include "simulation/simulation.h"

/* private to src/simulation */
/* public names start with: simulation_ */

/* Internals of simulation.h. */

enum {
    SIMULATION_BOOT_MS = 30 * 1000,
    SIMULATION_VISIBLE_MS = 3 * 1000,
    SIMULATION_ANSWER_MS = 1000
};

#define SIMULATION_TENANT "default"

struct simulation;

/* The simulated provider of one plugin. */
struct simulation_cloud {
    struct simulation_cloud *next;
    struct simulation *simulation;
    struct text plugin;
    struct sim_cloud *cloud;
    struct provider *provider; /* provider of the current manager; NULL: none yet */
};

struct simulation_cluster {
    struct text name;
    struct text key; /* id of the cluster: TENANT/ID */
    struct simulation_group *groups;
    size_t group_count;
};

/* A current hold. */
struct simulation_held {
    struct simulation_hold hold;
    uint64_t serial; /* number of the last observation that found it */
};

struct simulation {
    struct arena *arena;  /* memory of the caller, for the result */
    struct arena *memory; /* memory of the run */
    struct simulation_options options;
    struct simulation_result *result;
    size_t event_room;
    struct simulation_cluster *clusters;
    size_t cluster_count;
    struct map cluster_by_key;
    struct map group_by_key; /* key "TENANT/ID PATH" */
    struct map holds;        /* id to struct simulation_held */
    struct simulation_cloud *clouds;
    struct simulation_cloud **clouds_last;
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct control *control; /* NULL: the manager has ended */
    uint64_t now_ms;         /* current time by the clock, which does not start at 0 */
    uint64_t begun_ms;
    uint64_t control_due_ms;
    uint64_t housekeeping_ms;
    uint64_t look_until_ms; /* a machine may still start until this time */
    uint64_t luck;
    uint64_t ids;
    uint64_t lives;
    uint64_t serial;   /* number of the last observation of holds */
    uint64_t throttle; /* counts calls while every other one is rejected */
    bool is_changed;   /* machines appeared or ended since the last observation */
    bool is_reported;  /* a pass ended since the last observation */
};

/* Returns the time since the start. */
uint64_t simulation_time(const struct simulation *simulation);

/* Returns the next pseudo-random number below a limit (> 0). */
uint64_t simulation_draw(struct simulation *simulation, uint64_t below);

/* simulation_life_end ends the manager, simulation_life_begin starts a new one (simulation.c). */
void simulation_life_end(struct simulation *simulation);
void simulation_life_begin(struct simulation *simulation);

/* Processes everything that is due now (simulation.c). */
void simulation_turn(struct simulation *simulation);

/* ---- faults (strike.c) ---- */

struct sim_fate simulation_fate(void *arg, enum sim_call call, struct text cluster);
uint32_t simulation_cloud_luck(void *arg);

/* simulation_strike starts and ends due faults. simulation_strike_due returns the time of the next
 * one; UINT64_MAX: there is none. */
void simulation_strike(struct simulation *simulation);
uint64_t simulation_strike_due(const struct simulation *simulation);

/* ---- observations (seen.c) ---- */

void simulation_group_init(struct simulation *simulation);
struct simulation_group *simulation_group_find(const struct simulation *simulation,
                                               struct text cluster, struct text path);
void simulation_event_add(struct simulation *simulation, const struct simulation_event *event);

/* simulation_pass_reported handles the end of a pass. simulation_machine_reported handles a machine
 * that reeve has created or destroyed. */
void simulation_pass_reported(void *arg, const struct control_report *report);
void simulation_machine_reported(void *arg, struct sim_machine *machine, bool is_end);

/* Observes machines and holds if anything has changed. */
void simulation_look(struct simulation *simulation);

/* Fills the final state into the result. */
void simulation_sum(struct simulation *simulation);

#endif

#ifndef REEVE_SIMULATION_SIMULATION_H
#define REEVE_SIMULATION_SIMULATION_H

#include "model/set.h"
#include "plan/compute.h"
#include "simulation/fault.h"

/* public names start with: simulation_ */

/* Simulates the actions of reeve for files. Planner, engine and service are the real ones; the
 * store is in memory, the providers are simulated, and the clock jumps from event to event. Nothing
 * outside the process is accessed; the same options give the same result. */

struct simulation_options {
    const struct model_set *set; /* resolved, without errors */
    const struct simulation_fault *faults;
    size_t fault_count;
    uint64_t duration_ms;
    uint64_t seed;
};

enum simulation_event_kind {
    SIMULATION_FAULT_BEGINS,
    SIMULATION_FAULT_ENDS,
    SIMULATION_MISSES, /* a listing lacks machines */
    SIMULATION_ACTS,
    SIMULATION_HOLD_BEGINS,
    SIMULATION_HOLD_ENDS,
    SIMULATION_IS_WHOLE, /* a group has all requested machines again */
    SIMULATION_EVENT_COUNT
};

/* One event. */
struct simulation_event {
    uint64_t at_ms;
    enum simulation_event_kind kind;
    struct text cluster; /* name of the cluster */
    struct text group;
    size_t fault;      /* index of the fault, for FAULT_ events */
    enum plan_act act; /* action, for ACTS */
    struct text rule;  /* rule, for MISSES, ACTS and HOLD_ events */
    struct text fact;  /* the fact of the decision; may be empty */
    uint64_t count;    /* number of machines */
    uint64_t took_ms;  /* duration of the shortage, for IS_WHOLE */
};

/* Final state of a group. */
struct simulation_group {
    struct text cluster;
    struct text path;
    struct text plugin;
    uint64_t wanted;
    uint64_t ready;
    uint64_t made;
    uint64_t ended;      /* machines destroyed by reeve */
    uint64_t lost;       /* machines lost by faults */
    uint64_t longest_ms; /* longest shortage of machines, including the initial one */
    /* internal state of a run */
    bool is_short;
    uint64_t short_since_ms;
    uint64_t missed_ms;
    bool was_missed;
};

/* A hold or delay that remains at the end. */
struct simulation_hold {
    struct text cluster;
    struct text group; /* group of the hold; empty: the hold is of the whole cluster */
    struct text rule;
    struct text why;    /* reason, from the rule */
    struct text advice; /* possible action */
    struct text fact;
    uint64_t since_ms;
    uint64_t would_create;
    uint64_t would_destroy;
};

/* Effects of a fault. */
struct simulation_struck {
    bool has_begun;
    bool has_ended;
    uint64_t struck;    /* machines, or approved holds */
    bool is_over;       /* the fault and all shortages are over */
    bool has_harm;      /* a group was short of machines during that time */
    bool is_healed;     /* the shortage after the fault has ended */
    uint64_t healed_ms; /* time from the start of the fault to the end of the shortage */
};

struct simulation_result {
    struct simulation_event *events;
    size_t event_count;
    uint64_t events_left_out;
    struct simulation_group *groups; /* ordered by clusters as in the files, then by path */
    size_t group_count;
    struct simulation_hold *holds;
    size_t hold_count;
    struct simulation_struck *struck; /* one per fault */
    uint64_t clusters;
    uint64_t passes;
    uint64_t refused;    /* rejected calls */
    uint64_t unanswered; /* calls without answer */
    bool is_whole;       /* every group is complete, and there are no holds */
};

/* Runs the simulation. The result lives in the arena. Returns false if the files cannot be applied;
 * `errors` then has the errors. */
bool simulation_run(struct arena *arena, const struct simulation_options *options,
                    struct simulation_result *out, struct err_list *errors);

#endif

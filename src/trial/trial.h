#ifndef REEVE_TRIAL_TRIAL_H
#define REEVE_TRIAL_TRIAL_H

#include "model/set.h"
#include "plan/compute.h"
#include "trial/fault.h"

/* names: trial_ */

/* Simulates what reeve would do with files. Planner, engine and service are the real ones; the
 * store is in memory, the providers are simulated, and the clock jumps from event to event. Nothing
 * outside is accessed; the same options give the same result. */

struct trial_options {
    const struct model_set *set; /* resolved, without errors */
    const struct trial_fault *faults;
    size_t fault_count;
    uint64_t duration_ms;
    uint64_t seed;
};

enum trial_event_kind {
    TRIAL_FAULT_BEGINS,
    TRIAL_FAULT_ENDS,
    TRIAL_MISSES, /* a listing lacks machines */
    TRIAL_ACTS,
    TRIAL_HOLD_BEGINS,
    TRIAL_HOLD_ENDS,
    TRIAL_IS_WHOLE, /* a group has all requested machines again */
    TRIAL_EVENT_COUNT
};

/* One event. */
struct trial_event {
    uint64_t at_ms;
    enum trial_event_kind kind;
    struct text cluster; /* name */
    struct text group;
    size_t fault;      /* of FAULT_: index */
    enum plan_act act; /* of ACTS */
    struct text rule;  /* of MISSES, ACTS, HOLD_ */
    struct text fact;  /* may be empty */
    uint64_t count;    /* of machines */
    uint64_t took_ms;  /* of IS_WHOLE: duration of the shortage */
};

/* Final state of a group. */
struct trial_group {
    struct text cluster;
    struct text path;
    struct text plugin;
    uint64_t wanted;
    uint64_t ready;
    uint64_t made;
    uint64_t ended;      /* destroyed by reeve */
    uint64_t lost;       /* lost by faults */
    uint64_t longest_ms; /* longest shortage of machines, including the initial one */
    /* internal */
    bool is_short;
    uint64_t short_since_ms;
    uint64_t missed_ms;
    bool was_missed;
};

/* A hold or delay that remains at the end. */
struct trial_hold {
    struct text cluster;
    struct text group; /* empty: of the whole cluster */
    struct text rule;
    struct text why;    /* reason, from the rule */
    struct text advice; /* possible action */
    struct text fact;
    uint64_t since_ms;
    uint64_t would_create;
    uint64_t would_destroy;
};

/* Effects of a fault. */
struct trial_struck {
    bool has_begun;
    bool has_ended;
    uint64_t struck;    /* machines, or approved holds */
    bool is_over;       /* and all shortages are over */
    bool has_harm;      /* a group was short of machines meanwhile */
    bool is_healed;     /* and the shortage has ended */
    uint64_t healed_ms; /* since the start of the fault */
};

struct trial_result {
    struct trial_event *events;
    size_t event_count;
    uint64_t events_left_out;
    struct trial_group *groups; /* ordered by clusters as in the files, then by path */
    size_t group_count;
    struct trial_hold *holds;
    size_t hold_count;
    struct trial_struck *struck; /* one per fault */
    uint64_t clusters;
    uint64_t passes;
    uint64_t refused;    /* rejected calls */
    uint64_t unanswered; /* calls without answer */
    bool is_whole;       /* every group is complete, and there are no holds */
};

/* Runs the simulation. The result lives in the arena. Returns false if the files cannot be applied;
 * the errors are reported. */
bool trial_run(struct arena *arena, const struct trial_options *options, struct trial_result *out,
               struct err_list *errors);

#endif

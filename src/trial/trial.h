#ifndef REEVE_TRIAL_TRIAL_H
#define REEVE_TRIAL_TRIAL_H

#include "model/set.h"
#include "plan/compute.h"
#include "trial/fault.h"

/* names: trial_ */

/* What reeve would do with files: planner, engine and service as they are, over a store in memory and simulated
 * providers, on a clock that jumps from one event to the next. Nothing outside of it is touched or asked; the same
 * options give the same result. */

struct trial_options {
    const struct model_set *set; /* resolved, without faults */
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
    TRIAL_IS_WHOLE, /* a group has all the machines that it wants, again */
    TRIAL_EVENT_COUNT
};

/* One thing that happened. */
struct trial_event {
    uint64_t at_ms;
    enum trial_event_kind kind;
    struct text cluster; /* name */
    struct text group;
    size_t fault;      /* FAULT_: which */
    enum plan_act act; /* ACTS */
    struct text rule;  /* MISSES, ACTS, HOLD_ */
    struct text fact;  /* may be empty */
    uint64_t count;    /* of machines */
    uint64_t took_ms;  /* IS_WHOLE: since it was not */
};

/* A group, at the end. */
struct trial_group {
    struct text cluster;
    struct text path;
    struct text plugin;
    uint64_t wanted;
    uint64_t ready;
    uint64_t made;
    uint64_t ended;      /* by reeve */
    uint64_t lost;       /* by faults */
    uint64_t longest_ms; /* that it was short of machines in one stretch, its beginning counts */
    /* for the run itself */
    bool is_short;
    uint64_t short_since_ms;
    uint64_t missed_ms;
    bool was_missed;
};

/* What waits for somebody, or for its time, at the end. */
struct trial_hold {
    struct text cluster;
    struct text group; /* empty: of the whole cluster */
    struct text rule;
    struct text why;    /* what the rule says */
    struct text advice; /* what can be done about it */
    struct text fact;
    uint64_t since_ms;
    uint64_t would_create;
    uint64_t would_destroy;
};

/* What came of a fault. */
struct trial_struck {
    bool has_begun;
    bool has_ended;
    uint64_t struck;    /* machines, or holds that were approved */
    bool is_over;       /* and everything was there again */
    bool has_harm;      /* a group was short of machines before it was over */
    bool is_healed;     /* and then it was not any more */
    uint64_t healed_ms; /* since it began */
};

struct trial_result {
    struct trial_event *events;
    size_t event_count;
    uint64_t events_left_out;
    struct trial_group *groups; /* in the order of clusters in the files, then of paths */
    size_t group_count;
    struct trial_hold *holds;
    size_t hold_count;
    struct trial_struck *struck; /* one for each fault */
    uint64_t clusters;
    uint64_t passes;
    uint64_t refused;    /* calls */
    uint64_t unanswered; /* calls */
    bool is_whole;       /* every group has what it wants, and nothing is held */
};

/* Run it. All of the result lives in the arena. False: the files cannot be applied, which is told. */
bool trial_run(struct arena *arena, const struct trial_options *options, struct trial_result *out,
               struct err_list *errors);

#endif

#ifndef REEVE_RECONCILE_PASS_EFFECTS_H
#define REEVE_RECONCILE_PASS_EFFECTS_H

#include "reconcile/control_parts.h"

/* public names start with: effects_ */

/* State shared by pass_effects.c and pass_counts.c while they turn a plan into writes and calls. */

/* The changed form of a record. Several actions may concern the same record. */
struct changing {
    struct record record;
    uint64_t revision; /* 0: the record is new */
    bool is_changed;
    bool is_gone;
    struct text event;
    struct call *call;
};

/* The changed counters of one group. */
struct counting {
    struct text group;
    struct counters counters;
    /* number of sorted entries of `absent`; the entries after them are unsorted */
    size_t absent_sorted;
    uint64_t revision;
    struct counting *next;
};

struct effects {
    struct pass *pass;
    struct reconciler *reconciler;
    struct control *control;
    struct changing **changing; /* one entry for each record; NULL: the record is unchanged */
    /* One entry for each record: a new record has taken over its failures. */
    bool *is_continued;
    struct counting *counting;
};

/* Return the record with this index in a form that can be changed. */
struct changing *effects_changing(struct effects *effects, size_t index);

/* Record the result of an action in the counters. Absence: a machine is missing in a listing.
 * Belief: an operator has approved an absence. Sighting: a listing has a machine without a
 * record. */
void effects_absence_note(struct effects *effects, const struct plan_action *action);
void effects_belief_note(struct effects *effects, const struct plan_action *action);
void effects_sighting_note(struct effects *effects, const struct plan_action *action);

/* effects_losses_note handles an action that removes the record of a machine. If the machine failed
 * and has no successor in its slot, the failure remains in the counters of the group, so that the
 * rollout of this generation stops after maxFail failures (I31). effects_budget_spend counts one
 * more machine that is destroyed without a request. */
void effects_losses_note(struct effects *effects, const struct plan_action *action);
void effects_budget_spend(struct effects *effects);

/* Clears the absences of machines that are listed again. Call this before the actions. */
void effects_absences_drop(struct effects *effects);

/* Convert changed counters to write operations. Call this after the actions. */
void effects_counts_write(struct effects *effects);

/* Make a call for a record. Returns NULL if its provider is missing, if enough calls are running,
 * or if the machine must be released first. A later pass then makes the call. */
struct call *effects_call_new(struct effects *effects, const struct record *record,
                              enum call_kind kind, struct text reason);

/* Write host keys that were reported or accepted to the records, and request those that are
 * awaited. Call this after the actions. */
void effects_host_keys_take(struct effects *effects);

#endif

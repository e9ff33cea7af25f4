#ifndef REEVE_RECONCILE_PASS_EFFECTS_H
#define REEVE_RECONCILE_PASS_EFFECTS_H

#include "reconcile/control_parts.h"

/* names: effects_ */

/* Shared by pass_effects.c and pass_counts.c while they turn a plan into writes and calls. */

/* A record that changes. Several actions may concern the same record. */
struct changing {
    struct record record;
    uint64_t revision; /* 0: the record is new */
    bool is_changed;
    bool is_gone;
    struct text event;
    struct call *call;
};

/* The counters of one group that change. */
struct counting {
    struct text group;
    struct counters counters;
    size_t absent_sorted; /* number of sorted entries of `absent`; later ones are unsorted */
    uint64_t revision;
    struct counting *next;
};

struct effects {
    struct pass *pass;
    struct reconciler *reconciler;
    struct control *control;
    struct changing **changing; /* by record; NULL: unchanged */
    struct counting *counting;
};

/* The record with this index, to be changed. */
struct changing *effects_changing(struct effects *effects, size_t index);

/* The action notes that a listing lacked a machine (absence), that an operator has approved an
 * absence (belief), or that an unrecorded machine was seen (sighting). */
void effects_absence_note(struct effects *effects, const struct plan_action *action);
void effects_belief_note(struct effects *effects, const struct plan_action *action);
void effects_sighting_note(struct effects *effects, const struct plan_action *action);

/* effects_losses_note: the action removes the record of a machine. If the machine failed and no
 * other one continues in its slot, the group keeps the count: the rollout of this generation stops
 * after maxFail failures (I31). effects_budget_spend counts one more machine that is destroyed
 * without a request. */
void effects_losses_note(struct effects *effects, const struct plan_action *action);
void effects_budget_spend(struct effects *effects);

/* Remove the absences of machines that are listed again. Called before the actions. */
void effects_absences_drop(struct effects *effects);

/* Convert changed counters to write operations. Called after the actions. */
void effects_counts_write(struct effects *effects);

/* Write reported or accepted host keys to the records. Called after the actions. */
void effects_host_keys_take(struct effects *effects);

#endif

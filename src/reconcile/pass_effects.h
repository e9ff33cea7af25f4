#ifndef REEVE_RECONCILE_PASS_EFFECTS_H
#define REEVE_RECONCILE_PASS_EFFECTS_H

#include "reconcile/control_parts.h"

/* names: effects_ */

/* What pass_effects.c and pass_counts.c share while a plan is turned into what is written and called. */

/* A record that changes; several acts may be about the same one. */
struct changing {
    struct record record;
    uint64_t revision; /* 0: it is new */
    bool is_changed;
    bool is_gone;
    struct text event;
    struct call *call;
};

/* The counts of one group that change. */
struct counting {
    struct text group;
    struct counters counters;
    size_t absent_sorted; /* of absent: new ones stand behind, in no order */
    uint64_t revision;
    struct counting *next;
};

struct effects {
    struct pass *pass;
    struct reconciler *reconciler;
    struct control *control;
    struct changing **changing; /* by record; NULL: it does not change */
    struct counting *counting;
};

/* The record of this number, to be changed. */
struct changing *effects_changing(struct effects *effects, size_t index);

/* The act notes that a listing lacked a machine, that an operator has approved that it does, or that one nobody asked for was seen; and one more is destroyed unasked. */
void effects_absence_note(struct effects *effects, const struct plan_action *action);
void effects_belief_note(struct effects *effects, const struct plan_action *action);
void effects_sighting_note(struct effects *effects, const struct plan_action *action);

/* The act forgets a machine. Where it failed and no other one goes on in its slot, the group keeps the count: a rollout of this
 * generation has failed so often, and stops at maxFail (I31). */
void effects_losses_note(struct effects *effects, const struct plan_action *action);
void effects_budget_spend(struct effects *effects);

/* What is listed again was never gone: before the acts. */
void effects_absences_drop(struct effects *effects);

/* Counts that have changed become units: behind the acts. */
void effects_counts_write(struct effects *effects);

/* Host keys that were told or accepted go into the records: behind the acts. */
void effects_host_keys_take(struct effects *effects);

#endif

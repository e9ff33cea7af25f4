#ifndef REEVE_PLAN_COMPUTE_H
#define REEVE_PLAN_COMPUTE_H

#include "base/mem.h"
#include "plan/world.h"

/* public names start with: plan_ */

/* The decision of the controller: maps one world to the actions to take now. The function is pure:
 * the same world gives the same bytes, regardless of the order of its arrays. The plan names groups
 * and slots, never new tokens: the engine draws the tokens. No action of the plan has happened yet:
 * the engine first commits the intents (G1), then makes the calls. */

enum plan_rule {
#define RULE(name, text) PLAN_RULE_##name,
#include "plan/rules.def"
#undef RULE
    PLAN_RULE_COUNT,
};

/* Return the name of a rule, or its description for operators. */
const char *plan_rule_name(enum plan_rule rule);
const char *plan_rule_text(enum plan_rule rule);

/* plan_rule_advice() returns what an operator can do about a hold of this rule; "" for a rule that
 * creates no holds. plan_rule_is_answered() returns true if approving or rejecting the hold changes
 * anything. */
const char *plan_rule_advice(enum plan_rule rule);
bool plan_rule_is_answered(enum plan_rule rule);

/* True if a hold of this rule ends after a certain time, without an operator. */
bool plan_rule_is_passing(enum plan_rule rule);

/* Returns the rule with this name, PLAN_RULE_COUNT if there is none. */
enum plan_rule plan_rule_find(struct text name);

/* The kinds of actions, in the order in which they are executed. */
enum plan_act {
    PLAN_ACT_MOVE, /* the record moves to the new path of its group */
    /* record that a machine is missing in a listing, or that a listing has an unknown machine */
    PLAN_ACT_NOTE,
    PLAN_ACT_SET_ID,    /* store the provider's id in the record */
    PLAN_ACT_ACTIVATE,  /* CREATE -> ACTIVE */
    PLAN_ACT_FORGET,    /* remove the record */
    PLAN_ACT_ADOPT,     /* create a record for an existing machine */
    PLAN_ACT_CONFIRM,   /* look the machine up by id at the provider */
    PLAN_ACT_LABEL,     /* change labels in place */
    PLAN_ACT_REBOOT,    /* reboot the machine */
    PLAN_ACT_DESTROY,   /* set the record to DELETE, then call the provider */
    PLAN_ACT_TERMINATE, /* repeat the destroy call of a DELETE record */
    PLAN_ACT_ASK,       /* repeat the create call of a CREATE record */
    PLAN_ACT_CREATE,    /* add a record, then call the provider */
};

const char *plan_act_name(enum plan_act act);

/* One action. Indexes refer to the arrays of the world. PLAN_NONE: the action does not refer to an
 * item of that array. */
#define PLAN_NONE SIZE_MAX

struct plan_action {
    enum plan_act act;
    enum plan_rule rule;
    struct text group;
    uint64_t slot;
    /* CREATE: the previous record of the slot, which this plan removes. The new record continues
     * the count of failed tries of that record. */
    size_t record;
    size_t row;
    size_t choice;    /* CREATE: 0 = the group itself, else the number of the alternative */
    struct text zone; /* CREATE: empty = any zone */
    struct text fact; /* the observation that triggered the action, for display */
};

/* An action that waits for an operator or for a time. */
struct plan_hold {
    enum plan_rule rule;
    struct text group; /* empty: the whole cluster */
    struct text fact;
    /* Identifies the observation that an operator approves; the approval applies to this
     * observation only (G20). Empty: there is nothing to approve, or `fact` identifies the
     * observation. */
    struct text observation;
    /* For a hold of the whole cluster: a bit mask of the sources whose listings caused it, one bit
     * for each index. The last bit represents all higher indexes. Only listings of these sources
     * can end the hold (G19). */
    uint64_t sources;
    uint32_t would_destroy; /* machines that the hold protects from destruction */
    uint32_t would_create;
};

/* Return the bit for the source with this index in plan_hold.sources. */
uint64_t plan_hold_source(size_t source);

struct plan {
    struct plan_action *actions;
    size_t action_count;
    struct plan_hold *holds;
    size_t hold_count;
};

/* These functions return the state of a requested reboot. plan_reboot_is_called(): the reboot has
 * begun and its call may have been made. plan_is_rebooting(): the reboot has begun and is not
 * overdue. plan_reboot_deadline(): the time at which the reboot becomes overdue, in milliseconds of
 * the cluster's clock. */
bool plan_reboot_is_called(const struct plan_record *record);
bool plan_is_rebooting(const struct plan_record *record);
uint64_t plan_reboot_deadline(const struct plan_limits *limits, const struct plan_source *source,
                              const struct plan_record *record);

/* Compute the plan of a world. The plan lives in the arena and borrows texts from the world. */
void plan_compute(struct arena *arena, const struct plan_world *world,
                  const struct plan_limits *limits, struct plan *out);

/* Increase this with every change that lets the planner decide differently; the golden hash in
 * tests/plan/meson.build detects it. Only the same version reproduces a recorded decision byte for
 * byte. */
#define PLAN_VERSION 36

/* Return the text of a hold's fact as it is stored: without an age, which would soon be outdated.
 * The start time of the hold is reported separately. The result borrows the fact or lives in the
 * arena. */
struct text plan_hold_lasting(struct arena *arena, const struct plan_hold *hold);

/* Format the decisions of a plan, one line each, in the order of the plan. The text lives in the
 * arena. */
struct text plan_lines(struct arena *arena, const struct plan_world *world,
                       const struct plan *plan);

#endif

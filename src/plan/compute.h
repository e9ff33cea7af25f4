#ifndef REEVE_PLAN_COMPUTE_H
#define REEVE_PLAN_COMPUTE_H

#include "base/mem.h"
#include "plan/world.h"

/* names: plan_ */

/* The decision of the controller: from one world to what is to be done now. Pure; the same world, in any
 * order, gives the same bytes. It names groups and slots, never tokens that do not exist: those the engine
 * draws. Nothing it says has happened: the engine commits the intents first (G1), then calls. */

enum plan_rule {
#define RULE(name, text) PLAN_RULE_##name,
#include "plan/rules.def"
#undef RULE
    PLAN_RULE_COUNT,
};

/* The name of a rule, and what it says. */
const char *plan_rule_name(enum plan_rule rule);
const char *plan_rule_text(enum plan_rule rule);

/* What can be done about what it holds back; "" where it holds nothing back. And does approving or rejecting change
 * anything there? */
const char *plan_rule_advice(enum plan_rule rule);
bool plan_rule_is_answered(enum plan_rule rule);

/* Does it hold back until a time has come, and nothing else? Then it ends by itself. */
bool plan_rule_is_passing(enum plan_rule rule);

/* The rule with this name; PLAN_RULE_COUNT: there is none. */
enum plan_rule plan_rule_find(struct text name);

/* What is to be done, in the order in which it is. */
enum plan_act {
    PLAN_ACT_MOVE,      /* the record belongs to the new path of its group */
    PLAN_ACT_NOTE,      /* write down that a listing lacked it, or that the machine was sighted */
    PLAN_ACT_SET_ID,    /* the record learns the id of its machine */
    PLAN_ACT_ACTIVATE,  /* CREATE -> ACTIVE */
    PLAN_ACT_FORGET,    /* the record is removed */
    PLAN_ACT_ADOPT,     /* a new record for a machine that is there */
    PLAN_ACT_CONFIRM,   /* ask the provider for this id */
    PLAN_ACT_LABEL,     /* other labels, in place */
    PLAN_ACT_REBOOT,    /* start it anew */
    PLAN_ACT_DESTROY,   /* -> DELETE, then call */
    PLAN_ACT_TERMINATE, /* call for a record that is DELETE already */
    PLAN_ACT_ASK,       /* call for a record that is CREATE already */
    PLAN_ACT_CREATE,    /* a new record, then call */
};

const char *plan_act_name(enum plan_act act);

/* One act. Indexes are into the world's arrays; PLAN_NONE: it is about none. */
#define PLAN_NONE SIZE_MAX

struct plan_action {
    enum plan_act act;
    enum plan_rule rule;
    struct text group;
    uint64_t slot;
    size_t
        record; /* CREATE: the one that it goes on from in its slot, which is forgotten by this plan */
    size_t row;
    size_t choice;    /* CREATE: 0 as the group is written, else the number of the alternative */
    struct text zone; /* CREATE: empty = any */
    struct text fact; /* what triggered it, for people */
};

/* Something that is not done without a human, or not yet. */
struct plan_hold {
    enum plan_rule rule;
    struct text group; /* empty: the whole cluster */
    struct text fact;
    /* Names what was observed; empty: nothing is approved here, or the fact does. An operator's approval covers the
     * observation that the hold had then, and no other one (G20). */
    struct text observation;
    /* Of the whole cluster: the sources that show it, a bit each by their index, the last one for all from there on. Only what
     * these list can end it (G19). */
    uint64_t sources;
    uint32_t would_destroy; /* what waits behind it */
    uint32_t would_create;
};

/* The bit of a source among those of a hold, by its index. */
uint64_t plan_hold_source(size_t source);

struct plan {
    struct plan_action *actions;
    size_t action_count;
    struct plan_hold *holds;
    size_t hold_count;
};

/* Of a requested reboot that has begun: may it have been called for already? And when is it overdue, by the cluster's clock? */
bool plan_reboot_is_called(const struct plan_record *record);
bool plan_is_rebooting(const struct plan_record *record); /* and it is not overdue */
uint64_t plan_reboot_deadline(const struct plan_limits *limits, const struct plan_source *source,
                              const struct plan_record *record);

/* Decide. The plan lives in the arena and borrows texts from the world. */
void plan_compute(struct arena *arena, const struct plan_world *world,
                  const struct plan_limits *limits, struct plan *out);

/* Raised by whoever makes it decide anything otherwise (tests/plan/version says when): what was decided by one
 * version is decided anew, to the byte, by the same one alone. */
#define PLAN_VERSION 26

/* The fact of a hold as it is kept: without how long it has been so, which would be wrong a minute later. Since when it
 * holds is told beside it. Borrows the fact, or lives in the arena. */
struct text plan_hold_lasting(struct arena *arena, const struct plan_hold *hold);

/* What is decided in a world, a line each, in its order. */
struct text plan_lines(struct arena *arena, const struct plan_world *world,
                       const struct plan *plan);

#endif

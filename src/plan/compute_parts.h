#ifndef REEVE_PLAN_COMPUTE_PARTS_H
#define REEVE_PLAN_COMPUTE_PARTS_H

#include "plan/compute.h"

/* names: plan_ */

/* Inside of compute.h. The phases, in their order; each reads what those before it have written. */

/* What a record is, after looking at its row, its absences and its witnesses. */
enum plan_class {
    PLAN_CLASS_WAITING, /* CREATE */
    PLAN_CLASS_SERVING, /* ACTIVE, and listed as running */
    PLAN_CLASS_MISSING, /* ACTIVE, and not listed as running: not known to be dead */
    PLAN_CLASS_FAILING, /* serving, but sick for too long; or its bootstrap has failed */
    PLAN_CLASS_STOPPED, /* known not to run; it is still there */
    PLAN_CLASS_LOST,    /* known to be gone */
    PLAN_CLASS_LEAVING, /* DELETE */
};

/* One record while it is decided upon. */
struct plan_case {
    const struct plan_record *record;
    const struct plan_row *row; /* NULL: none has its token */
    struct text path;           /* of its group, as it is now */
    size_t record_index;
    size_t row_index;
    enum plan_class class;
    bool has_rival; /* another machine carries its token, and nobody has noted yet that it stays */
    bool is_chosen; /* it goes by this plan */
    bool is_forgotten; /* its record goes by this plan: the slot is free */
};

/* One group while it is decided upon. */
struct plan_group_state {
    const struct plan_group
        *group; /* NULL: records say this group, and it is not wanted any more */
    struct text path;
    struct plan_case *cases; /* in order of slot, then token */
    size_t count;
    size_t active; /* ACTIVE records */
    size_t
        missing; /* of those; not counting what is known to be gone or stopped, or what is believed */
    size_t believed; /* missing, and an operator has approved the listing that lacks them */
    size_t alive;    /* recorded and not going: CREATE and ACTIVE, less what is condemned */
    size_t running;  /* seen to run, and not going */
    size_t leaving;  /* DELETE: they hold their slots until they are forgotten, and may still run */
    size_t dead;     /* known to be gone or stopped, and not condemned (yet) */
    uint64_t *taken; /* slots that machines are adopted into by this plan, in order */
    size_t taken_count;
    size_t **zone_counts; /* members by zone, for each choice; NULL until it is asked for */
    size_t withheld;      /* machines that would go, and are protected */
    size_t terminated;    /* slots that are given up for now */
    size_t doubled;       /* slots that two generations share: of these one is above the size */
    size_t lost;          /* ACTIVE: known to be gone */
    size_t stopped;
    size_t failing;
    size_t
        unhealthy; /* ACTIVE: stopped, failed, unhealthy or unreachable now, however long (G16) */
    bool is_void;  /* its listing is not believed */
    bool
        is_blind; /* a listing that it needs is not there, or not whole: what it lacks says nothing */
};

/* The whole decision. */
struct plan_work {
    struct arena *arena;
    const struct plan_world *world;
    const struct plan_limits *limits;
    struct plan *plan;
    size_t action_room;
    size_t hold_room;
    struct plan_case *cases;            /* of all records, in order of group, slot, token */
    struct plan_group_state *standings; /* in order of path */
    size_t current_count;
    size_t *unknown; /* rows that have no record, in order of id */
    size_t unknown_count;
    bool *is_copy;   /* by row: it carries the token of a record whose machine is another one */
    bool *is_open;   /* and nobody knows yet whether it is a copy of that one, or what came late */
    uint64_t budget; /* what may still be destroyed unasked in this window */
    /* The store went back, and no operator has approved: nothing is created or destroyed (G18). */
    bool is_store_held;
};

/* Add an act, or a hold. The fact lives in the arena. */
void plan_act(struct plan_work *work, struct plan_action action);
void plan_hold(struct plan_work *work, struct plan_hold hold);

/* The act for the record of a case. */
void plan_act_case(struct plan_work *work, const struct plan_group_state *current,
                   const struct plan_case *one, enum plan_act act, enum plan_rule rule,
                   struct text fact);

/* "1 machine", "2 machines". */
struct text plan_count(struct plan_work *work, uint64_t count, const char *what);

/* Where it was asked for. */
const struct plan_source *plan_source_of(const struct plan_work *work,
                                         const struct plan_record *record);

/* May calls be made for this group? Watching goes on anyway. */
bool plan_may_call(const struct plan_work *work, const struct plan_group_state *current);

/* Did the store begin a new life a short while ago? Then nothing grows and nothing shrinks (G12). */
bool plan_is_new_life(const struct plan_work *work);

/* Has its bootstrap failed, before it served and without anybody trying again? What failed later is mended, never
 * replaced: there are data on it (docs/decisions/0069). */
bool plan_has_failed(const struct plan_record *record);

/* Was it asked for by another life of the store? */
bool plan_is_old_life(const struct plan_work *work, const struct plan_record *record);

/* Does the manager suspect its own network? Then what its probes say of machines is no reason to end one (G17). */
bool plan_is_suspect(const struct plan_work *work);

/* Is it protected, or its whole group? */
bool plan_is_protected(const struct plan_group_state *current, const struct plan_case *one);

/* Members that are wanted alive: of two that share a slot one. */
size_t plan_members(const struct plan_group_state *current);

/* The size that is wanted, within its bounds; 0 where the group is not wanted at all. */
uint32_t plan_size_of(const struct plan_group_state *current);

/* How many slots two generations share (compute_classify.c). */
void plan_doubles_count(struct plan_group_state *current);

/* Has the plan this hold of the group already? */
bool plan_has_hold(const struct plan_work *work, enum plan_rule rule, struct text group);

/* Is its listing there, and whole? */
bool plan_is_whole(const struct plan_source *source);

/* Its provider has said so, often enough; only the listings that lack it are not enough yet. */
bool plan_is_known_gone(const struct plan_work *work, const struct plan_case *one);

/* Does its row show it running? A machine that is being rebooted and listed as stopped does not run. */
bool plan_is_seen_running(const struct plan_case *one);

/* What a group's machines may be made of: 0 as it is written, then its alternatives (compute_make.c). */
struct plan_choice plan_choice_at(const struct plan_group *group, size_t index);

/* The one with this generation, PLAN_NONE: none; and the one to be tried after a record that went. */
size_t plan_choice_of(const struct plan_group *group, struct text generation);
size_t plan_choice_next(const struct plan_group *group, const struct plan_record *before);

/* Is it made of what is wanted now? */
bool plan_is_current(const struct plan_group_state *current, const struct plan_record *record);

/* Was its create refused? And is it certain that there is no machine, and none to come? */
bool plan_is_refused(const struct plan_record *record);
bool plan_is_nothing(const struct plan_work *work, const struct plan_case *one);

/* May a call to make it, of which nobody knows what became, still take effect (G12)? */
bool plan_is_doubtful(const struct plan_work *work, const struct plan_record *record);

/* May another machine have come for its token, after its own was gone, if it was seen first then
 * (docs/decisions/0030)? */
bool plan_may_come_again(const struct plan_work *work, const struct plan_record *record,
                         uint64_t at_ms);

/* What is known of a machine that nobody asked for; NULL: nothing. */
const struct plan_quarantine *plan_quarantine_find(const struct plan_work *work, struct text id);

/* Is there a machine that is ours, that nobody asked for, and that nobody has spared; or one that was sighted, has no record and
 * was not missed for long? Its id. */
bool plan_has_orphans(const struct plan_work *work, struct text *out_id);

/* Remove the record of a case. */
void plan_forget(struct plan_work *work, struct plan_group_state *current, struct plan_case *one,
                 enum plan_rule rule, struct text fact);

/* Does anybody here make machines for this group? Where nobody does no record is begun: nobody could ever say
 * that its machine has not come. */
bool plan_is_makeable(const struct plan_work *work, const struct plan_group_state *current);

/* Ask for a machine in a slot: of which choice and where is found here (compute_place.c). */
void plan_create(struct plan_work *work, struct plan_group_state *current, uint64_t slot,
                 enum plan_rule rule, struct text fact);

/* Is a machine that was there adopted into the slot by this plan (compute_size.c)? */
bool plan_is_taken(const struct plan_group_state *current, uint64_t slot);

/* Where the records of a slot begin among the cases. */
size_t plan_slot_first(const struct plan_group_state *current, uint64_t slot);

/* The place of a zone among those of a choice, PLAN_NONE: it is none of them. */
size_t plan_zone_of(struct plan_choice choice, struct text zone);

/* Is what is wanted of the cluster gone without a word? Then nothing of it is ended (G8: an empty
 * specification is never "delete all"). */
bool plan_is_unexplained(const struct plan_work *work);

void plan_match(struct plan_work *work); /* rows to records, records to groups (compute_match.c) */
void plan_classify(struct plan_work *work); /* what each record is (compute_classify.c) */
void plan_returned(struct plan_work *work); /* did the store go back? (compute_unknown.c) */
void plan_unpinned(struct plan_work *work); /* may its plugin be run? (compute_listing.c) */
void plan_unlisted(struct plan_work *work); /* is there a listing? (compute_listing.c) */
void plan_brake(struct plan_work *work);    /* is it believed? */
void plan_observe(struct plan_work *work);  /* what it lacks is written down, and asked for by id */
void plan_make(struct plan_work *work);     /* what comes, and what has gone (compute_make.c) */
void plan_label(struct plan_work *work);    /* what is changed in place (compute_roll.c) */
void plan_adopt(struct plan_work *work);    /* machines made by hand fill free slots */
void plan_heal(struct plan_work *work); /* what is lost, stopped or sick goes (compute_heal.c) */
void plan_unhealed(struct plan_work *work); /* what of it stays where healing is off is told of */
void plan_size(struct plan_work *work);     /* too many go, too few come (compute_size.c) */
void plan_roll(struct plan_work *work);     /* another generation comes (compute_roll.c) */
void plan_reboot(struct plan_work *work);   /* what operators want rebooted (compute_reboot.c) */
void plan_ask(struct plan_work *work);      /* for what was asked for and has no machine yet */
void plan_unknown(struct plan_work *work);  /* machines nobody asked for (compute_unknown.c) */

#endif

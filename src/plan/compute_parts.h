#ifndef REEVE_PLAN_COMPUTE_PARTS_H
#define REEVE_PLAN_COMPUTE_PARTS_H

#include "plan/compute.h"

/* private to src/plan */
/* public names start with: plan_ */

/* Internal parts of compute.h: the phases, in the order in which they run. Each phase reads the
 * results of the phases before it. */

/* The class of a record, computed from its row, its absences and its lookups by id. */
enum plan_class {
    PLAN_CLASS_WAITING, /* CREATE */
    PLAN_CLASS_SERVING, /* ACTIVE, listed as running */
    PLAN_CLASS_MISSING, /* ACTIVE, not listed as running; not known to be dead */
    PLAN_CLASS_FAILING, /* serving, but unhealthy for too long, or its bootstrap failed */
    PLAN_CLASS_STOPPED, /* known not to run; the machine still exists */
    PLAN_CLASS_LOST,    /* known to be gone */
    PLAN_CLASS_LEAVING, /* DELETE */
};

/* The state of one record during planning. */
struct plan_case {
    const struct plan_record *record;
    const struct plan_row *row; /* NULL: no row has its token */
    struct text path;           /* the current path of the record's group */
    size_t record_index;
    size_t row_index;
    enum plan_class class;
    /* Another machine has the token of this record, and no operator has decided to keep that
     * machine. */
    bool has_rival;
    bool is_chosen;    /* this plan destroys the machine or removes the record */
    bool is_forgotten; /* this plan removes the record: the slot is free */
};

/* The state of one group during planning. */
struct plan_group_state {
    /* NULL: records have this group, but the specification no longer contains it. */
    const struct plan_group *group;
    struct text path;
    struct plan_case *cases; /* cases of the group's records, in order of slot, then token */
    size_t count;
    /* Records of machines on unreachable hosts, in order of slot. They count as members,
     * and keep their slots. No phase decides about them. They follow `cases`. */
    struct plan_case *away;
    size_t away_count;
    size_t active; /* ACTIVE records */
    /* ACTIVE records whose machine is not listed as running. Not counted are machines that are
     * confirmed as gone or stopped, and machines in `believed`. */
    size_t missing;
    size_t believed; /* missing machines whose absence an operator has approved */
    size_t alive;    /* CREATE and ACTIVE records that are not marked for deletion */
    size_t running;  /* seen to run, and not about to be destroyed */
    size_t leaving;  /* DELETE records: they hold their slots and may still run */
    size_t dead;     /* known to be gone or stopped, and not about to be destroyed (yet) */
    uint64_t *taken; /* slots into which this plan adopts machines, in the order of adoption */
    size_t taken_count;
    size_t **zone_counts;     /* members by zone, for each choice; NULL until first needed */
    size_t withheld;          /* protected machines that would be destroyed otherwise */
    size_t backoff_exhausted; /* slots whose back-off is exhausted */
    /* slots shared by two generations; one machine of each pair is above the desired size */
    size_t doubled;
    size_t lost; /* ACTIVE records whose machine is known to be gone */
    size_t stopped;
    size_t failing;
    /* ACTIVE records whose machine is stopped, failed, unhealthy or unreachable now, regardless of
     * the duration (G16). */
    size_t unhealthy;
    /* ACTIVE records that are not lost and not counted for maxUnhealthy, and how many of them
     * `unhealthy` includes (G27). */
    size_t caused;
    size_t caused_unhealthy;
    bool is_void; /* the listing for the group is not trusted */
    /* A listing that the group needs is absent or incomplete, so it proves nothing about the
     * machines that are missing from it. */
    bool is_blind;
};

/* The state of one planning run. */
struct plan_work {
    struct arena *arena;
    const struct plan_world *world;
    const struct plan_limits *limits;
    struct plan *plan;
    size_t action_room;
    size_t hold_room;
    struct plan_case *cases;            /* cases of all records, in order of group, slot, token */
    struct plan_group_state *standings; /* groups, in order of path */
    size_t current_count;
    size_t *unknown; /* rows without a record, in order of id */
    size_t unknown_count;
    bool *is_copy; /* by row: the machine is a clone with the token of another machine */
    /* By row: another machine with the token of this row may be a clone or the result of a late
     * create call. */
    bool *is_open;
    uint64_t budget; /* machines that may still be destroyed without a request in this window */
    size_t caused;   /* machines that would be healed without the hold common_cause */
    /* The store was set back to an older state, and no operator has approved that. Until then
     * nothing is created or destroyed (G18). */
    bool is_store_held;
};

/* Append an action or a hold to the plan. The fact must live in the arena or in the world. */
void plan_act(struct plan_work *work, struct plan_action action);
void plan_hold(struct plan_work *work, struct plan_hold hold);

/* Append an action on the record of a case. */
void plan_act_case(struct plan_work *work, const struct plan_group_state *current,
                   const struct plan_case *one, enum plan_act act, enum plan_rule rule,
                   struct text fact);

/* Format a count with its noun: "1 machine", "2 machines". */
struct text plan_count(struct plan_work *work, uint64_t count, const char *what);

/* Return the source from which the record's machine was requested. */
const struct plan_source *plan_source_of(const struct plan_work *work,
                                         const struct plan_record *record);

/* True if calls may be made for this group. The group is observed even if no calls are allowed. */
bool plan_may_call(const struct plan_work *work, const struct plan_group_state *current);

/* True if the store was restored less than `new_incarnation_ms` ago. Groups neither grow
 * nor shrink during that time (G12). */
bool plan_is_new_incarnation(const struct plan_work *work);

/* True if the bootstrap failed before the machine ever served, and no retry was requested. A
 * machine that fails after it has served is repaired in place, never replaced, because it holds
 * data (docs/decisions/0069). */
bool plan_has_failed(const struct plan_record *record);

/* True if the machine was requested before the store was restored. */
bool plan_is_old_incarnation(const struct plan_work *work, const struct plan_record *record);

/* True if the manager suspects its own network. Its probe results are then no reason to destroy a
 * machine (G17). */
bool plan_is_suspect(const struct plan_work *work);

/* plan_is_caused(): the machine shares the common cause of failures (G27). plan_is_excused(): in
 * addition, the hold for the cause is in the store, so that the machine does not count for
 * maxUnhealthy. */
bool plan_is_caused(const struct plan_work *work, const struct plan_record *record);
bool plan_is_excused(const struct plan_work *work, const struct plan_record *record);

/* True if the record or its whole group is protected. */
bool plan_is_protected(const struct plan_group_state *current, const struct plan_case *one);

/* Return the number of members that count for the size: two members that share a slot count as
 * one. */
size_t plan_members(const struct plan_group_state *current);

/* Return the desired size, clamped to its bounds; 0 if the specification does not contain the
 * group. */
uint32_t plan_size_of(const struct plan_group_state *current);

/* Count the slots that two generations share (compute_classify.c). */
void plan_doubles_count(struct plan_group_state *current);

/* True if the plan already has a hold of this rule for this group. */
bool plan_has_hold(const struct plan_work *work, enum plan_rule rule, struct text group);

/* True if the listing of the source arrived and is complete. */
bool plan_is_whole(const struct plan_source *source);

/* True if enough lookups by id found no machine and no row has the record's token. There may still
 * be too few listings without the machine to classify it as lost. */
bool plan_is_known_gone(const struct plan_work *work, const struct plan_case *one);

/* True if the case's row shows that the machine runs. A machine that reboots and is listed as
 * stopped does not run. */
bool plan_is_seen_running(const struct plan_case *one);

/* Return a choice of the group: 0 is the group itself, higher numbers are its alternatives
 * (compute_make.c). */
struct plan_choice plan_choice_at(const struct plan_group *group, size_t index);

/* plan_choice_of() returns the choice with this generation, PLAN_NONE if there is none.
 * plan_choice_next() returns the choice to try after a record that was removed. */
size_t plan_choice_of(const struct plan_group *group, struct text generation);
size_t plan_choice_next(const struct plan_group *group, const struct plan_record *before);

/* True if the record has the generation of a desired choice and no replacement was requested. */
bool plan_is_current(const struct plan_group_state *current, const struct plan_record *record);

/* plan_is_refused(): the provider refused the create. plan_is_nothing(): in addition, no machine
 * exists and no create call can still take effect. */
bool plan_is_refused(const struct plan_record *record);
bool plan_is_nothing(const struct plan_work *work, const struct plan_case *one);

/* True if a create call with unknown outcome may still take effect (G12). */
bool plan_is_doubtful(const struct plan_work *work, const struct plan_record *record);

/* True if a late create call may have made another machine with the record's token after the
 * record's own machine was gone (docs/decisions/0030). `at_ms` is when that other machine was first
 * seen. */
bool plan_may_come_again(const struct plan_work *work, const struct plan_record *record,
                         uint64_t at_ms);

/* Find the quarantine record of a machine that has no record, by id; NULL if there is none. */
const struct plan_quarantine *plan_quarantine_find(const struct plan_work *work, struct text id);

/* True if an unrecorded machine exists or may exist, and no operator has decided to keep it. It is
 * either a row with a valid stamp of this store, or a machine that was listed earlier and has been
 * missing from too few listings since. *out_id is its id. */
bool plan_has_orphans(const struct plan_work *work, struct text *out_id);

/* Remove the record of a case from the plan's state and append the action. */
void plan_forget(struct plan_work *work, struct plan_group_state *current, struct plan_case *one,
                 enum plan_rule rule, struct text fact);

/* True if a plugin is available that creates machines for this group. Without a plugin no record is
 * created, because no provider could confirm that the record's machine does not exist. */
bool plan_is_makeable(const struct plan_work *work, const struct plan_group_state *current);

/* Requests a machine in a slot, and picks its choice and its zone (compute_place.c). */
void plan_create(struct plan_work *work, struct plan_group_state *current, uint64_t slot,
                 enum plan_rule rule, struct text fact);

/* True if the machine of the record exists on an unreachable host. */
bool plan_is_away(const struct plan_work *work, const struct plan_record *record);

/* True if a record of an unreachable host holds this slot. */
bool plan_has_away(const struct plan_group_state *current, uint64_t slot);

/* True if this plan adopts an existing machine into the slot, or a record of an unreachable host
 * holds it (compute_size.c). */
bool plan_is_taken(const struct plan_group_state *current, uint64_t slot);

/* Index of the first case of a slot, or the index at which a case of the slot would be inserted. */
size_t plan_slot_first(const struct plan_group_state *current, uint64_t slot);

/* plan_volume_zone(): the zone of the volume that belongs to a slot (A9): empty if there is no
 * volume, "-" while the volume is being deleted. plan_volume_waits(): no machine can be created in
 * the slot until its volume permits it. */
struct text plan_volume_zone(const struct plan_group *group, uint64_t slot);
bool plan_volume_waits(const struct plan_group *group, uint64_t slot);

/* Index of a zone among the zones of a choice; PLAN_NONE if the choice does not have it. */
size_t plan_zone_of(struct plan_choice choice, struct text zone);

/* True if the cluster's specification is missing although the deletion of the cluster was not
 * requested. No machine is destroyed then (G8: an empty specification is never "delete all"). */
bool plan_is_unexplained(const struct plan_work *work);

void plan_match(struct plan_work *work);    /* match rows, records and groups (compute_match.c) */
void plan_classify(struct plan_work *work); /* assign a class to each record (compute_classify.c) */
/* detect a store that was set back to an older state (compute_unknown.c) */
void plan_returned(struct plan_work *work);
/* create holds for unapproved plugins (compute_listing.c) */
void plan_unpinned(struct plan_work *work);
void plan_unlisted(struct plan_work *work); /* report absent listings (compute_listing.c) */
void plan_away(struct plan_work *work);     /* report unreachable hosts (compute_away.c) */
void plan_brake(struct plan_work *work);    /* reject untrusted listings (compute_listing.c) */
/* record absences, request lookups by id (compute_listing.c) */
void plan_observe(struct plan_work *work);
void plan_make(struct plan_work *work);  /* track creates and destroys (compute_make.c) */
void plan_label(struct plan_work *work); /* change labels in place (compute_roll.c) */
void plan_adopt(struct plan_work *work); /* adopt machines into free slots (compute_unknown.c) */
void plan_heal(struct plan_work *work);  /* destroy or repair lost, stopped and failing machines */
/* report machines that do not serve in groups without healing (compute_heal.c) */
void plan_unhealed(struct plan_work *work);
void plan_size(struct plan_work *work); /* shrink and grow to the size (compute_size.c) */
/* replace machines of another generation (compute_roll.c) */
void plan_roll(struct plan_work *work);
void plan_reboot(struct plan_work *work);  /* begin requested reboots (compute_reboot.c) */
void plan_ask(struct plan_work *work);     /* repeat create calls (compute_make.c) */
void plan_unknown(struct plan_work *work); /* handle unrecorded machines (compute_unknown.c) */

#endif

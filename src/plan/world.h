#ifndef REEVE_PLAN_WORLD_H
#define REEVE_PLAN_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "plan/guard.h"

/* names: plan_ */

/* What is known of one cluster when it is decided what to do next: what is wanted, what is recorded, and
 * what its provider was seen to have. Made by the engine from one snapshot of the store and one listing
 * that was complete before it (SAFETY.md 5, G2). Plain data; the order of every array is without meaning. */

/* ---- wanted ---- */

enum plan_heal { PLAN_HEAL_REPLACE, PLAN_HEAL_OFF, PLAN_HEAL_REBOOT };

/* What lost contact leads to, after replaceAfter (X6). Fencing waits for a witness that it does not run. */
enum plan_unreachable { PLAN_UNREACHABLE_HOLD, PLAN_UNREACHABLE_REPLACE, PLAN_UNREACHABLE_FENCE };

/* What an operator has said of a rollout (X9). Paused: what is begun is brought to its end, and no more is
 * begun. Aborted: what is begun is taken back as well. */
enum plan_rollout_command { PLAN_ROLL_GOES, PLAN_ROLL_PAUSED, PLAN_ROLL_ABORTED };

/* Which members go first when a group shrinks (M24). */
enum plan_pick { PLAN_PICK_OLDEST_CONFIG, PLAN_PICK_OLDEST, PLAN_PICK_NEWEST, PLAN_PICK_FAILED };

/* A provider as groups name it, with what it declares of itself, and how its listing has come. Groups, records
 * and rows name theirs by its index; this one array keeps its order. */
struct plan_source {
    struct text name;
    struct text problem;    /* why there is no listing of it; empty: there is one */
    struct text unreadable; /* a row of it that could not be taken, and why; empty: none */
    struct text
        unpinned;     /* bytes that make its machines wait for an approval: which; empty: none */
    bool is_complete; /* and it is the whole */
    bool is_missing;  /* nobody here makes machines for it: waiting will not help */
    uint64_t
        unheard_since_ms; /* since when none was whole; 0 = the last one was, or nobody knows */
    bool is_strong;       /* a listing of it is never behind */
    bool can_label;       /* labels of a machine can be changed */
    bool can_reboot;      /* a machine can be started anew */
    bool is_login;        /* the manager logs in to its machines */
    bool is_disposable;   /* a machine of it may be replaced by another one */
    uint64_t lag_ms;      /* its listing may be behind by so much */
    uint64_t late_ms;     /* a call that was given up may still have an effect for so long */
};

/* Of what a group's machines are made: as the group is written, or one of its alternatives laid over it. */
struct plan_choice {
    uint32_t source;
    struct text generation;
    const struct text *zones;
    size_t zone_count;
};

/* A leaf group. */
struct plan_group {
    struct text path;
    uint32_t source;
    uint32_t size;
    uint32_t min_size; /* what is done unasked never leaves these two (M20) */
    uint32_t max_size; /* 0: none */
    uint64_t first_slot;
    struct text generation; /* digest of its effective specification */
    const struct text *zones;
    size_t zone_count;
    uint32_t max_skew; /* between the zone with the most members and the one with the fewest */
    const struct plan_choice
        *alternatives; /* in their order; of the same size and number of slots */
    size_t alternative_count;
    enum plan_heal heal;
    enum plan_pick pick;
    enum plan_unreachable unreachable;
    uint32_t
        kept_max; /* machines whose bootstrap failed are kept for inspection: so many, for so long */
    uint64_t kept_ms;
    struct text renamed_from;    /* path that it had before; empty: none */
    struct text labels;          /* digest of what is changed in place; empty: nothing is known */
    uint64_t replace_after_ms;   /* how long sick before it is replaced */
    uint32_t unhealthy_permille; /* more sick machines than this stop healing */
    bool is_protected;           /* no machine in it is destroyed */
    bool is_paused;              /* no call is made, watching goes on */
    /* The observation of its listing brake that an operator has approved; empty: none (G20). */
    struct text brake_approved;

    /* how another generation comes: counts of machines */
    uint32_t surge;       /* above the size while both generations share a slot */
    uint32_t unavailable; /* of the size that may be missing */
    uint32_t batch;       /* that are under way at once */
    uint32_t canary;      /* that go first, alone */
    uint64_t bake_ms;     /* for so long they must serve before others follow */
    uint32_t
        fail_max; /* machines of the new generation that may fail before it stops; 0 = none is counted */
    /* Failures of this generation that an operator has approved: only those after them stop it again (G20). */
    uint32_t fails_approved;
    uint32_t
        fails_forgotten; /* machines of this generation that failed and have no record any more */
    enum plan_rollout_command roll;

    /* Changed stages of members that have been in service, which start by rollout slots (G15): members
     * that wait for theirs, and why no further slot is granted until an operator decides; empty: slots
     * are granted. */
    uint32_t slots_waiting;
    struct text slots_stopped;
    struct text slots_observation; /* of that stop, which an approval covers (G20) */
};

/* ---- recorded ---- */

/* A record only ever moves forward (I7). Gone is not a state: the record is removed. */
enum plan_record_state { PLAN_RECORD_CREATE, PLAN_RECORD_ACTIVE, PLAN_RECORD_DELETE };

/* Why a create was refused, as far as it matters here (X15). */
enum plan_fault {
    PLAN_FAULT_NONE,
    PLAN_FAULT_WRONG,   /* invalid, or not allowed: waits for a change */
    PLAN_FAULT_SHORT,   /* no capacity, no quota: later, or by an alternative */
    PLAN_FAULT_PASSING, /* later */
};

/* What asking the provider for one id has said, several times in a row. */
enum plan_lookup { PLAN_LOOKUP_NONE, PLAN_LOOKUP_RUNNING, PLAN_LOOKUP_STOPPED, PLAN_LOOKUP_GONE };

/* Something that was seen several times: how often, from when to when. */
struct plan_seen {
    uint32_t count;
    uint64_t first_ms;
    uint64_t last_ms;
};

/* The record of a machine. */
struct plan_record {
    struct text token; /* unique for ever */
    struct text group;
    uint32_t source; /* that it was asked of */
    uint64_t slot;
    struct text generation; /* it was made from */
    struct text id;         /* the provider's; empty until it is known */
    enum plan_record_state state;
    uint64_t created_ms;
    uint64_t active_ms;    /* since when it is ACTIVE */
    uint64_t condemned_ms; /* since when it is DELETE */
    bool
        is_answered; /* CREATE: the provider has said yes or no to the call; DELETE: done or not found */
    bool is_foreign_life; /* made by another incarnation of the store */
    bool is_protected;
    bool is_starting;         /* ACTIVE: its probe has not answered since it was made */
    bool is_calling;          /* a call for it is under way */
    uint64_t call_after_ms;   /* no call before: it was refused, and waits */
    struct plan_seen absence; /* complete listings that lacked it, in a row */
    bool
        is_believed; /* an operator has approved the listing that lacked it: it does not count for the brake */
    enum plan_lookup lookup; /* what asking by id said last */
    struct plan_seen witnessed;
    uint64_t failing_since_ms; /* 0: it is not known to be sick */
    uint64_t failed_since_ms;  /* its bootstrap has failed, and is not tried again; 0: it has not */
    uint64_t unreachable_since_ms; /* 0: nothing says so */
    uint64_t rebooted_ms;          /* when it was started anew; 0: never */
    /* Reboots that an operator requested (docs/decisions/0122). Requested and not begun yet. */
    bool is_reboot_requested;
    /* When its reboot began; 0: none is under way. */
    uint64_t reboot_begun_ms;
    /* The boot that it had then is on record, by which another one is recognized. */
    bool is_boot_known;
    /* When the boot was read last and was still that one; 0: it was not, since the call. */
    uint64_t boot_same_ms;
    /* The provider has answered the call. */
    bool is_reboot_answered;
    /* The call was dropped from its queue before it was sent. */
    bool is_reboot_unsent;
    /* It did not come back in time, and that was reported. */
    bool is_reboot_late;
    /* It had served before its reboot: that it starts does not make it a machine that never did. */
    bool is_reboot_served;
    uint32_t
        losses; /* machines of this slot and generation that failed, before or after they served */
    struct text labels;    /* digest; empty: not known */
    struct text zone;      /* it was asked for in; empty: any */
    enum plan_fault fault; /* CREATE, refused: why */
    uint32_t refusals;     /* in a row */
    uint64_t doubt_ms;     /* when it was last called for without a definite answer; 0: never */
    uint32_t failures;     /* machines in this slot that failed before they served, in a row */
    bool is_retried;       /* somebody has said since that it is to be tried again */
    bool
        is_unproven; /* its health was found by another manager, or an earlier life of this one, and not by own probes yet */
    /* Changed stages run on it, have failed there or have left it unhealthy, and the rollout in place is
     * not over: it is not replaced for that. */
    bool is_in_rollout;
    bool is_named; /* somebody has named it as the one that goes when the group shrinks */
    /* An operator has asked for another machine in its slot: it is outdated, whatever its generation is. */
    bool is_replace_requested;
};

/* ---- seen ---- */

enum plan_row_state { PLAN_ROW_PENDING, PLAN_ROW_RUNNING, PLAN_ROW_STOPPING, PLAN_ROW_STOPPED };

/* One machine as the provider lists it. */
struct plan_row {
    struct text id;
    uint32_t source;
    struct text token; /* its tag; empty = none */
    struct text group; /* its tag */
    uint64_t slot;
    enum plan_row_state state;
    bool is_verified;     /* the MAC over its token is ours, for this cluster */
    bool is_foreign_life; /* stamped by another incarnation of the store */
    /* The stamp is ours, and this store never recorded the token: the store went back (G18). */
    bool is_unrecorded;
};

/* The record of a machine that nobody asked for (G13). */
struct plan_quarantine {
    struct text id;
    struct plan_seen seen;
    struct plan_seen
        missed; /* whole listings that lacked it since, in a row; counted while its cluster is deleted */
    bool is_spared; /* an operator has said that it stays */
};

/* ---- all of it ---- */

/* Windows and bounds, all of SAFETY.md 5; tests divide the times by 100. */
struct plan_limits {
    uint32_t absences;   /* in a row, before a machine may be gone */
    uint64_t absence_ms; /* and over so long */
    uint32_t sightings;  /* of a machine nobody asked for */
    uint64_t sighting_ms;
    uint32_t witnesses;      /* answers by id that agree */
    uint64_t lookup_ms;      /* so long apart */
    uint32_t brake_permille; /* missing at once: more voids the listing */
    uint32_t
        budget_permille; /* of the cluster that may be destroyed unasked in a window; at least 1 */
    uint64_t budget_ms;  /* the window */
    /* A machine that was reached within this time counts for self-suspicion, which takes at least so many. */
    uint64_t contact_ms;
    uint32_t contact_least;
    uint32_t
        unknown_permille; /* of the rows: more unknown ones and none is destroyed; at least 2 */
    uint32_t tries;       /* machines that making one may cost before its slot is given up */
    uint64_t retry_ms;    /* and until it is tried again, longer each time */
    uint64_t retry_max_ms;
    uint64_t unheard_ms; /* without a whole listing, until people are told */
    uint64_t
        going_ms; /* of a machine that goes, from one step to the next, until people are told */
    uint64_t reboot_ms; /* for a reboot to help */
    uint64_t proven_ms; /* after it a machine that was rebooted may be rebooted again */
    uint64_t undo_ms;   /* between a quarantine and the end of the machine */
    uint64_t late_ms;   /* a call that was given up may still have an effect, at least */
#ifdef REEVE_GUARD_SWITCHES
    uint32_t guards_off; /* bits by enum plan_guard: what the simulator has switched off */
    uint32_t bug;        /* of enum plan_bug: what is wrong in it */
#endif
    uint64_t new_life_ms; /* after the store began a new life: neither grow nor shrink */
};

/* The defaults. */
struct plan_limits plan_limits_default(void);

/* The windows so many times (> 0) shorter: for tests and trials that do not wait. */
void plan_limits_hasten(struct plan_limits *limits, uint32_t times);

/* One cluster. */
struct plan_world {
    uint64_t now_ms;
    uint64_t
        life_since_ms; /* when this life of the store began by a restore; 0 = it never was restored */
    bool is_gone;      /* its specification is not there */
    bool is_deleting; /* and somebody has said that it is to be deleted */
    bool is_paused;
    struct text brake_approved; /* the same of the cluster's listing brake */
    /* The store was restored, and no operator has approved since that reeve acts again (G18). */
    bool is_restore_held;
    /* An operator has approved the hold store_went_back: unrecorded machines are adopted. */
    bool is_return_approved;
    uint32_t destroyed; /* unasked, in the window of the budget */
    /* Self-suspicion (G17): of `contact_of` machines that this manager reached shortly before, it does not reach
     * `contact_lost` now. Both are 0 where it does not suspect itself, or an operator has approved the hold.
     * `contact_name` names the observation: an approval covers this one only. */
    uint32_t contact_lost;
    uint32_t contact_of;
    struct text contact_name;
    uint64_t
        contact_since_ms; /* its last suspicion ended then: probes count from there; 0: it had none */
    const struct plan_source *sources;
    size_t source_count;
    const struct plan_group *groups;
    size_t group_count;
    const struct plan_record *records;
    size_t record_count;
    const struct plan_row *rows;
    size_t row_count;
    const struct plan_quarantine *quarantines;
    size_t quarantine_count;
};

#endif

#ifndef REEVE_PLAN_WORLD_H
#define REEVE_PLAN_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "plan/guard.h"

/* public names start with: plan_ */

/* The input of one planning run for one cluster: the desired state, the recorded state, and the
 * machines that its providers list. The controller builds the world from one snapshot of the store
 * and a listing that was complete before the snapshot (SAFETY.md 5, G2). The order of the arrays
 * has no meaning. */

/* ---- desired state ---- */

enum plan_heal { PLAN_HEAL_REPLACE, PLAN_HEAL_OFF, PLAN_HEAL_REBOOT };

/* The reaction when a machine has been unreachable for replaceAfter (X6). FENCE waits for a lookup
 * that confirms that the machine does not run. */
enum plan_unreachable { PLAN_UNREACHABLE_HOLD, PLAN_UNREACHABLE_REPLACE, PLAN_UNREACHABLE_FENCE };

/* An operator command for a rollout (X9). Paused: replacements in progress finish, and no further
 * ones begin. Aborted: replacements in progress are reverted. */
enum plan_rollout_command { PLAN_ROLL_GOES, PLAN_ROLL_PAUSED, PLAN_ROLL_ABORTED };

/* Which members are removed first when a group shrinks (M24). */
enum plan_pick { PLAN_PICK_OLDEST_CONFIG, PLAN_PICK_OLDEST, PLAN_PICK_NEWEST, PLAN_PICK_FAILED };

/* A provider that groups use: its declared properties and the state of its listing. Groups,
 * records and rows refer to it by index, so this array keeps its order. */
struct plan_source {
    struct text name;
    struct text problem;    /* why there is no listing; empty: a listing arrived */
    struct text unreadable; /* the first row that could not be read, and why; empty: none */
    struct text unpinned;   /* digest of a plugin that waits for approval; empty: none */
    /* For a plugin instance whose machines exist on the host of another manager: the name of that
     * manager. */
    struct text host;
    /* such a plugin instance has returned no listing, so its state is unknown */
    bool is_unreachable;
    bool is_complete; /* the listing is complete */
    bool is_missing;  /* no such plugin is installed; waiting does not help */
    /* Since when its listing is unavailable or incomplete; 0: the last listing was complete, or the
     * time is unknown. */
    uint64_t unheard_since_ms;
    bool is_strong; /* listings of this provider are never outdated */
    /* The provider creates at most one machine per token, no matter how late a create call arrives
     * (G26). */
    bool has_tokens;
    bool can_label;     /* labels of a machine can be changed */
    bool can_reboot;    /* a machine can be rebooted */
    bool is_login;      /* the manager logs in to its machines */
    bool is_disposable; /* its machines may be replaced */
    /* its machines are claimed from a pool, and a destroy returns them to the pool */
    bool is_pool;
    uint64_t lag_ms;  /* maximum age of the data in its listing */
    uint64_t late_ms; /* how long a call without an answer may still take effect */
};

/* The values that define a group's machines: as the group is written, or with one of its
 * alternatives applied. */
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
    uint32_t min_size; /* the size stays in min_size..max_size without a request (M20) */
    uint32_t max_size; /* 0: none */
    uint64_t first_slot;
    struct text generation; /* digest of its effective specification */
    const struct text *zones;
    size_t zone_count;
    uint32_t max_skew; /* maximum difference in members between the fullest and the emptiest zone */
    /* The choices, in the order of the specification. Each has the same size and slots as the
     * group. */
    const struct plan_choice *alternatives;
    size_t alternative_count;
    enum plan_heal heal;
    enum plan_pick pick;
    enum plan_unreachable unreachable;
    /* Machines whose bootstrap failed are kept for inspection: at most kept_max machines, for
     * kept_ms each. */
    uint32_t kept_max;
    uint64_t kept_ms;
    struct text renamed_from; /* previous path of the group; empty: none */
    /* Digest of the fields that are changed in place; empty: unknown. */
    struct text labels;
    uint64_t replace_after_ms;   /* how long a machine is unhealthy before it is replaced */
    uint32_t unhealthy_permille; /* if a larger share of machines is unhealthy, healing stops */
    bool is_protected;           /* no machine of the group is destroyed */
    bool is_paused;              /* no call is made for the group; observation continues */
    /* The observation of the group's listing brake that an operator has approved; empty: none
     * (G20). */
    struct text brake_approved;

    /* Bounds of a rollout to another generation, as numbers of machines. */
    uint32_t surge;       /* machines above the size, while two generations share a slot */
    uint32_t unavailable; /* members that may be out of service */
    uint32_t batch;       /* number of replacements in progress at the same time */
    uint32_t canary;      /* machines that are replaced before all others */
    uint64_t bake_ms;     /* how long the canaries must serve before others follow */
    /* Number of machines of the new generation that may fail before the rollout stops; 0: no
     * limit. */
    uint32_t fail_max;
    /* Number of failures of this generation that an operator has approved: only further failures
     * stop the rollout again (G20). */
    uint32_t fails_approved;
    /* Number of machines of this generation that failed and whose records are removed. */
    uint32_t fails_forgotten;
    /* The machines that the group would create now share the common cause of failures (G27). */
    bool has_cause;
    enum plan_rollout_command roll;

    /* Members that have served need a rollout slot to start changed stages (G15). slots_waiting is
     * the number of members that wait for a rollout slot. slots_stopped is the reason why no
     * rollout slot is granted until an operator decides; empty: rollout slots are granted. */
    uint32_t slots_waiting;
    struct text slots_stopped;
    /* the observation of the stop that an operator can approve (G20) */
    struct text slots_observation;
    /* Volumes that belong to slots of the group (A9): "SLOT ZONE". "SLOT -": the volume of the slot
     * is being deleted. Unsorted; a slot may have several. */
    const struct text *volumes;
    size_t volume_count;
};

/* ---- recorded state ---- */

/* States of a record; a record only moves forward (I7). There is no state "gone": the record is
 * removed. */
enum plan_record_state { PLAN_RECORD_CREATE, PLAN_RECORD_ACTIVE, PLAN_RECORD_DELETE };

/* The reasons for a refused create that the planner distinguishes (X15). */
enum plan_fault {
    PLAN_FAULT_NONE,
    PLAN_FAULT_WRONG,   /* invalid or not allowed: wait for a change */
    PLAN_FAULT_SHORT,   /* no capacity or quota: retry later, or try an alternative */
    PLAN_FAULT_PASSING, /* temporary: retry later */
    PLAN_FAULT_GONE,    /* the machine with its token has ended: another token is needed */
};

/* The result of the last lookup of an id at the provider. */
enum plan_lookup {
    PLAN_LOOKUP_NONE,
    PLAN_LOOKUP_RUNNING,
    PLAN_LOOKUP_STOPPED,
    PLAN_LOOKUP_GONE,  /* the machine was not found */
    PLAN_LOOKUP_ENDED, /* the provider still shows the machine, but it has ended permanently */
};

/* A repeated observation: the number of times, and the first and the last time. */
struct plan_seen {
    uint32_t count;
    uint64_t first_ms;
    uint64_t last_ms;
};

/* The record of a machine. */
struct plan_record {
    struct text token; /* token of the machine; never reused */
    struct text group;
    uint32_t source; /* index of the provider from which the machine was requested */
    uint64_t slot;
    struct text generation; /* generation with which it was requested */
    struct text id;         /* the provider's id; empty until known */
    enum plan_record_state state;
    uint64_t created_ms;
    uint64_t active_ms;    /* when it became ACTIVE */
    uint64_t condemned_ms; /* when it became DELETE */
    /* CREATE: the provider accepted or refused the call. DELETE: the provider reported done or not
     * found. */
    bool is_answered;
    bool is_foreign_life; /* requested before the store was restored */
    bool is_protected;
    bool is_starting;         /* ACTIVE: the machine's probe has not succeeded since the machine was
                               * created */
    bool is_calling;          /* a call for the machine is in progress */
    uint64_t call_after_ms;   /* back-off: no call before this time */
    struct plan_seen absence; /* consecutive complete listings without the machine */
    /* An operator has approved the listing that lacked the machine. The machine then does not count
     * for the listing brake. */
    bool is_believed;
    enum plan_lookup lookup; /* result of the last lookup by id */
    struct plan_seen looked_up;
    uint64_t failing_since_ms; /* since when the machine is unhealthy; 0: it is healthy */
    uint64_t failed_since_ms;  /* when its bootstrap failed and no retry is pending; 0: never */
    /* since when its files differ from its baseline; 0: they do not differ */
    uint64_t drifted_since_ms;
    /* Since when an operator has taken the machine out of service (reeve drain); 0: it is in
     * service. */
    uint64_t maintenance_since_ms;
    uint64_t unreachable_since_ms; /* since when it is unreachable; 0: not unreachable, or
                                    * unknown */
    uint64_t rebooted_ms;          /* when it was rebooted last; 0: never */
    /* An operator has requested a reboot, which has not begun yet (docs/decisions/0120). */
    bool is_reboot_requested;
    /* When its reboot began; 0: no reboot is in progress. */
    uint64_t reboot_begun_ms;
    /* The boot id from before the reboot is recorded, so that a new boot can be recognized. */
    bool is_boot_known;
    /* When a read after the reboot call last returned the old boot id; 0: no read returned it. */
    uint64_t boot_same_ms;
    /* The provider has answered the reboot call. */
    bool is_reboot_answered;
    /* The reboot call was dropped from its queue before it was sent. */
    bool is_reboot_unsent;
    /* The machine did not come back in time after its reboot, and this was reported. */
    bool is_reboot_late;
    /* The machine had served before its reboot. While it starts, it is not classified as a machine
     * that never served. */
    bool is_reboot_served;
    /* Machines of this slot and generation that failed, before or after they served. */
    uint32_t losses;
    struct text labels;    /* digest; empty: not known */
    struct text zone;      /* zone that was requested; empty: any */
    enum plan_fault fault; /* for a refused CREATE: the reason */
    uint32_t refusals;     /* number of consecutive refusals */
    uint64_t doubt_ms;     /* since when a call has had no definite answer; 0: never */
    /* number of consecutive machines of this slot that failed before they served */
    uint32_t failures;
    bool is_retried; /* an operator has requested a retry since the last failure */
    /* The health of the machine was found by another manager, or by this manager before it
     * restarted. The probes of this manager have not confirmed it yet. */
    bool is_unproven;
    /* A rollout of changed stages is in progress on this machine: its stages run, have failed, or
     * have made it unhealthy. This is no reason to replace the machine. */
    bool is_in_rollout;
    /* The machine shares the common cause of failures, even if it has not failed itself (G27). */
    bool has_cause;
    bool is_named; /* an operator selected it to be removed when the group shrinks */
    /* An operator has requested another machine in this slot. The machine counts as outdated,
     * regardless of its generation. */
    bool is_replace_requested;
    /* The provider ended the machine for lack of capacity (for example a spot machine). The next
     * machine of the slot uses another choice. */
    bool is_evicted;
};

/* ---- observed state ---- */

enum plan_row_state {
    PLAN_ROW_PENDING,
    PLAN_ROW_RUNNING,
    PLAN_ROW_STOPPING,
    PLAN_ROW_STOPPED,
    PLAN_ROW_ENDED, /* the machine has ended permanently, but the provider still shows it */
};

/* One machine as the provider lists it. */
struct plan_row {
    struct text id;
    uint32_t source;
    struct text token; /* token in the tags of the machine; empty: none */
    struct text group; /* group in the tags of the machine */
    uint64_t slot;
    enum plan_row_state state;
    bool is_verified;     /* the MAC over its token is valid for this cluster */
    bool is_foreign_life; /* stamped before the store was restored from a backup */
    /* The machine has a valid stamp (signature) of this installation, but this store never recorded
     * its token. This proves that the store was restored from an older copy (G18). */
    bool is_unrecorded;
    struct text ended; /* ENDED: "REASON: TEXT" of the provider; empty: not known */
    bool is_evicted;   /* ENDED: for lack of capacity at the provider */
};

/* A machine that has no record (G13). */
struct plan_quarantine {
    struct text id;
    struct plan_seen seen;
    /* Consecutive complete listings without the machine. Counted only while its cluster is being
     * deleted. */
    struct plan_seen missed;
    bool is_spared; /* an operator decided to keep it */
};

/* ---- the whole input ---- */

/* Windows and bounds, all from SAFETY.md 5. Times are in ms. Tests divide the times by 100. */
struct plan_limits {
    uint32_t absences;   /* consecutive absences before a machine may count as gone */
    uint64_t absence_ms; /* minimum duration of these absences */
    uint32_t sightings;  /* number of listings that must show a machine without a record before it
                          * is quarantined */
    uint64_t sighting_ms;
    uint32_t lookups;        /* lookups by id that must agree */
    uint64_t lookup_ms;      /* minimum time between two lookups */
    uint32_t brake_permille; /* if a larger share of machines is missing, the listing is void */
    /* Share of the cluster's machines that may be destroyed without a request within budget_ms; at
     * least 1 machine. */
    uint32_t budget_permille;
    uint64_t budget_ms; /* length of the budget window */
    /* Self-suspicion counts machines that were reached within contact_ms. It needs at least
     * contact_least of them. */
    uint64_t contact_ms;
    uint32_t contact_least;
    /* Share of the listed machines that may be unknown; at least 2 machines. If more are unknown,
     * none of them is destroyed. */
    uint32_t unknown_permille;
    uint32_t tries;    /* failed machines until the back-off of the slot is exhausted */
    uint64_t retry_ms; /* time until the slot is tried again; it doubles each time */
    uint64_t retry_max_ms;
    uint64_t unheard_ms; /* time without a complete listing until it is reported */
    /* Time that a step of the destruction of a machine may take before the delay is reported. */
    uint64_t going_ms;
    uint64_t reboot_ms; /* time for a reboot to make a machine healthy */
    uint64_t proven_ms; /* time after a reboot until another one may follow */
    uint64_t undo_ms;   /* time between the quarantine of a machine and its destruction */
    uint64_t late_ms;   /* minimum time for which a call without an answer may still take effect */
    uint64_t cause_ms;  /* failures within this time may have a common cause (src/cause) */
#ifdef REEVE_GUARD_SWITCHES
    uint32_t guards_off; /* guards (bits by enum plan_guard) that the simulator has switched off */
    uint32_t bug;        /* enum plan_bug: the bug that the simulator has switched on */
#endif
    /* Time after the start of a new incarnation of the store in which groups neither grow nor
     * shrink. */
    uint64_t new_incarnation_ms;
};

/* Return the default limits. */
struct plan_limits plan_limits_default(void);

/* Divide all times by `times` (> 0), for tests and simulations that run faster. */
void plan_limits_hasten(struct plan_limits *limits, uint32_t times);

/* The world of one cluster. */
struct plan_world {
    uint64_t now_ms;
    /* When this incarnation of the store began by a restore; 0: the store was never restored. */
    uint64_t life_since_ms;
    bool is_gone;     /* the specification of the cluster does not exist */
    bool is_deleting; /* an operator requested that it be deleted */
    bool is_paused;
    /* observation of the cluster's listing brake that an operator has approved */
    struct text brake_approved;
    /* The store was restored, and no operator has permitted reeve to act since then (G18). */
    bool is_restore_held;
    /* An operator has approved the hold store_went_back, so unrecorded machines are adopted. */
    bool is_return_approved;
    uint32_t destroyed; /* machines destroyed without a request in the budget window */
    /* Self-suspicion (G17): of `contact_of` machines that this manager reached recently, it can no
     * longer reach `contact_lost`. Both are 0 if the manager does not suspect its own network, or
     * if an operator has approved the hold. `contact_name` identifies the observation; an approval
     * covers only this observation. */
    uint32_t contact_lost;
    uint32_t contact_of;
    struct text contact_name;
    /* When the last self-suspicion ended; only later probes count. 0: there was none. */
    uint64_t contact_since_ms;
    /* The common cause of failures (G27, decision 0161): the name of its observation and its
     * description. Empty: there is none. */
    struct text cause_name;
    struct text cause_fact;
    /* The cause is a zone, and the next machine of a slot may be created in the same zone. Any
     * other cause is part of the specification of a group, so it is known whether the next machines
     * of the group share it (plan_group.has_cause). */
    bool is_cause_zone;
    /* the hold for the cause is already in the store, so that all users can see it */
    bool is_cause_held;
    bool is_cause_approved; /* an operator has approved this observation */
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

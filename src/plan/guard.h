#ifndef REEVE_PLAN_GUARD_H
#define REEVE_PLAN_GUARD_H

/* The guards of the controller, G1 to G25 of SAFETY.md 5. Where one takes effect the code says GUARD(limits, Gn):
 * in production that is a constant, in the simulator a bit that may be off, so that a test can show what
 * each of them prevents. */
enum plan_guard {
    G1 = 1, /* intent before act */
    G2,     /* list before read */
    G3,     /* one token for every try */
    G4,     /* incarnation stamp */
    G5,     /* three absences and by id */
    G6,     /* terminate before replace */
    G7,     /* listing brake that opens */
    G8,     /* one deleting function, with its bounds */
    G9,     /* shrink from observed, grow from recorded */
    G10,    /* epoch of the snapshot */
    G11,    /* stop on the unacknowledged */
    G12,    /* wait out late effects */
    G13,    /* quarantine */
    G14,    /* forward only */
    G15,    /* rollout slot */
    G16,    /* current health */
    G17,    /* self-suspicion */
    G18,    /* store that went back */
    G19,    /* own sources */
    G20,    /* approval ends */
    G21,    /* sighting ends */
    G22,    /* victims */
    G23,    /* claim compare */
    G24,    /* ticket */
    G25,    /* second opinion */
};

/* Slips that anybody may make: each is in the simulator's binary alone, and it must find all of them. */
enum plan_bug {
    BUG_NONE,
    BUG_TOKEN_REDRAWN,     /* a create that is asked for again gets another token */
    BUG_ANSWERS_MIXED,     /* answers by id that contradict each other count together */
    BUG_UNKNOWN_IS_DONE,   /* a destroy that was not answered is taken for done */
    BUG_OUTCOME_ELSEWHERE, /* what came of a call is written into another record */
    BUG_BUDGET_UNCOUNTED,  /* what was destroyed unasked is not noted */
    BUG_EPOCH_UNCOMPARED,  /* what is committed does not compare the lease */
    BUG_SIGHTING_AGED,     /* a machine is taken for one that was sighted long ago */
    BUG_STAMP_UNCHECKED,   /* every stamp of this life is believed */
    BUG_REFUSED_IS_DONE,   /* a transaction that was refused is taken for committed */
    BUG_CLOCK_TRUSTED,     /* windows that another manager began are measured by one's own clock */
    BUG_PAUSE_UNREAD,      /* what operators have paused is not read */
    BUG_PARTIAL_IS_WHOLE,  /* a listing that says that it is not whole is believed */
    BUG_ABSENCE_DOUBLED,   /* an absence counts twice in a pass, whenever */
    BUG_FORGET_EARLY, /* a record is removed when its end is called for, not when it is answered */
    BUG_REJECTION_UNREAD, /* what operators spare is not read */
    BUG_PART_IS_WHOLE, /* what is wanted is read anew in the midst of a pass, and taken as it stands */
    BUG_AGE_OF_RECORD, /* absences count from when a machine was asked for, not from when it was seen */
    BUG_UNKNOWN_UNBOUNDED,   /* no ceiling of unknown machines */
    BUG_ROLL_UNCOUNTED,      /* a rollout ignores what is under way */
    BUG_UNHEALTHY_UNBOUNDED, /* no maxUnhealthy */
    BUG_QUEUE_KEPT,          /* queued calls survive a lost lease */
    BUG_BAKE_UNREAD,         /* others follow a canary before it has baked */
    BUG_FAILURES_UNCOUNTED,  /* a rollout goes on past maxFail failures */
    BUG_ROLL_UNASKED,        /* machines of what is wanted are replaced, though nobody changed it */
    BUG_SLOTS_UNBOUNDED, /* a rollout in place does not count the members that are out of service */
    BUG_SLOT_FAILURES_UNCOUNTED, /* a rollout in place goes on past its failures */
    BUG_COUNT,
};

#ifdef REEVE_GUARD_SWITCHES
#define BUG(limits, number)  ((limits)->bug == (uint32_t)(number))
#define GUARD(limits, guard) (((limits)->guards_off & 1u << (guard)) == 0)
#else
#define BUG(limits, number)  ((void)(limits), (void)(number), false)
#define GUARD(limits, guard) ((void)(limits), (void)(guard), true)
#endif

#endif

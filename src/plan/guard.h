#ifndef REEVE_PLAN_GUARD_H
#define REEVE_PLAN_GUARD_H

/* The guards of the controller, G1 to G28 of SAFETY.md 5. GUARD(limits, Gn) marks the place where a
 * guard takes effect. In production it is a constant. In the simulator it is a bit that a test can
 * clear, to show what the guard prevents. */
enum plan_guard {
    G1 = 1, /* record the intent before the call */
    G2,     /* complete the listing before the store is read */
    G3,     /* all create calls for one machine send the same token */
    G4,     /* only machines with a valid stamp of this store incarnation belong to reeve */
    G5,     /* three absences and two lookups by id before a machine is gone */
    G6,     /* terminate a machine before its replacement is planned */
    G7,     /* a listing that lacks most machines is void */
    G8,     /* one function makes all delete calls and checks their bounds */
    G9,     /* shrink by observed machines, grow by recorded ones */
    G10,    /* each transaction and call checks the epoch of the snapshot */
    G11,    /* a pass ends at any answer of the store other than OK */
    G12,    /* wait until late calls can no longer have an effect */
    G13,    /* quarantine a machine without a record before it is destroyed */
    G14,    /* states move forward only */
    G15,    /* changed stages start only with a rollout slot */
    G16,    /* maxUnhealthy counts every machine that is unhealthy now */
    G17,    /* a manager that lost most contacts suspects itself */
    G18,    /* detect a store that was set back to an older state */
    G19,    /* only the sources that caused a hold can end it */
    G20,    /* an approval covers one observation only */
    G21,    /* the entry of an unrecorded machine ends with its confirmed destruction */
    G22,    /* remove unhealthy members before healthy ones */
    G23,    /* claim a machine only if its claim is empty, in one transaction */
    G24,    /* operations on members take tickets of their budget */
    G25,    /* a second check confirms that a member disappeared */
    /* if the provider has no tokens, repeat a create only when a late call can no longer have an
     * effect */
    G26,
    G27, /* machines with a common cause of many failures are not replaced */
    G28, /* a volume is deleted only when its slot was empty for the time of its `keep` */
};

/* Deliberate bugs that any developer could introduce. They exist only in the simulator's binary,
 * and the simulator must find each of them. */
enum plan_bug {
    BUG_NONE,
    BUG_TOKEN_REDRAWN,           /* a repeated create uses another token */
    BUG_ANSWERS_MIXED,           /* lookups by id with different results count together */
    BUG_UNKNOWN_IS_DONE,         /* a destroy without an answer counts as done */
    BUG_OUTCOME_ELSEWHERE,       /* the outcome of a call is written into another record */
    BUG_BUDGET_UNCOUNTED,        /* unrequested destroys are not counted */
    BUG_EPOCH_UNCOMPARED,        /* a commit does not compare the lease */
    BUG_SIGHTING_AGED,           /* a machine that was just seen counts as seen long ago */
    BUG_STAMP_UNCHECKED,         /* every stamp of this incarnation is trusted */
    BUG_REFUSED_IS_DONE,         /* a rejected transaction counts as committed */
    BUG_CLOCK_TRUSTED,           /* windows that another manager began use the local clock */
    BUG_PAUSE_UNREAD,            /* operators' pauses are not read */
    BUG_PARTIAL_IS_WHOLE,        /* a listing that is declared incomplete is trusted */
    BUG_ABSENCE_DOUBLED,         /* one pass counts an absence twice, at any time */
    BUG_FORGET_EARLY,            /* a record is removed at the destroy call, not at its answer */
    BUG_REJECTION_UNREAD,        /* operators' rejections are not read */
    BUG_PART_IS_WHOLE,           /* the specification is reread during a pass and used partly */
    BUG_AGE_OF_RECORD,           /* absences count from the request, not from the first listing that
                                  * has the machine */
    BUG_UNKNOWN_UNBOUNDED,       /* the number of unknown machines is not limited */
    BUG_ROLL_UNCOUNTED,          /* a rollout ignores replacements that are in progress */
    BUG_UNHEALTHY_UNBOUNDED,     /* maxUnhealthy is not applied */
    BUG_QUEUE_KEPT,              /* queued calls survive a lost lease */
    BUG_BAKE_UNREAD,             /* other machines follow a canary before its time is over */
    BUG_FAILURES_UNCOUNTED,      /* a rollout continues past maxFail failures */
    BUG_ROLL_UNASKED,            /* current machines are replaced without a change */
    BUG_SLOTS_UNBOUNDED,         /* a rollout in place ignores members out of service */
    BUG_SLOT_FAILURES_UNCOUNTED, /* a rollout in place continues past its failures */
    BUG_TICKET_SHARED,           /* a ticket of the cluster counts for each of its members */
    BUG_TICKET_FREED,            /* a ticket is freed while its operation is in progress */
    BUG_COUNT,
};

#ifdef REEVE_GUARD_SWITCHES
#define BUG(limits, number)  ((limits)->bug == (uint32_t)(number))
#define GUARD(limits, guard) (((limits)->guards_off & 1u << (guard)) == 0)
/* the switches, for a structure of another module that has them too */
#define GUARDS_OFF(limits) ((limits)->guards_off)
#define BUG_ON(limits)     ((limits)->bug)
#else
#define BUG(limits, number)  ((void)(limits), (void)(number), false)
#define GUARD(limits, guard) ((void)(limits), (void)(guard), true)
#define GUARDS_OFF(limits)   ((void)(limits), 0)
#define BUG_ON(limits)       ((void)(limits), 0)
#endif

#endif

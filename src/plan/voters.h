#ifndef REEVE_PLAN_VOTERS_H
#define REEVE_PLAN_VOTERS_H

#include "base/text.h"

/* Decides which managers hold a member of the managed store (docs/spec/MANAGERS.md section 8).
 *
 * The function is pure: the same input gives the same act, regardless of the order of managers and
 * members. It returns at most one act. The housekeeper records and executes this act, and observes
 * the members again before it asks for the next one. */

/* The rules of section 8, and the checks within them. Their test switches each one off, and has to
 * notice it. */
enum plan_voters_rule {
    PLAN_VOTERS_RULE_NONE,
    PLAN_VOTERS_RULE_QUORUM,
    PLAN_VOTERS_RULE_SILENT,
    PLAN_VOTERS_RULE_PAIR,
    PLAN_VOTERS_RULE_ADD,
    PLAN_VOTERS_RULE_PROMOTE,
    PLAN_VOTERS_RULE_SURPLUS,
    PLAN_VOTERS_CHECK_REST,     /* a removal leaves a quorum of members that answer */
    PLAN_VOTERS_CHECK_CHANGING, /* one change at a time */
    PLAN_VOTERS_CHECK_LEADER,   /* the leader is not removed */
    PLAN_VOTERS_CHECK_LEARNER,  /* a voter is removed only after its replacement is one */
    PLAN_VOTERS_RULE_COUNT,
};

/* The windows of the decision. Tests divide them. */
struct plan_voters_limits {
    uint64_t silent_ms; /* a member that was not heard for this time is removed */
    uint64_t fresh_ms;  /* a manager that is fresh for this time can get a member */
#ifdef REEVE_GUARD_SWITCHES
    uint32_t rules_off; /* bits by enum plan_voters_rule; only in tests */
#endif
};

/* Default windows of section 8. */
enum { PLAN_VOTERS_SILENT_MS = 30000, PLAN_VOTERS_FRESH_MS = 60000 };

/* A manager of the store. */
struct plan_voters_manager {
    struct text id;
    struct text zone;        /* empty: managers without a zone share one */
    uint64_t heard_ms;       /* time of its latest heartbeat; 0: none was seen */
    uint64_t fresh_since_ms; /* since this time it has been fresh without a gap; 0: it is not */
    bool is_stopped;         /* there is a proof that its machine does not run */
    bool is_leaving;         /* it leaves the store: it gets no member, and its member is removed */
};

/* A member of the store. */
struct plan_voters_member {
    uint64_t id;         /* the id that etcd gave it; never 0 */
    struct text manager; /* id of the manager on whose host it runs; empty: unknown */
    uint64_t heard_ms;   /* time at which two managers, or the leader, last heard it; for a member
                          * that was never heard, the time at which it was added or first seen */
    bool is_heard;       /* it answers now */
    bool is_learner;
    bool is_caught_up; /* a learner whose log is close to that of the leader */
};

/* What the housekeeper knows about the store as a whole. */
struct plan_voters_evidence {
    bool has_quorum;
    bool is_changing; /* an earlier change of the members has not been seen to end */
    uint64_t leader;  /* id of the member that leads; 0: unknown */
    struct plan_voters_limits limits;
};

enum plan_voters_kind {
    PLAN_VOTERS_NONE,
    PLAN_VOTERS_ADD,         /* add a member of `manager` as a learner */
    PLAN_VOTERS_PROMOTE,     /* make the learner `member` a voter */
    PLAN_VOTERS_REMOVE,      /* remove `member` */
    PLAN_VOTERS_MOVE_LEADER, /* make `member` the leader */
    PLAN_VOTERS_KIND_COUNT,
};

/* The act, or the reason for doing nothing. */
struct plan_voters_act {
    enum plan_voters_kind kind;
    enum plan_voters_rule rule; /* the rule that decided; NONE: everything is as wanted */
    struct text manager;        /* the manager that is concerned; empty if it is unknown */
    uint64_t member;            /* 0 with PLAN_VOTERS_ADD and PLAN_VOTERS_NONE */
    const char *reason;         /* constant text for people */
};

/* The members that the store should have. */
struct plan_voters_wanted {
    size_t voters;
    size_t learners;
    size_t managers; /* managers that count: they do not leave, and they or their members are
                      * heard */
};

/* Returns the act for the current state. */
struct plan_voters_act plan_voters(const struct plan_voters_manager *managers, size_t manager_count,
                                   const struct plan_voters_member *members, size_t member_count,
                                   const struct plan_voters_evidence *evidence, uint64_t now_ms);

/* Returns the members that the store should have with these managers. */
struct plan_voters_wanted
plan_voters_wanted(const struct plan_voters_manager *managers, size_t manager_count,
                   const struct plan_voters_member *members, size_t member_count,
                   const struct plan_voters_evidence *evidence, uint64_t now_ms);

/* Returns how many voters may be lost before the store has no quorum: voters that answer minus the
 * majority of all voters; 0 if there is none to lose. */
size_t plan_voters_spare(const struct plan_voters_member *members, size_t member_count);

#endif

#ifndef REEVE_BOOTSTRAP_BOOTSTRAP_H
#define REEVE_BOOTSTRAP_BOOTSTRAP_H

#include "base/mem.h"
#include "base/text.h"

/* names: bootstrap_ */

/* What is done next for the nodes of one cluster, so that each is keyed, knows the facts of all and has run its stages.
 * Pure: the same world gives the same steps. remote/node.h is what carries a run out on one node; whoever does it asks here
 * anew whenever anything has changed.
 *
 * The promise is the seed's (E21): when the first bundle starts on a node, the keys and facts of all members are in place, on
 * it and on all others. So a run waits at its points: with classic trust for the keys of all, and always for the facts of all
 * and for those of the others that were not told yet of this node. Who waits is said, and for whom.
 *
 * - A slot that is wanted is waited for, though no machine stands in it yet. One that goes is not.
 * - A node whose run ended badly (is_stuck) has its keys and facts all the same: nobody waits for its stages.
 * - With the promise given up (is_best_effort) nobody waits for who is not there or cannot be reached.
 * - What a node was given is known by digests; whose is not what it should be gets a run. Facts that change again and again
 *   are told once they rest, so that a cluster that grows by a thousand does not tell everybody a thousand times. */

/* What a run is to do; as NODE_WITH_... of remote/node.h. */
enum {
    BOOTSTRAP_WITH_KEYS = 1,
    BOOTSTRAP_WITH_FACTS = 2,
    BOOTSTRAP_WITH_STAGES = 4,
    BOOTSTRAP_WITH_RELEASE = 8,
    BOOTSTRAP_WITH_REBOOT = 16
};

/* What goes on at a node. */
enum bootstrap_phase {
    BOOTSTRAP_IDLE,
    BOOTSTRAP_UNDER_WAY, /* before or between points */
    BOOTSTRAP_AT_KEYS,   /* waits to be told what to trust */
    BOOTSTRAP_AT_FACTS,  /* waits for the facts of all */
    BOOTSTRAP_IN_STAGES, /* it has been given the facts that were then, and runs its stages */
};

/* A member of the cluster: a slot, with the machine in it where one is. */
struct bootstrap_member {
    struct text name;
    bool is_made;        /* a machine was asked for in it */
    bool is_there;       /* a machine runs in it, and has an address */
    bool is_going;       /* its end is decided */
    bool is_unreachable; /* the newest run could not get there */
    bool
        is_paused; /* nothing is begun with it but what keeps its trust as it is, and nobody waits until it is told */
    bool has_keys; /* its public keys are known */
    bool has_facts;
    bool is_stuck; /* its stages ended in a way that another run would not change */
    /* It has been in service, its stages were changed since, and its group's rollout has not granted it a
     * rollout slot: its stages do not start (G15). Keys and facts it is given like all others. */
    bool needs_slot;
    struct text chain;          /* of the stages that are wanted; empty: none */
    struct text chain_done;     /* that were run to their end */
    struct text trust;          /* digest of what it is to trust; empty: not known yet */
    struct text trust_given;    /* digest of what it was given */
    struct text facts_given;    /* digest of the facts of all that it was given */
    uint64_t again_ms;          /* no run before: the newest could not be finished */
    enum bootstrap_phase phase; /* of its run */
    bool is_reported;           /* a second run is under way beside it (BOOTSTRAP_REPORT) */
};

struct bootstrap_world {
    uint64_t now_ms;
    const struct bootstrap_member *members; /* in the order in which they are to begin */
    size_t count;
    struct text facts; /* digest of the facts of all whose facts are known and who do not go */
    uint64_t facts_changed_ms;
    bool is_classic;     /* public keys of all are installed, not certificates */
    bool is_best_effort; /* barrier: bestEffort */
};

struct bootstrap_limits {
    size_t
        runs; /* under way at once, of those that change something: who waits at a point counts as none */
    uint64_t rest_ms; /* for so long facts have to rest before all others are told of them */
};

struct bootstrap_limits bootstrap_limits_default(void);

enum bootstrap_what {
    BOOTSTRAP_BEGIN,      /* a run, with */
    BOOTSTRAP_REPORT,     /* a second run beside the one that is under way, with */
    BOOTSTRAP_TRUST,      /* at its point: it is told what to trust */
    BOOTSTRAP_DISTRIBUTE, /* at its point: it is given the facts of all */
    BOOTSTRAP_CANCEL,     /* its machine goes, or has gone: its runs are of no use */
};

struct bootstrap_step {
    enum bootstrap_what what;
    size_t member;
    unsigned with; /* BOOTSTRAP_WITH_..., of BOOTSTRAP_BEGIN and BOOTSTRAP_REPORT */
};

/* Why a member waits at its point. */
enum bootstrap_wait {
    BOOTSTRAP_WAIT_NONE,
    BOOTSTRAP_WAIT_MACHINE,  /* there is no machine in that slot yet */
    BOOTSTRAP_WAIT_KEYS,     /* that one has not told its keys */
    BOOTSTRAP_WAIT_FACTS,    /* nor its facts */
    BOOTSTRAP_WAIT_REPORTED, /* that one has not been told of the new facts */
    BOOTSTRAP_WAIT_TRUST,    /* what it is to trust is not known yet */
    BOOTSTRAP_WAIT_COUNT
};

struct bootstrap_steps {
    struct bootstrap_step *steps;
    size_t count;
    enum bootstrap_wait keys_wait; /* what those at their keys wait for, and which member it is */
    size_t keys_for;
    enum bootstrap_wait facts_wait; /* the same for those at their facts */
    size_t facts_for;
    size_t facts_others; /* so many more it waits for in the same way */
    uint64_t next_ms;    /* something is to be done then, though nothing changes; 0: nothing */
    bool is_at_rest;     /* nothing is to be done, and nothing is under way */
};

/* Decide. The steps live in the arena. */
void bootstrap_decide(struct arena *arena, const struct bootstrap_world *world,
                      const struct bootstrap_limits *limits, struct bootstrap_steps *out);

/* Changing the authorities of a cluster (signer/ring.h), so that no login fails: nobody signs by new keys before all trust them, and
 * nobody forgets the old ones before all have certificates of the new. For a machine that cannot be told there is patience,
 * and no more. */
enum bootstrap_rotation_phase {
    BOOTSTRAP_STEADY,
    BOOTSTRAP_MADE,
    BOOTSTRAP_TRUSTED,
    BOOTSTRAP_SIGNS
};

struct bootstrap_rotation {
    enum bootstrap_rotation_phase phase;
    bool is_requested; /* and not done */
    uint64_t age_ms;   /* of the phase */
};

struct bootstrap_turn {
    bool is_due;    /* the next step is to be taken */
    size_t waiting; /* members that have not got what the phase is for */
    size_t first;   /* one of them */
    uint64_t in_ms; /* it is due by then in any case, if nothing changes; 0: it waits for nothing */
};

/* Is it? */
void bootstrap_rotate(const struct bootstrap_world *world,
                      const struct bootstrap_rotation *rotation, struct bootstrap_turn *out);

/* "waits for web-3: it has not told its facts (and 2 more)". Of the arena. */
struct text bootstrap_wait_words(struct arena *arena, const struct bootstrap_world *world,
                                 enum bootstrap_wait wait, size_t member, size_t others);

#endif

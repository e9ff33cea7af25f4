#ifndef REEVE_BOOTSTRAP_BOOTSTRAP_H
#define REEVE_BOOTSTRAP_BOOTSTRAP_H

#include "base/mem.h"
#include "base/text.h"
#include "bootstrap/run_tasks.h"
#include "ssh/rotation.h"

/* public names start with: bootstrap_ */

/* Decides the next steps for the nodes of one cluster, until each node has keys, has the facts of
 * all members and has run its stages. Pure: the same world gives the same steps. remote/node.h
 * executes a run on one node. Its caller decides again after every change.
 *
 * The guarantee (E21): when the first bundle starts on a node, this node and all other nodes have
 * the keys and facts of all members. So a run waits at two barriers. At the keys barrier, with
 * classic trust, it waits for the keys of all members. At the facts barrier it waits for the facts
 * of all members, and until all other nodes have received the facts of this node. The steps contain
 * the missing item and the member that lacks it.
 *
 * - Runs wait for the machine of a desired slot even before it exists. They do not wait for a slot
 *   that is removed.
 * - A node whose run failed permanently (is_stuck) still has keys and facts: no node waits for its
 *   stages.
 * - With barrier: bestEffort (is_best_effort) no node waits for members that do not exist or cannot
 *   be reached.
 * - Digests record the trusted keys and facts that a node has received. A node whose digest differs
 *   from the desired one gets a run. Facts that change repeatedly are distributed once they are
 *   unchanged for rest_ms, so that a cluster that grows by a thousand nodes does not update each
 *   node a thousand times. */

/* The state of a node's run. */
enum bootstrap_phase {
    BOOTSTRAP_IDLE,
    BOOTSTRAP_UNDER_WAY, /* the run is before the barriers, or between them */
    BOOTSTRAP_AT_KEYS,   /* waits for the keys or authorities that it must trust */
    BOOTSTRAP_AT_FACTS,  /* waits until the facts of all members are known */
    BOOTSTRAP_IN_STAGES, /* has received the facts known at that time and runs its stages */
};

/* A member of the cluster: a slot, with the machine in it if there is one. */
struct bootstrap_member {
    struct text name;
    bool is_made;        /* a machine was requested for the slot */
    bool is_there;       /* a machine runs in the slot and has an address */
    bool is_going;       /* its machine is going to be destroyed */
    bool is_unreachable; /* the latest run could not reach it */
    /* Its runs only renew trusted keys, and no other node waits for this member to receive
     * facts. */
    bool is_paused;
    bool has_keys; /* its public keys are known */
    bool has_facts;
    bool is_stuck; /* its stages have failed, and another run would not complete them */
    /* The member has been in service and its stages have changed since, but it has no rollout slot.
     * Its stages must therefore not start (G15). It still receives keys and facts, like all other
     * members. */
    bool is_slot_needed;
    struct text chain;          /* digest chain of the desired stages; empty: none */
    struct text chain_done;     /* digest chain of the completed stages */
    struct text trust;          /* digest of the trusted keys that it must receive; empty:
                                 * unknown */
    struct text trust_given;    /* digest of the trusted keys that it has received */
    struct text facts_given;    /* digest of the facts of all members that it has received */
    uint64_t again_ms;          /* back-off: no run before this time */
    enum bootstrap_phase phase; /* the state of its run */
    bool is_reported;           /* a second run is in progress in parallel (BOOTSTRAP_REPORT) */
};

struct bootstrap_world {
    uint64_t now_ms;
    /* members, in the order in which their runs should begin */
    const struct bootstrap_member *members;
    size_t count;
    /* Digest of all known facts, except those of members that will be destroyed. */
    struct text facts;
    uint64_t facts_changed_ms;
    bool is_classic;     /* the public keys of all members are installed in place of certificates */
    bool is_best_effort; /* the setting barrier is bestEffort */
};

struct bootstrap_limits {
    /* Maximum number of concurrent runs that change nodes. A run that waits at a barrier does not
     * count. */
    size_t runs;
    /* How long facts must be unchanged before they are distributed to all other members. */
    uint64_t rest_ms;
};

struct bootstrap_limits bootstrap_limits_default(void);

enum bootstrap_what {
    BOOTSTRAP_BEGIN,      /* begin a run with the tasks in `with` */
    BOOTSTRAP_REPORT,     /* begin a second run in parallel, with the tasks in `with` */
    BOOTSTRAP_TRUST,      /* at the keys barrier: send authorities and revocations */
    BOOTSTRAP_DISTRIBUTE, /* at the facts barrier: send the facts of all members */
    BOOTSTRAP_CANCEL,     /* stop the member's runs: its machine is, or will be, destroyed */
};

struct bootstrap_step {
    enum bootstrap_what what;
    size_t member;
    unsigned with; /* tasks of BOOTSTRAP_BEGIN and BOOTSTRAP_REPORT: RUN_WITH_... */
};

/* Why a member waits at its barrier. */
enum bootstrap_wait {
    BOOTSTRAP_WAIT_NONE,
    BOOTSTRAP_WAIT_MACHINE,  /* the slot has no machine yet */
    BOOTSTRAP_WAIT_KEYS,     /* the keys of the other member are unknown */
    BOOTSTRAP_WAIT_FACTS,    /* the facts of the other member are unknown */
    BOOTSTRAP_WAIT_REPORTED, /* the other member has not received the new facts */
    BOOTSTRAP_WAIT_TRUST,    /* the trusted keys that the member must receive are not known yet */
    BOOTSTRAP_WAIT_COUNT
};

struct bootstrap_steps {
    struct bootstrap_step *steps;
    size_t count;
    /* The reason why members wait at the keys barrier, and the index of the member for which they
     * wait. */
    enum bootstrap_wait keys_wait;
    size_t keys_for;
    enum bootstrap_wait facts_wait; /* the same for the facts barrier */
    size_t facts_for;
    size_t facts_others; /* number of further members for which members wait for the same reason */
    uint64_t next_ms;    /* time of the next decision if nothing changes before; 0: never */
    bool is_at_rest;     /* there are no steps, and no run is in progress */
};

/* Decide the next steps. They live in the arena. */
void bootstrap_decide(struct arena *arena, const struct bootstrap_world *world,
                      const struct bootstrap_limits *limits, struct bootstrap_steps *out);

/* Rotates the authorities of a cluster (ssh/rotation.h) so that no login fails. New keys sign only
 * after all members trust them. The old keys are dropped only after all members have certificates
 * signed by the new keys. The rotation waits at most one day for an unreachable member. */
struct bootstrap_rotation {
    enum rotation_phase phase;
    bool is_requested; /* an operator has requested a rotation that is not complete */
    uint64_t age_ms;   /* time since the phase began, in milliseconds */
};

struct bootstrap_turn {
    bool is_due;    /* execute the next step of the rotation now */
    size_t waiting; /* number of members without the keys or certificates of the phase */
    size_t first;   /* index of one of these members */
    /* time until the step is executed in any case; 0: it is due now, or there is no rotation */
    uint64_t in_ms;
};

/* Decide whether the next step of the rotation is due. */
void bootstrap_rotate(const struct bootstrap_world *world,
                      const struct bootstrap_rotation *rotation, struct bootstrap_turn *out);

/* Format the reason of a wait, such as "waits for web-3: there is no machine in it yet (and 2
 * more)". The text lives in the arena. */
struct text bootstrap_wait_words(struct arena *arena, const struct bootstrap_world *world,
                                 enum bootstrap_wait wait, size_t member, size_t others);

#endif

#ifndef REEVE_BOOTSTRAP_BATCHES_H
#define REEVE_BOOTSTRAP_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* public names start with: bootstrap_batches_ BOOTSTRAP_CUT_ */

/* Decides which machines begin next, and when, if their stages run again in batches. The functions
 * are pure and keep no state: the same marks give the same step.
 *
 * Each machine has a mark, which is a letter. The store has the array of marks, so a restarted
 * manager, or another manager, continues from these marks. A batch begins when all machines of the
 * previous batch have ended. */
enum bootstrap_mark {
    BOOTSTRAP_MARK_WAITING = '.', /* not begun */
    BOOTSTRAP_MARK_BEGUN = 'r',
    BOOTSTRAP_MARK_DONE = 'd',
    BOOTSTRAP_MARK_FAILED = 'f',
    /* The machine is unreachable. This counts as a failure, unless the machine becomes reachable
     * again while the other machines run. */
    BOOTSTRAP_MARK_LOST = 'u',
    BOOTSTRAP_MARK_GONE = 'g', /* the machine no longer exists: neither a success nor a failure */
    BOOTSTRAP_MARK_SKIPPED = 's', /* the machine will no longer start */
    /* In a rollout: the stages succeeded, but the machine has been out of service since then. No
     * other machine starts until it is healthy again. If the machine is destroyed before that, it
     * counts as a failure. */
    BOOTSTRAP_MARK_UNHEALTHY = 'h',
};

/* The reason why no more machines are started. */
enum bootstrap_cut {
    BOOTSTRAP_CUT_NONE,
    BOOTSTRAP_CUT_CANARY,    /* one of the canaries failed */
    BOOTSTRAP_CUT_FAILED,    /* max_fail was reached */
    BOOTSTRAP_CUT_DEADLINE,  /* the deadline has passed */
    BOOTSTRAP_CUT_CANCELLED, /* an operator cancelled the run */
    BOOTSTRAP_CUT_COUNT
};

/* All times are milliseconds of one clock. */
struct bootstrap_batches {
    const char *marks; /* one mark for each machine, in the order in which the machines start */
    size_t count;
    const uint32_t *ends; /* for each batch, the index after its last machine */
    size_t batch_count;
    size_t canaries; /* number of canary batches, which are the first ones */
    size_t max_fail; /* number of failures after which no more machines start; 0: unlimited */
    uint64_t pause_ms;
    uint64_t bake_ms;     /* pause after the canary batches */
    uint64_t deadline_ms; /* point in time; 0: none */
    uint64_t now_ms;
    uint64_t rest_ms; /* when the newest batch ended; 0: not recorded yet */
    bool is_paused;
    bool is_cancelled;
    enum bootstrap_cut cut; /* the reason why the run was stopped earlier; it is kept */

    /* For a rollout in place. NULL: for `bootstrap run`, where any number of members may be out of
     * service. */
    const struct bootstrap_service *service;
};

/* The service state of a group, for a rollout in place (I31). A ready member starts only while
 * fewer than out_max members are out of service. A member that is already out of service may always
 * start. */
struct bootstrap_service {
    const bool *is_out; /* by machine: it is out of service for a reason other than this rollout */
    size_t out_others;  /* number of other members of the group that are out of service */
    size_t out_max;     /* maximum number of members out of service, at least 1 */
    /* By machine: an operator has approved its failure. Other failures stop the rollout again
     * (G20). */
    const bool *is_approved;
};

enum bootstrap_batches_state {
    BOOTSTRAP_BATCHES_RUNNING,
    BOOTSTRAP_BATCHES_RESTING,  /* a pause, or the wait for the canaries */
    BOOTSTRAP_BATCHES_PAUSED,   /* paused: machines that have begun continue */
    BOOTSTRAP_BATCHES_STOPPING, /* stopped: like RUNNING, but no more machines are started */
    BOOTSTRAP_BATCHES_HELD,     /* a stopped rollout, which waits for an operator */
    BOOTSTRAP_BATCHES_OVER,
};

struct bootstrap_batches_step {
    enum bootstrap_batches_state state;
    /* The machines that start now are the waiting machines from first to end. In a rollout they are
     * those for which bootstrap_batches_begins() returns true. end 0: none. */
    size_t first;
    size_t end;
    size_t room;  /* in a rollout: maximum number of ready machines among them */
    size_t batch; /* index of the newest batch that has begun or begins now */
    enum bootstrap_cut cut;
    /* when the newest batch ended, which the caller stores for the next decision; 0: there is no
     * pause */
    uint64_t rest_ms;
    /* When to decide again even if nothing changes; 0: only the end of running machines can change
     * the state. */
    uint64_t until_ms;
};

/* Decide the next step. */
void bootstrap_batches_decide(const struct bootstrap_batches *batches,
                              struct bootstrap_batches_step *out);

/* True if the step begins this machine. Set *room to step->room before the first call. The function
 * decrements it, so it must be called for the machines in their order. */
bool bootstrap_batches_begins(const struct bootstrap_batches *batches,
                              const struct bootstrap_batches_step *step, size_t at, size_t *room);

/* Return the number of machines with this mark. */
size_t bootstrap_batches_count(const char *marks, size_t count, enum bootstrap_mark mark);

/* True for the mark of a machine that failed or could not be reached. */
bool bootstrap_batches_is_failure(char mark);

/* Return the number of machines that count as failed. */
size_t bootstrap_batches_failures(const char *marks, size_t count);

#endif

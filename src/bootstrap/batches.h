#ifndef REEVE_BOOTSTRAP_BATCHES_H
#define REEVE_BOOTSTRAP_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* names: bootstrap_batches_ BOOTSTRAP_CUT_ */

/* Machines whose stages run again in batches: which are begun next, and when. Pure, and of no memory: the same marks give the same step.
 *
 * Each machine has a mark, a letter, and the row of them is the current state in the store: whoever goes on, after a kill or on another
 * machine, goes on from there. A batch begins when all of the one before it have ended. */
enum bootstrap_mark {
    BOOTSTRAP_MARK_WAITING = '.', /* not begun */
    BOOTSTRAP_MARK_BEGUN = 'r',
    BOOTSTRAP_MARK_DONE = 'd',
    BOOTSTRAP_MARK_FAILED = 'f',
    BOOTSTRAP_MARK_LOST =
        'u', /* it cannot be reached: a failure, unless it is back while the others run */
    BOOTSTRAP_MARK_GONE = 'g', /* there is no such machine any more: neither well nor a failure */
    BOOTSTRAP_MARK_SKIPPED = 's', /* it is not begun any more */
    /* Of a rollout: its stages ended well, and it has been out of service since. Nothing more starts
     * until it is healthy again; if its machine goes before that, it is a failure. */
    BOOTSTRAP_MARK_UNHEALTHY = 'h',
};

/* Why no more are begun. */
enum bootstrap_cut {
    BOOTSTRAP_CUT_NONE,
    BOOTSTRAP_CUT_CANARY,    /* one of the canaries has failed */
    BOOTSTRAP_CUT_FAILED,    /* so many have as are allowed */
    BOOTSTRAP_CUT_DEADLINE,  /* its time is over */
    BOOTSTRAP_CUT_CANCELLED, /* somebody has said so */
    BOOTSTRAP_CUT_COUNT
};

/* Times are of one clock. */
struct bootstrap_batches {
    const char *marks; /* a machine each, in the order in which they are begun */
    size_t count;
    const uint32_t *ends; /* behind the last machine of each batch */
    size_t batch_count;
    size_t canaries; /* so many of the first batches are canaries */
    size_t max_fail; /* failures with which no more are begun; 0: any number */
    uint64_t pause_ms;
    uint64_t bake_ms;     /* behind the canaries */
    uint64_t deadline_ms; /* a moment; 0: none */
    uint64_t now_ms;
    uint64_t rest_ms; /* the moment at which the newest batch had ended; 0: it has not been noted */
    bool is_paused;
    bool is_cancelled;
    enum bootstrap_cut cut; /* as it was decided; it stays */

    /* Rollouts in place only; NULL: bootstrap run, which any number of members may be out of service
     * for. */
    const struct bootstrap_service *service;
};

/* What a rollout in place knows of the service of its group (I31). A ready member starts only while
 * fewer than out_max members are out of service. One that is out of service already may always start. */
struct bootstrap_service {
    const bool *is_out; /* by machine: out of service for another reason than this rollout */
    size_t out_others;  /* members of the group that are not among these machines, and are out */
    size_t out_max;     /* at least 1 */
    const bool *
        is_approved; /* by machine: it has failed, and an operator continues past that; others stop it again (G20) */
};

enum bootstrap_batches_state {
    BOOTSTRAP_BATCHES_RUNNING,
    BOOTSTRAP_BATCHES_RESTING,  /* a pause, or canaries bake */
    BOOTSTRAP_BATCHES_PAUSED,   /* what has begun goes on */
    BOOTSTRAP_BATCHES_STOPPING, /* the same, and nothing more is begun */
    BOOTSTRAP_BATCHES_HELD,     /* a rollout that stopped: an operator decides how it goes on */
    BOOTSTRAP_BATCHES_OVER,
};

struct bootstrap_batches_step {
    enum bootstrap_batches_state state;
    /* Machines that are begun now: waiting ones from first to end, of a rollout those that
     * bootstrap_batches_begins names. end 0: none. */
    size_t first;
    size_t end;
    size_t room;  /* of a rollout: so many of them may be ready members */
    size_t batch; /* the newest that has begun, or begins; counted from 0 */
    enum bootstrap_cut cut;
    uint64_t rest_ms; /* to be noted; 0: nothing rests */
    uint64_t
        until_ms; /* it goes on then, though nothing changes; 0: nothing is waited for but what runs */
};

/* Decide. */
void bootstrap_batches_decide(const struct bootstrap_batches *batches,
                              struct bootstrap_batches_step *out);

/* Is this machine begun by the step? *room starts as step->room and counts down; machines are asked for in their order. */
bool bootstrap_batches_begins(const struct bootstrap_batches *batches,
                              const struct bootstrap_batches_step *step, size_t at, size_t *room);

/* Of a row of marks. */
size_t bootstrap_batches_count(const char *marks, size_t count, enum bootstrap_mark mark);

/* Is it the mark of a machine that failed, or could not be reached? */
bool bootstrap_batches_is_failure(char mark);

/* Machines that count as failed. */
size_t bootstrap_batches_failures(const char *marks, size_t count);

#endif

#ifndef REEVE_STATE_BATCHES_H
#define REEVE_STATE_BATCHES_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "bootstrap/batches.h"

/* names: batches_ BATCHES_ */

/* Somebody wants stages of many machines run again, in batches (decision 0107): /TENANT/Batches/CLUSTER/NAME/base, canonical JSON, written
 * once. Its revision is the number of the job that works it off, whose row (kind Job) says how far it is. What is said of the job
 * meanwhile stands beside it, in /spec: {"cancelled":{at,by,why},"paused":{at,by,why}}. All of it goes when the job is over. */
#define BATCHES_KIND "Batches"

/* The member of a job's row that tells it from that of a change, and what it is. */
#define BATCHES_VERB      "verb"
#define BATCHES_BOOTSTRAP "bootstrap"
#define BATCHES_ROLLOUT   "rollout"

struct batches {
    int64_t at_ms; /* wall clock */
    struct text by;
    struct text why;
    bool is_failed;            /* what did not end well runs again, else all from a stage on */
    struct doc from;           /* a map: group to that stage, from 0 */
    const struct text *tokens; /* machines, in the order in which they are begun */
    size_t count;
    const uint32_t *ends; /* behind the last of each batch */
    size_t batch_count;
    size_t canaries; /* batches */
    size_t max_fail; /* 0: any number */
    uint64_t pause_ms;
    uint64_t bake_ms;
    uint64_t deadline_ms; /* from when it was said on; 0: none */

    /* A rollout of changed stages, which the reconciler created (members/rollouts.h): the group and the
     * desired stage digest chain. Both are empty for bootstrap run. */
    struct text group;
    struct text chain;
};

bool batches_is_rollout(const struct batches *batches);

/* The value. */
struct text batches_format(struct arena *arena, const struct batches *batches);

/* Read it; texts live in the arena or in the bytes. R0755: it is none. */
MUST_CHECK bool batches_parse(struct arena *arena, struct text bytes, struct batches *out,
                              struct err *err);

/* The stage from which on all run again on a machine of this group; of those that did not end well it is the first. False: nothing
 * was said of it. */
bool batches_from(const struct batches *batches, struct text group, uint64_t *out);

/* In `approved`, a machine without an approved failure; every other character is the approved mark (enum bootstrap_mark). */
enum { BATCHES_UNAPPROVED = '-' };

/* How far it is, in the row of its job; what is for people is made from it (member_batches.c). */
struct batches_progress {
    struct text request; /* its name in the store */
    struct text
        marks; /* of all machines (bootstrap/batches.h); empty: the request could not be read */
    uint64_t rest_ms;     /* by the cluster's clock, as all of these */
    uint64_t deadline_ms; /* the moment; 0: none */
    uint64_t seen_ms;     /* when this was written: the clock is not behind it */
    enum bootstrap_cut cut;
    bool is_over;
    struct text
        resumed; /* of a rollout: the newest `rollout resume` that it followed; empty: none */
    struct text
        approved; /* of a rollout: by machine, the failure that an operator has approved; empty: none */
};

void batches_progress_put(struct doc_builder *builder, const struct batches_progress *progress);
MUST_CHECK bool batches_progress_read(const struct doc *row, struct batches_progress *out);

/* The word for a cut, in rows and for people. */
const char *batches_cut_word(enum bootstrap_cut cut);

#endif

#ifndef REEVE_SERVICE_SELECT_CHANGE_H
#define REEVE_SERVICE_SELECT_CHANGE_H

#include "state/cache.h"
#include "records/fleet.h"
#include "records/node_state.h"

/* names: select_ */

/* The conditions of a selection that are about changes: --failed-of and --revision (decision 0087). */

/* What machines of one group were to be at a revision. */
struct select_made {
    struct text path;
    struct doc generations; /* a list: any of these */
    struct text chain;      /* of their stages; empty: they have none, or nobody wrote it down */
};

struct select_change {
    uint64_t job;      /* machines that failed in this one; 0: no condition */
    uint64_t revision; /* made of what was wanted then; 0: of what is wanted now */
    bool is_revision;  /* revision is a condition */
    bool is_not;       /* and is turned round */
    bool is_any_known; /* a cluster that was entered knows the job, or the revision */

    /* Of the cluster that was entered. */
    struct arena *memory;
    bool is_known;
    struct text failed; /* patterns of names */
    int64_t ended_ms;   /* of the job, by everybody's clock; 0: it goes on */
    struct select_made *made;
    size_t made_count;
};

/* Read `912` or `job/912`, and `current`, `!current`, `912`, `!912`; empty texts are no condition. R0426: it is something else. */
MUST_CHECK bool select_change_parse(struct text failed_of, struct text revision,
                                    struct select_change *out, struct err *err);

/* Look at a cluster: which of its machines these conditions mean. Ends with select_change_leave. False: what is wanted, or the
 * job, cannot be read, or does not say it. A cluster that does not know the job or the revision has none. */
MUST_CHECK bool select_change_enter(struct select_change *change, const struct cache *cache,
                                    struct text tenant, struct text id, struct err *err);
void select_change_leave(struct select_change *change);

/* Is it one of them? */
bool select_change_has(const struct select_change *change, const struct record *record,
                       const struct node_state *state);

/* Has it failed as it stands: its creation was refused, or one of its stages has? */
bool select_change_is_failed(const struct record *record, const struct node_state *state);

/* When all clusters were looked at. R0795: none of them knows the job or the revision. */
MUST_CHECK bool select_change_check(const struct select_change *change, struct text cluster,
                                    struct err *err);

#endif

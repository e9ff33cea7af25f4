#ifndef REEVE_SERVICE_SELECT_CHANGE_H
#define REEVE_SERVICE_SELECT_CHANGE_H

#include "state/cache.h"
#include "records/fleet.h"
#include "records/node_state.h"

/* public names start with: select_ */

/* The conditions of a selection that refer to changes: --failed-of and --revision (decision
 * 0062). */

/* The desired state of the machines of one group at a revision. */
struct select_made {
    struct text path;
    struct doc generations; /* a list; a machine may have any of them */
    struct text chain;      /* stage digest chain; empty: no stages, or unknown */
    struct doc chains;      /* a map: the chains of slots with other stages, by slot; or absent */
};

struct select_change {
    uint64_t job; /* select machines that failed in this job; 0: all machines */
    /* select machines with the desired state of this revision; 0: of the current revision */
    uint64_t revision;
    bool is_revision;  /* `revision` is used as a condition */
    bool is_not;       /* The revision condition is negated. */
    bool is_any_known; /* true: at least one of the clusters knows the job or the revision */

    /* Data of the cluster for which select_change_enter was called last. */
    struct arena *memory;
    bool is_known;
    struct text failed; /* patterns of names of machines that failed */
    int64_t ended_ms;   /* end of the job, by the wall clock; 0: the job is still running */
    struct select_made *made;
    size_t made_count;
};

/* Parse `failed_of` (`912` or `job/912`) and `revision` (`current`, `!current`, `912`, `!912`). An
 * empty text is no condition. R0426: the text is invalid. */
MUST_CHECK bool select_change_parse(struct text failed_of, struct text revision,
                                    struct select_change *out, struct err *err);

/* Load the data of a cluster by which its machines are matched. Call select_change_leave
 * afterwards. False: the specification or the job cannot be read, or lacks the data. If the cluster
 * does not know the job or the revision, no machine matches. */
MUST_CHECK bool select_change_enter(struct select_change *change, const struct cache *cache,
                                    struct text tenant, struct text id, struct err *err);
void select_change_leave(struct select_change *change);

/* True if the machine meets the conditions. */
bool select_change_has(const struct select_change *change, const struct record *record,
                       const struct node_state *state);

/* True if the machine has failed in its current state: its creation was refused, or one of its
 * stages failed. */
bool select_change_is_failed(const struct record *record, const struct node_state *state);

/* Call this after the last cluster. R0795: no cluster knows the job or the revision. */
MUST_CHECK bool select_change_check(const struct select_change *change, struct text cluster,
                                    struct err *err);

#endif

#ifndef REEVE_RECORDS_NODE_STATE_H
#define REEVE_RECORDS_NODE_STATE_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "records/nodes.h"

/* names: node_state_ */

/* The step of a node whose stages another run would not bring to their end. */
#define NODE_STATE_FAILED "failed"

/* Of one whose stages were run to their end; a failure may stand beside it (onFailure: continue). */
#define NODE_STATE_BOOTSTRAPPED "bootstrapped"

/* What is written down of a node beside its machine's record: /TENANT/Node/CLUSTER/TOKEN/status, canonical JSON. What stands in
 * it is what was seen of the node itself, so that a manager that begins anew asks it nothing twice; it is never the reason
 * why a machine ends. */
struct node_state {
    struct text name;       /* of its machine, as its certificates have it */
    struct nodes_keys keys; /* host empty: not known; without name */
    uint64_t host_key; /* which one it had when it was keyed (node_state_host_key); 0: not known */
    struct text trust_given; /* digest */
    uint64_t renew_ms; /* by the cluster's clock: what it trusts is to be given anew; 0: never */
    struct text facts; /* its own, canonical JSON; empty: not known */
    struct text facts_given;  /* digest of those of all */
    struct text chain_done;   /* of the stages that were run to their end */
    struct text chain_failed; /* of those that another run would not bring to their end */
    /* It has been in service at least once: it completed a chain, or served while its group had no stages. */
    bool has_served;
    uint64_t rerun;  /* revision of the newest request to run stages again that was fulfilled */
    struct text job; /* name of the newest job of batches of which its part was done (batches.h) */
    struct text retry;  /* name of what had been said by then of trying again; empty: not known */
    enum nodes_end end; /* why, where chain_failed is not empty */
    struct text step;   /* for people: what it does, or did last */
    struct text why;    /* the same: the first line that tells of an error */
    struct text stage;  /* name */
    uint32_t number;    /* of it, from 0 */
    uint32_t attempt;
    int code;
    struct text once; /* stages that were begun and are not idempotent: "1 fragile,2 last" */
    struct text
        marked; /* stages that are complete by a marker of old, of which people were told: "0,2" */
    struct text
        took; /* stages that ended well, attempt and time of the newest: "0 1 9000,1 2 350" */
    int64_t since_ms; /* wall clock of the newest step */
    bool
        is_operators; /* it is reached by the operator's own settings of OpenSSH, also when its group is gone */
    uint64_t leaving_ms;   /* by the cluster's clock: its release has begun; 0: it has not */
    bool is_released;      /* its release is over: its provider may let it go */
    int64_t retry_wall_ms; /* for people: the release, or a blocked run, is tried again then;
                              0: it is not waited for */
    /* Why its newest run could not do its work, and the same in words; NONE: it could. */
    enum nodes_cause blocked;
    struct text blocked_why;
    int64_t blocked_wall_ms; /* since when; 0: it is not blocked */
};

/* The value; texts that are no text of JSON are made one. */
struct text node_state_format(struct arena *arena, const struct node_state *state);

/* Read it; texts live in the arena or in the bytes. R0554: it is none. */
MUST_CHECK bool node_state_parse(struct arena *arena, struct text bytes, struct node_state *out,
                                 struct err *err);

/* The facts of one member: canonical JSON, a map. */
struct node_state_facts {
    struct text name;
    struct text facts;
};

/* The facts of all, in the order that they come in, which is by name: {"db-0":{...},"web-0":{...}} and a newline, the bytes of
 * /etc/cluster_facts.json. */
struct text node_state_facts_format(struct arena *arena, const struct node_state_facts *items,
                                    size_t count);

/* How long a stage took; the next one of node_state.took. False: there is none. */
struct node_took {
    int64_t number;
    int64_t attempt;
    int64_t ms;
};
bool node_state_took_next(struct text *rest, struct node_took *out);

/* A name of a host key: another key has another one. 0: there is no key. */
uint64_t node_state_host_key(struct text host_key);

/* Has a stage failed, and is that how it stands? */
bool node_state_has_failure(const struct node_state *state);

/* Which of them would run again, by a word about all from `from` on, or (`is_failed`) about the one that failed: "stage-1 fragile,
 * stage-2 last"; empty: none. */
struct text node_state_once(struct arena *arena, const struct node_state *state, bool is_failed,
                            uint64_t from);

/* Nothing blocks its runs any more. */
void node_state_unblock(struct node_state *state);

/* What people are told of it: {step, since}; of one that is blocked {blocked, retryAt}; of a stage {attempt, number, stage} as well; `why`, and of one that has failed {code,
 * end}; `once` has stages that were begun and are not idempotent, `took` [{attempt,ms,number}]. Not a map where nothing has happened yet. */
struct doc node_state_show(struct arena *arena, const struct node_state *state);

/* A node whose stages failed, among the problems of a job: node, text and tries (for those who know nothing of nodes). */
void node_state_failure_put(struct doc_builder *builder, const struct node_state *state);

/* A copy in another arena. */
struct node_state node_state_copy(struct arena *arena, const struct node_state *state);

#endif

#ifndef REEVE_QUERY_PROBLEM_H
#define REEVE_QUERY_PROBLEM_H

#include "records/fleet.h"
#include "records/record.h"
#include "service/service.h"

/* public names start with: service_ */

/* The repair policies of the groups of one cluster. They are read at the first use and live in the
 * arena. */
struct service_policies {
    const struct service *service;
    struct arena *arena;
    struct text tenant;
    struct text id; /* cluster id */
    bool is_read;
    bool is_known;
    struct fleet_cluster cluster;
};

/* The problem of a node. The texts live in the arena of the call, or belong to the record. */
/* Return the group of the record, which has its repair policy. NULL: the group is no longer in the
 * specification, or the specification cannot be read. A cluster is read once. */
const struct fleet_group *service_policy_find(struct service_policies *policies,
                                              const struct record *record);

struct service_problem {
    struct text cause;  /* message of the provider, the probe or the stage; empty: unknown */
    struct text hint;   /* the command or edit that helps; empty: unknown */
    struct text kind;   /* kind of a blocked run; empty: the run is not blocked */
    struct text next;   /* reeve's next step */
    int64_t next_at_ms; /* wall clock time of the next step; 0: unknown */
    int64_t since_ms;   /* wall clock time when the problem began; 0: unknown */
};

/* Finds the problem of a node that is refused, failed, unhealthy, unreachable or blocked: its
 * cause, its start, and reeve's next step with its time (service_problem.c). False: the node has no
 * problem. */
bool service_problem_find(struct service_policies *policies, struct arena *arena,
                          const struct record *record, struct service_problem *out);

/* Like service_problem_find, but returns a map {cause,hint,kind,next,nextAt,since}. Without a
 * problem, the result is not a map. */
struct doc service_problem_show(struct service_policies *policies, struct arena *arena,
                                const struct record *record);

#endif

#ifndef REEVE_QUERY_PROBLEM_H
#define REEVE_QUERY_PROBLEM_H

#include "records/fleet.h"
#include "records/record.h"
#include "service/service.h"

/* names: service_ */

/* What the groups of one cluster say of healing, read when it is asked for first. Everything that is read lives in the arena. */
struct service_policies {
    const struct service *service;
    struct arena *arena;
    struct text tenant;
    struct text id; /* of the cluster */
    bool is_read;
    bool is_known;
    struct fleet_cluster cluster;
};

/* Why a node needs a look. Texts live in the arena of the call, or are the record's. */
struct service_problem {
    struct text cause;  /* in the words of provider, probe or stage; empty: not known */
    struct text hint;   /* the command or edit that helps; empty: none is known */
    struct text kind;   /* of a blocked one; empty of any other */
    struct text next;   /* what reeve does about it */
    int64_t next_at_ms; /* by everybody's clock; 0: no time is known */
    int64_t since_ms;   /* the same */
};

/* Of a node that is refused, failed, unhealthy or unreachable, or on which reeve's work is blocked: why, since when, what reeve does
 * next, and when (service_problem.c). False: it is none of them. */
bool service_problem_find(struct service_policies *policies, struct arena *arena,
                          const struct record *record, struct service_problem *out);

/* The same as {cause,hint,kind,next,nextAt,since}; not a map where there is nothing to say. */
struct doc service_problem_show(struct service_policies *policies, struct arena *arena,
                                const struct record *record);

#endif

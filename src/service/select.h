#ifndef REEVE_SERVICE_SELECT_H
#define REEVE_SERVICE_SELECT_H

#include "records/displayed.h"
#include "records/record.h"
#include "service/service.h"

/* Which machines are meant (UX.md 3.2), for everything that is done to several: all forms have to fit; names and ranges unite
 * among themselves. What is found is true at the cache's revision. */

/* Empty fields are no condition. */
struct select_request {
    /* The nodes are acted upon: only those that the sender may write are found, else those that the sender may read. */
    bool is_acting;
    struct text cluster;   /* name or id; empty: all of the tenant that who asks may read */
    struct text group;     /* its path; with all that is below it */
    struct text names;     /* names, ids, tokens and ranges, parted by commas (model/ranges.h) */
    struct text labels;    /* a selector over labels, facts, name, cluster, group, zone and state */
    struct text states;    /* words, parted by commas: ready,unhealthy */
    struct text failed_of; /* a job: 912, job/912; those that failed in it */
    struct text
        revision; /* current, !current, 912, !912: those that are (not) made of what was wanted then */
};

/* What machines of one group have in common. */
struct select_group {
    struct text path;
    struct doc labels;      /* a map; may be empty */
    struct text key_secret; /* they are logged in to with the key of this secret */
    bool is_operators;      /* they are reached by the operator's own settings of OpenSSH */
};

/* One machine. Texts live in the arena of the selection. */
struct select_node {
    struct text cluster;              /* its name */
    struct text key;                  /* TENANT/ID of the cluster */
    const struct select_group *group; /* never NULL: of one that is no more the path alone */
    struct text name;
    struct text token;
    struct text id;
    struct text plugin;
    struct text zone;
    struct text address;
    struct text user;     /* empty: root */
    struct text host_key; /* empty: not known */
    struct text alarm;
    struct text facts; /* canonical JSON; empty: not known */
    enum displayed displayed;
    const char *state; /* the name of `displayed` */
    bool is_outdated;
    bool is_blocked;
    enum plan_record_state record_state;
    uint16_t port;  /* 0: the usual one */
    bool is_failed; /* a stage of it has, or its creation was refused */
};

struct select_nodes {
    struct select_node *items; /* by cluster, then by name for people */
    size_t count;
};

/* The order of a selection: is this machine before, at or behind a name of a cluster? */
int select_order(const struct select_node *node, struct text cluster, struct text name);

/* Find them. Of machines that have one name the one is meant that serves, or is to; where those that failed in a job are asked for,
 * the one that failed. R0403: a name, a cluster or a group that does not exist; R0426, R0531: a request that cannot be read; R0795: a job
 * or a revision that is not known. An empty selection is no error here. */
MUST_CHECK bool select_nodes(const struct cache *cache, struct arena *arena,
                             const struct service_actor *actor,
                             const struct select_request *request, struct select_nodes *out,
                             struct err *err);

#endif

#ifndef REEVE_SERVICE_SELECT_H
#define REEVE_SERVICE_SELECT_H

#include "model/lifecycle.h"
#include "records/displayed.h"
#include "records/node_state.h"
#include "records/record.h"
#include "roles/roles.h"
#include "service/service.h"

/* Selections of machines (UX.md 3.2), used by all commands on several machines. A machine must
 * match all fields; the entries of `names` are alternatives. The result has the revision of the
 * cache. */

/* Conditions for machines. An empty field is no condition. */
struct select_request {
    /* true: find only nodes that the sender may write, because a command follows; false: find nodes
     * that the sender may read */
    bool is_acting;
    /* name or id; empty: all clusters of the tenant that the sender may read */
    struct text cluster;
    struct text group;  /* path of a group; includes all groups below it */
    struct text names;  /* names, ids, tokens and ranges, separated by commas (selector/ranges.h) */
    struct text labels; /* selector for labels, facts, name, cluster, group, zone and state */
    struct text states; /* displayed states, separated by commas: ready,unhealthy */
    struct text failed_of; /* a job (912, job/912): selects the machines that failed in it */
    /* Condition on the desired state: `current`, or 912 for that of revision 912. With `!`, it
     * selects machines that do not have it. */
    struct text revision;
};

/* Data that the machines of one group share. */
struct select_group {
    struct text path;
    struct doc labels; /* a map; may be empty */
    struct roles_group roles;
    struct text key_secret; /* Reeve logs in with the key of this secret. */
    bool is_operators;      /* Logins use the operator's own OpenSSH settings. */
};

/* One machine. Texts live in the arena of the selection. */
struct select_node {
    struct text cluster; /* name of the cluster */
    struct text key;     /* TENANT/ID of the cluster */
    /* group of the machine, never NULL; if the group was removed, it has only its path */
    const struct select_group *group;
    struct text name;
    struct text token;
    struct text id;
    struct text plugin;
    struct text zone;
    struct text address;
    struct text user;     /* login user; empty: root */
    struct text host_key; /* host key of the machine; empty: unknown */
    struct text alarm;
    /* Roles that the group or the member lists, and roles that a rule gave the node. */
    struct roles_list roles;
    struct text facts; /* facts as canonical JSON; empty: not known yet */
    enum displayed displayed;
    const char *state; /* text of `displayed` */
    bool is_outdated;
    bool is_blocked;
    enum plan_record_state record_state;
    uint16_t port;                /* 0: the default port */
    bool is_drifted;              /* The files of the machine differ from its baseline. */
    enum node_drain drain;        /* how far an operator's command has taken it out of service */
    enum lifecycle_status status; /* inventory/member_status.h */
    enum lifecycle_status prev_status;
    /* A stage of the machine failed, or the provider refused to create it. */
    bool is_failed;
};

struct select_nodes {
    struct select_node *items; /* ordered by cluster, then by name in the order that users see */
    size_t count;
};

/* Compare a machine with a cluster and a name, in the order of a selection. The result is negative,
 * 0 or positive if the machine comes before, at or after that name. */
int select_order(const struct select_node *node, struct text cluster, struct text name);

/* Find the machines. If several machines have one name, the result has the one that is ready or
 * will become ready; with failed_of, the one that failed. R0403: a name, cluster or group does not
 * exist; R0426, R0531: the request is invalid; R0795: a job or revision is unknown. An empty result
 * is not an error. */
MUST_CHECK bool select_nodes(const struct cache *cache, struct arena *arena,
                             const struct service_actor *actor,
                             const struct select_request *request, struct select_nodes *out,
                             struct err *err);

/* For a node whose stages begin only when the facts of all members are known: return the first
 * other member without facts. Empty: the node does not wait. The text lives in the arena. */
struct text select_facts_wait(const struct cache *cache, struct arena *arena, struct text tenant,
                              struct text cluster, struct text token);

#endif

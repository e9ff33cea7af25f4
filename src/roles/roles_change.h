#ifndef REEVE_ROLES_ROLES_CHANGE_H
#define REEVE_ROLES_ROLES_CHANGE_H

#include "base/err.h"
#include "roles/roles.h"

/* public names start with: roles_ */

/* Decides whether a request may assign roles to nodes, and remove nodes or their roles (C12). Pure.
 *
 * - A role that needs another role is assigned only if a live node outside of the request has the
 *   other role, before and after the request.
 * - A document may create nodes with both roles. Then the group waits for the other role
 *   (roles_wait_find), and the change is accepted.
 * - The last live holder of a role must not leave while remaining nodes need the role. */

/* A node of the cluster, or all new nodes of a group. */
struct roles_node {
    struct text name;         /* name of the node; for new nodes the name of their group */
    struct text group;        /* path of the group */
    struct roles_list before; /* roles before the request; empty for a new node */
    struct roles_list after;  /* roles after the request; empty for a node that leaves */
    bool is_live;             /* the node is in service */
    bool is_leaving;
    bool is_new;
};

struct roles_change {
    const struct roles_rules *rules; /* rules after the request */
    const struct roles_node *nodes;
    size_t count;
    /* The request is a document, which may create a group together with the holders for which it
     * waits. */
    bool can_wait;
};

/* Checks a request. Adds errors: R0823 for each node, or new nodes of a group, that may not get a
 * role; R0824 for each role whose last holder would leave. */
void roles_change_check(struct arena *arena, const struct roles_change *change,
                        struct err_list *errors);

/* Return the role that nodes with these roles need and that no live node has. Empty: the nodes need
 * not wait. Nodes that have the needed role themselves do not wait for it. `nodes` are the nodes of
 * the cluster, with their present roles in `after`. */
struct text roles_wait_find(const struct roles_rules *rules, const struct roles_list *roles,
                            const struct roles_node *nodes, size_t count);

#endif

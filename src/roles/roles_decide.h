#ifndef REEVE_ROLES_ROLES_DECIDE_H
#define REEVE_ROLES_ROLES_DECIDE_H

#include "roles/roles.h"

/* names: roles_ */

/* Decides which nodes have the roles of rules with `keep` (C11). Pure: the same world gives the
 * same answer, in any order of the nodes.
 *
 * Normal case: fewer nodes than `keep` have the role. It is given to the ready member with the
 * fewest holders in its zone (with `spread: zone`), then with the lowest slot. One role moves at a
 * time: nothing is given while the node of the last move is not configured yet.
 *
 * A holder loses the role when its machine leaves, when the rule or its groups no longer include
 * it, or when it has been away for longer than `replaceAfter` of its group and another node can
 * follow it. It loses it for no other reason: neither a smaller `keep` nor a better place takes a
 * role away. */

struct roles_place {
    struct text token; /* of the machine */
    struct text group;
    struct text zone;
    uint64_t slot;
    bool is_ready;    /* in service: it can get the role */
    bool is_leaving;  /* its machine is destroyed or released */
    uint64_t lost_ms; /* when it was lost; 0: it is not lost */
    uint64_t replace_after_ms;
    bool is_static; /* its group or member lists the role */
    bool is_holder; /* it was given the role */
};

enum roles_step {
    ROLES_REST, /* nothing to do */
    ROLES_GIVE, /* give the role to `given`; `taken`, if set, loses it */
    ROLES_TAKE, /* `taken` loses the role */
};

enum { ROLES_NOBODY = -1 };

struct roles_move {
    enum roles_step step;
    long given; /* index of the place; ROLES_NOBODY: none */
    long taken;
    uint64_t next_ms; /* time of the next decision if nothing changes; 0: none is needed */
    size_t missing;   /* holders that are missing after this step, because no member can get it */
};

/* Decide the next step of one role. `places` are all members of the cluster, with is_static and
 * is_holder for this role. `is_busy`: the node of the last move is not configured yet. */
void roles_decide(const struct roles_rule *rule, const struct roles_place *places, size_t count,
                  uint64_t now_ms, bool is_busy, struct roles_move *out);

#endif

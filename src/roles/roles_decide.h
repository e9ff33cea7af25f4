#ifndef REEVE_ROLES_ROLES_DECIDE_H
#define REEVE_ROLES_ROLES_DECIDE_H

#include "roles/roles.h"

/* public names start with: roles_ */

/* Decides which nodes have the roles of rules with `keep` (C11). Pure: the same world gives the
 * same answer, in any order of the nodes.
 *
 * Normal case: fewer nodes than `keep` have the role. It is assigned to the ready member with the
 * fewest holders in its zone (with `spread: zone`), then with the lowest slot. Only one role moves
 * at a time: no role is assigned until the node of the last move is configured.
 *
 * A holder loses the role when its machine leaves, or when the rule or its groups no longer include
 * it. It also loses the role when it has been unreachable for longer than `replaceAfter` of its
 * group and another node can replace it. There is no other reason: neither a smaller `keep` nor a
 * better candidate removes a role. */

struct roles_place {
    struct text token; /* token of the machine */
    struct text group;
    struct text zone;
    uint64_t slot;
    bool is_ready;    /* the machine is in service, so it can get the role */
    bool is_leaving;  /* the machine is destroyed or released */
    uint64_t lost_ms; /* since when it is unreachable; 0: it is not */
    uint64_t replace_after_ms;
    bool is_static; /* the machine's group or member lists the role */
    bool is_holder; /* a rule gave the role to the machine */
};

enum roles_step {
    ROLES_REST, /* there is nothing to do */
    ROLES_GIVE, /* assign the role to `given`; `taken`, if set, loses it */
    ROLES_TAKE, /* `taken` loses the role */
};

enum { ROLES_NOBODY = -1 };

struct roles_move {
    enum roles_step step;
    long given; /* index of the place; ROLES_NOBODY: none */
    long taken;
    uint64_t next_ms; /* time of the next decision if nothing changes; 0: none is needed */
    /* holders that are still missing after this step, because no member can get the role */
    size_t missing;
};

/* Decides the next step for one role. `places` are all members of the cluster, with is_static and
 * is_holder for this role. `is_busy`: the node of the last move is not configured yet. */
void roles_decide(const struct roles_rule *rule, const struct roles_place *places, size_t count,
                  uint64_t now_ms, bool is_busy, struct roles_move *out);

#endif

#ifndef REEVE_ROLES_ROLES_H
#define REEVE_ROLES_ROLES_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Roles of nodes and their rules (LIFECYCLE.md section 10), as data. A role is a name that nodes
 * have. Groups and members list their roles; a rule of the cluster may also give a role to nodes
 * automatically (`keep`), and may list other roles that it needs. */

enum {
    ROLES_NODE_MAX = 32,   /* maximum number of roles of a node */
    ROLES_RULES_MAX = 100, /* maximum number of rules of a cluster, without the built-in rules */
};

struct roles_list {
    const struct text *items;
    size_t count;
};

/* A rule of the cluster. */
struct roles_rule {
    struct text name;
    uint32_t keep;        /* number of nodes that should have the role; 0: there is no target */
    struct roles_list of; /* paths of the groups whose members can get it; empty: all groups */
    bool is_spread;       /* holders are spread over zones */
    struct roles_list needs;
};

struct roles_rules {
    const struct roles_rule *items; /* in order of name */
    size_t count;
};

/* The roles of a group's members. */
struct roles_member {
    struct text name;
    struct roles_list roles; /* replaces the list of the group */
};
struct roles_group {
    struct roles_list roles;
    const struct roles_member *members; /* members that have their own list */
    size_t member_count;
};

/* True if the list has this role. */
bool roles_list_has(const struct roles_list *list, struct text role);

/* Add a role to the list, unless the list already has it. `items` of the list is replaced by a copy
 * in the arena. */
void roles_list_add(struct arena *arena, struct roles_list *list, struct text role);

/* Copy a list with its texts into the arena. */
struct roles_list roles_list_copy(struct arena *arena, const struct roles_list *list);

/* Read a list of texts. Any other value gives an empty list. The result lives in the arena. */
struct roles_list roles_list_read(struct arena *arena, const struct doc *list);

/* Read `roles` of a leaf group and of its `members`. The result lives in the arena. */
struct roles_group roles_group_read(struct arena *arena, const struct doc *leaf);

/* Return the roles that the group assigns to the member with this name. Borrows from the group. */
struct roles_list roles_group_of(const struct roles_group *group, struct text member);

/* True if the group assigns any role to any member. */
bool roles_group_has_any(const struct roles_group *group);

/* Reads the rules of a cluster: the map `roles` of its specification (NULL: none), and the built-in
 * rules that the map does not override. The result lives in the arena. */
struct roles_rules roles_rules_read(struct arena *arena, const struct doc *map);

/* Return the rule of a role; NULL: the role has no rule. */
const struct roles_rule *roles_rule_find(const struct roles_rules *rules, struct text role);

/* Finds a role that needs itself, directly or through other roles. Returns the item of a list
 * `needs` in the map that closes the cycle, and sets *out_words to the roles of the cycle: "a needs
 * b needs a". NULL: there is no cycle. */
const struct doc *roles_cycle_find(struct arena *arena, const struct doc *map,
                                   struct text *out_words);

/* True if the role needs `other`, directly or through other roles. */
bool roles_rule_needs(const struct roles_rules *rules, struct text role, struct text other);

/* A leaf group of the cluster, with its effective document. */
struct roles_leaf {
    struct text path;
    const struct doc *doc;
};

/* Reports two errors with R0333, at the position of the name: a name in `of` that is not a group of
 * the cluster, and a name in `needs` that is not a role of the cluster but resembles one. `map` is
 * the same as for roles_cycle_find. */
void roles_names_check(struct arena *arena, struct err_list *errors, const struct doc *map,
                       const struct roles_leaf *leaves, size_t leaf_count);

#endif

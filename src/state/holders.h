#ifndef REEVE_STATE_HOLDERS_H
#define REEVE_STATE_HOLDERS_H

#include "roles/roles.h"
#include "state/cache.h"

/* The nodes to which a rule of their cluster has given a role (`keep`), in addition to the roles
 * that groups and members list: /TENANT/Holders/CLUSTER/base, as canonical JSON {ROLE: {TOKEN:
 * MILLISECONDS}}. Only the reconciler writes it. */
#define HOLDERS_KIND "Holders"

struct holder {
    struct text role;
    struct text token;
    int64_t at_ms; /* when the machine got the role, in ms since 1970 */
};

struct holders {
    struct holder *items;
    size_t count;
    uint64_t revision; /* revision of the key; 0: there is none */
};

struct text holders_key(struct arena *arena, struct text tenant, struct text cluster);

/* Reads the holders of a cluster. The result is empty if there are none, or if they cannot be
 * parsed. Texts live in the arena. */
struct holders holders_read(struct arena *arena, const struct cache *cache, struct text tenant,
                            struct text cluster);

struct text holders_format(struct arena *arena, const struct holders *holders);

/* Return the time at which the machine got the role; 0 if it does not have the role. */
int64_t holders_find(const struct holders *holders, struct text role, struct text token);

/* Return the roles of a machine: the roles that its group or member lists, and the roles that rules
 * gave to it. */
struct roles_list holders_roles_of(struct arena *arena, const struct holders *holders,
                                   const struct roles_list *listed, struct text token);

#endif

#ifndef REEVE_REMOTE_FACTS_H
#define REEVE_REMOTE_FACTS_H

#include "base/err.h"
#include "base/macros.h"
#include "codec/doc.h"

/* What stands in /etc/cluster_facts.json: of each member by its name, at least name, subnet, main_user, owner, ip_address and
 * hostname. Pure. No secrets: everybody on a node can read it. */

/* What the manager knows of a member; empty: it does not, and the node's word counts. */
struct facts_known {
    struct text name;
    struct text subnet;
    struct text main_user;
    struct text owner;
    struct text address;
};

/* The facts of one member, from the lines that its program told (NODE_POINT_FACTS). All of it lives in the arena. R0728: what it
 * told is none, or it did not say who it is; facts are never made up. */
MUST_CHECK bool facts_read(struct arena *arena, struct text lines, const struct facts_known *known,
                           struct doc *out, struct err *err);

/* One member of the file. */
struct facts_member {
    struct text name;
    struct doc facts;
};

/* The file: the same members in any order give the same bytes. R0728: one is there twice; it has more than REMOTE_FACTS_BYTES. */
MUST_CHECK bool facts_format(struct arena *arena, const struct facts_member *members, size_t count,
                             struct text *out, struct err *err);

#endif

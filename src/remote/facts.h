#ifndef REEVE_REMOTE_FACTS_H
#define REEVE_REMOTE_FACTS_H

#include "base/err.h"
#include "base/macros.h"
#include "codec/doc.h"

/* Content of /etc/cluster_facts.json: for each member, by name, at least name, subnet, main_user,
 * owner, ip_address and hostname. Pure. It contains no secrets, because every user of a node can
 * read it. */

/* Facts of a member that the manager knows. If a value is empty, the value from the node is
 * used. */
struct facts_known {
    struct text name;
    struct text subnet;
    struct text main_user;
    struct text owner;
    struct text address;
};

/* Reads the facts of one member from the output of its program (NODE_POINT_FACTS). The result lives
 * in the arena. Fails with R0728 if a line is invalid or the identity is missing; no fact is ever
 * guessed. */
MUST_CHECK bool facts_read(struct arena *arena, struct text lines, const struct facts_known *known,
                           struct doc *out, struct err *err);

/* One member of the file. */
struct facts_member {
    struct text name;
    struct doc facts;
};

/* Formats the file. The order of the members does not matter. Fails with R0728 if a member occurs
 * twice or the file has more than REMOTE_FACTS_BYTES. */
MUST_CHECK bool facts_format(struct arena *arena, const struct facts_member *members, size_t count,
                             struct text *out, struct err *err);

#endif

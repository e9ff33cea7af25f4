#ifndef REEVE_CLI_MANAGER_LISTING_H
#define REEVE_CLI_MANAGER_LISTING_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* Objects of a manager as rows. */
struct listing {
    struct doc *items; /* objects as they came */
    size_t count;
    size_t room;
    uint64_t revision; /* at which all of them were so */
};

/* All objects of a kind, page by page. `query` (may be empty) is "selector=...&cluster=...",
 * encoded. False: an error was added. */
bool listing_get(struct command *command, const struct session *session,
                 const struct schema_kind *kind, struct text query, struct listing *out);

/* The only cluster that a user without a grant on the whole tenant may see; empty: there is none,
 * or there are several. False: an error was added. */
bool listing_only_cluster(struct command *command, const struct session *session, struct text *out);

/* Add the items of one answer after those that there are; what is not a list has none. */
void listing_add(struct command *command, struct listing *listing, const struct doc *items);

/* "cluster/shop", "nodegroup/shop/web", "job/912" of an object as it came, and the part after its
 * kind. */
struct text listing_ref(struct arena *arena, const struct doc *object);
struct text listing_name(struct arena *arena, const struct doc *object);

/* "hold/shop:unlisted", "hold/shop/web:bake": a hold as every verb takes and prints it. */
struct text listing_hold(struct arena *arena, const struct doc *hold);

/* A child of a child: doc.metadata.name. */
struct text listing_text(const struct doc *doc, const char *outer, const char *inner);

#endif

#ifndef REEVE_CLI_MANAGER_LISTING_H
#define REEVE_CLI_MANAGER_LISTING_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* A list of objects from a manager. */
struct listing {
    struct doc *items; /* objects as received */
    size_t count;
    size_t room;
    uint64_t revision; /* the revision of the list */
};

/* Get all objects of a kind, page by page. `query` (may be empty) is "selector=...&cluster=...",
 * encoded. False: an error was added. */
bool listing_get(struct command *command, const struct session *session,
                 const struct schema_kind *kind, struct text query, struct listing *out);

/* Get the only cluster that a user without a grant on the whole tenant may see. *out is empty if
 * there are none or several. False: an error was added. */
bool listing_only_cluster(struct command *command, const struct session *session, struct text *out);

/* Append the items of one answer. A document that is not a list adds nothing. */
void listing_add(struct command *command, struct listing *listing, const struct doc *items);

/* listing_ref returns the reference of an object ("cluster/shop", "nodegroup/shop/web", "job/912"),
 * listing_name the part after its kind. */
struct text listing_ref(struct arena *arena, const struct doc *object);
struct text listing_name(struct arena *arena, const struct doc *object);

/* Return the name of a hold as all verbs accept and print it: "hold/shop:unlisted",
 * "hold/shop/web:bake". */
struct text listing_hold(struct arena *arena, const struct doc *hold);

/* Return the text of a member of a member, such as doc.metadata.name. */
struct text listing_text(const struct doc *doc, const char *outer, const char *inner);

#endif

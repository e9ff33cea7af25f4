#ifndef REEVE_CLI_READ_GET_KEPT_H
#define REEVE_CLI_READ_GET_KEPT_H

#include "cli/manager/listing.h"

/* Records that the controller keeps, by name: `get job 475`, `get resource shop/web-0`, `get holds shop`. They are listed, and those that
 * are named are taken from the list. */

/* Is it such a kind, whose records can be named? Plans and nodes are named in their own ways. */
bool get_kept_is(const struct schema_kind *kind);

/* Names after the kind, or one that begins with it: job/475. */
struct get_kept {
    const struct schema_kind *kind;
    const char *const *words; /* KIND/NAME, or NAME */
    size_t count;
};

/* Leave those in the list that are named. A cluster names all of its records, a group those of the group. False: one of the names
 * fits nothing, an error was added. */
bool get_kept_choose(struct command *command, const struct session *session,
                     const struct get_kept *kept, struct listing *listing);

#endif

#ifndef REEVE_CLI_CHANGE_PEOPLE_H
#define REEVE_CLI_CHANGE_PEOPLE_H

#include "cli/manager/listing.h"

/* public names start with: people_ */

/* Users, grants, tokens and tenants. They are not documents: they are created, listed and deleted,
 * never edited. */

/* True for users, grants, tokens and tenants. */
bool people_is_kind(const struct schema_kind *kind);

/* True if the first argument after the verb is one of these kinds: `user ana`, `user/ana`,
 * `users`. */
bool people_is_meant(const struct command *command);

/* Add the columns of a table that are not fields of the object: `on` of a grant, `rights` of a user
 * (from all grants), `when` and `until`. */
void people_row(struct command *command, const struct doc *object, const struct listing *grants,
                struct doc_builder *row);

/* Implement reeve create and reeve delete for these kinds. */
enum exit_code people_create(struct command *command);
enum exit_code people_delete(struct command *command);

#endif

#ifndef REEVE_CLI_READ_GET_PLANS_H
#define REEVE_CLI_READ_GET_PLANS_H

#include "cli/manager/listing.h"

/* names: get_ */

/* The words behind reeve get as plans: all of them (targets of none), or some by their ids. Always true. */
bool get_plans_named(struct command *command, const struct schema_kind *kind, struct targets *out);

/* Saved plans, the newest first, as objects: what the manager says of each, with kind and metadata. False: an error was added. */
bool get_plans_list(struct command *command, const struct session *session,
                    const struct targets *targets, struct listing *out);

/* What people read of one: .made, .until, .what. */
void get_plans_row(struct command *command, const struct doc *plan, struct doc_builder *row);

#endif

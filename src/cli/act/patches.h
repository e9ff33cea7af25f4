#ifndef REEVE_CLI_ACT_PATCHES_H
#define REEVE_CLI_ACT_PATCHES_H

#include "cli/change/change.h"

/* Changes that are merge patches of objects against the current state: set, scale, upgrade. */

/* Make a PATCH of an object, pinned to its present revision. False: an error was added. */
bool patches_make(struct command *command, const struct session *session,
                  const struct target *target, const struct doc *patch, struct change_call *out);

/* Read CLUSTER/GROUP, also as nodegroup/CLUSTER/GROUP. `use` is an example of the verb for the
 * hint. False: an error was added. */
bool patches_group_read(struct command *command, const char *word, const char *use,
                        struct target *out);

/* Change several objects; groups of one cluster are changed together. `patches` has one entry for
 * each target. `batching` has the batch flags as JSON; empty: none. */
enum exit_code patches_send(struct command *command, const struct session *session,
                            const struct targets *targets, const struct doc *patches,
                            struct text batching);

#endif

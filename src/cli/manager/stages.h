#ifndef REEVE_CLI_MANAGER_STAGES_H
#define REEVE_CLI_MANAGER_STAGES_H

#include "cli/manager/session.h"

/* Finds stages by the names of their bundles, which are in the effective values of the groups. */

/* Get the effective values of a cluster. False: an error was added. */
bool stages_get(struct command *command, const struct session *session, struct text cluster,
                struct doc *out);

/* Find the number of the stage of `group` with the name `name`. False: R0731 was added if no stage
 * has the name, or R0005 if several stages have it; the hint then suggests `flag`, which takes a
 * number. `node` is the full name of the machine, for the messages. */
bool stages_find(struct command *command, const struct doc *values, struct text group,
                 struct text node, struct text name, const char *flag, struct text *out);

/* Check that the group has a stage with this number. False: R0731 was added. */
bool stages_has(struct command *command, const struct doc *values, struct text group,
                struct text node, int64_t number);

#endif

#ifndef REEVE_CLI_MANAGER_STAGES_H
#define REEVE_CLI_MANAGER_STAGES_H

#include "cli/manager/session.h"

/* Stages by the names of their bundles, which stand in the values of the groups. */

/* The values in force of a cluster. False: an error was added. */
bool stages_get(struct command *command, const struct session *session, struct text cluster,
                struct doc *out);

/* The number of the stage of `group` that is called `name`. False: R0731 was added, there is none,
 * or R0005: several are called so; then `flag` is how one is said by its number. `node` is whose
 * stages are meant, in full, for people. */
bool stages_find(struct command *command, const struct doc *values, struct text group,
                 struct text node, struct text name, const char *flag, struct text *out);

/* Has the group a stage with this number? False: R0731 was added. */
bool stages_has(struct command *command, const struct doc *values, struct text group,
                struct text node, int64_t number);

#endif

#ifndef REEVE_CLI_READ_GET_GROUPS_H
#define REEVE_CLI_READ_GET_GROUPS_H

#include "cli/manager/listing.h"

/* names: get_ */

/* What is in force of each group, with what comes from its cluster: {image, labels, machineSize, plugin, size, zones}. Only
 * clusters that give their groups something are asked for it. False: an error was added. */
bool get_groups_effective(struct command *command, const struct session *session,
                          const struct listing *groups, struct doc **out);

/* The same of what the groups themselves say: of those that were, for which nobody can be asked. */
struct doc *get_groups_own(struct command *command, const struct listing *groups);

#endif

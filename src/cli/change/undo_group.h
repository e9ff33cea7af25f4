#ifndef REEVE_CLI_CHANGE_UNDO_GROUP_H
#define REEVE_CLI_CHANGE_UNDO_GROUP_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* Undo the newest change of a group, or all changes after revision `to` (NULL: the newest). If the
 * undo replaces machines or runs stages, a paused or aborted rollout continues towards the restored
 * state. The undo is refused with R0575 if a rollout is unfinished and the newest change is not the
 * change being rolled out. The hint then shows the change that is being rolled out. */
enum exit_code undo_group(struct command *command, const struct session *session,
                          const struct target *target, const char *to);

#endif

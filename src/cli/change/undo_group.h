#ifndef REEVE_CLI_CHANGE_UNDO_GROUP_H
#define REEVE_CLI_CHANGE_UNDO_GROUP_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* Take back the newest change of a group, or all back to revision `to` (NULL: the newest). Where
 * that replaces machines or runs stages, a rollout that was paused or aborted goes on afterwards:
 * backwards. While a rollout is unfinished and the newest change is another one, it is refused
 * (R0575), and the hint names the change that rolls. */
enum exit_code undo_group(struct command *command, const struct session *session,
                          const struct target *target, const char *to);

#endif

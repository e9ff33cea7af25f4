#ifndef REEVE_CLI_ROLLOUT_UNDO_H
#define REEVE_CLI_ROLLOUT_UNDO_H

#include "cli/session.h"
#include "cli/target.h"

/* names: rollout_ */

/* Take back the change that rolls a group. Refuses (R0575) where the newest change of the group replaces no machine, and
 * says which one does. A rollout that was paused or aborted goes on then: backwards. */
enum exit_code rollout_undo(struct command *command, const struct session *session,
                            const struct target *target);

#endif

#ifndef REEVE_CLI_CHANGE_ROLLOUT_RESTART_H
#define REEVE_CLI_CHANGE_ROLLOUT_RESTART_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* names: rollout_ */

/* Replace every machine of a group through its rollout, though nothing of the group changes. */
enum exit_code rollout_restart(struct command *command, const struct session *session,
                               const struct target *target);

#endif

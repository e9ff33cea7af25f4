#ifndef REEVE_CLI_READ_DESCRIBE_HISTORY_H
#define REEVE_CLI_READ_DESCRIBE_HISTORY_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* reeve describe TARGET --history: who changed it when, and why; in every format of lists. */
enum exit_code describe_history(struct command *command, const struct session *session,
                                const struct target *target);

#endif

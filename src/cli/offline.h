#ifndef REEVE_CLI_OFFLINE_H
#define REEVE_CLI_OFFLINE_H

#include "cli/args/command.h"

/* Commands on the files of a manager on this machine. reeved executes them, without a running
 * manager. */

/* Finds the configuration of the manager of this system. NULL: there is none, or the context has
 * another address, whose manager has another configuration. *out_why is the reason, for display. */
const char *offline_config_find(struct command *command, const char **out_why);

/* Replaces this process by reeved with these arguments (at most OFFLINE_ARGUMENTS). Returns only if
 * that fails; an error was added. */
enum { OFFLINE_ARGUMENTS = 8 };
enum exit_code offline_run(struct command *command, const char *const *arguments, size_t count);

#endif

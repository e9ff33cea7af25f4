#ifndef REEVE_CLI_OFFLINE_H
#define REEVE_CLI_OFFLINE_H

#include "cli/args/command.h"

/* Commands on the files of a manager of this machine, which the program reeved runs. */

/* Finds the configuration of the manager of this system. NULL: there is none, or the context has a
 * manager at another address, which was started with a configuration of its own. *out_why is the
 * reason, for display. */
const char *offline_config_find(struct command *command, const char **out_why);

/* Replaces this process by reeved with these arguments (at most OFFLINE_ARGUMENTS). Returns only if
 * that fails; an error was added. */
enum { OFFLINE_ARGUMENTS = 8 };
enum exit_code offline_run(struct command *command, const char *const *arguments, size_t count);

#endif

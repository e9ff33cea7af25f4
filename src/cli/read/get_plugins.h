#ifndef REEVE_CLI_READ_GET_PLUGINS_H
#define REEVE_CLI_READ_GET_PLUGINS_H

#include "cli/args/command.h"

/* names: get_ */

/* Do the words behind reeve get mean plugins? They have no documents: what there is of them is said by themselves. */
bool get_is_plugins(struct command *command);

/* reeve get plugins, reeve get plugin NAME..., reeve get plugin/NAME. */
enum exit_code get_plugins(struct command *command);

#endif

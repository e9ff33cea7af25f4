#ifndef REEVE_CLI_READ_GET_BUNDLES_H
#define REEVE_CLI_READ_GET_BUNDLES_H

#include "cli/args/command.h"

/* names: get_ */

/* Is the kind behind get that of bundles? */
bool get_is_bundles(struct command *command);

/* reeve get bundles: those that groups name, by whom, and whether the manager keeps them. */
enum exit_code get_bundles(struct command *command);

#endif

#ifndef REEVE_CLI_ACT_BOOTSTRAP_RUN_H
#define REEVE_CLI_ACT_BOOTSTRAP_RUN_H

#include "cli/args/command.h"

/* names: bootstrap_ */

/* reeve bootstrap run: stages of the machines that are selected run again. */
enum exit_code bootstrap_run(struct command *command);

#endif

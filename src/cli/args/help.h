#ifndef REEVE_CLI_ARGS_HELP_H
#define REEVE_CLI_ARGS_HELP_H

#include "cli/args/command.h"

/* public names start with: help_ verb_ */

/* Write the help of a verb to command->out; verb NULL: write the short help of reeve. */
void help_write(struct command *command, const struct verb *verb);

/* Write every verb with its summary, except hidden verbs. */
void help_write_all(struct command *command);

#endif

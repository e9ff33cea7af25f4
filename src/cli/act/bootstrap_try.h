#ifndef REEVE_CLI_ACT_BOOTSTRAP_TRY_H
#define REEVE_CLI_ACT_BOOTSTRAP_TRY_H

#include "cli/args/command.h"

/* reeve bootstrap try: run a bundle once on one machine, as a stage runs, before a file has it (docs/decisions/0069). Nothing of it is
 * written down, there or here, but who logged in. */
enum exit_code bootstrap_try(struct command *command);

#endif

#ifndef REEVE_CLI_ACT_BOOTSTRAP_PARTS_H
#define REEVE_CLI_ACT_BOOTSTRAP_PARTS_H

#include "cli/args/command.h"

/* private to src/cli/act */
/* names: bootstrap_ */

/* The parts of reeve bootstrap (verb_bootstrap.c). */

/* reeve bootstrap run: stages of the machines that are selected run again. */
enum exit_code bootstrap_run(struct command *command);

/* reeve bootstrap try: run a bundle once on one machine, as a stage runs, before a file has it
 * (docs/decisions/0069). Nothing of it is written down, there or here, but who logged in. */
enum exit_code bootstrap_try(struct command *command);

#endif

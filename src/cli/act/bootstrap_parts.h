#ifndef REEVE_CLI_ACT_BOOTSTRAP_PARTS_H
#define REEVE_CLI_ACT_BOOTSTRAP_PARTS_H

#include "cli/args/command.h"

/* private to src/cli/act */
/* public names start with: bootstrap_ */

/* The parts of reeve bootstrap (verb_bootstrap.c). */

/* reeve bootstrap run: run stages of the selected machines again. */
enum exit_code bootstrap_run(struct command *command);

/* reeve bootstrap try: run a bundle once on one machine, as a stage would run, before any file
 * refers to the bundle (docs/decisions/0069). Neither this program nor the manager stores anything
 * about the run, except which user logged in. */
enum exit_code bootstrap_try(struct command *command);

#endif

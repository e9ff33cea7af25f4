#ifndef REEVE_CLI_LOAD_BUNDLES_H
#define REEVE_CLI_LOAD_BUNDLES_H

#include "cli/command.h"
#include "model/set.h"

/* names: load_ */

/* Look at every bundle that the files name by `tar` (FILE.md 3): a relative path counts from the folder of the file that it
 * stands in; one on standard input is not looked at. What is wrong goes to command->errors, with its place. Each bundle is read
 * once. */
void load_bundles(struct command *command, const struct model_set *set);

#endif

#ifndef REEVE_CLI_ARGS_PAGER_H
#define REEVE_CLI_ARGS_PAGER_H

#include "cli/args/command.h"

/* public names start with: pager_ */

/* The pager (UX.md 3.5) for describe, diff, explain and help when they print more lines than the
 * terminal has. It is never used in a pipe, with --no-pager, with REEVE_PLAIN, or if $REEVE_PAGER,
 * or else $PAGER, is empty or cat. */

/* Show the contents of `out` in the pager. False: nothing was shown; write it as usual. */
bool pager_show(struct command *command);

#endif

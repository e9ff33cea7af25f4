#ifndef REEVE_CLI_ARGS_PAGER_H
#define REEVE_CLI_ARGS_PAGER_H

#include "cli/args/command.h"

/* names: pager_ */

/* The pager (UX.md 3.5): describe, diff, explain and help, where they print more lines than the
 * terminal has. Never in a pipe, with --no-pager, with REEVE_PLAIN, or where $REEVE_PAGER or else
 * $PAGER is empty or cat. */

/* Show what `out` holds. False: nothing was shown, it is to be written as always. */
bool pager_show(struct command *command);

#endif

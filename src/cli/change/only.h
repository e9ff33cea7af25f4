#ifndef REEVE_CLI_CHANGE_ONLY_H
#define REEVE_CLI_CHANGE_ONLY_H

#include "cli/change/change.h"

/* names: only_ */

/* --only CLASS,...: a change that needs any other class is not carried out (UX.md 3.3). False: it needs one, or the flag cannot be
 * read, and the error was added. */
bool only_check(struct command *command, const struct change_set *set);

#endif

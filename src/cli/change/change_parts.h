#ifndef REEVE_CLI_CHANGE_CHANGE_PARTS_H
#define REEVE_CLI_CHANGE_CHANGE_PARTS_H

#include "cli/change/change.h"

/* private to src/cli/change */
/* names: conflict_ only_ */

/* The parts of change.c: conflicts that are asked about, and changes that are limited to some
 * objects. */

/* Two people changed one object: the manager has refused a call because its object is no longer
 * what it was (If-Match). Adds the error that says who changed it, when, and for each field that
 * both wanted to set both values. */
void conflict_report(struct command *command, const struct session *session,
                     const struct change_call *call);

/* --only CLASS,...: a change that needs any other class is not carried out (UX.md 3.3). False: it
 * needs one, or the flag cannot be read, and the error was added. */
bool only_check(struct command *command, const struct change_set *set);

#endif

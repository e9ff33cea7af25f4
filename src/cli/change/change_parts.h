#ifndef REEVE_CLI_CHANGE_CHANGE_PARTS_H
#define REEVE_CLI_CHANGE_CHANGE_PARTS_H

#include "cli/change/change.h"

/* private to src/cli/change */
/* public names start with: conflict_ only_ */

/* The parts of change.c: reports of conflicts, and the limits of --only. */

/* Two users changed one object: the manager refused a call because its object has a newer revision
 * than If-Match. Adds the error that contains the name of the other user, the time of that change,
 * and both values of each field that both users set. */
void conflict_report(struct command *command, const struct session *session,
                     const struct change_call *call);

/* --only CLASS,...: a change that needs any other class is not carried out (UX.md 3.3). False: the
 * change needs another class, or the flag is invalid, and the error was added. */
bool only_check(struct command *command, const struct change_set *set);

#endif

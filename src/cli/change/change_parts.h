#ifndef REEVE_CLI_CHANGE_CHANGE_PARTS_H
#define REEVE_CLI_CHANGE_CHANGE_PARTS_H

#include "cli/change/change.h"

/* private to src/cli/change */
/* public names start with: conflict_ only_ */

/* Internals of change.c: reports of conflicts, and the limits of --only. */

/* Report that two users changed one object: the manager refused a call because the object has a
 * newer revision than If-Match. The added error has the name of the other user, the time of that
 * change, and both values of each field that both users set. */
void conflict_report(struct command *command, const struct session *session,
                     const struct change_call *call);

/* Check --only CLASS,...: a change with effects of other classes is not carried out (UX.md 3.3).
 * False: the change has such effects, or the flag is invalid; the error was added. */
bool only_check(struct command *command, const struct change_set *set);

#endif

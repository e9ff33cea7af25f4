#ifndef REEVE_CLI_CHANGE_CONFLICT_H
#define REEVE_CLI_CHANGE_CONFLICT_H

#include "cli/change/change.h"

/* names: conflict_ */

/* Two people changed one object: the manager has refused a call because its object is no longer what it was
 * (If-Match). Adds the error that says who changed it, when, and for each field that both wanted to set
 * both values. */
void conflict_report(struct command *command, const struct session *session,
                     const struct change_call *call);

#endif

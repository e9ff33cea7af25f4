#ifndef REEVE_CLI_READ_WHY_WAITS_H
#define REEVE_CLI_READ_WHY_WAITS_H

#include "cli/manager/session.h"

/* names: why_ */

/* What blocks progress now: holds, refused machines, a user's pause. */

/* The holds of a cluster, or of one group of it and of all its cluster (`group` may be empty), as
 * -o json has them and, for people, in command->out. False: an error was added. */
bool why_holds(struct command *command, const struct session *session, struct text cluster,
               struct text group, bool is_shown, struct doc *out);

/* What a job waits for, per cluster. *out is what programs get. False: an error was added. */
bool why_job(struct command *command, const struct session *session, uint64_t number, bool is_shown,
             struct doc *out);

#endif

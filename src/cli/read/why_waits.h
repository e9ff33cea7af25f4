#ifndef REEVE_CLI_READ_WHY_WAITS_H
#define REEVE_CLI_READ_WHY_WAITS_H

#include "cli/manager/session.h"

/* public names start with: why_ */

/* Reads and writes the present causes that block progress: holds, refused machines, a user's
 * pause. */

/* Get the holds of a cluster, or of one of its groups together with those of the whole cluster
 * (`group` may be empty). *out has them as -o json shows them; if is_shown, they are also written
 * for users to command->out. False: an error was added. */
bool why_holds(struct command *command, const struct session *session, struct text cluster,
               struct text group, bool is_shown, struct doc *out);

/* Get the reasons why a job waits, for each cluster. *out is the output for programs. False: an
 * error was added. */
bool why_job(struct command *command, const struct session *session, uint64_t number, bool is_shown,
             struct doc *out);

/* Format the role or the member that the machine waits for: "a node in service with the role
 * 'service-master'", or "web-2: it has not reported its facts". Empty: the machine waits for
 * neither. */
struct text why_role_words(struct arena *arena, const struct doc *machine);

#endif

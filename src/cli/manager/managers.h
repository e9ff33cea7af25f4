#ifndef REEVE_CLI_MANAGER_MANAGERS_H
#define REEVE_CLI_MANAGER_MANAGERS_H

#include "cli/args/command.h"
#include "cli/manager/session.h"

/* public names start with: managers_ */

/* The managers of the store, as GET /v1/managers answers. */

/* Get the managers. *out has no `items` if the manager that answers does not know them, because it
 * reconciles no clusters. The answer also has the lease holder of `cluster`, unless that is empty.
 * False: no answer came, and an error was added. */
bool managers_get(struct command *command, const struct session *session, struct text cluster,
                  struct doc *out);

/* Format a summary: "3 managers: 2 live, 1 draining"; for an embedded store its note. Empty:
 * unknown. */
struct text managers_summary(struct command *command, const struct doc *managers);

/* Write one line for each cluster that no manager holds, with the reason. At most `lines`. */
void managers_waiting_write(struct command *command, const struct doc *managers, size_t lines);

#endif

#ifndef REEVE_CLI_MANAGER_MANAGERS_H
#define REEVE_CLI_MANAGER_MANAGERS_H

#include "cli/args/command.h"
#include "cli/manager/session.h"

/* public names start with: managers_ */

/* Reads and formats the managers of the store, from GET /v1/managers. */

/* Get the managers. *out has no `items` if the answering manager does not know them, because it
 * reconciles no clusters. If `cluster` is not empty, the answer also has its lease holder. False:
 * no answer came, and an error was added. */
bool managers_get(struct command *command, const struct session *session, struct text cluster,
                  struct doc *out);

/* Format a summary: "3 managers: 2 live, 1 draining". For an embedded store, return a note about
 * that. Empty: unknown. */
struct text managers_summary(struct command *command, const struct doc *managers);

/* Write one line for each cluster whose lease no manager holds, with the reason. Writes at most
 * `lines` lines. */
void managers_waiting_write(struct command *command, const struct doc *managers, size_t lines);

/* Write the service level of a shared store with its reason, and, with `has_members`, one line for
 * each member of etcd. Without `has_members` nothing is written at level A. */
void managers_level_write(struct command *command, const struct doc *managers, bool has_members);

#endif

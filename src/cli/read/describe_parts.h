#ifndef REEVE_CLI_READ_DESCRIBE_PARTS_H
#define REEVE_CLI_READ_DESCRIBE_PARTS_H

#include "cli/args/target.h"
#include "cli/manager/session.h"

/* private to src/cli/read */

/* Internals of reeve describe (verb_describe.c). */

/* reeve describe CLUSTER|[CLUSTER/]NODE --facts: prints the content of /etc/cluster_facts.json, as
 * JSON or YAML. */
enum exit_code describe_facts(struct command *command, const struct session *session);

/* reeve describe TARGET --history: lists the changes with user, time and reason, in every format of
 * lists. */
enum exit_code describe_history(struct command *command, const struct session *session,
                                const struct target *target);

/* reeve describe of a machine: shows its state and the reason, present actions, and its events. */
enum exit_code describe_node(struct command *command, const struct session *session,
                             struct text cluster, struct text name);

/* Read the row of a discovered machine by its id or name. False: there is no such row, or no answer
 * came; in the second case an error was added. */
bool describe_discovered_get(struct command *command, const struct session *session,
                             struct text name, struct doc *out);

/* Write the lines about the image of a discovered machine: its step, and since when. */
void describe_discovered_install(struct command *command, const struct doc *row);

/* reeve describe of a discovered machine. */
enum exit_code describe_discovered(struct command *command, const struct doc *row);

#endif

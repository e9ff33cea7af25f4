#ifndef REEVE_CLI_READ_GET_COUNTS_H
#define REEVE_CLI_READ_GET_COUNTS_H

#include "cli/manager/listing.h"

/* names: get_ */

/* What reeve get nodegroups and reeve get holds show of nodes, beside the objects themselves. */

/* Of each group the counts of its nodes by displayed state, as nodes_counts has them. False: an error was added. */
bool get_counts(struct command *command, const struct session *session,
                const struct listing *groups, struct doc **out);

/* Of each hold the nodes that need a look: {cause, names, next, nodes}. `nodes` has each of them with name, state, cause, since, next and
 * nextAt; the texts are for a table. False: an error was added. */
bool get_hold_nodes(struct command *command, const struct session *session,
                    const struct listing *holds, struct doc **out);

#endif

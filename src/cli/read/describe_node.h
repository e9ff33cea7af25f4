#ifndef REEVE_CLI_READ_DESCRIBE_NODE_H
#define REEVE_CLI_READ_DESCRIBE_NODE_H

#include "cli/manager/session.h"

/* reeve describe of a machine: how it stands and why, what is under way, what happened to it. */
enum exit_code describe_node(struct command *command, const struct session *session,
                             struct text cluster, struct text name);

#endif

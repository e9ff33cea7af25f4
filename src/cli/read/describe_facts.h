#ifndef REEVE_CLI_READ_DESCRIBE_FACTS_H
#define REEVE_CLI_READ_DESCRIBE_FACTS_H

#include "cli/manager/session.h"

/* reeve describe CLUSTER|[CLUSTER/]NODE --facts: the content of /etc/cluster_facts.json, as JSON or YAML. */
enum exit_code describe_facts(struct command *command, const struct session *session);

#endif

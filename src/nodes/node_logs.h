#ifndef REEVE_NODES_NODE_LOGS_H
#define REEVE_NODES_NODE_LOGS_H

#include "service/service.h"
#include "remote/logs.h"

/* public names start with: controller_ */

/* Writes the output of a machine's stages for service_logs: a bounded number of lines, and the
 * position at which to continue. Fails with R0426 if `token` is invalid, and with R0729 if the
 * output cannot be read. */
MUST_CHECK bool node_logs_read(struct logs *logs, struct arena *arena, struct text token,
                               const struct service_logs *ask, struct doc *out, struct err *err);

/* Returns the owner of a node's output, in the format that logs_own expects. */
struct text node_logs_owner(struct arena *arena, struct text tenant, struct text cluster,
                            struct text node);

#endif

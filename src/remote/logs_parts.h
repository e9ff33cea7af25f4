#ifndef REEVE_REMOTE_LOGS_PARTS_H
#define REEVE_REMOTE_LOGS_PARTS_H

#include "remote/logs.h"

/* names: logs_ */

/* Inside of logs.h. */

/* The folder of all nodes, and the one of this node, made where it is missing: there is room for it then. */
int logs_folder(const struct logs *logs);
MUST_CHECK bool logs_node_open(struct logs *logs, const char *node, int *out, struct err *err);

/* The folder of a node goes: so does its name (logs_owner.c). */
void logs_owner_forget(int folder, const char *node);

#endif

#ifndef REEVE_NODES_NODE_LOGS_H
#define REEVE_NODES_NODE_LOGS_H

#include "service/service.h"
#include "remote/logs.h"

/* names: controller_ */

/* Output of a machine's stages as service_logs answers it: a bounded number of lines, and from where to go on. R0426: `from` is
 * none of ours. R0729: it cannot be read. */
MUST_CHECK bool node_logs_read(struct logs *logs, struct arena *arena, struct text token,
                               const struct service_logs *ask, struct doc *out, struct err *err);

/* Whose output it is, in the words of logs_own. */
struct text node_logs_owner(struct arena *arena, struct text tenant, struct text cluster,
                            struct text node);

#endif

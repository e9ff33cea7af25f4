#ifndef REEVE_CLI_MANAGER_AGAIN_H
#define REEVE_CLI_MANAGER_AGAIN_H

#include "base/map.h"
#include "cli/manager/session.h"

/* names: again_ */

/* Consent before stages that are not idempotent run a second time (docs/decisions/0066): which of
 * them, on which nodes. */
struct again {
    struct command *command;
    struct map stages; /* "stage-1 fragile" -> the nodes */
};

void again_init(struct again *again, struct command *command);

/* A node as its record stands (nodes_get): all of its stages from `from` on are to run again, or
 * the one that failed. */
void again_add(struct again *again, struct text cluster, const struct doc *node, bool is_failed,
               int64_t from);

/* Name them; false where there are none. */
bool again_report(struct again *again);

/* Name them, and ask, or take --yes. *out_is_any: there are some, and it was agreed to them. False:
 * no, and the error with exit code 11 was added. */
bool again_ask(struct again *again, const struct session *session, bool *out_is_any);

#endif

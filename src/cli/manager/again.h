#ifndef REEVE_CLI_MANAGER_AGAIN_H
#define REEVE_CLI_MANAGER_AGAIN_H

#include "base/map.h"
#include "cli/manager/session.h"

/* public names start with: again_ */

/* Asks for consent before stages that are not idempotent run a second time (docs/decisions/0066).
 * Collects these stages and the nodes on which they would run. */
struct again {
    struct command *command;
    struct map stages; /* key: "stage-1 fragile"; value: its nodes */
};

void again_init(struct again *again, struct command *command);

/* Add a node from its record (of nodes_get). With is_failed, only its failed stage will run again;
 * otherwise all of its stages from number `from` on. */
void again_add(struct again *again, struct text cluster, const struct doc *node, bool is_failed,
               int64_t from);

/* Print the stages and their nodes as notes. False: no stage would run twice. */
bool again_report(struct again *again);

/* Print the stages and ask for consent, or take it from --yes. *out_is_any is true if there are
 * such stages. False: consent was not given; the error with exit code 11 was added. */
bool again_ask(struct again *again, const struct session *session, bool *out_is_any);

#endif

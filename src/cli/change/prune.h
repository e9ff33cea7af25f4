#ifndef REEVE_CLI_CHANGE_PRUNE_H
#define REEVE_CLI_CHANGE_PRUNE_H

#include "cli/change/wanted.h"

/* names: prune_ */

/* apply --prune -l SELECTOR: what has these labels and is in none of the files goes, in the same
 * plan, with the same question. Clusters and templates; a group that left its cluster's file is
 * destroyed without a separate question. */

/* Append a DELETE for each such object to *calls, which is grown. Each is pinned to the revision it
 * was found at. False: an error was added. */
bool prune_add(struct command *command, const struct session *session, const char *selector,
               const struct wanted *wanted, struct change_call **calls, size_t *count);

#endif

#ifndef REEVE_CLI_CHANGE_PRUNE_H
#define REEVE_CLI_CHANGE_PRUNE_H

#include "cli/change/wanted.h"

/* public names start with: prune_ */

/* apply --prune -l SELECTOR: the plan also deletes objects that match the selector and are in none
 * of the files. This applies to clusters and templates. A group that is missing in its cluster's
 * file is always destroyed, without --prune. */

/* Append to *calls a DELETE for each object that has these labels and is in none of the files. Each
 * is pinned to the revision at which the object was found. False: an error was added. */
bool prune_add(struct command *command, const struct session *session, const char *selector,
               const struct wanted *wanted, struct change_call **calls, size_t *count);

#endif

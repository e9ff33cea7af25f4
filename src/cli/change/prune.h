#ifndef REEVE_CLI_CHANGE_PRUNE_H
#define REEVE_CLI_CHANGE_PRUNE_H

#include "cli/change/wanted.h"

/* public names start with: prune_ */

/* apply --prune -l SELECTOR: objects that have these labels and are in none of the files are
 * deleted in the same plan, with the same question. This concerns clusters and templates; a group
 * that was removed from its cluster's file is destroyed without a separate question. */

/* Append to *calls a DELETE for each object that has these labels and is in none of the files. Each
 * is pinned to the revision at which the object was found. False: an error was added. */
bool prune_add(struct command *command, const struct session *session, const char *selector,
               const struct wanted *wanted, struct change_call **calls, size_t *count);

#endif

#ifndef REEVE_CLI_PICK_H
#define REEVE_CLI_PICK_H

#include "cli/change.h"

/* names: pick_ */

/* scale --pick: who goes when a group shrinks. In this version a group has numbered places and no machines: by
 * every rule all are alike, and the last places go first. A node that is named must be one of those. */

/* Read the flags. *out_rule is the rule that was named, or the usual one. False: an error was added. */
bool pick_read(struct command *command, const char **out_rule);

/* Ask the manager what the call would destroy, see that all who were named go, and say by which rule. The names
 * may be full: CLUSTER/NODE. False: an error was added. */
bool pick_check(struct command *command, const struct session *session,
                const struct change_call *call, struct text cluster, const char *rule);

/* Is a name one of a range as plans write it: web-5, web-[0-39], web-[001-024]? */
bool pick_range_has(struct text range, struct text name);

#endif

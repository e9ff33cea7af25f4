#ifndef REEVE_CLI_HOSTS_DISCOVER_SETUP_H
#define REEVE_CLI_HOSTS_DISCOVER_SETUP_H

#include "cli/manager/session.h"

/* public names start with: discover_ */

/* reeve discover ADDRESS... --setup FOLDER: a bundle that sets up discovery on bare machines, for
 * example an agent of serf (examples/bundles/serf-agent). It runs by the operator's own ssh. */

/* Read the bundle that --setup names. *out is empty without the flag. False: an error was added. */
MUST_CHECK bool discover_setup_read(struct command *command, struct text *out);

/* Run the bundle on the machines of these new rows, one after the other. The row of a machine on
 * which it fails is forgotten, so that the command can be repeated, and an error is added. Returns
 * the list of the other rows. */
struct doc discover_setup_run(struct command *command, const struct session *session,
                              struct text bundle, const struct doc *items);

#endif

#ifndef REEVE_CLI_GET_NODES_H
#define REEVE_CLI_GET_NODES_H

#include "cli/listing.h"

/* names: get_ */

/* The machines that words and flags of reeve get nodes mean (selected.h); of nothing said all that whoever asks may see. False: an
 * error was added. */
bool get_nodes_list(struct command *command, const struct session *session, struct listing *out);

#endif

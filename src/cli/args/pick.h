#ifndef REEVE_CLI_ARGS_PICK_H
#define REEVE_CLI_ARGS_PICK_H

#include "cli/args/command.h"

/* public names start with: pick_ */

/* The value of scale --pick: a rule, which the group stores, and names of nodes to destroy first.
 * The manager checks whether they can be destroyed. */
struct pick {
    const char *rule;  /* NULL: no rule was given */
    struct text nodes; /* names and ranges, separated by commas; empty: none */
};

/* Read the flags. False: an error was added. */
bool pick_read(struct command *command, struct pick *out);

#endif

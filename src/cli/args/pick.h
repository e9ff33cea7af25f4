#ifndef REEVE_CLI_ARGS_PICK_H
#define REEVE_CLI_ARGS_PICK_H

#include "cli/args/command.h"

/* names: pick_ */

/* What scale --pick says: a rule, which the group has from now on, and nodes by name, which go first. The manager knows
 * whether they can. */
struct pick {
    const char *rule;  /* NULL: none was named */
    struct text nodes; /* names and ranges, parted by commas; empty: none */
};

/* Read the flags. False: an error was added. */
bool pick_read(struct command *command, struct pick *out);

#endif

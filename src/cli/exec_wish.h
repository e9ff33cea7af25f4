#ifndef REEVE_CLI_EXEC_WISH_H
#define REEVE_CLI_EXEC_WISH_H

#include "cli/batching.h"

/* names: exec_ */

/* What is to be run, and in which batches, as the command line has it. */
struct exec_wish {
    struct text order; /* the command */
    struct batching batching;
};

/* Read it. False: an error was added, of words that mean nothing for a command as well. */
bool exec_wish_read(struct command *command, struct exec_wish *out);

/* The body of the request about one place. False: an error was added. */
bool exec_wish_body(struct command *command, const struct exec_wish *wish,
                    const struct selected *selected, const struct selected_place *place,
                    struct text *out);

#endif

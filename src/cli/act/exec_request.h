#ifndef REEVE_CLI_ACT_EXEC_REQUEST_H
#define REEVE_CLI_ACT_EXEC_REQUEST_H

#include "cli/manager/batching.h"

/* names: exec_ */

/* What is to be run, and in which batches, as the command line has it. */
struct exec_request {
    struct text order; /* the command */
    struct batching batching;
};

/* Read it. False: an error was added, of words that mean nothing for a command as well. */
bool exec_request_read(struct command *command, struct exec_request *out);

/* The body of the request about one place. False: an error was added. */
bool exec_request_body(struct command *command, const struct exec_request *request,
                       const struct selected *selected, const struct selected_place *place,
                       struct text *out);

#endif

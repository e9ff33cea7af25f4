#ifndef REEVE_CLI_EXEC_WISH_H
#define REEVE_CLI_EXEC_WISH_H

#include "cli/selected.h"

/* names: exec_ */

/* What is to be run, and in which batches, as the command line has it. */
struct exec_wish {
    struct text order;    /* the command */
    uint64_t deadline_ms; /* by the monotonic clock; 0: none */
    uint64_t seed; /* of a random order: as it was said, or as the first answer says; 0: not yet */
    bool is_dry;
};

/* Read it. False: an error was added, of words that mean nothing for a command as well. */
bool exec_wish_read(struct command *command, struct exec_wish *out);

/* Is it too late to begin anything? */
bool exec_wish_is_late(const struct exec_wish *wish);

/* The body of the request about one place. False: an error was added. */
bool exec_wish_body(struct command *command, const struct exec_wish *wish,
                    const struct selected *selected, const struct selected_place *place,
                    struct text *out);

#endif

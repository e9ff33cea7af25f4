#ifndef REEVE_CLI_HOSTS_PROGRAM_H
#define REEVE_CLI_HOSTS_PROGRAM_H

#include "cli/args/command.h"

/* public names start with: program_ */

/* Programs that a verb runs: ssh, and this program with other arguments. */

/* How a program has ended, and the first part of what it printed. */
struct program_answer {
    struct loop *loop; /* private */
    struct arena *arena;
    struct text out;
    struct text said; /* standard error */
    int code;
    bool is_late; /* it took too long and was ended */
    bool is_ended;
};

/* Return the path of a program in PATH; NULL: it is not installed. */
const char *program_find(struct arena *arena, const char *name);

/* Run a program with this input until it ends. `argv` begins with its path and ends with NULL. */
MUST_CHECK bool program_run(struct command *command, const char *const *argv, struct text input,
                            uint64_t deadline_ms, struct program_answer *out, struct err *err);

/* Run this program with other arguments, which end with NULL; at most 150. */
MUST_CHECK bool program_run_self(struct command *command, const char *const *words,
                                 struct text input, uint64_t deadline_ms,
                                 struct program_answer *out, struct err *err);

/* Return the last line of a program's output, for a message. */
struct text program_last_line(struct arena *arena, struct text said);

#endif

#ifndef REEVE_SIM_COMMAND_H
#define REEVE_SIM_COMMAND_H

#include <stdio.h>

#include "sim.h"

/* public names start with: command_ */

/* The parsed command line. A recorded case (a setup with its expected result) is stored in the same
 * format. */
struct command {
    struct sim_setup setup;
    uint64_t first; /* the first seed of the range */
    uint64_t last;
    bool is_twice;       /* Run each seed twice: the fingerprints must be equal. */
    bool is_until_found; /* stop at the first seed with a finding */
    /* reduce a setup with a finding to the smallest setup with the same finding */
    bool is_shrunk;
    bool is_kept; /* The remaining arguments are files with recorded cases. */
    int kept_at;
    bool is_list; /* list the scenarios */
};

extern const char command_help[];

/* Parse a command line. False: *out_problem has the reason. The arguments are modified. */
MUST_CHECK bool command_read(int count, char **words, struct command *out,
                             const char **out_problem);

/* Print the command line of this setup. */
void command_print(FILE *out, const struct sim_setup *setup);

#endif

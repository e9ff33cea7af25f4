#ifndef REEVE_SIM_COMMAND_H
#define REEVE_SIM_COMMAND_H

#include <stdio.h>

#include "sim.h"

/* names: command_ */

/* What a command line asks for; the kept cases are command lines too. */
struct command {
    struct sim_setup setup;
    uint64_t first; /* seeds */
    uint64_t last;
    bool is_twice;       /* each seed twice: the fingerprints must be the same */
    bool is_until_found; /* end with the first seed that finds something */
    bool is_shrunk;      /* make what is found as small as it gets */
    bool is_kept;        /* the rest of the line are files with kept cases */
    int kept_at;
    bool is_list; /* name the scenarios */
};

extern const char command_help[];

/* Read one. False: *out_problem says what is wrong. The words are changed. */
MUST_CHECK bool command_read(int count, char **words, struct command *out,
                             const char **out_problem);

/* The line that makes the same setup. */
void command_print(FILE *out, const struct sim_setup *setup);

#endif

#ifndef REEVE_CLI_SELECTED_H
#define REEVE_CLI_SELECTED_H

#include "cli/session.h"

/* NODES on the command line (UX.md 3.2): full names and ranges, `-` and @FILE, -c, -g, -l, --state, --all. The manager finds
 * the machines; here it is only sorted out which clusters are asked. */

/* Machines of one cluster. */
struct selected_place {
    struct text cluster;
    struct text group; /* empty: of any */
    struct text names; /* patterns, parted by commas; empty: all that the rest fits */
};

struct selected {
    struct selected_place *items; /* by cluster */
    size_t count;
    struct text labels;
    struct text states;
    bool is_named; /* by names alone: each of them has to be there */
};

/* Read words and flags; `use` is the command as it would be right. False: an error was added, also where nothing says which
 * machines are meant. */
bool selected_read(struct command *command, const struct session *session, const char *const *words,
                   size_t count, const char *use, struct selected *out);

#endif

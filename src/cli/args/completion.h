#ifndef REEVE_CLI_ARGS_COMPLETION_H
#define REEVE_CLI_ARGS_COMPLETION_H

#include "cli/args/command.h"

/* Inside of reeve completion: what could be next, one a line. */

struct candidates {
    struct command *command;
    struct text current; /* what is typed so far */
    struct text front;   /* the text before the part to complete: "--output=" */
    struct args args;    /* the words before it */
};

/* Offer a word where it begins with what is typed; `about` may be empty. */
void completion_add(struct candidates *candidates, struct text word, const char *about);

/* Offer the names of a kind, each after `front`. They come from the manager, which is asked for no
 * longer than a person would notice; where it does not answer there are none. Jobs have numbers;
 * holds and plans the names that verbs take. */
void completion_names(struct candidates *candidates, const char *kind, struct text front);

/* Offer NODE: of all machines, as a side of a copy has it, where no path is begun yet. */
void completion_sides(struct candidates *candidates);

/* Offer KIND, KIND/NAME, NAME after KIND, of all kinds that the verb takes, and names without a
 * kind where it takes those. */
void completion_targets(struct candidates *candidates);

#endif

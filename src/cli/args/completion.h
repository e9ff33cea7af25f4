#ifndef REEVE_CLI_ARGS_COMPLETION_H
#define REEVE_CLI_ARGS_COMPLETION_H

#include "cli/args/command.h"

/* Internal to reeve completion: the candidates for the next word, one per line. */

struct candidates {
    struct command *command;
    struct text current; /* the typed part of the word */
    struct text front;   /* the text before the part to complete: "--output=" */
    struct args args;    /* the words before the current one */
};

/* Offer a word if it begins with the typed part; `about` may be empty. */
void completion_add(struct candidates *candidates, struct text word, const char *about);

/* Offer the names of a kind, each after `front`. The names are requested from the manager with a
 * short timeout; if it does not answer, none are offered. Jobs are offered by number, holds and
 * plans by the names that verbs accept. */
void completion_names(struct candidates *candidates, const char *kind, struct text front);

/* Offer "NODE:" for all machines as an argument of reeve cp, unless the user has begun to type a
 * path. */
void completion_sides(struct candidates *candidates);

/* Offer KIND, KIND/NAME, and NAME after KIND, for all kinds that the verb accepts. Offer names
 * without a kind if the verb accepts those. */
void completion_targets(struct candidates *candidates);

#endif

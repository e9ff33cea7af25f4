#ifndef REEVE_CLI_ARGS_ARGS_READER_H
#define REEVE_CLI_ARGS_ARGS_READER_H

#include "cli/args/args.h"

/* private to src/cli/args */
/* public names start with: args_ */

/* Internals of args.h: the state of parsing one command line. args_verb.c finds the verb,
 * args_flag.c reads flags and their values, and args.c parses the whole line. */
struct args_reader {
    struct arena *arena;
    char *const *strings;
    size_t count;
    size_t verb_at; /* index of the argument that is the verb; equal to count if there is no verb */
    enum verb_id verb;
    struct args *args;
    struct err_list *errors;
};

/* The command line has no file and line. */
#define ARGS_NOWHERE ((struct place){ 0 })

/* Name of the verb; "reeve" if the verb is not known yet. */
const char *args_verb_name(const struct args_reader *reader);

/* Add the hint that points to the help of the verb. */
void args_help_hint(const struct args_reader *reader, struct err *err);

/* True if the word has the form of a flag; `-` alone is not a flag. */
bool args_word_is_flag(const char *word);

/* True if the flag in this word takes the next word as its value. Called before the verb is
 * known. */
bool args_takes_next(const char *word);

/* True if the word at index `first` is a former spelling, possibly together with the word at
 * `second`. In that case an error was added whose hint is the current command with the user's
 * arguments. */
bool args_moved_error(struct args_reader *reader, size_t first, size_t second);

/* args_long_read reads --name[=value] at an index, args_short_read reads -x, -xy or -xVALUE. They
 * return how many of the following words were used as the value. */
size_t args_long_read(struct args_reader *reader, size_t at);
size_t args_short_read(struct args_reader *reader, size_t at);

/* Find the verb: sets args->verb, verb_at and verb. */
void args_verb_read(struct args_reader *reader);

#endif

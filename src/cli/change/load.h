#ifndef REEVE_CLI_CHANGE_LOAD_H
#define REEVE_CLI_CHANGE_LOAD_H

#include "cli/args/command.h"
#include "model/set.h"

/* Counts of files and documents, for the line that reports them. */
struct load {
    size_t files;
    size_t documents;
    bool is_complete; /* every file could be read */
};

/* Read every file of a repeated flag into a set and resolve it. All errors go to command->errors.
 * If a file cannot be read or has a syntax error, the set is not resolved, because each reference
 * into that file would be reported as a further error. The set lives in command->arena. */
struct load load_set(struct command *command, enum flag_id flag, struct model_set *set);

/* Same as load_set(), with the files of flag `over_flag` merged over the files of `flag`
 * (overlay.h). */
struct load load_overlaid(struct command *command, enum flag_id flag, enum flag_id over_flag,
                          struct model_set *set);

#endif

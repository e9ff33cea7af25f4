#ifndef REEVE_CLI_CHANGE_LOAD_H
#define REEVE_CLI_CHANGE_LOAD_H

#include "cli/args/command.h"
#include "model/set.h"

/* Counts of what was read, for the line that reports it. */
struct load {
    size_t files;
    size_t documents;
    bool is_complete; /* every file could be read */
};

/* Read every file of a repeated flag into a set and resolve it. All faults go to command->errors;
 * where a file cannot be read or its syntax is broken the set is not resolved, because each
 * reference into that file would look like one more mistake. The set lives in command->arena. */
struct load load_set(struct command *command, enum flag_id flag, struct model_set *set);

/* The same, with the files of another flag laid over them (overlay.h), where any are given. */
struct load load_overlaid(struct command *command, enum flag_id flag, enum flag_id over_flag,
                          struct model_set *set);

#endif

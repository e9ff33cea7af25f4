#include "cli/command.h"

bool command_is_verbose(const struct command *command)
{
    return args_has(&command->args, FLAG_COMMON_VERBOSE);
}

bool command_output_is(const struct command *command, const char *word)
{
    return text_is(text_from(args_output(&command->args)), word);
}

#include "cli/command.h"

bool command_is_verbose(const struct command *command)
{
    return args_has(&command->args, FLAG_COMMON_VERBOSE);
}

bool command_output_is(const struct command *command, const char *word)
{
    return text_is(text_from(args_output(&command->args)), word);
}

bool command_needs_files(struct command *command, enum flag_id flag)
{
    struct err *err;

    if (args_has(&command->args, flag)) {
        return true;
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s needs a file",
                       command->args.verb->name);
    return err_hint(err, "name it with -f: reeve %s -f cluster.yaml",
                    verb_use_with_files(command->args.verb));
}

/* reeve commission, reeve adopt: take machines of the inventory into a group. */
#include "cli/args/fields.h"
#include "cli/change/commission.h"

/* names: commission_ verb_ */

static enum exit_code commission_run(struct command *command, const char *group, bool is_adoption)
{
    const struct args *args = &command->args;
    struct commission commission = { .command = command,
                                     .count = args->argument_count,
                                     .is_adoption = is_adoption };
    struct text *names = arena_array(command->arena, struct text, args->argument_count);
    struct change_call call;
    struct change_set set = { .calls = &call, .count = 1 };
    const char *word = is_adoption ? "adopt" : "commission";
    struct session session;
    struct doc vars = doc_map(NULL, 0, NULL);
    struct doc rows;

    if (group == NULL || text_find_byte(text_from(group), '/') == SIZE_MAX) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "%s needs the group that takes the machines", word),
                 "%s %s NODE -g CLUSTER/GROUP", command->program, word);
        return EXIT_CODE_USAGE;
    }
    for (size_t i = 0; i < args->argument_count; i++) {
        names[i] = text_from(args->words[i]);
    }
    commission.session = &session;
    commission.group = (struct target){ schema_kind_find(TEXT("NodeGroup")), text_from(group) };
    commission.names = names;
    commission.rows = &rows;
    if (!is_adoption &&
        !fields_set_vars(command, FLAG_COMMISSION_VAR, "commission node4 -g dc/workers", TEXT(""),
                         &vars)) {
        return EXIT_CODE_USAGE;
    }
    if (vars.entry_count > 0) {
        commission.vars = change_body(command, doc_child(&vars, "vars"));
    }
    return session_open(command, &session) &&
                   session_get(command, &session, TEXT("/v1/nodes?discovered=1"), &rows) &&
                   commission_call_make(&commission, &call)
               ? change_run(command, &session, &set)
               : EXIT_CODE_FAILED;
}

enum exit_code verb_commission(struct command *command)
{
    return commission_run(command, args_value(&command->args, FLAG_COMMISSION_GROUP), false);
}

enum exit_code verb_adopt(struct command *command)
{
    return commission_run(command, args_value(&command->args, FLAG_ADOPT_GROUP), true);
}

/* reeve commission, reeve adopt: take machines of the inventory into a group. */
#include "cli/args/fields.h"
#include "cli/change/commission.h"

/* names: commission_ verb_ */

static enum exit_code commission_run(struct command *command, const char *group,
                                     struct commission commission)
{
    const struct args *args = &command->args;
    struct text *names = arena_array(command->arena, struct text, args->argument_count);
    struct change_call *calls =
        arena_array(command->arena, struct change_call, args->argument_count + 1);
    struct change_set set = { .calls = calls };
    const char *word = commission.is_adoption ? "adopt" : "commission";
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
    commission.command = command;
    commission.session = &session;
    commission.group = (struct target){ schema_kind_find(TEXT("NodeGroup")), text_from(group) };
    commission.names = names;
    commission.count = args->argument_count;
    commission.rows = &rows;
    if (!commission.is_adoption &&
        !fields_set_vars(command, FLAG_COMMISSION_VAR, "commission node4 -g dc/workers", TEXT(""),
                         &vars)) {
        return EXIT_CODE_USAGE;
    }
    if (vars.entry_count > 0) {
        commission.vars = change_body(command, doc_child(&vars, "vars"));
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session, TEXT("/v1/nodes?discovered=1"), &rows) ||
        (commission.is_move && !commission_leaves_make(&commission, calls + 1, &set.count)) ||
        !commission_call_make(&commission, &calls[0])) {
        return EXIT_CODE_FAILED;
    }
    /* The request of the new group is sent first: if a machine cannot join it, no machine has left
     * its former group. */
    set.count++;
    return change_run(command, &session, &set);
}

enum exit_code verb_commission(struct command *command)
{
    return commission_run(
        command, args_value(&command->args, FLAG_COMMISSION_GROUP),
        (struct commission){ .is_move = args_has(&command->args, FLAG_COMMISSION_MOVE) });
}

enum exit_code verb_adopt(struct command *command)
{
    return commission_run(command, args_value(&command->args, FLAG_ADOPT_GROUP),
                          (struct commission){ .is_adoption = true });
}

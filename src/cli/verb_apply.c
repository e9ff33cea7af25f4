/* reeve apply: the plan of files, or a saved one; the question; carrying it out. */
#include "cli/wanted.h"

static bool use_check(struct command *command)
{
    bool has_files = args_has(&command->args, FLAG_APPLY_FILE);
    struct err *err;

    if (command->args.word_count == 0) {
        return command_needs_files(command, FLAG_APPLY_FILE);
    }
    if (has_files || !text_has_prefix(text_from(command->args.words[0]), TEXT("plan/"))) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                           has_files ? "apply takes files or a plan, not both"
                                     : "apply takes no '%s'",
                           command->args.words[0]);
        return err_hint(err, "files are named with -f, a saved plan as plan/ID");
    }
    return true;
}

enum exit_code verb_apply(struct command *command)
{
    struct change_call call = { .method = "POST",
                                .path = TEXT("/v1/plans"),
                                .content_type = "application/json",
                                .is_plan = true };
    struct change_set set = { &call, 1, NULL };
    struct session session;
    struct wanted wanted;

    command->is_strict = args_has(&command->args, FLAG_APPLY_STRICT);
    if (!use_check(command) || !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    if (command->args.word_count > 0) {
        struct text id = text_from(command->args.words[0]);

        return change_apply_saved(command, &session, text_slice(id, 5, id.length));
    }
    if (!wanted_read(command, FLAG_APPLY_FILE, &wanted)) {
        return EXIT_CODE_INVALID;
    }
    if (wanted.has_faults) {
        wanted_refuse(command, &session, &wanted);
        return EXIT_CODE_INVALID;
    }
    call.body = wanted_body(command, &wanted);
    set.sent = &wanted.sent;
    return change_run(command, &session, &set);
}

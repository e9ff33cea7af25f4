/* reeve apply: makes a plan from files or uses a saved plan, asks for consent, and carries it
 * out. */
#include "cli/change/prune.h"

static bool prune_check(struct command *command)
{
    bool is_pruning = args_has(&command->args, FLAG_APPLY_PRUNE);
    struct err *err;

    if (is_pruning == args_has(&command->args, FLAG_APPLY_SELECTOR)) {
        return true;
    }
    err =
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                     is_pruning ? "--prune needs -l: it deletes only objects with the given labels"
                                : "-l is only for --prune, which is missing");
    return err_hint(err, "reeve apply -f shop.yaml --prune -l team=shop");
}

static bool apply_use_check(struct command *command)
{
    bool has_files = args_has(&command->args, FLAG_APPLY_FILE) ||
                     args_has(&command->args, FLAG_APPLY_OVERLAY) ||
                     args_has(&command->args, FLAG_APPLY_PRUNE);
    struct err *err;

    if (command->args.argument_count == 0) {
        return command_needs_files(command, FLAG_APPLY_FILE) && prune_check(command);
    }
    if (args_has(&command->args, FLAG_APPLY_MESSAGE)) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                           "a saved plan already has a message");
        return err_hint(err, "reeve plan -f FILE --save -m TEXT");
    }
    if (has_files || !text_has_prefix(text_from(command->args.words[0]), TEXT("plan/"))) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                           has_files ? "apply takes files or a plan, not both"
                                     : "apply does not accept '%s'",
                           command->args.words[0]);
        return err_hint(err, "files are given with -f, a saved plan as plan/ID");
    }
    return true;
}

static enum exit_code apply_files_apply(struct command *command, const struct session *session)
{
    const char *selector = args_value(&command->args, FLAG_APPLY_SELECTOR);
    struct change_call *calls = arena_one(command->arena, struct change_call);
    struct change_set set = { .count = 1 };
    struct wanted wanted;

    if (!wanted_read_overlaid(command, FLAG_APPLY_FILE, FLAG_APPLY_OVERLAY, &wanted)) {
        return EXIT_CODE_INVALID;
    }
    if (wanted.has_faults) {
        wanted_refuse(command, session, &wanted);
        return EXIT_CODE_INVALID;
    }
    if (!wanted_send_bundles(command, session, &wanted)) {
        return EXIT_CODE_FAILED;
    }
    *calls = (struct change_call){ .method = "POST",
                                   .path = TEXT("/v1/plans?unless-empty=1"),
                                   .content_type = "application/json",
                                   .body = wanted_body(command, &wanted),
                                   .is_plan = true };
    if (args_has(&command->args, FLAG_APPLY_PRUNE) &&
        !prune_add(command, session, selector, &wanted, &calls, &set.count)) {
        return EXIT_CODE_FAILED;
    }
    set.calls = calls;
    set.sent = &wanted.sent;
    return change_run(command, session, &set);
}

enum exit_code verb_apply(struct command *command)
{
    struct session session;

    command->is_strict = args_has(&command->args, FLAG_APPLY_STRICT);
    if (!apply_use_check(command) || !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    if (command->args.argument_count > 0) {
        struct text id = text_from(command->args.words[0]);

        return change_apply_saved(command, &session, text_slice(id, 5, id.length));
    }
    return apply_files_apply(command, &session);
}

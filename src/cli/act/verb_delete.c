/* reeve delete and reeve undo: changes whose request has no document. */
#include "cli/act/delete_volumes.h"
#include "cli/change/change.h"
#include "cli/change/load.h"
#include "cli/change/people.h"
#include "cli/change/undo_group.h"

#include <string.h>

/* Read the objects that the files name. */
static bool files_read(struct command *command, struct targets *out)
{
    struct model_set set;

    load_set(command, FLAG_DELETE_FILE, &set);
    if (command->has_unread) {
        return false;
    }
    /* errors in these files do not matter: only the names of their objects are used */
    err_list_init(&command->errors, command->arena);
    *out = (struct targets){ .items = arena_array(command->arena, struct target, set.count + 1) };
    for (size_t i = 0; i < set.count; i++) {
        if (set.objects[i].kind != NULL && set.objects[i].name.length > 0) {
            out->items[out->count++] = (struct target){ set.objects[i].kind, set.objects[i].name };
        }
    }
    return true;
}

static bool doomed_read(struct command *command, struct targets *out)
{
    bool has_files = args_has(&command->args, FLAG_DELETE_FILE);
    struct err *err;

    if (has_files && command->args.argument_count == 0) {
        return files_read(command, out);
    }
    if (!has_files &&
        !targets_read(command, command->args.words, command->args.argument_count, out)) {
        return false;
    }
    if (has_files || out->count == 0) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                           has_files ? "delete takes files or names, not both"
                                     : "delete needs the names of objects");
        return err_hint(err, "use: reeve %s", command->args.verb->synopsis);
    }
    return true;
}

enum exit_code verb_delete(struct command *command)
{
    struct change_set set = { 0 };
    struct targets targets;
    struct session session;

    if (people_is_meant(command)) {
        return people_delete(command);
    }
    if (delete_volumes_is_meant(command)) {
        return delete_volumes(command);
    }
    if (!doomed_read(command, &targets) || !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    set.calls = arena_array(command->arena, struct change_call, targets.count);
    set.count = targets.count;
    for (size_t i = 0; i < targets.count; i++) {
        const struct target *target = &targets.items[i];

        set.calls[i] =
            (struct change_call){ .method = "DELETE",
                                  .path = session_path(command, target->kind, target->name) };
        if (!change_pin_get(command, &session, target, &set.calls[i].if_match)) {
            return EXIT_CODE_NOT_FOUND;
        }
    }
    return change_run(command, &session, &set);
}

enum exit_code verb_undo(struct command *command)
{
    const char *to = args_value(&command->args, FLAG_UNDO_TO);
    struct change_call call = { .method = "POST", .content_type = "application/json" };
    struct change_set set = { &call, 1, NULL };
    struct session session;
    struct target target;

    if (!target_read(command, command->args.words, command->args.argument_count, &target) ||
        !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    if (target.kind->owner == OWNER_NODEGROUP) {
        return undo_group(command, &session, &target, to);
    }
    if (!change_pin_get(command, &session, &target, &call.if_match)) {
        return EXIT_CODE_NOT_FOUND;
    }
    call.path = arena_printf(command->arena, "%.*s/undo",
                             TEXT_ARG(session_path(command, target.kind, target.name)));
    call.body = to == NULL ? TEXT("{}") : arena_printf(command->arena, "{\"to\":%s}", to);
    return change_run(command, &session, &set);
}

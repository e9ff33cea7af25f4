#include "cli/change/rollout_restart.h"

#include "cli/change/change.h"

enum exit_code rollout_restart(struct command *command, const struct session *session,
                               const struct target *target)
{
    struct doc patch = doc_map(NULL, 0, NULL);
    struct change_call call = { .method = "PATCH",
                                .path = session_path(command, target->kind, target->name),
                                .content_type = "application/merge-patch+json",
                                .body = change_body(command, &patch),
                                .replaces = TEXT("*") };
    struct change_set set = { &call, 1, NULL };

    return change_pin_get(command, session, target, &call.if_match)
               ? change_run(command, session, &set)
               : EXIT_CODE_FAILED;
}

/* reeve reboot: some nodes are rebooted, as many at a time as the rollout of their group allows (docs/decisions/0122). */
#include "cli/members.h"

static enum exit_code reboot_run(struct members *list)
{
    struct command *command = list->command;
    struct change_call *calls = arena_array(command->arena, struct change_call, list->count);
    struct change_set set = { .calls = calls };
    struct doc patch = doc_map(NULL, 0, NULL);

    for (size_t i = 0; i < list->count; i++) {
        struct text names;

        if (list->items[i].cluster.length == 0) {
            continue;
        }
        if (members_group_take(list, i, &calls[set.count], &names) == 0) {
            return EXIT_CODE_FAILED;
        }
        calls[set.count].reboots = names;
        calls[set.count++].body = change_body(command, &patch);
    }
    return change_run(command, list->session, &set);
}

enum exit_code verb_reboot(struct command *command)
{
    struct session session;
    struct members list = { .command = command,
                            .session = &session,
                            .use = "reeve reboot shop/web-2" };

    if (!session_open(command, &session) || !members_read(&list)) {
        return EXIT_CODE_FAILED;
    }
    return reboot_run(&list);
}

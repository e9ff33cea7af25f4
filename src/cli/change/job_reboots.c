#include "cli/change/change.h"
#include "cli/change/job_subjects.h"
#include "client/client.h"
#include "codec/doc_child.h"

/* public names start with: job_ rollout_ */

static bool reboots_group_drop(struct command *command, const struct session *session,
                               struct text name, struct text why)
{
    struct target target = { schema_kind_find(TEXT("NodeGroup")), name };
    struct client_request request = {
        .method = "PATCH",
        .content_type = "application/merge-patch+json",
        .accept = "application/json",
        .body = TEXT("{}"),
        .idempotency_key = session_key(command),
    };
    struct doc ignored;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add(&path, session_path(command, target.kind, name));
    buf_add_string(&path, "?reboot=-&why=");
    client_path_add(&path, why);
    request.path = buf_text(&path);
    return change_pin_get(command, session, &target, &request.if_match) &&
           session_ask(command, session, &request, &ignored);
}

bool job_reboots_drop(struct command *command, const struct session *session, const struct doc *job,
                      struct text why, int64_t *out_count)
{
    struct text cluster = doc_child_text(doc_child(job, "metadata"), "cluster");
    const struct doc *groups = doc_child(doc_child(job, "status"), "groups");

    *out_count = 0;
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        int64_t count = doc_child_number(&groups->items[i], "reboots");

        if (count > 0 &&
            !reboots_group_drop(command, session,
                                arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster),
                                             TEXT_ARG(doc_child_text(&groups->items[i], "group"))),
                                why)) {
            return false;
        }
        *out_count += count;
    }
    return true;
}

bool job_reboots_only(const struct doc *group)
{
    static const char *const others[] = { "old", "leaving", "outdated", "failed", "staging" };
    int64_t count = doc_child_number(group, "reboots") + doc_child_number(group, "rebooting") +
                    doc_child_number(group, "rebootLate");

    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        if (doc_child_number(group, others[i]) > 0) {
            return false;
        }
    }
    return count > 0 &&
           doc_child_number(group, "creating") <=
               doc_child_number(group, "rebooting") + doc_child_number(group, "rebootLate");
}

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

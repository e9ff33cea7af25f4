/* What operators say of clusters and groups that are kept: pause, resume; and of what waits for them: approve,
 * reject. */
#include "cli/change.h"
#include "cli/kept.h"
#include "cli/plan_writer.h"
#include "cli/session.h"
#include "cli/target.h"
#include "codec/json.h"

#include <string.h>

static bool say(struct command *command, const struct target *target, const char *word,
                struct text rule, const char *why)
{
    struct doc_builder body;
    struct doc doc;
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct client_answer answer;
    struct session session;
    struct buf buf;

    if (!session_open(command, &session)) {
        return false;
    }
    doc_builder_init(&body, command->arena);
    if (rule.length > 0) {
        doc_builder_put(&body, "rule", doc_text(rule, NULL));
    }
    if (why != NULL) {
        doc_builder_put(&body, "why", doc_text(text_from(why), NULL));
    }
    doc_builder_put(&body, "word", doc_text(text_from(word), NULL));
    doc = doc_builder_map(&body, NULL);
    buf_init(&buf, command->arena);
    json_format(&buf, &doc);
    request.body = buf_text(&buf);
    request.path = arena_printf(command->arena, "%.*s/say",
                                TEXT_ARG(session_path(command, target->kind, target->name)));
    if (!session_call(command, &session, &request, &answer)) {
        return false;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return false;
    }
    return true;
}

static enum exit_code pause_say(struct command *command, const char *word, const char *why,
                                const char *done)
{
    for (size_t i = 0; i < command->args.word_count; i++) {
        struct target target;

        if (!kept_read(command, command->args.words[i], &target)) {
            return EXIT_CODE_USAGE;
        }
        if (!say(command, &target, word, TEXT(""), why)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "%.*s: %s\n", TEXT_ARG(target_format(command->arena, &target)),
                   done);
    }
    return EXIT_CODE_DONE;
}

enum exit_code verb_pause(struct command *command)
{
    return pause_say(command, "pause", args_value(&command->args, FLAG_PAUSE_MESSAGE),
                     "no machine is made or destroyed until reeve resume");
}

enum exit_code verb_resume(struct command *command)
{
    return pause_say(command, "resume", args_value(&command->args, FLAG_RESUME_MESSAGE), "goes on");
}

static enum exit_code hold_say(struct command *command, const char *word, const char *why,
                               const char *done)
{
    for (size_t i = 0; i < command->args.word_count; i++) {
        struct text rule = TEXT("");
        struct target target = { 0 };

        if (!kept_hold_read(command, command->args.words[i], &target, &rule)) {
            return EXIT_CODE_USAGE;
        }
        if (!say(command, &target, word, rule, why)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "hold/%.*s:%.*s: %s\n", TEXT_ARG(target.name), TEXT_ARG(rule),
                   done);
    }
    return EXIT_CODE_DONE;
}

enum exit_code verb_approve(struct command *command)
{
    return hold_say(command, "approve", args_value(&command->args, FLAG_APPROVE_MESSAGE),
                    "approved; what it held may be done now");
}

enum exit_code verb_reject(struct command *command)
{
    return hold_say(command, "reject", args_value(&command->args, FLAG_REJECT_MESSAGE),
                    "rejected; it stays as it is");
}

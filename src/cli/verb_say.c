/* What operators say of clusters and groups that are kept: pause, resume; and of what waits for them: approve,
 * reject. */
#include "cli/glyph.h"
#include "cli/job_text.h"
#include "cli/kept.h"
#include "cli/plan_writer.h"
#include "cli/say.h"
#include "cli/target.h"
#include "codec/json.h"

#include <string.h>

static enum exit_code pause_say(struct command *command, const char *word, const char *why,
                                const char *done)
{
    struct kept_words words;
    struct session session;

    if (!kept_words_read(command, command->args.words, command->args.word_count, &words)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < words.count; i++) {
        struct target target;

        if (!kept_read(command, words.items[i], &target)) {
            return EXIT_CODE_USAGE;
        }
        if (!say_word(command, &session, &target, word, TEXT(""), why)) {
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

/* Somebody had answered otherwise, and that counts no more. */
static void before_write(struct command *command, const struct doc *told)
{
    struct doc_builder hold;
    struct doc shown;

    if (!doc_is_present(doc_child(told, "before"))) {
        return;
    }
    doc_builder_init(&hold, command->arena);
    doc_builder_put(&hold, "spec", *doc_child(told, "before"));
    shown = doc_builder_map(&hold, NULL);
    buf_add_string(&command->notes, "  in place of: ");
    glyph_write_text(&command->notes, job_text_answer(command, &shown));
    buf_add_string(&command->notes, "\n");
}

static enum exit_code hold_say(struct command *command, const char *word, const char *why,
                               const char *done)
{
    struct kept_words words;
    struct session session;

    if (!kept_words_read(command, command->args.words, command->args.word_count, &words)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < words.count; i++) {
        struct say say = { .word = word, .why = why };
        struct target target = { 0 };
        struct doc told;

        if (!kept_hold_read(command, words.items[i], &target, &say.rule)) {
            return EXIT_CODE_USAGE;
        }
        if (!say_it(command, &session, &target, &say, &told)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "hold/%.*s:%.*s: %s\n", TEXT_ARG(target.name),
                   TEXT_ARG(say.rule), done);
        before_write(command, &told);
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

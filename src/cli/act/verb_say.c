/* Operator commands about clusters and groups (pause, resume), and about holds (hold approve, hold
 * reject). */
#include "cli/args/target.h"
#include "cli/manager/job_text.h"
#include "cli/manager/kept.h"
#include "cli/manager/listing.h"
#include "cli/manager/say.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"

#include <string.h>

/* A command about whole clusters and groups. */
struct pausing {
    const char *word;
    const char *why;      /* NULL: no reason given */
    const char *for_time; /* duration of the pause; NULL: until it is resumed */
    const char *done;     /* text printed after success */
    bool is_all;
};

/* Pause or resume one object. With --all, objects that are already in that state are skipped. */
static bool pause_one(struct command *command, const struct session *session,
                      const struct target *target, const struct pausing *pausing)
{
    struct err_list before = command->errors;
    struct say say = { .word = pausing->word, .for_time = pausing->for_time, .why = pausing->why };
    struct doc reported;
    bool is_said = say_it(command, session, target, &say, &reported);

    if (!is_said && pausing->is_all &&
        command->errors.items[command->errors.count - 1].code == CODE_R0433) {
        const struct err *err = &command->errors.items[command->errors.count - 1];

        buf_printf(&command->notes, "%.*s: %s%s%s\n",
                   TEXT_ARG(target_format(command->arena, target)),
                   err->hint[0] == '\0' ? "already in this state" : err->text,
                   err->hint[0] == '\0' ? "" : "; ", err->hint);
        command->errors = before;
        return true;
    }
    if (is_said) {
        buf_printf(&command->notes, "%.*s: %s\n", TEXT_ARG(target_format(command->arena, target)),
                   pausing->done);
        if (doc_child_text(&reported, "paused").length > 0) {
            buf_printf(&command->notes,
                       "  groups that were paused separately stay paused: reeve resume %.*s\n",
                       TEXT_ARG(doc_child_text(&reported, "paused")));
        }
    }
    return is_said;
}

/* Pause or resume every cluster that the user may see. */
static enum exit_code pause_all(struct command *command, const struct pausing *pausing)
{
    const struct schema_kind *kind = schema_kind_find(TEXT("Cluster"));
    struct session session;
    struct listing clusters;

    if (command->args.argument_count > 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "names and --all exclude each other"),
                 "leave one of them out");
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !listing_get(command, &session, kind, TEXT(""), &clusters)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < clusters.count; i++) {
        struct target target = { kind, listing_name(command->arena, &clusters.items[i]) };

        if (!pause_one(command, &session, &target, pausing)) {
            return EXIT_CODE_FAILED;
        }
    }
    if (clusters.count == 0) {
        buf_add_string(&command->notes, "there is no cluster\n");
    }
    return EXIT_CODE_DONE;
}

static enum exit_code pause_say(struct command *command, const struct pausing *pausing)
{
    struct kept_words words;
    struct session session;

    if (pausing->is_all) {
        return pause_all(command, pausing);
    }
    if (command->args.argument_count == 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "%s needs the name of a cluster or group", pausing->word),
                 "reeve %s shop, reeve %s shop/web, or --all", pausing->word, pausing->word);
        return EXIT_CODE_USAGE;
    }
    if (!kept_words_read(command, command->args.words, command->args.argument_count, &words)) {
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
        if (!pause_one(command, &session, &target, pausing)) {
            return EXIT_CODE_FAILED;
        }
    }
    return EXIT_CODE_DONE;
}

enum exit_code verb_pause(struct command *command)
{
    const struct args *args = &command->args;
    const char *for_time = args_value(args, FLAG_PAUSE_FOR);
    const char *done = "no machine is created or destroyed until reeve resume";

    if (for_time != NULL) {
        done = arena_string(
            command->arena,
            arena_printf(command->arena,
                         "no machine is created or destroyed for %s, or until reeve resume",
                         for_time));
    }
    return pause_say(command, &(struct pausing){ "pause", args_value(args, FLAG_PAUSE_MESSAGE),
                                                 for_time, done, args_has(args, FLAG_PAUSE_ALL) });
}

enum exit_code verb_resume(struct command *command)
{
    const struct args *args = &command->args;

    return pause_say(command,
                     &(struct pausing){ "resume", args_value(args, FLAG_RESUME_MESSAGE), NULL,
                                        "resumed", args_has(args, FLAG_RESUME_ALL) });
}

/* Write the previous decision about the hold, which this command replaces. */
static void before_write(struct command *command, const struct doc *reported)
{
    struct doc_builder hold;
    struct doc shown;

    if (!doc_is_present(doc_child(reported, "before"))) {
        return;
    }
    doc_builder_init(&hold, command->arena);
    doc_builder_put(&hold, "spec", *doc_child(reported, "before"));
    shown = doc_builder_map(&hold, NULL);
    buf_add_string(&command->notes, "  this replaces the answer: ");
    glyph_write_text(&command->notes, job_text_answer(command, &shown));
    buf_add_string(&command->notes, "\n");
}

static enum exit_code hold_say(struct command *command, const char *word, const char *done)
{
    const char *why = args_value(&command->args, FLAG_HOLD_MESSAGE);
    struct kept_words words;
    struct session session;

    if (!kept_words_read(command, command->args.words + 1, command->args.argument_count - 1,
                         &words)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < words.count; i++) {
        struct say say = { .word = word, .why = why };
        struct target target = { 0 };
        struct doc reported;

        if (!kept_hold_read(command, words.items[i], &target, &say.rule)) {
            return EXIT_CODE_USAGE;
        }
        if (!say_it(command, &session, &target, &say, &reported)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "hold/%.*s:%.*s: %s\n", TEXT_ARG(target.name),
                   TEXT_ARG(say.rule), done);
        before_write(command, &reported);
    }
    return EXIT_CODE_DONE;
}

enum exit_code verb_hold(struct command *command)
{
    const char *answer = command->args.words[0];
    struct err *err;

    if (strcmp(answer, "approve") == 0) {
        return hold_say(command, answer, "approved; the held actions may proceed");
    }
    if (strcmp(answer, "reject") == 0) {
        return hold_say(command, answer, "rejected; the present state stays");
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       "'%s' is not an answer to a hold", answer);
    err_hint(err, "use: reeve %s; reeve get holds lists them", command->args.verb->synopsis);
    return EXIT_CODE_USAGE;
}

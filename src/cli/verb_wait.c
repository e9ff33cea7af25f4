/* reeve wait: one deadline for all objects, one stream, and the names of what is missing. */
#include "cli/change.h"
#include "cli/plan_writer.h"
#include "cli/watch.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <string.h>

enum wait_for { WAIT_EXISTS, WAIT_GONE, WAIT_REVISION };

struct waiting {
    struct command *command;
    struct session session;
    struct targets targets;
    enum wait_for what;
    int64_t revision;
    size_t missing; /* of them, at the last look */
    bool has_failed;
};

/* Does the condition hold for this one? *out_is_done. False: an error was added. */
static bool target_look(struct waiting *waiting, const struct target *target, bool *out_is_done)
{
    struct command *command = waiting->command;
    struct client_request request = {
        .method = "GET",
        .path = arena_printf(command->arena, "%.*s?view=history",
                             TEXT_ARG(session_path(command, target->kind, target->name))),
        .accept = "application/json",
    };
    const struct doc *items;
    struct client_answer answer;
    struct doc history;

    if (!session_call(command, &waiting->session, &request, &answer)) {
        return false;
    }
    if (answer.head.status == 404) {
        *out_is_done = waiting->what == WAIT_GONE;
        return true;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return false;
    }
    if (!session_parse(command, &answer, &history)) {
        return false;
    }
    items = doc_child(&history, "items");
    *out_is_done = waiting->what == WAIT_EXISTS ||
                   (waiting->what == WAIT_REVISION && doc_is_list(items) && items->item_count > 0 &&
                    plan_child_number(&items->items[0], "revision") >= waiting->revision);
    return true;
}

static bool look(struct waiting *waiting)
{
    struct arena_mark mark = arena_mark(waiting->command->arena);

    waiting->missing = 0;
    for (size_t i = 0; i < waiting->targets.count; i++) {
        bool is_done = false;

        if (!target_look(waiting, &waiting->targets.items[i], &is_done)) {
            waiting->has_failed = true;
            return false;
        }
        waiting->missing += !is_done;
    }
    if (waiting->missing > 0 && !command_is_verbose(waiting->command)) {
        arena_rewind(waiting->command->arena, mark);
    }
    return true;
}

static bool change_take(void *arg, struct text type, const struct doc *doc)
{
    struct waiting *waiting = arg;

    (void)type;
    (void)doc;
    return look(waiting) && waiting->missing > 0;
}

static bool condition_read(struct waiting *waiting)
{
    const char *word = args_value(&waiting->command->args, FLAG_WAIT_FOR);
    struct text text = text_from(word);
    struct err *err;

    if (text_is(text, "exists") || text_is(text, "gone")) {
        waiting->what = text_is(text, "gone") ? WAIT_GONE : WAIT_EXISTS;
        return true;
    }
    if (text_has_prefix(text, TEXT("revision=")) &&
        text_parse_int64(text_slice(text, 9, text.length), &waiting->revision)) {
        waiting->what = WAIT_REVISION;
        return true;
    }
    err = err_list_set(
        &waiting->command->errors, (struct place){ 0 },
        text_is(text, "ready") || text_is(text, "verified") ? CODE_R0010 : CODE_R0004,
        word == NULL ? "wait needs --for" : "there is no condition '%s' in this version",
        word == NULL ? "" : word);
    return err_hint(err, "conditions: exists, gone, revision=N; nodes come with a later version");
}

static void missing_name(struct waiting *waiting)
{
    struct command *command = waiting->command;
    static const char *const words[] = { "is not there yet", "is still there",
                                         "is not at that revision" };

    for (size_t i = 0; i < waiting->targets.count; i++) {
        bool is_done = false;

        if (target_look(waiting, &waiting->targets.items[i], &is_done) && !is_done) {
            struct text ref = target_format(command->arena, &waiting->targets.items[i]);

            err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0028, "%.*s %s",
                                  TEXT_ARG(ref), words[waiting->what]),
                     "wait longer with --timeout");
        }
    }
}

enum exit_code verb_wait(struct command *command)
{
    const char *timeout = args_value(&command->args, FLAG_COMMON_TIMEOUT);
    struct waiting waiting = { .command = command };
    struct watch watch = { .kinds = "cluster,nodegroup,clustertemplate,nodegrouptemplate",
                           .deadline_ms = UINT64_MAX,
                           .change = change_take,
                           .arg = &waiting };
    bool is_over = false;

    if (!condition_read(&waiting) ||
        !targets_read(command, command->args.words, command->args.word_count, &waiting.targets) ||
        !session_open(command, &waiting.session)) {
        return EXIT_CODE_USAGE;
    }
    if (waiting.targets.count == 0) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                     "wait needs names of objects");
        return EXIT_CODE_USAGE;
    }
    if (timeout != NULL) {
        watch.deadline_ms = clock_monotonic_ms(clock_system()) + waiting.session.client.timeout_ms;
        waiting.session.client.timeout_ms = LIMIT_REQUEST_MS;
    }
    interrupt_expect(INTERRUPT_READING);
    /* what happens between the look and the stream is in the stream's first look, at hello */
    if (!look(&waiting) || waiting.missing == 0) {
        return waiting.has_failed ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
    }
    if (!watch_run(command, &waiting.session, &watch, &is_over) || waiting.has_failed) {
        return EXIT_CODE_FAILED;
    }
    if (is_over && waiting.missing > 0) {
        missing_name(&waiting);
    }
    return EXIT_CODE_DONE;
}

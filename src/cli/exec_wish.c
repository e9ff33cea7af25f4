/* The flags of reeve exec, on their way to the manager. */
#include "cli/exec_wish.h"

#include "codec/json.h"
#include "sys/clock.h"

/* ---- what means nothing here ---- */

/* Flags of batches that are the same on all verbs, but for these. */
static bool senseless_refuse(struct command *command)
{
    static const struct {
        enum flag_id flag;
        const char *said;
        const char *hint;
    } senseless[] = {
        { FLAG_EXEC_SURGE,
          "exec has no --surge: it is about machines that are made before others go",
          "a command makes no machines; --batch says on how many it runs at once" },
        { FLAG_EXEC_UNAVAILABLE, "exec has no --unavailable: it takes no machine out of service",
          "--batch says on how many it runs at once" },
        { FLAG_EXEC_DETACH, "exec has no --detach: a command ends with whoever waits for it",
          "what is to go on by itself is a stage: reeve explain group.bootstrap" },
    };

    for (size_t i = 0; i < ARRAY_COUNT(senseless); i++) {
        if (args_has(&command->args, senseless[i].flag)) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0794, "%s",
                                         senseless[i].said),
                            "%s", senseless[i].hint);
        }
    }
    return true;
}

/* Words that say something about others, which are not there. */
static bool lonely_refuse(struct command *command)
{
    const struct args *args = &command->args;
    const char *order = args_value(args, FLAG_EXEC_ORDER);
    const char *said = NULL;

    if (args_has(args, FLAG_EXEC_BAKE) && !args_has(args, FLAG_EXEC_CANARY)) {
        said = "--bake is a wait behind canaries: say --canary as well";
    } else if (args_has(args, FLAG_EXEC_SEED) && !text_is(text_from(order), "random")) {
        said = "--seed is of a random order: say --order random as well";
    }
    return said == NULL ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s", said),
                    "reeve exec --help shows how it is used");
}

/* ---- reading ---- */

static bool command_read(struct command *command, struct text *out)
{
    const struct args *args = &command->args;
    struct buf words;

    if (!args->has_end || args->words_before == args->word_count) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0783,
                                     "there is no command: it stands behind --"),
                        "for example: reeve exec -c shop -- uname -r");
    }
    buf_init(&words, command->arena);
    for (size_t i = args->words_before; i < args->word_count; i++) {
        buf_add_string(&words, i == args->words_before ? "" : " ");
        buf_add_string(&words, args->words[i]);
    }
    *out = buf_text(&words);
    if (text_find_bad_utf8(*out) != SIZE_MAX) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0783,
                                     "the command is no UTF-8"),
                        "name such files by a pattern: *");
    }
    return true;
}

bool exec_wish_read(struct command *command, struct exec_wish *out)
{
    const char *deadline = args_value(&command->args, FLAG_EXEC_DEADLINE);
    const char *seed = args_value(&command->args, FLAG_EXEC_SEED);
    uint64_t time_ms = 0;
    int64_t number = 0;

    *out = (struct exec_wish){ .is_dry = args_has(&command->args, FLAG_EXEC_DRY_RUN) };
    if (!senseless_refuse(command) || !lonely_refuse(command) ||
        !command_read(command, &out->order)) {
        return false;
    }
    if (deadline != NULL) {
        if (!session_duration(command, text_from(deadline), "--deadline", &time_ms)) {
            return false;
        }
        out->deadline_ms = clock_monotonic_ms(clock_system()) + time_ms;
    }
    (void)!text_parse_int64(text_from(seed), &number);
    out->seed = (uint64_t)number;
    return true;
}

bool exec_wish_is_late(const struct exec_wish *wish)
{
    return wish->deadline_ms > 0 && clock_monotonic_ms(clock_system()) >= wish->deadline_ms;
}

/* ---- the body ---- */

struct writing {
    struct command *command;
    struct doc_builder builder;
};

static void text_put(struct writing *writing, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(&writing->builder, name, doc_text(value, NULL));
    }
}

static void number_put(struct writing *writing, const char *name, uint64_t value)
{
    if (value > 0) {
        doc_builder_put(&writing->builder, name,
                        doc_int(writing->command->arena, (int64_t)value, NULL));
    }
}

/* A number as it was said: the manager says whether it will do. */
static void word_put(struct writing *writing, const char *name, const char *value)
{
    if (value != NULL) {
        doc_builder_put(&writing->builder, name, doc_plain(text_from(value), NULL));
    }
}

static bool duration_put(struct writing *writing, const char *flag, const char *name)
{
    const char *value = args_named(&writing->command->args, flag);
    uint64_t time_ms;

    if (value == NULL) {
        return true;
    }
    if (!session_duration(writing->command, text_from(value),
                          arena_printf(writing->command->arena, "--%s", flag).data, &time_ms)) {
        return false;
    }
    doc_builder_put(&writing->builder, name,
                    doc_int(writing->command->arena, (int64_t)time_ms, NULL));
    return true;
}

static uint64_t time_left_ms(const struct exec_wish *wish)
{
    uint64_t now_ms = clock_monotonic_ms(clock_system());

    return wish->deadline_ms > now_ms ? wish->deadline_ms - now_ms : 1;
}

static void machines_put(struct writing *writing, const struct selected *selected,
                         const struct selected_place *place)
{
    text_put(writing, "failedOf", selected->failed_of);
    text_put(writing, "nodes", place->names);
    text_put(writing, "revision", selected->revision);
    text_put(writing, "selector", selected->labels);
    text_put(writing, "state", selected->states);
}

bool exec_wish_body(struct command *command, const struct exec_wish *wish,
                    const struct selected *selected, const struct selected_place *place,
                    struct text *out)
{
    const struct args *args = &command->args;
    struct writing writing = { .command = command };
    struct doc body;
    struct buf buf;

    doc_builder_init(&writing.builder, command->arena);
    text_put(&writing, "batch", text_from(args_value(args, FLAG_EXEC_BATCH)));
    word_put(&writing, "canary", args_value(args, FLAG_EXEC_CANARY));
    text_put(&writing, "command", wish->order);
    number_put(&writing, "deadlineMs", wish->deadline_ms > 0 ? time_left_ms(wish) : 0);
    if (wish->is_dry) {
        doc_builder_put(&writing.builder, "dryRun", doc_bool(true, NULL));
    }
    text_put(&writing, "maxFail", text_from(args_value(args, FLAG_EXEC_MAX_FAIL)));
    text_put(&writing, "order", text_from(args_value(args, FLAG_EXEC_ORDER)));
    word_put(&writing, "outputMax", args_value(args, FLAG_EXEC_OUTPUT_MAX));
    number_put(&writing, "seed", wish->seed);
    text_put(&writing, "spread", text_from(args_value(args, FLAG_EXEC_SPREAD)));
    machines_put(&writing, selected, place);
    if (!duration_put(&writing, "bake", "bakeMs") ||
        !duration_put(&writing, "pause-between", "pauseMs") ||
        !duration_put(&writing, "timeout", "timeoutMs")) {
        return false;
    }
    body = doc_builder_map(&writing.builder, NULL);
    buf_init(&buf, command->arena);
    json_format(&buf, &body);
    *out = buf_text(&buf);
    return true;
}

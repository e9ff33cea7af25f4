#include "cli/manager/batching.h"

#include "codec/json.h"
#include "sys/clock.h"

/* ---- flags without a meaning ---- */

static bool senseless_refuse(struct command *command, const struct batching_refusal *refusals,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (args_named(&command->args, refusals[i].flag) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0794, "%s",
                                         refusals[i].said),
                            "%s", refusals[i].hint);
        }
    }
    return true;
}

/* Refuse a flag that only modifies another flag, if the other flag is missing. */
static bool lonely_refuse(struct command *command)
{
    const struct args *args = &command->args;
    const char *said = NULL;

    if (args_named(args, "bake") != NULL && args_named(args, "canary") == NULL) {
        said = "--bake needs --canary: it is the wait after the canaries";
    } else if (args_named(args, "seed") != NULL &&
               !text_is(text_from(args_named(args, "order")), "random")) {
        said = "--seed needs --order random";
    }
    return said == NULL ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s", said),
                    "reeve %s --help shows how it is used", args->verb->name);
}

/* ---- reading ---- */

/* Check N or P% before any request is sent; the manager validates it once more. */
static bool share_check(struct command *command, const char *flag)
{
    struct text word = text_from(args_named(&command->args, flag));
    bool is_percent = text_has_suffix(word, TEXT("%"));
    int64_t number;

    return word.length == 0 ||
           (text_parse_int64(text_slice(word, 0, word.length - (is_percent ? 1 : 0)), &number) &&
            number >= 1 && number <= (is_percent ? 100 : (int64_t)UINT32_MAX)) ||
           err_hint(
               err_list_set(
                   &command->errors, (struct place){ 0 }, CODE_R0004,
                   "--%s must be a number of machines (1 or more), or 1%% to 100%%, got '%.*s'",
                   flag, TEXT_ARG(word)),
               "for example --%s 2, or --%s 25%%", flag, flag);
}

/* Checked here because the manager has another name for this field, and the error must contain the
 * flag that the user typed. */
bool batching_number(struct command *command, const char *flag, int64_t least, int64_t most)
{
    const char *word = args_named(&command->args, flag);
    int64_t number;

    return word == NULL ||
           (text_parse_int64(text_from(word), &number) && number >= least && number <= most) ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                 "--%s is a number from %lld to %lld, got '%s'", flag,
                                 (long long)least, (long long)most, word),
                    "reeve %s --help shows how it is used", command->args.verb->name);
}

bool batching_read(struct command *command, const struct batching_refusal *refusals, size_t count,
                   struct batching *out)
{
    const char *deadline = args_named(&command->args, "deadline");
    const char *seed = args_named(&command->args, "seed");
    uint64_t time_ms = 0;
    int64_t number = 0;

    *out = (struct batching){ .is_dry = args_named(&command->args, "dry-run") != NULL };
    if (!senseless_refuse(command, refusals, count) || !lonely_refuse(command) ||
        !share_check(command, "batch") || !share_check(command, "max-fail") ||
        !batching_number(command, "canary", 1, UINT32_MAX)) {
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

bool batching_is_late(const struct batching *batching)
{
    return batching->deadline_ms > 0 && clock_monotonic_ms(clock_system()) >= batching->deadline_ms;
}

void batching_seed(struct command *command, struct batching *batching, int64_t seed)
{
    if (seed > 0 && batching->seed == 0) {
        batching->seed = (uint64_t)seed;
        buf_printf(&command->notes, "order: random; --seed %lld repeats it\n", (long long)seed);
        command_flush(command);
    }
}

void batching_unbegun(struct command *command, const struct selected *selected, size_t from)
{
    for (size_t i = from; i < selected->count; i++) {
        command_say(command, arena_printf(command->arena, "not started: machines of %.*s\n",
                                          TEXT_ARG(selected->items[i].cluster)));
    }
}

/* ---- the body ---- */

void batching_body_init(struct batching_body *body, struct command *command)
{
    *body = (struct batching_body){ .command = command };
    doc_builder_init(&body->builder, command->arena);
}

void batching_text(struct batching_body *body, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(&body->builder, name, doc_text(value, NULL));
    }
}

void batching_word(struct batching_body *body, const char *name, const char *value)
{
    if (value != NULL) {
        doc_builder_put(&body->builder, name, doc_plain(text_from(value), NULL));
    }
}

static void batching_number_put(struct batching_body *body, const char *name, uint64_t value)
{
    if (value > 0) {
        doc_builder_put(&body->builder, name, doc_int(body->command->arena, (int64_t)value, NULL));
    }
}

bool batching_duration(struct batching_body *body, const char *flag, const char *name)
{
    const char *value = args_named(&body->command->args, flag);
    uint64_t time_ms;

    if (value == NULL) {
        return true;
    }
    if (!session_duration(body->command, text_from(value),
                          arena_printf(body->command->arena, "--%s", flag).data, &time_ms)) {
        return false;
    }
    doc_builder_put(&body->builder, name, doc_int(body->command->arena, (int64_t)time_ms, NULL));
    return true;
}

static uint64_t time_left_ms(const struct batching *batching)
{
    uint64_t now_ms = clock_monotonic_ms(clock_system());

    return batching->deadline_ms > now_ms ? batching->deadline_ms - now_ms : 1;
}

static void batching_machines_put(struct batching_body *body, const struct selected *selected,
                                  const struct selected_place *place)
{
    batching_text(body, "failedOf", selected->failed_of);
    batching_text(body, "nodes", place->names);
    batching_text(body, "revision", selected->revision);
    batching_text(body, "selector", selected->labels);
    batching_text(body, "state", selected->states);
}

bool batching_sizes_put(struct batching_body *body, const struct batching *batching)
{
    const struct args *args = &body->command->args;

    batching_text(body, "batch", text_from(args_named(args, "batch")));
    batching_word(body, "canary", args_named(args, "canary"));
    batching_number_put(body, "deadlineMs", batching->deadline_ms > 0 ? time_left_ms(batching) : 0);
    batching_text(body, "maxFail", text_from(args_named(args, "max-fail")));
    return batching_duration(body, "bake", "bakeMs") &&
           batching_duration(body, "pause-between", "pauseMs");
}

bool batching_put(struct batching_body *body, const struct batching *batching,
                  const struct selected *selected, const struct selected_place *place)
{
    const struct args *args = &body->command->args;

    if (batching->is_dry) {
        doc_builder_put(&body->builder, "dryRun", doc_bool(true, NULL));
    }
    batching_text(body, "order", text_from(args_named(args, "order")));
    batching_number_put(body, "seed", batching->seed);
    batching_text(body, "spread", text_from(args_named(args, "spread")));
    batching_machines_put(body, selected, place);
    return batching_sizes_put(body, batching);
}

bool batching_is_given(const struct command *command)
{
    static const char *const flags[] = { "batch", "max-fail", "canary",   "bake",         "order",
                                         "seed",  "spread",   "deadline", "pause-between" };
    bool is_given = false;

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        is_given = is_given || args_named(&command->args, flags[i]) != NULL;
    }
    return is_given;
}

struct text batching_body_format(struct batching_body *body)
{
    struct doc doc = doc_builder_map(&body->builder, NULL);
    struct buf buf;

    buf_init(&buf, body->command->arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct text batching_path(struct command *command, const struct selected_place *place,
                          const char *what)
{
    bool is_group = place->group.length > 0;
    struct text name = is_group ? arena_printf(command->arena, "%.*s/%.*s",
                                               TEXT_ARG(place->cluster), TEXT_ARG(place->group))
                                : place->cluster;
    const struct schema_kind *kind =
        schema_kind_find(is_group ? TEXT("NodeGroup") : TEXT("Cluster"));

    return arena_printf(command->arena, "%.*s/%s", TEXT_ARG(session_path(command, kind, name)),
                        what);
}

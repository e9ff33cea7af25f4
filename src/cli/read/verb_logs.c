/* reeve logs: prints the output of a machine's stages, past and live. */
#include "cli/args/when.h"
#include "cli/manager/kept.h"
#include "cli/manager/nodes.h"
#include "cli/manager/stages.h"
#include "cli/manager/watch.h"
#include "cli/read/logs_job.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <poll.h>

#define LOGS_LOOK_MS 200

enum { LOGS_STAGES = 64 };

struct reading {
    struct command *command;
    struct session session;
    struct text cluster;
    struct text node;
    struct text stage;   /* stage as the user wrote it; empty: all stages */
    struct text number;  /* number of the stage */
    struct text attempt; /* number of the attempt; empty: the newest */
    /* name of the hook whose playbook output is shown instead of stages; empty: stages */
    struct text hook;
    struct arena *place; /* memory of `next`, which outlives each page */
    struct text next;    /* position where the next page starts */
    bool has_more;       /* more lines are available now */
    bool has_lines;      /* at least one line was shown */
    bool is_gone;        /* the machine no longer exists */
    bool is_done;        /* all of its stages have ended */
    bool has_missing;    /* it was reported that output of another manager is missing */
    uint32_t shown
        [LOGS_STAGES]; /* the newest attempt of each stage from which a line was shown; 0: none */
    /* the attempt of reported_stage for which missing output was reported */
    uint32_t reported_attempt;
    size_t reported_stage;
};

/* ---- selection of the stage ---- */

/* Find a stage by name in the values of the machine's group. */
static bool logs_stage_find(struct reading *reading)
{
    struct command *command = reading->command;
    const struct doc *node;
    struct nodes nodes;
    struct doc effective;
    int64_t number;

    if (reading->stage.length == 0 || text_parse_int64(reading->stage, &number)) {
        reading->number = reading->stage;
        return true;
    }
    if (!nodes_get_named(command, &reading->session, reading->cluster, reading->node, &nodes) ||
        !stages_get(command, &reading->session, reading->cluster, &effective)) {
        return false;
    }
    node = nodes_find(&nodes, reading->node);
    if (node == NULL) {
        return err_hint(
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0731,
                         "%.*s/%.*s does not exist, so the names of the stages are not known",
                         TEXT_ARG(reading->cluster), TEXT_ARG(reading->node)),
            "give the number of the stage: --stage 0");
    }
    return stages_find(command, &effective, listing_text(node, "metadata", "group"),
                       arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(reading->cluster),
                                    TEXT_ARG(reading->node)),
                       reading->stage, "--stage", &reading->number);
}

/* For a stage without output, check that a stage with this number exists. For a machine that no
 * longer exists, this is unknown. */
static bool number_check(struct reading *reading)
{
    struct command *command = reading->command;
    const struct doc *node;
    struct nodes nodes;
    struct doc effective;
    int64_t number;

    if (reading->has_lines || reading->is_gone || !text_parse_int64(reading->number, &number)) {
        return true;
    }
    if (!nodes_get_named(command, &reading->session, reading->cluster, reading->node, &nodes) ||
        !stages_get(command, &reading->session, reading->cluster, &effective)) {
        return false;
    }
    node = nodes_find(&nodes, reading->node);
    return node == NULL ||
           stages_has(command, &effective, listing_text(node, "metadata", "group"),
                      arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(reading->cluster),
                                   TEXT_ARG(reading->node)),
                      number);
}

/* ---- asking ---- */

static void parameter_add(struct buf *path, const char *name, struct text value)
{
    if (value.length > 0) {
        buf_printf(path, "&%s=", name);
        client_path_add(path, value);
    }
}

/* ---- stages without output ---- */

static bool is_asked_for(const struct reading *reading, int64_t stage, int64_t attempt)
{
    int64_t number;

    return (reading->number.length == 0 ||
            (text_parse_int64(reading->number, &number) && number == stage)) &&
           (reading->attempt.length == 0 ||
            (text_parse_int64(reading->attempt, &number) && number == attempt));
}

/* Report a stage that failed without output, in one line. */
static void silence_report(struct reading *reading, const struct doc *page)
{
    const struct doc *step = doc_child(page, "node");
    int64_t stage = doc_child_number(step, "number");
    int64_t attempt = doc_child_number(step, "attempt");

    reading->is_done = text_has_prefix(doc_child_text(step, "step"), TEXT("bootstrapped"));
    if (reading->hook.length > 0 || !doc_is_map(step) || doc_child_text(step, "end").length == 0 ||
        reading->has_more || stage < 0 || stage >= LOGS_STAGES ||
        reading->shown[stage] == (uint32_t)attempt || !is_asked_for(reading, stage, attempt) ||
        (reading->reported_stage == (size_t)stage &&
         reading->reported_attempt == (uint32_t)attempt)) {
        return;
    }
    reading->reported_stage = (size_t)stage;
    reading->reported_attempt = (uint32_t)attempt;
    glyph_write_text(&reading->command->notes, nodes_failure(reading->command, step));
    buf_add_string(&reading->command->notes, "\n");
}

/* Report once that some output is stored on managers that do not answer. */
static void logs_missing_report(struct reading *reading, const struct doc *missing)
{
    struct command *command = reading->command;

    for (size_t i = 0; !reading->has_missing && doc_is_list(missing) && i < missing->item_count;
         i++) {
        const struct doc *item = &missing->items[i];
        struct text since = doc_child_text(item, "since");

        buf_printf(&command->notes,
                   "the output of stage-%lld, attempt %lld, is on manager %.*s, which %s%.*s: ",
                   (long long)doc_child_number(item, "stage"),
                   (long long)doc_child_number(item, "attempt"),
                   TEXT_ARG(doc_child_text(item, "manager")),
                   since.length == 0 ? "does not answer" : "has been unreachable since ",
                   TEXT_ARG(since.length == 0 ? since : when_format(command, since)));
        glyph_write_plain(&command->notes, doc_child_text(item, "reason"));
        buf_add_string(&command->notes, "\n");
    }
    reading->has_missing |= doc_is_list(missing) && missing->item_count > 0;
}

/* Report what was shown, or why nothing was shown. */
static void logs_end_report(struct reading *reading)
{
    struct buf *out = &reading->command->notes;

    if (reading->is_gone) {
        buf_printf(out, "%.*s/%.*s no longer exists: this is its stored output\n",
                   TEXT_ARG(reading->cluster), TEXT_ARG(reading->node));
    } else if (reading->has_lines || reading->has_missing || reading->reported_attempt > 0) {
        return;
    } else if (reading->hook.length > 0) {
        buf_printf(out, "no output of a playbook %.*s on %.*s/%.*s is stored\n",
                   TEXT_ARG(reading->hook), TEXT_ARG(reading->cluster), TEXT_ARG(reading->node));
    } else if (reading->attempt.length > 0) {
        buf_printf(out, "no output of attempt %.*s of %.*s/%.*s is stored\n",
                   TEXT_ARG(reading->attempt), TEXT_ARG(reading->cluster), TEXT_ARG(reading->node));
    } else if (reading->is_done && reading->number.length > 0) {
        buf_printf(out, "stage-%.*s of %.*s/%.*s has ended without output\n",
                   TEXT_ARG(reading->number), TEXT_ARG(reading->cluster), TEXT_ARG(reading->node));
    } else if (reading->is_done) {
        buf_printf(out, "the stages of %.*s/%.*s have ended without output\n",
                   TEXT_ARG(reading->cluster), TEXT_ARG(reading->node));
    } else {
        buf_printf(out,
                   "there is no output yet: reeve describe node %.*s/%.*s shows the progress\n",
                   TEXT_ARG(reading->cluster), TEXT_ARG(reading->node));
    }
}

/* Get the next lines; they live until the command's arena is rewound. */
static bool logs_page_get(struct reading *reading, struct doc *out)
{
    struct command *command = reading->command;
    struct arena *place = arena_new_small(SIZE_MAX);
    struct buf path;
    struct doc page;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/clusters/");
    client_path_add(&path, reading->cluster);
    buf_add_string(&path, "/logs?node=");
    client_path_add(&path, reading->node);
    parameter_add(&path, "stage", reading->number);
    parameter_add(&path, "hook", reading->hook);
    parameter_add(&path, "attempt", reading->attempt);
    parameter_add(&path, "offset", reading->next);
    if (!session_get(command, &reading->session, buf_text(&path), &page)) {
        arena_free(place);
        return false;
    }
    reading->next = arena_text(place, doc_child_text(&page, "next"));
    arena_free(reading->place);
    reading->place = place;
    *out = doc_is_list(doc_child(&page, "lines")) ? *doc_child(&page, "lines")
                                                  : doc_list(NULL, 0, NULL);
    reading->has_more = text_is(doc_child_text(&page, "more"), "true") && out->item_count > 0;
    reading->has_lines |= out->item_count > 0;
    reading->is_gone = text_is(doc_child_text(&page, "gone"), "true");
    for (size_t i = 0; i < out->item_count; i++) {
        int64_t stage = doc_child_number(&out->items[i], "stage");

        if (stage >= 0 && stage < LOGS_STAGES) {
            reading->shown[stage] = (uint32_t)doc_child_number(&out->items[i], "attempt");
        }
    }
    silence_report(reading, &page);
    logs_missing_report(reading, doc_child(&page, "missing"));
    return true;
}

/* ---- showing ---- */

static void logs_line_write(struct reading *reading, const struct doc *line)
{
    struct buf *out = &reading->command->out;
    int64_t attempt = doc_child_number(line, "attempt");

    if (command_output_is(reading->command, "jsonl")) {
        json_format(out, line);
        buf_add_string(out, "\n");
        return;
    }
    if (reading->stage.length + reading->hook.length == 0) {
        buf_printf(out, "stage-%lld", (long long)doc_child_number(line, "stage"));
        if (attempt > 1) {
            buf_printf(out, ", attempt %lld", (long long)attempt);
        }
        buf_add_string(out, "  ");
    }
    glyph_write_plain(out, doc_child_text(line, "text"));
    buf_add_string(out, "\n");
}

static void logs_lines_write(struct reading *reading, const struct doc *lines)
{
    for (size_t i = 0; i < lines->item_count; i++) {
        logs_line_write(reading, &lines->items[i]);
    }
}

/* Show the available lines, page by page. */
static bool all_show(struct reading *reading)
{
    struct command *command = reading->command;
    struct doc lines;

    do {
        struct arena_mark mark = arena_mark(command->arena);

        if (!logs_page_get(reading, &lines)) {
            return false;
        }
        logs_lines_write(reading, &lines);
        command_flush(command);
        arena_rewind(command->arena, mark);
        buf_init(&command->out, command->arena);
        buf_init(&command->notes, command->arena);
    } while (reading->has_more);
    return true;
}

/* Show the last available lines. All lines are read, but only the last `most` are shown. */
static bool last_show(struct reading *reading, size_t most)
{
    struct command *command = reading->command;
    struct doc *last = arena_array(command->arena, struct doc, most + 1);
    size_t count = 0;
    struct doc lines;

    do {
        if (!logs_page_get(reading, &lines)) {
            return false;
        }
        for (size_t i = 0; i < lines.item_count && most > 0; i++) {
            last[count++ % most] = lines.items[i];
        }
    } while (reading->has_more);
    for (size_t i = count > most ? count - most : 0; i < count; i++) {
        logs_line_write(reading, &last[i % most]);
    }
    command_flush(command);
    return true;
}

/* Follow until Ctrl-C or --timeout. If the manager restarts, following continues with the first
 * line that was not received. */
static bool logs_follow(struct reading *reading)
{
    struct command *command = reading->command;
    uint64_t deadline_ms = session_deadline(command, &reading->session);
    uint64_t away_since_ms = 0;

    interrupt_expect(INTERRUPT_READING);
    while (clock_monotonic_ms(clock_system()) < deadline_ms) {
        struct err_list before = command->errors;
        struct err err;

        (void)poll(NULL, 0, LOGS_LOOK_MS);
        if (all_show(reading)) {
            away_since_ms = 0;
            continue;
        }
        err = command->errors.items[before.count];
        if (err_kind(&err) != ERR_KIND_UNAVAILABLE) {
            return false;
        }
        command->errors = before;
        if (!watch_wait_away(command, deadline_ms, &away_since_ms, &err)) {
            return false;
        }
    }
    return true;
}

enum { TAIL_MOST = 100000 };

static bool logs_tail_read(struct command *command, int64_t *out)
{
    const char *word = args_value(&command->args, FLAG_LOGS_TAIL);

    *out = -1;
    if (word == NULL ||
        (text_parse_int64(text_from(word), out) && *out >= 0 && *out <= TAIL_MOST)) {
        return true;
    }
    return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                 "'%s' is not a number of lines", word),
                    "write how many of the last: --tail 20");
}

static struct text logs_value_of(const struct command *command, enum flag_id id)
{
    const char *word = args_value(&command->args, id);

    return word == NULL ? TEXT("") : text_from(word);
}

static bool attempt_check(struct command *command, struct text word)
{
    int64_t number;

    return word.length == 0 || (text_parse_int64(word, &number) && number > 0) ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                 "'%.*s' is not the number of an attempt", TEXT_ARG(word)),
                    "attempts count from 1; the default is the newest");
}

/* Read --hook. The playbooks `configure` and `upgrade` run as the stage `configure`. */
static bool hook_read(struct reading *reading)
{
    struct text hook = logs_value_of(reading->command, FLAG_LOGS_HOOK);

    if (hook.length > 0 && reading->stage.length > 0) {
        return err_hint(err_list_set(&reading->command->errors, (struct place){ 0 }, CODE_R0005,
                                     "--hook and --stage exclude each other"),
                        "reeve logs shop/web-0 --hook drain");
    }
    if (text_is(hook, "configure") || text_is(hook, "upgrade")) {
        reading->stage = TEXT("configure");
    } else {
        reading->hook = hook;
    }
    return true;
}

/* True if the argument is job/N. Flags that select output of one machine are rejected. */
static bool logs_job_read(struct command *command, uint64_t *out_number, bool *out_is_good)
{
    static const enum flag_id of_nodes[] = { FLAG_LOGS_STAGE, FLAG_LOGS_HOOK, FLAG_LOGS_ATTEMPT,
                                             FLAG_LOGS_TAIL };
    struct text word = text_from(command->args.words[0]);

    if (!text_has_prefix(word, TEXT("job/"))) {
        return false;
    }
    *out_is_good = kept_job_number(word, out_number) ||
                   kept_refuse(command, command->args.words[0], "reeve logs job/912");
    for (size_t i = 0; *out_is_good && i < ARRAY_COUNT(of_nodes); i++) {
        if (args_value(&command->args, of_nodes[i]) != NULL) {
            *out_is_good = err_hint(
                err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                             "--stage, --hook, --attempt and --tail are for the output of one "
                             "machine"),
                "leave them out, or name the machine: reeve logs shop/web-0 --stage 0");
        }
    }
    return true;
}

enum exit_code verb_logs(struct command *command)
{
    uint64_t number = 0;
    bool is_good = false;
    bool is_following = args_has(&command->args, FLAG_LOGS_FOLLOW);
    struct reading reading = { .command = command,
                               .stage = logs_value_of(command, FLAG_LOGS_STAGE),
                               .attempt = logs_value_of(command, FLAG_LOGS_ATTEMPT) };
    int64_t tail;
    bool is_done;

    if (logs_job_read(command, &number, &is_good)) {
        return is_good ? logs_job(command, number) : EXIT_CODE_USAGE;
    }
    if (!nodes_word_read(command, command->args.words[0], "reeve logs shop/web-0", &reading.cluster,
                         &reading.node) ||
        !logs_tail_read(command, &tail) || !attempt_check(command, reading.attempt) ||
        !hook_read(&reading)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &reading.session) ||
        !nodes_memory_ask(command, &reading.session, reading.node, &reading.cluster) ||
        !logs_stage_find(&reading)) {
        return EXIT_CODE_FAILED;
    }
    is_done = (tail < 0 ? all_show(&reading) : last_show(&reading, (size_t)tail)) &&
              number_check(&reading) && (!is_following || logs_follow(&reading));
    arena_free(reading.place);
    if (is_done && !is_following) {
        logs_end_report(&reading);
    }
    return is_done ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

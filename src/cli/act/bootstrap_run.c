/* reeve bootstrap run: runs stages of many machines again, in batches, as a job for each cluster
 * (decision 0107). Before anything is sent, this code lists the stages that are not idempotent and
 * asks for consent. The manager determines the machines and their order. */
#include "base/sort.h"
#include "cli/act/bootstrap_parts.h"
#include "cli/act/exec_parts.h"
#include "cli/manager/again.h"
#include "cli/manager/batching.h"
#include "cli/manager/follow.h"
#include "cli/manager/nodes.h"
#include "cli/manager/stages.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "selector/ranges.h"
#include "sys/interrupt.h"

#include <string.h>

/* public names start with: bootstrap_ */

#define RUN_USE "reeve bootstrap run shop/web-0, or -g shop/web, or --failed-of 912"

/* The data read about one cluster. */
struct memory {
    struct nodes nodes;
    struct doc values; /* effective values, if stages are given by name */
};

struct running {
    struct command *command;
    struct session session;
    struct batching batching;
    struct selected selected;
    struct text from;    /* first stage, as the user wrote it; empty: stages that did not succeed */
    struct map memories; /* cluster to struct memory */
    struct again again;
    bool is_again;       /* the user agreed to stages that are not idempotent */
    bool is_left;        /* the user has stopped watching the job */
    struct exec_dry dry; /* used with --dry-run */
    struct doc *answers; /* answers of the manager, one for each cluster */
    size_t answer_count;
    size_t well;   /* clusters that succeeded */
    size_t partly; /* clusters that succeeded on some machines */
    size_t failed;
    enum exit_code last; /* exit code of the cluster that ended last */
    bool is_late;
};

/* ---- stages that must not run twice ---- */

static bool is_by_name(const struct running *running)
{
    int64_t number;

    return running->from.length > 0 && !text_parse_int64(running->from, &number);
}

/* Return the data of a cluster. It is requested from the manager only once. NULL: an error was
 * added. */
static const struct memory *memory_have(struct running *running, struct text cluster)
{
    struct command *command = running->command;
    struct memory *memory = map_find(&running->memories, cluster);

    if (memory != NULL) {
        return memory;
    }
    memory = arena_one(command->arena, struct memory);
    *memory = (struct memory){ 0 };
    if (!nodes_get(command, &running->session, cluster, &memory->nodes) ||
        (is_by_name(running) &&
         !stages_get(command, &running->session, cluster, &memory->values))) {
        return NULL;
    }
    map_put(&running->memories, cluster, memory);
    return memory;
}

/* True if stages can run again on the node. The manager skips a node that does not exist yet or is
 * about to leave. */
static bool is_bootstrap_run_there(const struct doc *node)
{
    const char *state = nodes_state(node);

    return strcmp(state, "creating") != 0 && strcmp(state, "refused") != 0 &&
           strcmp(state, "leaving") != 0;
}

static bool bootstrap_run_node_look(struct running *running, const struct selected_node *node)
{
    struct command *command = running->command;
    const struct memory *memory = memory_have(running, node->cluster);
    const struct doc *found = memory == NULL ? NULL : nodes_find(&memory->nodes, node->name);
    struct text from_word = running->from;
    int64_t from = 0;

    if (memory == NULL || found == NULL || !is_bootstrap_run_there(found)) {
        return memory != NULL;
    }
    if (is_by_name(running) &&
        !stages_find(command, &memory->values, listing_text(found, "metadata", "group"),
                     arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(node->cluster),
                                  TEXT_ARG(node->name)),
                     running->from, "--from-stage", &from_word)) {
        return false;
    }
    (void)!text_parse_int64(from_word, &from);
    again_add(&running->again, node->cluster, found, from_word.length == 0, from);
    return true;
}

static bool nodes_look(struct running *running)
{
    struct command *command = running->command;
    struct selected_node *nodes;
    size_t count;

    if (!selected_find(command, &running->session, &running->selected, &nodes, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!bootstrap_run_node_look(running, &nodes[i])) {
            return false;
        }
    }
    return true;
}

/* ---- the manager's answer ---- */

static int bootstrap_run_name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

static void bootstrap_run_names_write(struct running *running, struct text *names, size_t count)
{
    struct command *command = running->command;

    sort_stable(command->arena, names, count, sizeof(*names), bootstrap_run_name_compare, NULL);
    ranges_format(&command->notes, names, count);
}

/* Write "shop/web-[7-9]: left out, it is creating"; machines with the same reason share a line. */
static void left_report(struct running *running, const struct doc *answer)
{
    const struct doc *left = doc_child(answer, "left");
    size_t count = doc_is_list(left) ? left->item_count : 0;
    struct text *names = arena_array(running->command->arena, struct text, count + 1);
    struct map reported;

    map_init(&reported, running->command->arena);
    for (size_t i = 0; i < count; i++) {
        struct text why = doc_child_text(&left->items[i], "why");
        size_t alike = 0;

        if (map_find(&reported, why) != NULL) {
            continue;
        }
        map_put(&reported, why, names);
        for (size_t j = i; j < count; j++) {
            if (text_is_equal(doc_child_text(&left->items[j], "why"), why)) {
                names[alike++] = doc_child_text(&left->items[j], "node");
            }
        }
        bootstrap_run_names_write(running, names, alike);
        buf_add_string(&running->command->notes, ": left out, ");
        glyph_write_text(&running->command->notes, why);
        buf_add_string(&running->command->notes, "\n");
    }
}

/* Write which stages run: ": all stages from stage-1 on run again". */
static void from_write(const struct running *running, struct buf *out)
{
    if (running->from.length == 0) {
        buf_add_string(out, ": stages that did not succeed run again");
    } else if (text_is(running->from, "0")) {
        buf_add_string(out, ": all stages run again");
    } else {
        buf_printf(out, ": all stages from %s%.*s on run again",
                   is_by_name(running) ? "" : "stage-", TEXT_ARG(running->from));
    }
}

/* Write "job/912: shop/web-[0-3]: all stages from stage-1 on run again, in 2 batches". */
static void bootstrap_run_job_report(struct running *running, const struct doc *answer,
                                     int64_t number)
{
    const struct doc *batches = doc_child(answer, "batches");
    size_t batch_count = doc_is_list(batches) ? batches->item_count : 0;
    struct buf *notes = &running->command->notes;
    size_t room = (size_t)doc_child_number(answer, "nodes") + 1;
    struct text *names = arena_array(running->command->arena, struct text, room);
    size_t count = 0;

    for (size_t i = 0; i < batch_count; i++) {
        const struct doc *nodes = doc_child(&batches->items[i], "nodes");

        for (size_t j = 0; doc_is_list(nodes) && j < nodes->item_count && count < room; j++) {
            names[count++] = nodes->items[j].text;
        }
    }
    buf_printf(notes, "job/%lld: ", (long long)number);
    bootstrap_run_names_write(running, names, count);
    from_write(running, notes);
    buf_printf(notes, ", in %zu batch%s\n", batch_count, batch_count == 1 ? "" : "es");
}

static void dry_take(struct running *running, const struct doc *answer)
{
    const struct doc *batches = doc_child(answer, "batches");

    for (size_t i = 0; doc_is_list(batches) && i < batches->item_count; i++) {
        exec_dry_add(&running->dry, &batches->items[i]);
    }
}

/* ---- one cluster after the other ---- */

static bool is_bootstrap_run_for_programs(const struct running *running)
{
    return command_output_is(running->command, "json");
}

/* Return an additional line for a user that stops watching: the clusters that were not started. */
static const char *left_words(struct running *running, size_t behind)
{
    struct buf words;

    if (behind >= running->selected.count) {
        return NULL;
    }
    buf_init(&words, running->command->arena);
    buf_add_string(&words, "; not started: machines of");
    for (size_t i = behind; i < running->selected.count; i++) {
        buf_printf(&words, "%s %.*s", i > behind ? "," : "",
                   TEXT_ARG(running->selected.items[i].cluster));
    }
    return arena_string(running->command->arena, buf_text(&words));
}

static enum exit_code job_follow(struct running *running, int64_t number, size_t behind)
{
    struct command *command = running->command;
    struct follow follow = { .number = (uint64_t)number,
                             .is_written = true,
                             .left = left_words(running, behind),
                             .deadline_ms = session_deadline(command, &running->session) };

    if (!running->is_left) {
        return follow_run(command, &running->session, &follow);
    }
    if (!is_bootstrap_run_for_programs(running)) {
        buf_printf(&command->notes,
                   "job/%lld continues; reeve job watch %lld, reeve job cancel %lld\n",
                   (long long)number, (long long)number, (long long)number);
    }
    return EXIT_CODE_DONE;
}

static bool bootstrap_run_body_format(struct running *running, const struct selected_place *place,
                                      struct text *out)
{
    struct batching_body body;

    batching_body_init(&body, running->command);
    if (running->is_again) {
        doc_builder_put(&body.builder, "again", doc_bool(true, NULL));
    }
    batching_text(&body, "from", running->from);
    batching_text(&body, "why",
                  text_from(args_value(&running->command->args, FLAG_BOOTSTRAP_MESSAGE)));
    if (!batching_put(&body, &running->batching, &running->selected, place)) {
        return false;
    }
    *out = batching_body_format(&body);
    return true;
}

/* Send the request for one cluster of a manager. *out_is_empty is true if the cluster has none of
 * the selected machines; other clusters may still have some. False: an error was added. */
static bool bootstrap_run_place_ask(struct running *running, const struct selected_place *place,
                                    struct doc *out, bool *out_is_empty)
{
    struct command *command = running->command;
    struct err_list before = command->errors;
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    bool is_answered;

    *out_is_empty = false;
    if (!bootstrap_run_body_format(running, place, &request.body)) {
        return false;
    }
    request.path = batching_path(command, place, "bootstrap");
    interrupt_expect(running->batching.is_dry ? INTERRUPT_BEFORE : INTERRUPT_DURING);
    is_answered = session_ask(command, &running->session, &request, out);
    interrupt_expect(INTERRUPT_READING);
    if (is_answered) {
        return true;
    }
    if (selected_is_empty_part(&running->selected, &command->errors, before.count)) {
        command->errors = before;
        *out_is_empty = true;
        return true;
    }
    if (running->selected.count > 1 && command->errors.count > before.count) {
        (void)err_note(&command->errors.items[before.count], "this concerns machines of %.*s",
                       TEXT_ARG(place->cluster));
    }
    return false;
}

static void code_add(struct running *running, enum exit_code code)
{
    running->last = code;
    running->well += code == EXIT_CODE_DONE;
    running->partly += code == EXIT_CODE_PARTIAL;
    running->failed += code != EXIT_CODE_DONE && code != EXIT_CODE_PARTIAL;
    running->is_late = running->is_late || code == EXIT_CODE_TIMEOUT;
}

static void place_run(struct running *running, size_t at)
{
    struct doc answer;
    bool is_empty;
    int64_t number;

    if (!bootstrap_run_place_ask(running, &running->selected.items[at], &answer, &is_empty)) {
        code_add(running, EXIT_CODE_FAILED);
        return;
    }
    if (is_empty) {
        return;
    }
    batching_seed(running->command, &running->batching, doc_child_number(&answer, "seed"));
    left_report(running, &answer);
    running->answers[running->answer_count++] = answer;
    if (running->batching.is_dry) {
        dry_take(running, &answer);
        code_add(running, EXIT_CODE_DONE);
        return;
    }
    number = doc_child_number(&answer, "job");
    bootstrap_run_job_report(running, &answer, number);
    code_add(running, job_follow(running, number, at + 1));
}

/* Report the clusters that were not started because the deadline of the whole run has passed. */
static void bootstrap_run_late_report(struct running *running, size_t from)
{
    batching_unbegun(running->command, &running->selected, from);
    if (!running->is_late) {
        running->is_late = true;
        (void)!err_hint(
            err_list_set(&running->command->errors, (struct place){ 0 }, CODE_R0796,
                         "the deadline passed before the run had started in all clusters"),
            "run the command again for the other clusters");
    }
}

/* Run the stages in one cluster after the other. A failure in one cluster does not stop the
 * others. */
static void places_run(struct running *running)
{
    for (size_t i = 0; i < running->selected.count; i++) {
        if (i > 0 && batching_is_late(&running->batching)) {
            bootstrap_run_late_report(running, i);
            return;
        }
        place_run(running, i);
    }
}

static enum exit_code code_of(const struct running *running)
{
    return running->selected.count == 1 ? running->last
           : running->is_late           ? EXIT_CODE_TIMEOUT
           : running->partly > 0        ? EXIT_CODE_PARTIAL
           : running->failed == 0       ? EXIT_CODE_DONE
           : running->well > 0          ? EXIT_CODE_PARTIAL
                                        : EXIT_CODE_FAILED;
}

static enum exit_code answers_write(struct running *running)
{
    struct command *command = running->command;
    struct doc all = doc_list(running->answers, running->answer_count, NULL);

    /* all selected machines were removed while the requests were sent */
    if (running->answer_count == 0 && running->failed == 0) {
        (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780,
                                     "none of the selected machines exists"),
                        "reeve get nodes lists the machines");
        return EXIT_CODE_NOT_FOUND;
    }
    if (running->batching.is_dry && running->failed == 0) {
        return exec_dry_write(&running->dry);
    }
    if (is_bootstrap_run_for_programs(running) && !running->batching.is_dry) {
        json_format_pretty(&command->out, &all);
    }
    return code_of(running);
}

/* ---- the verb ---- */

/* Batch flags that do not apply to this verb. All other batch flags work as with every verb. */
static const struct batching_refusal refusals[] = {
    { "surge",
      "bootstrap run has no --surge: a surge applies only to rollouts that replace machines",
      "--batch sets on how many machines stages run at the same time" },
    { "unavailable",
      "bootstrap run has no --unavailable: a machine whose stages run again stays in service",
      "--batch sets on how many machines stages run at the same time" },
};

static bool flags_read(struct running *running)
{
    const struct args *args = &running->command->args;
    const char *from = args_value(args, FLAG_BOOTSTRAP_FROM);
    bool is_of_all = args_has(args, FLAG_BOOTSTRAP_RERUN);

    running->from = is_of_all ? TEXT("0") : text_from(from);
    running->is_left =
        args_has(args, FLAG_BOOTSTRAP_DETACH) || is_bootstrap_run_for_programs(running);
    if (is_of_all && from != NULL) {
        return err_hint(
            err_list_set(
                &running->command->errors, (struct place){ 0 }, CODE_R0005,
                "--rerun (all stages) and --from-stage (those from one stage on) exclude each other"),
            "leave one of them out");
    }
    return batching_read(running->command, refusals, ARRAY_COUNT(refusals), &running->batching);
}

/* List the stages that are not idempotent and would run a second time, and ask for consent unless
 * this is a dry run. */
static bool bootstrap_run_again_agree(struct running *running)
{
    if (running->batching.is_dry) {
        running->is_again = again_report(&running->again);
        return true;
    }
    return again_ask(&running->again, &running->session, &running->is_again);
}

enum exit_code bootstrap_run(struct command *command)
{
    struct running running = { .command = command };
    const struct args *args = &command->args;

    if (!flags_read(&running)) {
        return EXIT_CODE_USAGE;
    }
    again_init(&running.again, command);
    map_init(&running.memories, command->arena);
    if (!session_open(command, &running.session) ||
        !selected_read(command, &running.session, args->words + 1, args->argument_count - 1,
                       RUN_USE, &running.selected) ||
        !nodes_look(&running)) {
        return EXIT_CODE_FAILED;
    }
    if (!bootstrap_run_again_agree(&running)) {
        return EXIT_CODE_DECLINED;
    }
    running.answers = arena_array(command->arena, struct doc, running.selected.count + 1);
    exec_dry_init(&running.dry, command, command->arena, running.selected.count > 1);
    places_run(&running);
    return answers_write(&running);
}

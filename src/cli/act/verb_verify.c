/* reeve verify: compares the files of nodes with the baseline recorded after their stages, with one
 * job for each cluster (docs/decisions/0131). With --fix, the stages of the configuration run again
 * on the nodes that differ, with one job for each group. */
#include "cli/args/consent.h"
#include "cli/manager/again.h"
#include "cli/manager/batching.h"
#include "cli/manager/follow.h"
#include "cli/manager/nodes.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"

#include <string.h>

/* public names start with: verify_ */

#define VERIFY_USE "reeve verify shop/web-0, or -g shop/web, or --all"

static const struct output_column columns[] = {
    { "NODE", ".node", OUTPUT_KEEP, false },   { "VERDICT", ".verdict", OUTPUT_KEEP, false },
    { "FILES", ".count", OUTPUT_KEEP, true },  { "LEVEL", ".level", OUTPUT_WIDE, false },
    { "SINCE", ".since", OUTPUT_DROP, false }, { "WHAT", ".what", OUTPUT_KEEP, false },
};
static const struct output_view view = { "node/{node}", columns, ARRAY_COUNT(columns) };

struct verify {
    struct command *command;
    struct session session;
    struct batching batching;
    struct selected selected;
    struct text level;
    bool is_left;     /* the user has stopped watching the jobs */
    bool is_fixing;   /* the flag --fix is given */
    struct doc *rows; /* the results of the check, one row for each node */
    size_t row_count;
    size_t room;
    size_t drifted;
    size_t unknown;
    enum exit_code worst; /* worst exit code of the jobs */
};

/* ---- requests ---- */

/* Send a request for a job. False: an error was added. */
static bool verify_post(struct verify *verify, const struct selected_place *place,
                        struct batching_body *body, struct doc *out)
{
    struct client_request request = { .method = "POST", .content_type = "application/json" };

    batching_text(body, "why", text_from(args_value(&verify->command->args, FLAG_VERIFY_MESSAGE)));
    request.path = batching_path(verify->command, place, "jobs");
    request.body = batching_body_format(body);
    return session_ask(verify->command, &verify->session, &request, out);
}

static void verify_code_add(struct verify *verify, enum exit_code code)
{
    if (verify->worst == EXIT_CODE_DONE ||
        (verify->worst == EXIT_CODE_PARTIAL && code != EXIT_CODE_DONE)) {
        verify->worst = code;
    }
}

/* Watch a job until it has ended. False: it is not watched. */
static bool verify_follow(struct verify *verify, int64_t number)
{
    verify_code_add(verify, follow_job(verify->command, &verify->session, number, verify->is_left));
    return !verify->is_left;
}

/* ---- verdicts ---- */

static void verify_row_add(struct verify *verify, struct text cluster, const struct doc *node)
{
    struct arena *arena = verify->command->arena;
    const struct doc *verified =
        doc_child(doc_child(doc_child(node, "status"), "node"), "verified");
    const struct doc *files = doc_child(verified, "files");
    size_t count = doc_is_list(files) ? files->item_count : 0;
    struct text verdict = doc_child_text(verified, "verdict");
    struct text why = doc_child_text(verified, "why");
    struct text judged = TEXT("");
    struct doc_builder builder;

    if (verify->row_count == verify->room) {
        size_t room = verify->room * 2 + 16;

        verify->rows = arena_grow(arena, verify->rows, verify->room * sizeof(struct doc),
                                  room * sizeof(struct doc));
        verify->room = room;
    }
    verify->drifted += text_is(verdict, "drifted");
    verify->unknown += !text_is(verdict, "drifted") && !text_is(verdict, "same");
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "cluster", doc_text(cluster, NULL));
    doc_builder_put(&builder, "count",
                    doc_int(arena, (int64_t)count + doc_child_number(verified, "more"), NULL));
    if (count > 0) {
        doc_builder_put(&builder, "files", *files);
    }
    doc_builder_put(&builder, "group", doc_text(listing_text(node, "metadata", "group"), NULL));
    doc_builder_put(&builder, "level", doc_text(doc_child_text(verified, "level"), NULL));
    doc_builder_put(&builder, "node",
                    doc_text(arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster),
                                          TEXT_ARG(listing_text(node, "metadata", "name"))),
                             NULL));
    doc_builder_put(&builder, "since", doc_text(doc_child_text(verified, "since"), NULL));
    doc_builder_put(&builder, "verdict",
                    doc_text(verdict.length > 0 ? verdict : TEXT("unknown"), NULL));
    if (text_is(doc_child_text(verified, "level"), "deep")) {
        judged = arena_printf(arena, "%lld of %lld tasks judged",
                              (long long)doc_child_number(verified, "judged"),
                              (long long)doc_child_number(verified, "tasks"));
        doc_builder_put(&builder, "judged", doc_text(judged, NULL));
    }
    doc_builder_put(&builder, "what",
                    doc_text(count > 0        ? files->items[0].text
                             : why.length > 0 ? why
                                              : judged,
                             NULL));
    verify->rows[verify->row_count++] = doc_builder_map(&builder, NULL);
}

/* Read the results of the check for all nodes of a job. False: an error was added. */
static bool verify_rows_read(struct verify *verify, struct text cluster, const struct doc *answer)
{
    const struct doc *batches = doc_child(answer, "batches");
    struct nodes nodes;

    if (!nodes_get(verify->command, &verify->session, cluster, &nodes)) {
        return false;
    }
    for (size_t i = 0; doc_is_list(batches) && i < batches->item_count; i++) {
        const struct doc *names = doc_child(&batches->items[i], "nodes");

        for (size_t j = 0; doc_is_list(names) && j < names->item_count; j++) {
            struct text full = names->items[j].text;
            const struct doc *node =
                nodes_find(&nodes, text_slice(full, text_find_byte(full, '/') + 1, SIZE_MAX));

            if (node != NULL) {
                verify_row_add(verify, cluster, node);
            }
        }
    }
    return true;
}

static void verify_place(struct verify *verify, const struct selected_place *place)
{
    struct command *command = verify->command;
    struct err_list before = command->errors;
    struct batching_body body;
    struct doc answer;

    batching_body_init(&body, command);
    batching_text(&body, "level", verify->level);
    batching_text(&body, "verb", TEXT("verify"));
    if (!batching_put(&body, &verify->batching, &verify->selected, place) ||
        !verify_post(verify, place, &body, &answer)) {
        if (selected_is_empty_part(&verify->selected, &command->errors, before.count)) {
            command->errors = before;
        } else {
            verify_code_add(verify, EXIT_CODE_FAILED);
        }
        return;
    }
    if (verify->batching.is_dry) {
        long long nodes = doc_child_number(&answer, "nodes");

        buf_printf(&command->notes, "%lld machine%s of %.*s would be verified\n", nodes,
                   nodes == 1 ? "" : "s", TEXT_ARG(place->cluster));
    } else if (verify_follow(verify, doc_child_number(&answer, "job")) &&
               !verify_rows_read(verify, place->cluster, &answer)) {
        verify_code_add(verify, EXIT_CODE_FAILED);
    }
}

/* ---- correction ---- */

/* The drifted nodes of one group. */
struct verify_group {
    struct selected_place place;
    struct buf names;
    int64_t from; /* first stage that runs again */
};

/* Collect the groups with drifted nodes. Returns their number. */
static size_t verify_groups_collect(struct verify *verify, struct verify_group *groups)
{
    struct arena *arena = verify->command->arena;
    size_t count = 0;

    for (size_t i = 0; i < verify->row_count; i++) {
        const struct doc *row = &verify->rows[i];
        struct text node = doc_child_text(row, "node");
        size_t at = 0;

        if (!text_is(doc_child_text(row, "verdict"), "drifted")) {
            continue;
        }
        while (at < count &&
               !(text_is_equal(groups[at].place.cluster, doc_child_text(row, "cluster")) &&
                 text_is_equal(groups[at].place.group, doc_child_text(row, "group")))) {
            at++;
        }
        if (at == count) {
            groups[count++] =
                (struct verify_group){ .place = { .cluster = doc_child_text(row, "cluster"),
                                                  .group = doc_child_text(row, "group") } };
            buf_init(&groups[at].names, arena);
        }
        buf_printf(&groups[at].names, "%s%.*s", groups[at].names.length > 0 ? "," : "",
                   TEXT_ARG(text_slice(node, text_find_byte(node, '/') + 1, SIZE_MAX)));
    }
    for (size_t i = 0; i < count; i++) {
        groups[i].place.names = buf_text(&groups[i].names);
    }
    return count;
}

/* Ask the manager to correct the nodes of a group; a dry run only returns the first stage. */
static bool verify_correct(struct verify *verify, const struct verify_group *group, bool is_again,
                           bool is_dry, struct doc *out)
{
    struct batching batching = { .deadline_ms = verify->batching.deadline_ms, .is_dry = is_dry };
    struct selected none = { .is_named = true };
    struct batching_body body;

    batching_body_init(&body, verify->command);
    if (is_again) {
        doc_builder_put(&body.builder, "again", doc_bool(true, NULL));
    }
    batching_text(&body, "level", verify->level);
    batching_text(&body, "verb", TEXT("correct"));
    return batching_put(&body, &batching, &none, &group->place) &&
           verify_post(verify, &group->place, &body, out);
}

/* List the stages that would run a second time, and ask for consent. */
static bool verify_agree(struct verify *verify, struct verify_group *groups, size_t count,
                         bool *out_is_again)
{
    struct command *command = verify->command;
    struct consent_needs needs = { .is_change = true };
    struct again again;

    again_init(&again, command);
    for (size_t i = 0; i < count; i++) {
        struct doc answer;
        struct nodes nodes;
        long long number;

        if (!verify_correct(verify, &groups[i], true, true, &answer) ||
            !nodes_get(command, &verify->session, groups[i].place.cluster, &nodes)) {
            return false;
        }
        number = doc_child_number(&answer, "nodes");
        buf_printf(&command->notes,
                   "%.*s/%.*s: the stages of the configuration run again on %lld node%s: %.*s\n",
                   TEXT_ARG(groups[i].place.cluster), TEXT_ARG(groups[i].place.group), number,
                   number == 1 ? "" : "s", TEXT_ARG(groups[i].place.names));
        for (size_t j = 0; j < verify->row_count; j++) {
            struct text name = doc_child_text(&verify->rows[j], "node");
            const struct doc *node =
                nodes_find(&nodes, text_slice(name, text_find_byte(name, '/') + 1, SIZE_MAX));

            if (node != NULL &&
                text_is_equal(doc_child_text(&verify->rows[j], "cluster"),
                              groups[i].place.cluster) &&
                text_is_equal(doc_child_text(&verify->rows[j], "group"), groups[i].place.group) &&
                text_is(doc_child_text(&verify->rows[j], "verdict"), "drifted")) {
                again_add(&again, groups[i].place.cluster, node, false,
                          doc_child_number(&answer, "from"));
            }
        }
    }
    *out_is_again = again_report(&again);
    command_flush(command);
    return consent_get(command, &needs, session_words(command, &verify->session), NULL, NULL);
}

/* Correct the drifted nodes, and check their results again. False: consent was not given, or an
 * error was added. */
static bool verify_fix(struct verify *verify)
{
    struct command *command = verify->command;
    struct verify_group *groups =
        arena_array(command->arena, struct verify_group, verify->row_count + 1);
    size_t count = verify_groups_collect(verify, groups);
    bool is_again = false;

    if (count == 0) {
        return true;
    }
    if (!verify_agree(verify, groups, count, &is_again)) {
        return false;
    }
    verify->row_count = 0;
    verify->drifted = 0;
    verify->unknown = 0;
    verify->worst = EXIT_CODE_DONE;
    for (size_t i = 0; i < count; i++) {
        struct doc answer;

        if (!verify_correct(verify, &groups[i], is_again, false, &answer)) {
            return false;
        }
        if (verify_follow(verify, doc_child_number(&answer, "job")) &&
            !verify_rows_read(verify, groups[i].place.cluster, &answer)) {
            return false;
        }
    }
    return true;
}

/* ---- the verb ---- */

/* Batch flags that do not apply to this verb. All other batch flags work as with every verb. */
static const struct batching_refusal refusals[] = {
    { "surge", "verify has no --surge: it creates no machines",
      "--batch sets how many nodes are verified at the same time" },
    { "unavailable", "verify has no --unavailable: a node that is verified stays in service",
      "a correction observes rollout.unavailable of the group" },
};

static bool verify_flags_read(struct verify *verify, struct output *output)
{
    struct command *command = verify->command;
    const struct args *args = &command->args;
    struct err err;

    if (!output_parse(command->arena, args_value(args, FLAG_VERIFY_OUTPUT), NULL, OUTPUT_TABLE,
                      &view, &command->sources, output, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    verify->level = text_from(args_value(args, FLAG_VERIFY_LEVEL));
    if (args_has(args, FLAG_VERIFY_DEEP) && verify->level.length > 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "--deep and --level exclude each other"),
                        "leave out --level");
    }
    verify->level = args_has(args, FLAG_VERIFY_DEEP) ? TEXT("deep") : verify->level;
    verify->is_fixing = args_has(args, FLAG_VERIFY_FIX);
    verify->is_left = args_has(args, FLAG_VERIFY_DETACH);
    if (verify->is_left && (verify->is_fixing || args_has(args, FLAG_VERIFY_EXIT_CODE))) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "with --detach there is no verdict yet"),
                        "leave out --detach, or --fix and --exit-code");
    }
    return batching_read(command, refusals, ARRAY_COUNT(refusals), &verify->batching);
}

/* Report the drift for --exit-code. An unknown result never counts as unchanged. */
static enum exit_code verify_end(struct verify *verify)
{
    struct command *command = verify->command;

    if (verify->drifted > 0 && args_has(&command->args, FLAG_VERIFY_EXIT_CODE) &&
        verify->worst == EXIT_CODE_DONE && command->errors.errors == 0) {
        (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0832,
                                     "%zu of %zu nodes differ from their baseline", verify->drifted,
                                     verify->row_count),
                        "reeve describe node shows the files; reeve verify --fix corrects them");
        return EXIT_CODE_DIFFERENT;
    }
    return command->errors.errors > 0 && verify->worst == EXIT_CODE_DONE ? EXIT_CODE_FAILED
                                                                         : verify->worst;
}

enum exit_code verb_verify(struct command *command)
{
    struct verify verify = { .command = command };
    const struct args *args = &command->args;
    struct output output;

    if (!verify_flags_read(&verify, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &verify.session) ||
        !selected_read(command, &verify.session, args->words, args->argument_count, VERIFY_USE,
                       &verify.selected)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < verify.selected.count; i++) {
        if (i > 0 && batching_is_late(&verify.batching)) {
            batching_unbegun(command, &verify.selected, i);
            verify_code_add(&verify, EXIT_CODE_TIMEOUT);
            break;
        }
        verify_place(&verify, &verify.selected.items[i]);
    }
    if (verify.is_fixing && !verify.batching.is_dry && !verify_fix(&verify)) {
        return command->errors.errors > 0 ? EXIT_CODE_FAILED : EXIT_CODE_DECLINED;
    }
    if (verify.row_count > 0) {
        output_write(
            command->arena, &output, &command->out_style,
            &(struct output_data){ verify.rows, verify.row_count, verify.rows, verify.row_count },
            &command->out);
    }
    return verify_end(&verify);
}

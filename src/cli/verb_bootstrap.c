/* reeve bootstrap: what can be said of a bundle before any node has it, and tried of it; stages of nodes are run again. */
#include "base/suggest.h"
#include "cli/again.h"
#include "cli/bootstrap_try.h"
#include "cli/kept.h"
#include "cli/nodes.h"
#include "cli/say.h"
#include "codec/json.h"
#include "remote/bundle.h"

#include <string.h>

static void check_text(struct command *command, const char *path, const struct bundle *bundle)
{
    if (args_has(&command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    style_add(&command->out_style, &command->out, STYLE_HINT, "ok");
    buf_printf(&command->out, ": %s: %zu member%s, %zu bytes, sha256:%s\n", path, bundle->members,
               bundle->members == 1 ? "" : "s", bundle->bytes.length, bundle->digest);
}

static void check_json(struct command *command, const struct bundle *bundle)
{
    struct doc_builder builder;
    struct doc answer;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "sha256", doc_text(text_from(bundle->digest), NULL));
    doc_builder_put(&builder, "members", doc_int(command->arena, (int64_t)bundle->members, NULL));
    doc_builder_put(&builder, "bytes",
                    doc_int(command->arena, (int64_t)bundle->bytes.length, NULL));
    doc_builder_put(&builder, "expandedBytes",
                    doc_int(command->arena, (int64_t)bundle->tree_bytes, NULL));
    answer = doc_builder_map(&builder, NULL);
    json_format_pretty(&command->out, &answer);
}

static enum exit_code check(struct command *command, const char *path)
{
    struct bundle bundle;
    struct err err;

    if (!bundle_read(command->arena, path, &bundle, &err)) {
        if (err.code != CODE_R0011) {
            err_note(&err, "this is about '%s'", path);
        }
        err_list_add(&command->errors, &err);
        return exit_of_errors(&command->errors, command->is_strict);
    }
    if (command_output_is(command, "json")) {
        check_json(command, &bundle);
    } else {
        check_text(command, path, &bundle);
    }
    return EXIT_CODE_DONE;
}

/* ---- nodes ---- */

struct running {
    struct command *command;
    struct session session;
    const char *from; /* NULL: what did not end well */
    struct again again;
    bool is_again; /* it was agreed to stages that are not idempotent */
};

static struct text cluster_of(const char *word)
{
    struct text name = text_from(word);

    return text_slice(name, 0, text_find_byte(name, '/'));
}

static struct text node_of(const char *word)
{
    struct text name = text_from(word);
    size_t slash = text_find_byte(name, '/');

    return text_slice(name, slash == SIZE_MAX ? name.length : slash + 1, name.length);
}

/* Which of its stages are not to run twice? Who is not there is told so when the word is said. */
static bool node_look(struct running *running, const char *word)
{
    struct command *command = running->command;
    const struct doc *node;
    struct nodes nodes;
    int64_t from = 0;

    if (node_of(word).length == 0) {
        return kept_refuse(command, word, "CLUSTER/NODE");
    }
    if (!nodes_get(command, &running->session, cluster_of(word), &nodes)) {
        return false;
    }
    node = nodes_find(&nodes, node_of(word));
    (void)!text_parse_int64(text_from(running->from == NULL ? "" : running->from), &from);
    if (node != NULL) {
        again_add(&running->again, cluster_of(word), node, running->from == NULL, from);
    }
    return true;
}

static bool node_run(struct running *running, const char *word)
{
    struct command *command = running->command;
    struct target target = { schema_kind_find(TEXT("Cluster")), cluster_of(word) };
    struct say say = { .word = "bootstrap",
                       .node = node_of(word),
                       .from = running->from,
                       .is_again = running->is_again,
                       .why = args_value(&command->args, FLAG_BOOTSTRAP_MESSAGE) };

    if (!say_it(command, &running->session, &target, &say)) {
        return false;
    }
    if (running->from == NULL) {
        buf_printf(&command->notes, "%s: stages that did not end well run again\n", word);
    } else {
        buf_printf(&command->notes, "%s: all stages from stage-%s on run again\n", word,
                   running->from);
    }
    return true;
}

static enum exit_code run(struct command *command)
{
    const char *from = args_value(&command->args, FLAG_BOOTSTRAP_FROM);
    bool is_of_all = args_has(&command->args, FLAG_BOOTSTRAP_RERUN);
    struct running running = { .command = command, .from = is_of_all ? "0" : from };

    if (is_of_all && from != NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--rerun runs all stages again, --from-stage those from one on"),
                 "say one of the two");
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &running.session)) {
        return EXIT_CODE_FAILED;
    }
    again_init(&running.again, command);
    for (size_t i = 1; i < command->args.word_count; i++) {
        if (!node_look(&running, command->args.words[i])) {
            return EXIT_CODE_FAILED;
        }
    }
    if (!again_ask(&running.again, &running.session, &running.is_again)) {
        return EXIT_CODE_DECLINED;
    }
    for (size_t i = 1; i < command->args.word_count; i++) {
        if (!node_run(&running, command->args.words[i])) {
            return EXIT_CODE_FAILED;
        }
    }
    return EXIT_CODE_DONE;
}

enum exit_code verb_bootstrap(struct command *command)
{
    struct suggest suggest = suggest_start(text_from(command->args.words[0]));
    struct err *err;

    if (strcmp(command->args.words[0], "check") == 0) {
        if (command->args.word_count > 2) {
            (void)kept_refuse(command, command->args.words[2], "one FOLDER or FILE.tar");
            return EXIT_CODE_USAGE;
        }
        return check(command, command->args.words[1]);
    }
    if (strcmp(command->args.words[0], "run") == 0) {
        return run(command);
    }
    if (strcmp(command->args.words[0], "try") == 0) {
        return bootstrap_try(command);
    }
    suggest_offer(&suggest, TEXT("check"));
    suggest_offer(&suggest, TEXT("run"));
    suggest_offer(&suggest, TEXT("try"));
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       "reeve bootstrap has no '%s' yet", command->args.words[0]);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve help bootstrap shows what there is");
    }
    return EXIT_CODE_USAGE;
}

/* reeve bootstrap: checks a bundle before it is used, tries it on one node, and runs stages of
 * nodes again. */
#include "base/suggest.h"
#include "cli/act/bootstrap_parts.h"
#include "cli/hosts/bootstrap_manager.h"
#include "cli/args/command.h"
#include "cli/manager/kept.h"
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

    if (!bundle_read(command->arena, BUNDLE_STAGE, path, &bundle, &err)) {
        if (err.code != CODE_R0011) {
            err_note(&err, "this concerns '%s'", path);
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

/* ---- the words ---- */

/* Reject flags that select machines or batches: only bootstrap run accepts them. */
static bool selection_refuse(struct command *command)
{
    static const char *const flags[] = {
        "cluster",   "group",         "selector",    "state",    "revision",   "all",
        "failed-of", "batch",         "order",       "max-fail", "canary",     "bake",
        "spread",    "pause-between", "deadline",    "seed",     "from-stage", "dry-run",
        "detach",    "surge",         "unavailable", "rerun",
    };

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        if (args_named(&command->args, flags[i]) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "bootstrap %s takes no --%s", command->args.words[0],
                                         flags[i]),
                            "it is a flag of bootstrap run; try has --node CLUSTER/NODE");
        }
    }
    return command->args.argument_count > 1 ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                 "bootstrap %s needs a FOLDER or FILE.tar", command->args.words[0]),
                    "reeve bootstrap --help shows how it is used");
}

enum exit_code verb_bootstrap(struct command *command)
{
    struct suggest suggest = suggest_start(text_from(command->args.words[0]));
    struct err *err;

    if (strcmp(command->args.words[0], "run") == 0) {
        return bootstrap_run(command);
    }
    if ((strcmp(command->args.words[0], "check") == 0 ||
         strcmp(command->args.words[0], "try") == 0) &&
        !selection_refuse(command)) {
        return EXIT_CODE_USAGE;
    }
    if (strcmp(command->args.words[0], "check") == 0) {
        if (command->args.argument_count > 2) {
            (void)kept_refuse(command, command->args.words[2], "one FOLDER or FILE.tar");
            return EXIT_CODE_USAGE;
        }
        return check(command, command->args.words[1]);
    }
    if (strcmp(command->args.words[0], "try") == 0) {
        return bootstrap_try(command);
    }
    if (strcmp(command->args.words[0], "manager") == 0) {
        return bootstrap_manager(command);
    }
    suggest_offer(&suggest, TEXT("check"));
    suggest_offer(&suggest, TEXT("manager"));
    suggest_offer(&suggest, TEXT("run"));
    suggest_offer(&suggest, TEXT("try"));
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       "reeve bootstrap has no '%s' yet", command->args.words[0]);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve help bootstrap lists the subcommands");
    }
    return EXIT_CODE_USAGE;
}
